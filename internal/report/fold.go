package report

// A row is one line of the table: a step, or what was left out.
type row struct {
	step   *Step
	number int // of the step in the schedule, from 1
	folded int // if step is nil: how many steps stand here
	rounds int // of these, if they are a loop's: how many rounds they are
}

// maxRows is how many rows a table has before its middle is left out, keepHead
// and keepTail what stays around that.
const (
	maxRows  = 20
	keepHead = 6
	keepTail = maxRows - keepHead - 1
)

// fold chooses the rows for steps: rounds of a loop but the first and the last
// are left out, and of what is still too long the middle. The violation always
// stays.
func fold(steps []Step) []row {
	var rows []row
	for from := 0; from < len(steps); {
		to := from + 1
		for to < len(steps) && sameRun(steps[from], steps[to]) {
			to++
		}
		rows = append(rows, foldLoops(steps, from, to)...)
		from = to
	}
	if len(rows) <= maxRows {
		return rows
	}
	tail := len(rows) - keepTail
	out := append([]row{}, rows[:keepHead]...)
	hidden := 0
	show := func() {
		if hidden > 0 {
			out, hidden = append(out, row{folded: hidden}), 0
		}
	}
	for _, r := range rows[keepHead:tail] {
		switch {
		case r.step == nil:
			hidden += r.folded
		case r.step.Violation:
			show()
			out = append(out, r)
		default:
			hidden++
		}
	}
	show()
	return append(out, rows[tail:]...)
}

// sameRun reports whether a goroutine goes on from a to b without a switch.
func sameRun(a, b Step) bool { return a.Goroutine == b.Goroutine && !b.Violation }

// maxPeriod is the longest round of a loop that is recognized, in steps.
const maxPeriod = 8

// foldLoops makes rows of steps[from:to], which one goroutine does in one go.
func foldLoops(steps []Step, from, to int) []row {
	var rows []row
	show := func(i int) { rows = append(rows, row{step: &steps[i], number: i + 1}) }
	for i := from; i < to; {
		period, rounds := loop(steps[i:to])
		if rounds < 3 || (rounds-2)*period < 3 { // folding must save room
			show(i)
			i++
			continue
		}
		for k := i; k < i+period; k++ {
			show(k)
		}
		rows = append(rows, row{folded: (rounds - 2) * period, rounds: rounds - 2})
		i += (rounds - 1) * period
		for k := i; k < i+period; k++ {
			show(k)
		}
		i += period
	}
	return rows
}

// loop finds how often steps begin with repetitions of the same places: the
// period that covers most steps.
func loop(steps []Step) (period, rounds int) {
	for p := 1; p <= maxPeriod && 2*p <= len(steps); p++ {
		n := p
		for n < len(steps) && samePlace(steps[n], steps[n-p]) {
			n++
		}
		if n/p > 1 && n/p*p > period*rounds {
			period, rounds = p, n/p
		}
	}
	return period, rounds
}

func samePlace(a, b Step) bool {
	return a.Op == b.Op && a.Expr == b.Expr && a.File == b.File && a.Line == b.Line
}

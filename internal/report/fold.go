package report

import (
	"slices"
	"strings"
)

// A row is one line of the table: a step, or what was left out.
type row struct {
	step   *Step
	number int // of the step in the schedule, from 1
	folded int // if step is nil: how many steps stand here
	rounds int // of these, if they are a loop's: how many rounds they are
}

// maxRows is how many rows a table has before some are left out, keepHead
// and keepTail what stays around a middle that is left out. Of the tail keepSwitch
// are those around the last switch, if the end has none.
const (
	maxRows    = 20
	keepHead   = 6
	keepTail   = maxRows - keepHead - 1
	keepSwitch = 6
)

// fold chooses the rows for steps: what the standard library does is left out but where
// goroutines switch; rounds of a loop but the first and the last; of what is still too long
// so many of the steps that say least; and of what is too long all the same the middle. The
// numbers of what is left out are missing. The violation always stays.
func fold(steps []Step) []row {
	all := slices.DeleteFunc(allRows(steps), func(r row) bool { return r.step.isInsideStd() })
	var rows []row
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && sameRun(*all[from].step, *all[to].step) {
			to++
		}
		rows = append(rows, foldLoops(all[from:to])...)
		from = to
	}
	for _, dull := range []func(Step) bool{Step.isOfWaitGroup, Step.isOfLock} {
		rows = leaveOutDull(rows, dull)
	}
	if len(rows) > maxRows {
		rows = cutMiddle(rows)
	}
	return rows
}

// leaveOutDull leaves out dull steps until rows are few enough, first those that are
// farthest from where goroutines switch.
func leaveOutDull(rows []row, dull func(Step) bool) []row {
	var at []int                  // rows that may go
	far := make([]int, len(rows)) // how far each row is from the next switch
	d := len(rows)
	for i, r := range rows {
		d++
		switch {
		case r.step == nil:
		case r.step.Violation || r.step.Switch != nil:
			d = 0
		case dull(*r.step):
			at = append(at, i)
		}
		far[i] = d
	}
	d = len(rows)
	for i := range slices.Backward(rows) {
		d++
		if far[i] == 0 {
			d = 0
		}
		far[i] = min(far[i], d, len(rows)) // where nobody switches all are as far
	}
	slices.SortStableFunc(at, func(i, j int) int { return far[j] - far[i] })
	out := make(map[int]bool)
	for _, i := range at[:min(len(at), max(len(rows)-maxRows, 0))] {
		out[i] = true
	}
	var kept []row
	for i, r := range rows {
		if !out[i] {
			kept = append(kept, r)
		}
	}
	return kept
}

// allRows returns the rows of all steps.
func allRows(steps []Step) []row {
	var rows []row
	for i := range steps {
		rows = append(rows, row{step: &steps[i], number: i + 1})
	}
	return rows
}

// visibleSteps says of each step whether rows show it, and returns the rows of gaps by the first
// step that each leaves out.
func visibleSteps(rows []row, steps int) (visible []bool, gaps map[int]row) {
	visible, gaps = make([]bool, steps), make(map[int]row)
	next := 0 // the first step that rows have not come to
	for _, r := range rows {
		if r.step == nil {
			gaps[next] = r
			next += r.folded
			continue
		}
		visible[r.number-1] = true
		next = r.number
	}
	return visible, gaps
}

// isInsideStd reports whether s is one within the standard library that says nothing of where the
// program's own goroutines come from or switch.
func (s Step) isInsideStd() bool {
	return strings.HasPrefix(s.File, "std/") && s.Op != "fork" && !s.Violation && s.Switch == nil
}

// isOfWaitGroup reports whether s is an operation of a WaitGroup.
func (s Step) isOfWaitGroup() bool { return s.Op == "add" || s.Op == "wgwait" }

// isOfLock reports whether s takes or gives back a lock. Which ones are held at the
// violation is told above the table.
func (s Step) isOfLock() bool {
	switch s.Op {
	case "acq", "rel", "racq", "rrel":
		return true
	}
	return false
}

// cutMiddle leaves out the middle of rows. Where a goroutine has gone on alone for long in the end,
// what the one before it did last stays: that is what has led there.
func cutMiddle(rows []row) []row {
	tail := len(rows) - keepTail
	at := 0 // the last switch
	for i, r := range rows {
		if r.step != nil && r.step.Switch != nil {
			at = i
		}
	}
	from, to := tail, tail // what stays around it
	if at >= keepHead && at < tail {
		from, to = at-keepSwitch/2, at+keepSwitch/2
		tail += keepSwitch + 1 // and the row that says what is left out there
	}
	stays := func(i int) bool {
		return i < keepHead || i >= tail || from <= i && i < to || rows[i].step != nil && rows[i].step.Violation
	}
	var out []row
	told := 0 // the number of the last step that out tells of
	cut := false
	for i, r := range rows {
		if !stays(i) {
			cut = true
			continue
		}
		if cut && r.step != nil {
			out, cut = append(out, row{folded: r.number - told - 1}), false
		}
		out = append(out, r)
		told = max(told+r.folded, r.number)
	}
	return out
}

// sameRun reports whether a goroutine goes on from a to b without a switch.
func sameRun(a, b Step) bool { return a.Goroutine == b.Goroutine && !b.Violation }

// maxPeriod is the longest round of a loop that is recognized, in steps.
const maxPeriod = 8

// foldLoops leaves rounds out of the rows of steps that one goroutine does in one go.
func foldLoops(all []row) []row {
	var rows []row
	for len(all) > 0 {
		period, rounds := longestLoop(all)
		if rounds < 3 || (rounds-2)*period < 3 { // folding must save room
			rows, all = append(rows, all[0]), all[1:]
			continue
		}
		left := (rounds - 1) * period // where the last round begins
		rows = append(rows, all[:period]...)
		rows = append(rows, row{folded: all[left].number - all[period-1].number - 1, rounds: rounds - 2})
		rows = append(rows, all[left:left+period]...)
		all = all[left+period:]
	}
	return rows
}

// longestLoop finds how often rows begin with repetitions of the same places: the
// period that covers most of them.
func longestLoop(rows []row) (period, rounds int) {
	for p := 1; p <= maxPeriod && 2*p <= len(rows); p++ {
		n := p
		for n < len(rows) && samePlace(*rows[n].step, *rows[n-p].step) {
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

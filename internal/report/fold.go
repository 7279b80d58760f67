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

// fold returns the rows for steps. It leaves out, in this order: steps within the standard library
// unless goroutines switch there; the rounds of a loop but the first and the last; the dullest
// steps, until the table is short enough; and if that is not enough, the middle. The numbers of
// these steps are missing in the rows. The violation always stays.
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

// leaveOutDull leaves out dull steps until rows are few enough, those first that are farthest from
// a switch of goroutines.
func leaveOutDull(rows []row, dull func(Step) bool) []row {
	var dullRows []int
	distance := make([]int, len(rows)) // of each row to the next switch
	d := len(rows)
	for i, r := range rows {
		d++
		switch {
		case r.step == nil:
		case r.step.Violation || r.step.Switch != nil:
			d = 0
		case dull(*r.step):
			dullRows = append(dullRows, i)
		}
		distance[i] = d
	}
	d = len(rows)
	for i := range slices.Backward(rows) {
		d++
		if distance[i] == 0 {
			d = 0
		}
		distance[i] = min(distance[i], d, len(rows)) // without a switch all are equally far
	}
	slices.SortStableFunc(dullRows, func(i, j int) int { return distance[j] - distance[i] })
	leftOut := make(map[int]bool)
	for _, i := range dullRows[:min(len(dullRows), max(len(rows)-maxRows, 0))] {
		leftOut[i] = true
	}
	var kept []row
	for i, r := range rows {
		if !leftOut[i] {
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

// isInsideStd reports whether s is within the standard library, and neither starts a goroutine nor
// follows a switch.
func (s Step) isInsideStd() bool {
	return strings.HasPrefix(s.File, "std/") && s.Op != "fork" && !s.Violation && s.Switch == nil
}

// isOfWaitGroup reports whether s is an operation of a WaitGroup.
func (s Step) isOfWaitGroup() bool { return s.Op == "add" || s.Op == "wgwait" }

// isOfLock reports whether s acquires or releases a lock. The locks held at the violation are
// listed above the table.
func (s Step) isOfLock() bool {
	switch s.Op {
	case "acq", "rel", "racq", "rrel":
		return true
	}
	return false
}

// cutMiddle leaves out the middle of rows. If the last goroutine has run alone for long, the last
// steps of the one before stay too: they have led there.
func cutMiddle(rows []row) []row {
	tail := len(rows) - keepTail
	lastSwitch := 0
	for i, r := range rows {
		if r.step != nil && r.step.Switch != nil {
			lastSwitch = i
		}
	}
	from, to := tail, tail // what stays around it
	if lastSwitch >= keepHead && lastSwitch < tail {
		from, to = lastSwitch-keepSwitch/2, lastSwitch+keepSwitch/2
		tail += keepSwitch + 1 // and the row that says what is left out there
	}
	stays := func(i int) bool {
		return i < keepHead || i >= tail || from <= i && i < to || rows[i].step != nil && rows[i].step.Violation
	}
	var out []row
	covered := 0 // the number of the last step that out covers
	cut := false
	for i, r := range rows {
		if !stays(i) {
			cut = true
			continue
		}
		if cut && r.step != nil {
			out, cut = append(out, row{folded: r.number - covered - 1}), false
		}
		out = append(out, r)
		covered = max(covered+r.folded, r.number)
	}
	return out
}

// sameRun reports whether a goroutine goes on from a to b without a switch.
func sameRun(a, b Step) bool { return a.Goroutine == b.Goroutine && !b.Violation }

// foldLoops leaves out rounds of loops, in the rows of one goroutine without a switch.
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

// longestLoop returns the period with which rows repeat the same places from their beginning, and
// how often: that which covers most rows.
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

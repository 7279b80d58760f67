package minimize

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Involved reports of each goroutine whether it executes an event of the violation, or is in
// scope and an ancestor of one that does. What starts the tests is no such ancestor: it is out
// of scope, as it goes by all tests that there are.
func Involved(s Schedule, scope []bool) []bool {
	in := make([]bool, len(s.Trace.Goroutines))
	for _, i := range slices.Concat(s.Performed, s.Pending) {
		for g := s.Trace.Events[i].G; scope[g] && !in[g]; g = s.Trace.Goroutines[g].Parent {
			in[g] = true
		}
	}
	return in
}

// OnlyStarts returns a minimizer that leaves the go statements of the goroutines that are in,
// and what is performed of the violation.
func OnlyStarts(in []bool) Minimizer {
	return func(s Schedule) []int {
		return filter(s.Steps, func(i int) bool {
			e := &s.Trace.Events[i]
			return e.Kind == trace.Fork && e.Obj < uint64(len(in)) && in[e.Obj] || s.isPerformed(i)
		})
	}
}

// WithoutGoroutines returns a minimizer that leaves out what goroutines do that the violation
// does not need: of one after the other all steps, or else the later half, and so on. Goroutines
// of pending events need all their steps. Leads reports whether steps lead to the violation: it
// asks the judge. A solver's model has such steps, as it says of each event whether it happens.
func WithoutGoroutines(leads func(steps []int) bool) Minimizer {
	return func(s Schedule) []int {
		needed, present := make([]bool, len(s.Trace.Goroutines)), make([]bool, len(s.Trace.Goroutines))
		for _, i := range s.Pending {
			needed[s.Trace.Events[i].G] = true
		}
		for _, i := range s.Steps {
			present[s.Trace.Events[i].G] = true
		}
		t := trial{leads: leads, steps: s.Steps}
		for g := range present {
			if present[g] && !needed[g] && !t.shorten(s.Trace, trace.GID(g)) {
				break
			}
		}
		return t.steps
	}
}

// A trial tries shorter schedules.
type trial struct {
	leads func([]int) bool
	steps []int // the shortest that lead to the violation so far
	room  []int // memory for the next that are tried
	tried int   // steps of all that were tried
}

// shorten leaves out the most of goroutine g's last steps. It returns false if too much was tried.
func (t *trial) shorten(tr *trace.Trace, g trace.GID) bool {
	var own []int // indices of its steps
	for k, i := range t.steps {
		if tr.Events[i].G == g {
			own = append(own, k)
		}
	}
	for cut := 0; cut < len(own); cut += (len(own) - cut + 1) / 2 {
		if t.tried += len(t.steps); t.tried > MaxTried {
			return false
		}
		shorter := append(t.room[:0], t.steps[:own[cut]]...)
		for _, i := range t.steps[own[cut]:] {
			if tr.Events[i].G != g {
				shorter = append(shorter, i)
			}
		}
		if t.room = shorter; t.leads(shorter) {
			t.steps, t.room = shorter, nil
			break
		}
	}
	return true
}

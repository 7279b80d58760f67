package minimize

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Involved reports by goroutine whether it executes an event of the violation, or is an
// ancestor in scope of one that does. The goroutine that starts the tests is out of scope, as
// its events depend on which tests there are.
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

// WithoutGoroutines returns a minimizer that leaves out steps that the violation does not need.
// For one goroutine after the other it tries to leave out all steps, or else the later half, and
// so on. Goroutines of pending events keep their steps. The function leads reports whether steps
// lead to the violation. The models of solvers have unneeded steps.
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

// shorten leaves out as many of goroutine g's last steps as it can. It returns false if the
// budget is used up.
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

package minimize

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// WithoutOrdered leaves out the reads and writes whose order follows from the other steps, such
// as those in the critical sections of one lock. These are most steps of a long schedule. Events
// of the violation stay, and so does the end of the schedule.
func WithoutOrdered(s Schedule) []int {
	if len(s.Steps) <= unchangedSteps {
		return s.Steps
	}
	o := ordering{Schedule: s, mem: memoryOf(s.Trace, s.Steps), optional: make([]bool, len(s.Steps))}
	o.findOptional()
	o.findBounds()
	ordered := o.orderedPieces()
	for k := range o.optional {
		o.mem.pieces(k, func(n int) { o.optional[k] = o.optional[k] && ordered[n] })
	}
	return without(s.Steps, o.optional)
}

// An ordering finds the steps whose order follows from the others.
type ordering struct {
	Schedule
	mem      memory
	optional []bool // by step: it may be left out
	// before and after have by step the last step before it and the first step after it, of its
	// goroutine, that are not optional: the step comes between these. They are -1 and the
	// number of steps if there is none.
	before, after []int
}

// findOptional finds the steps that may be left out. The last step of a goroutine may not, as it
// brings the goroutine that far.
func (o *ordering) findOptional() {
	goesOn := make([]bool, len(o.Trace.Goroutines))
	for k, i := range slices.Backward(o.Steps) {
		e := &o.Trace.Events[i]
		o.optional[k] = e.Kind.IsPlain() && goesOn[e.G] && k < len(o.Steps)-unchangedSteps && !o.isPerformed(i)
		goesOn[e.G] = true
	}
}

// findBounds finds before and after. A goroutine begins after its go statement.
func (o *ordering) findBounds() {
	last := make([]int, len(o.Trace.Goroutines)) // by goroutine
	for g := range last {
		last[g] = -1
	}
	o.before, o.after = make([]int, len(o.Steps)), make([]int, len(o.Steps))
	for k, i := range o.Steps {
		e := &o.Trace.Events[i]
		if !o.optional[k] {
			last[e.G] = k
		}
		o.before[k] = last[e.G]
		if e.Kind == trace.Fork && e.Obj < uint64(len(last)) {
			last[e.Obj] = k
		}
	}
	next := last
	for g := range next {
		next[g] = len(o.Steps)
	}
	for k, i := range slices.Backward(o.Steps) {
		e := &o.Trace.Events[i]
		if !o.optional[k] {
			next[e.G] = k
		}
		o.after[k] = next[e.G]
	}
}

// orderedPieces reports by piece of memory whether the order of its accesses follows from the
// steps that are not optional.
func (o *ordering) orderedPieces() []bool {
	ordered := make([]bool, len(o.mem.starts))
	for n := range ordered {
		ordered[n] = true
	}
	o.mem.eachConflict(o.Trace, o.Steps, func(piece, earlier, later int) {
		sameGoroutine := o.Trace.Events[o.Steps[earlier]].G == o.Trace.Events[o.Steps[later]].G
		ordered[piece] = ordered[piece] && (sameGoroutine || o.after[earlier] <= o.before[later])
	})
	return ordered
}

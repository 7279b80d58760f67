package waits

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file finds goroutines that timers wake again and again without effect: a worker whose
// ticker lets it go round its loop, to the same operation. They are blocked from the first of
// these rounds on, and the rounds are left out of witnesses.

// withoutRounds sets the position of each operation of ws to where its goroutine has begun it for
// the first time after the last event of t that has an effect or, if the trace says that the goroutine
// turns round, after the end of its test. It returns t without what follows these positions, unless
// other goroutines have events there.
func withoutRounds(t *trace.Trace, ws []Wait) *trace.Trace {
	if t.PendingEvents > 0 {
		return t
	}
	waiting := make(map[trace.GID]*Wait)
	for k := range ws {
		if w := &ws[k]; w.Position >= 0 {
			waiting[w.G] = w
		}
	}
	from, first := 1+lastEffect(t.Events), 0
	if !slices.ContainsFunc(ws, func(w Wait) bool { return w.Turns }) {
		first = from
	}
	hasEnded := make(map[string]bool) // by test: its end comes after the event
	for i := len(t.Events) - 1; i >= first; i-- {
		e := &t.Events[i]
		if t.EndsTest(e) {
			hasEnded[t.Goroutines[e.G].Test] = true
		}
		w := waiting[e.G]
		if w != nil && e.Kind == w.Op && e.Site == w.Site && (i >= from || w.Turns && !hasEnded[t.Goroutines[e.G].Test]) {
			w.Position = i
		}
	}
	last := from - 1
	for _, w := range ws {
		last = max(last, w.Position)
	}
	for _, e := range t.Events[last+1:] {
		if waiting[e.G] == nil {
			return t
		}
	}
	cut := *t
	cut.Events = t.Events[: last+1 : last+1]
	return &cut
}

// lastEffect returns the position of the last event that other goroutines may notice; -1 if there
// is none. To receive from a timer's channel is none: an Await of the timer follows it.
func lastEffect(events []trace.Event) int {
	next := make(map[trace.GID]trace.Kind) // of each goroutine's events
	for i, e := range slices.Backward(events) {
		switch e.Kind {
		case trace.Read, trace.AtomicLoad, trace.Acquire, trace.Release, trace.RAcquire, trace.RRelease,
			trace.Select, trace.SelectRecv, trace.SelectSend, trace.SelectDone, trace.Recv, trace.Send,
			trace.WaitGroupWait, trace.CondWait, trace.Branch, trace.Operand, trace.Await, trace.RegionBegin, trace.RegionEnd:
		case trace.RecvDone:
			if e.Val != 0 && next[e.G] != trace.Await {
				return i
			}
		default:
			return i
		}
		next[e.G] = e.Kind
	}
	return -1
}

package reduce

import (
	"math/bits"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Gather puts what goroutines of a test do after the next one has begun, though their own is over, back
// to the end of their own. It does so where nobody else touches meanwhile what they touch: that
// is another order of the same run, in which the tests are apart (see [Divide]). What a test
// leaves behind is often a goroutine that sleeps, takes a lock, and finds that all is over.
func Gather(t *trace.Trace) {
	if len(t.Events) >= 2*leastWindow {
		gather(t)
	}
}

func gather(t *trace.Trace) {
	ls := lates(t)
	if len(ls) == 0 {
		return
	}
	keepDependent(t, ls)
	var moves []move
	for _, l := range ls {
		for _, i := range l.events {
			moves = append(moves, move{i, l.before, t.Events[i]})
		}
	}
	if len(moves) > 0 {
		rearrange(t, moves)
	}
}

// A late is what goroutines of a test do after the next one has begun.
type late struct {
	before  int             // where the next test begins
	events  []int           // nil if they stay where they are
	bound   bool            // some cannot be moved
	touched map[uint64]bool // pieces of memory
	pieces  []uint64        // the same, ascending
}

// maxLate is how many events are moved for one test, and the bytes of an access among them: others
// are what a test does, and not what is left of it.
const maxLate = 1 << 16

// lates returns those of t, by their tests.
func lates(t *trace.Trace) map[string]*late {
	ended := make(map[string]bool) // tests, whose own goroutine has
	waiting := make([]string, 0)   // those of them after which no other has begun
	ls := make(map[string]*late)
	of := make([]*late, len(t.Goroutines)) // those of ls
	its := make(map[string][]int)          // goroutines by their tests
	for g := range t.Goroutines {
		its[t.Goroutines[g].Test] = append(its[t.Goroutines[g].Test], g)
	}
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case e.Kind == trace.End && t.Goroutines[e.G].IsTest():
			if test := t.Goroutines[e.G].Test; !ended[test] {
				ended[test] = true
				waiting = append(waiting, test)
			}
		case len(waiting) > 0 && startsTest(t, e) && t.Goroutines[e.G].RunsTests():
			for _, test := range waiting {
				ls[test] = &late{before: i, touched: make(map[uint64]bool)}
				for _, g := range its[test] {
					of[g] = ls[test]
				}
			}
			waiting = waiting[:0]
		case of[e.G] != nil:
			of[e.G].add(i, e)
		}
	}
	for test, l := range ls {
		if l.bound || len(l.events) == 0 {
			delete(ls, test)
			continue
		}
		for piece := range l.touched {
			l.pieces = append(l.pieces, piece)
		}
		slices.Sort(l.pieces)
	}
	return ls
}

// add adds event i. One that may have to do with others by more than the memory at its address
// rules the test out.
func (l *late) add(i int, e *trace.Event) {
	switch c := e.Kind.Class(); {
	case l.bound || len(l.events) == maxLate:
		l.bound = true
	case c == trace.ClassAccess && e.Size > 0 && e.Size <= maxLate, c == trace.ClassLock:
		for piece := range touchedPieces(e) {
			l.touched[piece] = true
		}
		l.events = append(l.events, i)
	case e.Kind == trace.Begin, e.Kind == trace.End, e.Kind == trace.Branch, e.Kind == trace.Operand:
		l.events = append(l.events, i)
	default:
		l.bound = true
	}
}

// touchedPieces yields what e touches.
func touchedPieces(e *trace.Event) func(func(uint64) bool) {
	last := e.Obj
	if e.Kind.IsAccess() {
		last += uint64(max(e.Size, 1)) - 1
	}
	return func(yield func(uint64) bool) {
		for p := e.Obj >> pieceBits; p <= last>>pieceBits && yield(p); p++ {
		}
	}
}

// keepDependent leaves the events of those of ls where they are that share something with what others do
// between, or that would come before memory of theirs was free.
func keepDependent(t *trace.Trace, ls map[string]*late) {
	all := make(map[uint64][]*late)
	first := len(t.Events)
	for _, l := range ls {
		first = min(first, l.before)
		for _, p := range l.pieces {
			all[p] = append(all[p], l)
		}
	}
	for i := first; i < len(t.Events); i++ {
		e := &t.Events[i]
		if !e.Kind.HasAddress() {
			continue
		}
		its := ls[t.Goroutines[e.G].Test]
		for p := range touchedPieces(e) {
			for _, l := range all[p] {
				if l != its && i >= l.before && len(l.events) > 0 && i < l.events[len(l.events)-1] {
					l.events = nil
				}
			}
		}
	}
	for _, f := range t.Freed {
		for _, l := range ls {
			if len(l.events) > 0 && int(f.At) >= l.before && int(f.At) <= l.events[len(l.events)-1] && l.freedBy(f) {
				l.events = nil
			}
		}
	}
}

// freedBy reports whether f is of memory that l touches.
func (l *late) freedBy(f trace.Freed) bool {
	for which := f.Which; which != 0; which &= which - 1 {
		lo := f.Obj + uint64(bits.TrailingZeros64(which))*uint64(f.Size)
		k, _ := slices.BinarySearch(l.pieces, lo>>pieceBits)
		if k < len(l.pieces) && l.pieces[k]<<pieceBits < lo+uint64(f.Size) {
			return true
		}
	}
	return false
}

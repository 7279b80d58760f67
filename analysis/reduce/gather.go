package reduce

import (
	"math/bits"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Gather moves events that goroutines of a test perform after the next test has begun back to the end
// of their own test. It does so only if no other goroutine touches the same memory in between: then
// the result is another order of the same run, in which the tests are separate (see [Divide]). A test
// often leaves such a goroutine behind: it sleeps, takes a lock, and finds that the test is over.
func Gather(t *trace.Trace) {
	if len(t.Events) >= 2*leastWindow {
		gather(t)
	}
}

func gather(t *trace.Trace) {
	ls := findLeftovers(t)
	if len(ls) == 0 {
		return
	}
	keepDependent(t, ls)
	var moves []move
	for _, l := range ls {
		for _, i := range l.events {
			moves = append(moves, move{i, l.nextTest, t.Events[i]})
		}
	}
	if len(moves) > 0 {
		rearrange(t, moves)
	}
}

// A leftover has the events that goroutines of a test perform after the next test has begun.
type leftover struct {
	nextTest  int             // position where the next test begins
	events    []int           // positions; nil if the events stay where they are
	immovable bool            // some event cannot be moved
	touched   map[uint64]bool // pieces of memory that the events touch
	pieces    []uint64        // the keys of touched, ascending
}

// maxLeftover bounds the events that are moved for one test, and the bytes of one access among them.
// More events are the work of the test itself, not its remains.
const maxLeftover = 1 << 16

// findLeftovers returns the leftovers of t that can be moved, by the names of their tests.
func findLeftovers(t *trace.Trace) map[string]*leftover {
	ended := make(map[string]bool) // tests whose own goroutine has ended
	waiting := make([]string, 0)   // ended tests after which no other test has begun
	ls := make(map[string]*leftover)
	of := make([]*leftover, len(t.Goroutines)) // by goroutine: the leftover of its test, or nil
	its := make(map[string][]int)              // goroutines by their tests
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
				ls[test] = &leftover{nextTest: i, touched: make(map[uint64]bool)}
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
		if l.immovable || len(l.events) == 0 {
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

// add adds event i. An event that may affect others by more than the memory it touches makes l
// immovable.
func (l *leftover) add(i int, e *trace.Event) {
	switch c := e.Kind.Class(); {
	case l.immovable || len(l.events) == maxLeftover:
		l.immovable = true
	case c == trace.ClassAccess && e.Size > 0 && e.Size <= maxLeftover, c == trace.ClassLock:
		for piece := range touchedPieces(e) {
			l.touched[piece] = true
		}
		l.events = append(l.events, i)
	case e.Kind == trace.Begin, e.Kind == trace.End, e.Kind == trace.Branch, e.Kind == trace.Operand:
		l.events = append(l.events, i)
	default:
		l.immovable = true
	}
}

// keepDependent leaves the events of a leftover in place if other goroutines touch the same memory in
// between, or if that memory was freed in between.
func keepDependent(t *trace.Trace, ls map[string]*leftover) {
	all := make(map[uint64][]*leftover)
	first := len(t.Events)
	for _, l := range ls {
		first = min(first, l.nextTest)
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
				if l != its && i >= l.nextTest && len(l.events) > 0 && i < l.events[len(l.events)-1] {
					l.events = nil
				}
			}
		}
	}
	for _, f := range t.Freed {
		for _, l := range ls {
			if len(l.events) > 0 && int(f.Position) >= l.nextTest && int(f.Position) <= l.events[len(l.events)-1] && l.touchesFreed(f) {
				l.events = nil
			}
		}
	}
}

// touchesFreed reports whether l touches memory that f frees.
func (l *leftover) touchesFreed(f trace.FreedObjects) bool {
	for which := f.Mask; which != 0; which &= which - 1 {
		lo := f.FirstAddr + uint64(bits.TrailingZeros64(which))*uint64(f.Size)
		k, _ := slices.BinarySearch(l.pieces, lo>>pieceBits)
		if k < len(l.pieces) && l.pieces[k]<<pieceBits < lo+uint64(f.Size) {
			return true
		}
	}
	return false
}

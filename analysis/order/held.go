package order

import (
	"encoding/binary"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// This file finds the lock set of each event (Savage, Burrows, Nelson, Sobalvarro and Anderson,
// Eraser, SOSP 1997). Events by far outnumber lock events. So what is held is kept once for
// each interval between two lock events of a goroutine, and lock sets are numbered: equal
// sets are compared by their numbers.
//
// Most sections are nested. When such a section ends, the goroutine is back in the interval
// before its acquire, so that nothing new is kept. Only where sections overlap does a release
// make an interval of its own.

// An interval is a time between two lock events of a goroutine, in which it holds the same
// locks by the same acquires.
//
// Example: "acq a, acq b, rel a, rel b" has the interval 1 of {a}, 2 of {a, b}, 3 of {b}. With the
// releases swapped, interval 1 follows 2, and there is no third.
type interval struct {
	first int32 // where its acquires begin in heldLocks.acquires; those of the next one follow
	set   LockSet
	// outermost is the acquire since which the goroutine holds any lock, or -1. It may have been
	// released since.
	outermost int32
}

// heldLocks says which locks goroutines hold at each event.
type heldLocks struct {
	intervalOf *trace.RunLength // by event: index into intervals; nil where there are no locks
	intervals  []interval       // the first one holds nothing
	acquires   []int32          // of each interval, the oldest first
	sets       [][]Lock         // by LockSet
}

// intervalAt returns the interval of event i.
func (h *heldLocks) intervalAt(i int) int32 {
	if h.intervalOf == nil {
		return 0
	}
	return h.intervalOf.At(i)
}

// acquiresIn returns the acquires of the locks that are held in interval n.
func (h *heldLocks) acquiresIn(n int32) []int32 {
	end := len(h.acquires)
	if int(n)+1 < len(h.intervals) {
		end = int(h.intervals[n+1].first)
	}
	return h.acquires[h.intervals[n].first:end:end]
}

// A heldBuilder finds what is held in one pass over the events.
type heldBuilder struct {
	heldLocks
	t           *trace.Trace
	facts       *facts.Facts
	intervalNow []int32 // by goroutine: its interval
	// intervalsBefore has, by goroutine and for each lock that it holds, the interval without that
	// lock and those acquired since, or -1. Most sections are nested, and end there.
	intervalsBefore [][]int32
	abandoned       []facts.Abandoned // that are still to come
	numbers         map[string]LockSet
	longer          map[setAndLock]LockSet
	locks           []Lock // scratch
	key             []byte // scratch
}

// A setAndLock is a lock set to which one more lock is added.
type setAndLock struct {
	set    LockSet
	lock   int32 // its number
	shared bool
}

// findHeld finds what is held at each event of t; before is the must-order.
func findHeld(t *trace.Trace, f *facts.Facts, before func(i, j int) bool) *heldLocks {
	n := len(f.Sections())
	h := &heldBuilder{
		heldLocks: heldLocks{
			intervals: append(make([]interval, 0, 1+n), interval{outermost: -1}),
			acquires:  make([]int32, 0, n),
			sets:      [][]Lock{nil},
		},
		t: t, facts: f,
		intervalNow: make([]int32, len(t.Goroutines)), intervalsBefore: make([][]int32, len(t.Goroutines)),
		abandoned: f.Abandoned(),
		numbers:   map[string]LockSet{"": 0}, longer: make(map[setAndLock]LockSet),
	}
	if f.Objects(trace.ClassLock).Len() > 0 {
		h.scan()
		h.handOver(before)
	}
	table := h.heldLocks // without what was needed to make it
	return &table
}

// scan goes through the events. A lock is held from its acquire to its release, both included.
func (h *heldBuilder) scan() {
	h.intervalOf = trace.NewRunLength(len(h.t.Events))
	for i := range h.t.Events {
		e := &h.t.Events[i]
		if e.Kind.Acquires() {
			h.acquire(int32(i), e)
		}
		h.intervalOf.Add(h.intervalNow[e.G])
		if n := h.facts.SectionOf(i); e.Kind.Releases() && n != facts.None {
			h.end(n)
		}
	}
}

// acquire begins the interval after an acquire, at which abandoned sections end.
func (h *heldBuilder) acquire(i int32, e *trace.Event) {
	for ; len(h.abandoned) > 0 && h.abandoned[0].At == i; h.abandoned = h.abandoned[1:] {
		h.end(h.abandoned[0].Section)
	}
	now := h.intervalNow[e.G]
	outermost := h.intervals[now].outermost
	if outermost < 0 {
		outermost = i
	}
	first := len(h.acquires)
	h.acquires = append(append(h.acquires, h.acquiresIn(now)...), i)
	h.intervalsBefore[e.G] = append(h.intervalsBefore[e.G], now)
	h.intervalNow[e.G] = h.add(interval{int32(first), h.withLock(h.intervals[now].set, i), outermost})
}

// end takes section n from the goroutine that holds it.
func (h *heldBuilder) end(n int32) {
	acquire := h.facts.Sections()[n].Acquire
	g := h.t.Events[acquire].G
	now := h.intervalNow[g]
	acquires := h.acquiresIn(now)
	k := slices.Index(acquires, acquire)
	before := h.intervalsBefore[g]
	h.intervalsBefore[g] = before[:len(acquires)-1]
	if k == len(acquires)-1 && before[k] >= 0 {
		h.intervalNow[g] = before[k]
		return
	}
	for later := k + 1; later < len(before); later++ {
		before[later] = -1
	}
	first := len(h.acquires)
	h.acquires = append(append(h.acquires, acquires[:k]...), acquires[k+1:]...)
	h.intervalNow[g] = 0
	if first < len(h.acquires) {
		h.intervalNow[g] = h.add(interval{int32(first), h.setOf(h.acquires[first:]), h.intervals[now].outermost})
	}
}

// add adds an interval, and returns its index.
func (h *heldBuilder) add(n interval) int32 {
	h.intervals = append(h.intervals, n)
	return int32(len(h.intervals) - 1)
}

// withLock returns a set with the lock of the acquire at position i.
func (h *heldBuilder) withLock(set LockSet, i int32) LockSet {
	lock := Acquired(&h.t.Events[i])
	k := setAndLock{set, h.facts.Sections()[h.facts.SectionOf(int(i))].Lock(), lock.Shared}
	with, known := h.longer[k]
	if !known {
		with = h.withOrWithout(set, lock, true)
		h.longer[k] = with
	}
	return with
}

// withOrWithout returns a set with a lock, or without it.
func (h *heldBuilder) withOrWithout(set LockSet, lock Lock, with bool) LockSet {
	locks := slices.DeleteFunc(slices.Clone(h.sets[set]), func(k Lock) bool { return k == lock })
	if with {
		locks = append(locks, lock)
	}
	return h.number(locks)
}

// setOf returns the set of the locks of some acquires.
func (h *heldBuilder) setOf(acquires []int32) LockSet {
	h.locks = h.locks[:0]
	for _, a := range acquires {
		h.locks = append(h.locks, Acquired(&h.t.Events[a]))
	}
	return h.number(h.locks)
}

// number returns the number of a set, and sorts it.
func (h *heldBuilder) number(locks []Lock) LockSet {
	SortLocks(locks)
	locks = slices.Compact(locks)
	h.key = h.key[:0]
	for _, k := range locks {
		h.key = binary.LittleEndian.AppendUint64(h.key, k.Obj)
		h.key = append(h.key, b2u(k.Shared))
	}
	set, known := h.numbers[string(h.key)]
	if !known {
		set = LockSet(len(h.sets))
		h.sets = append(h.sets, slices.Clone(locks))
		h.numbers[string(h.key)] = set
	}
	return set
}

// handOver corrects the lock sets for locks that are handed over; Eraser knows no such locks. It gives
// the lock of each section that another goroutine ends to the events that
// are within: those that must come after its acquire and before its release. Such a lock
// protects what a message orders, whichever goroutine does it.
func (h *heldBuilder) handOver(before func(i, j int) bool) {
	var intervals []int32 // by event
	for k := range h.facts.Sections() {
		s := &h.facts.Sections()[k]
		if s.Release == facts.None || h.t.Events[s.Acquire].G == h.t.Events[s.Release].G {
			continue
		}
		if intervals == nil {
			intervals = make([]int32, len(h.t.Events))
			for i := range intervals {
				intervals[i] = h.intervalOf.At(i)
			}
		}
		h.handOverSection(intervals, s, before)
	}
	if intervals == nil {
		return
	}
	h.intervalOf = trace.NewRunLength(len(intervals))
	for _, n := range intervals {
		h.intervalOf.Add(n)
	}
}

// A handover is an interval, and whether a lock is given to some events of it or taken from them.
type handover struct {
	interval int32
	gives    bool
}

// handOverSection gives the lock of section s to the events that are within, and takes it from the
// other events of the goroutine that acquired it.
func (h *heldBuilder) handOverSection(intervals []int32, s *facts.Section, before func(i, j int) bool) {
	lock, acquire, release := Acquired(&h.t.Events[s.Acquire]), int(s.Acquire), int(s.Release)
	changed := make(map[handover]int32) // what becomes of intervals
	for i := acquire; i <= release; i++ {
		within := (i == acquire || before(acquire, i)) && (i == release || before(i, release))
		if !within && h.t.Events[i].G != h.t.Events[acquire].G {
			continue
		}
		k := handover{intervals[i], within}
		to, known := changed[k]
		if !known {
			to = k.interval
			was := h.intervals[to].set
			if set := h.withOrWithout(was, lock, within); set != was {
				first := len(h.acquires)
				h.acquires = append(h.acquires, h.acquiresIn(to)...)
				to = h.add(interval{int32(first), set, h.intervals[to].outermost})
			}
			changed[k] = to
		}
		intervals[i] = to
	}
}

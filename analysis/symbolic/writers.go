package symbolic

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// cellWriters are the writes to one cell in the cone, ascending.
type cellWriters struct {
	all         []int32
	byGoroutine []goroutineWrites
	indexOf     map[trace.GID]int // index in byGoroutine
}

// ownWrites are the writes of one goroutine.
type goroutineWrites struct {
	g      trace.GID
	writes []int32
}

// A writeIndex has the writes in the cone by cell, and by goroutine within that. The writes of one
// goroutine are in order, so those that must precede or follow an event are found by binary search.
// Writes that must be overwritten before a read are left out of its π-function: optimizations 1 and 2
// of Said et al., NFM 2011, §3.2.
type writeIndex struct {
	*timeline
	byCell map[int32]*cellWriters
}

// writersOf returns the writes to cell c in the cone.
func (e *writeIndex) writersOf(c int32) *cellWriters {
	if ws := e.byCell[c]; ws != nil {
		return ws
	}
	ws := &cellWriters{indexOf: make(map[trace.GID]int)}
	e.byCell[c] = ws
	base := int32(e.cone.Base)
	all := between(e.m.memory.writers(c), base, base+int32(len(e.nodeAt)))
	for _, w := range all {
		if e.neverHappens(w) {
			continue
		}
		ws.all = append(ws.all, w)
		g := e.m.gid(w)
		k, ok := ws.indexOf[g]
		if !ok {
			k = len(ws.byGoroutine)
			ws.indexOf[g] = k
			ws.byGoroutine = append(ws.byGoroutine, goroutineWrites{g: g})
		}
		ws.byGoroutine[k].writes = append(ws.byGoroutine[k].writes, w)
	}
	e.addWork(perLookup, len(all))
	return ws
}

// An indexRange is a range of the writes of one goroutine.
type indexRange struct{ start, end int }

// visibleTo returns what the access at position i may find in cell c. It leaves out the writes that
// must follow the access, and those that must be overwritten before it.
//
// These are the parameters of the π-function of Wang et al., FAC 2011, Definition 4.1. That has all
// definitions in other threads. Here must-happen-before leaves out most of them.
//
// An example: g1 writes x twice and then starts g2, which reads x, while g3 writes x. The first
// write of g1 is overwritten before the read, and so is the initial value. The read may find the
// second write of g1 or that of g3.
func (e *writeIndex) visibleTo(i, c int32) visibleWrites {
	v := visibleWrites{cellWriters: e.writersOf(c), initial: true}
	v.ranges = make([]indexRange, len(v.byGoroutine))
	var latest []int32 // by goroutine: the last write that must precede i
	for k, own := range v.byGoroutine {
		if n := e.firstUnordered(own, i); n > 0 {
			v.ranges[k].start = n - 1
			latest = append(latest, own.writes[n-1])
		}
		v.ranges[k].end = e.firstFollowing(own, i)
	}
	v.initial = len(latest) == 0
	for k, own := range v.byGoroutine {
		for _, l := range latest {
			// A write that must precede the latest write of another goroutine is overwritten by that
			// one.
			v.ranges[k].start = max(v.ranges[k].start, e.firstUnordered(own, l))
		}
	}
	e.addWork(perLookup, len(v.byGoroutine)*(1+len(latest)))
	return v
}

// firstUnordered returns the index of the first of a goroutine's writes that need not precede event
// i.
func (e *writeIndex) firstUnordered(own goroutineWrites, i int32) int {
	upto := i
	if own.g != e.m.gid(i) {
		upto = e.precedingEnd(i, own.g)
	}
	k, _ := slices.BinarySearch(own.writes, upto)
	return k
}

// firstFollowing returns the index of the first of a goroutine's writes that is event i or must
// follow it.
func (e *writeIndex) firstFollowing(own goroutineWrites, i int32) int {
	g := e.m.gid(i)
	k, _ := slices.BinarySearchFunc(own.writes, i, func(w, i int32) int {
		if own.g == g && w < i || own.g != g && !e.mustPrecede(i, w) {
			return -1
		}
		return 1
	})
	return k
}

// has reports whether the access may find what writer w left.
func (v *visibleWrites) has(w int32, g trace.GID) bool {
	k, ok := v.indexOf[g]
	if !ok {
		return false
	}
	n, ok := slices.BinarySearch(v.byGoroutine[k].writes, w)
	return ok && n >= v.ranges[k].start && n < v.ranges[k].end
}

// writes returns the writers that the access may find, ascending.
func (v *visibleWrites) writes() (ws []int32) {
	for k, p := range v.ranges {
		if p.start < p.end {
			ws = append(ws, v.byGoroutine[k].writes[p.start:p.end]...)
		}
	}
	slices.Sort(ws)
	return ws
}

// lastPastWriter returns the last writer of cell c among the events that all runs begin with, or
// none.
func (e *writeIndex) lastPastWriter(c int32) int32 { return e.m.memory.source(int32(e.cone.Base), c) }

// visibleWrites are the writes that an access may find in a cell.
type visibleWrites struct {
	*cellWriters
	initial bool         // the value before all writes in the cone
	ranges  []indexRange // of each goroutine's writes
}

// between returns those of the ascending events that are at positions from from to to.
func between(events []int32, from, to int32) []int32 {
	lo, _ := slices.BinarySearch(events, from)
	hi, _ := slices.BinarySearch(events[lo:], to)
	return events[lo:][:hi]
}

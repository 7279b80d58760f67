package symbolic

import (
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// writers are the writes of one cell in the cone, ascending.
type writers struct {
	all []int32
	by  []ownWrites
	of  map[trace.GID]int // index in by
}

// ownWrites are those of one goroutine.
type ownWrites struct {
	g      trace.GID
	writes []int32
}

// A writeIndex has the writes of the cone by cell.
type writeIndex struct {
	*timeline
	writers map[int32]*writers
}

// written returns the writers of cell c in the cone.
func (e *writeIndex) written(c int32) *writers {
	if ws := e.writers[c]; ws != nil {
		return ws
	}
	ws := &writers{of: make(map[trace.GID]int)}
	e.writers[c] = ws
	base := int32(e.cone.Base)
	all := between(e.m.mem.writers(c), base, base+int32(len(e.at)))
	for _, w := range all {
		if e.outside(w) {
			continue
		}
		ws.all = append(ws.all, w)
		g := e.m.gid(w)
		k, ok := ws.of[g]
		if !ok {
			k = len(ws.by)
			ws.of[g] = k
			ws.by = append(ws.by, ownWrites{g: g})
		}
		ws.by[k].writes = append(ws.by[k].writes, w)
	}
	e.readLookups += len(all)
	return ws
}

// A part is the writes of one goroutine from one index on and below another.
type part struct{ from, below int }

// view returns what the access at position i may find in the cell c: no write that
// must come behind it, nor one that must come before another one that must come before
// it; nor itself.
func (e *writeIndex) view(i, c int32) view {
	v := view{writers: e.written(c), initially: true}
	v.parts = make([]part, len(v.by))
	var latest []int32 // of each goroutine the last write that must come before i
	for k, own := range v.by {
		if n := e.firstNotBefore(own, i); n > 0 {
			v.parts[k].from = n - 1
			latest = append(latest, own.writes[n-1])
		}
		v.parts[k].below = e.firstAfter(own, i)
	}
	v.initially = len(latest) == 0
	for k, own := range v.by {
		for _, l := range latest {
			v.parts[k].from = max(v.parts[k].from, e.firstNotBefore(own, l))
		}
	}
	e.readLookups += len(v.by) * (1 + len(latest))
	return v
}

// firstNotBefore returns the index of the first of a goroutine's writes that need not
// come before event i.
func (e *writeIndex) firstNotBefore(own ownWrites, i int32) int {
	upto := i
	if own.g != e.m.gid(i) {
		upto = e.lastBefore(i, own.g)
	}
	k, _ := slices.BinarySearch(own.writes, upto)
	return k
}

// firstAfter returns the index of the first of a goroutine's writes that is event i or
// must come behind it.
func (e *writeIndex) firstAfter(own ownWrites, i int32) int {
	g := e.m.gid(i)
	k, _ := slices.BinarySearchFunc(own.writes, i, func(w, i int32) int {
		if own.g == g && w < i || own.g != g && !e.must(i, w) {
			return -1
		}
		return 1
	})
	return k
}

// has reports whether the access may find what the writer w of the cell left.
func (v *view) has(w int32, g trace.GID) bool {
	k, ok := v.of[g]
	if !ok {
		return false
	}
	n, ok := slices.BinarySearch(v.by[k].writes, w)
	return ok && n >= v.parts[k].from && n < v.parts[k].below
}

// writes returns the writers that the access may find, ascending.
func (v *view) writes() []int32 { return v.around(0, math.MaxInt) }

// around returns of each goroutine's writes that the access may find the nearest ones
// before position i and those behind it, so many of both, ascending.
func (v *view) around(i int32, most int) (ws []int32) {
	for k, p := range v.parts {
		if p.from >= p.below {
			continue
		}
		own := v.by[k].writes[p.from:p.below]
		at, _ := slices.BinarySearch(own, i)
		ws = append(ws, own[at-min(at, most):at+min(len(own)-at, most)]...)
	}
	slices.Sort(ws)
	return ws
}

// size is how many writers the access may find.
func (v *view) size() (n int) {
	for _, p := range v.parts {
		n += max(0, p.below-p.from)
	}
	return n
}

// begins returns the last writer of cell c in the past, or none.
func (e *writeIndex) begins(c int32) int32 { return e.m.mem.source(int32(e.cone.Base), c) }

// A view is what an access may find in a cell, by what must come before what.
type view struct {
	*writers
	initially bool   // what was there at first
	parts     []part // of each goroutine's writes
}

// between returns those of the events, which are ascending, that are at positions from from up to to.
func between(events []int32, from, to int32) []int32 {
	lo, _ := slices.BinarySearch(events, from)
	hi, _ := slices.BinarySearch(events[lo:], to)
	return events[lo:][:hi]
}

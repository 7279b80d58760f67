package symbolic

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file knows counters: variables that are only added to, each time in one step, as with an
// atomic Add or under one lock. What they hold is the sum of the additions before, in whatever
// order; no chain of π-functions is needed.
//
// Of ten goroutines that each add 1 to x, an eleventh that reads x finds the number of additions
// before the read: a sum of ten terms, each of which is 1 or 0. As a chain of π-functions, each
// addition could find what any other one left, and the solver would have to try the orders.
//
// A write that does not add, such as x = 0, begins a new sum. So its place among the additions must
// be known: see lastReset. Otherwise the cell is encoded as any other one.

// A counter is what the writes to a cell do.
//
// Invariant: in each run no other write comes between the read of an addition and its write. For
// that all additions share a lock, or each is one atomic operation.
type counter struct {
	adds        map[int32]addition // by write
	otherWrites []int32            // writes that do not add
}

// An addition is what a write adds to what its read found.
type addition struct {
	amount int64
	read   int32
}

// A counterFinder finds the counters of a model.
type counterFinder struct {
	*Model
	byCell map[int32]*counter // nil for cells that are no counters
}

// counterIn returns the counter in cell c, or nil.
func (m *counterFinder) counterIn(c int32) *counter {
	if cn, ok := m.byCell[c]; ok {
		return cn
	}
	cn := &counter{adds: make(map[int32]addition)}
	var under map[uint64]bool // locks of which one is held at each addition; nil before the first that needs one
	for _, w := range m.memory.writers(c) {
		a, ok := m.addition(w)
		if ok {
			_, stale := m.memory.stale(a.read, c)
			ok = !stale
		}
		// x++ is a read and a write. It is one step only under a lock that all such additions hold.
		if ok && a.read != w {
			common := m.locksOver(a.read, w)
			if under == nil {
				under = common
			} else {
				for obj := range under {
					if !common[obj] {
						delete(under, obj)
					}
				}
			}
			ok = len(common) > 0
		}
		if ok {
			cn.adds[w] = a
		} else {
			cn.otherWrites = append(cn.otherWrites, w)
		}
	}
	if under != nil {
		for w, a := range cn.adds {
			// An atomic addition without the lock could come between the read and the write of
			// another one.
			if a.read == w && !m.holdsOne(w, under) {
				under = map[uint64]bool{}
			}
		}
	}
	if len(cn.adds) == 0 || under != nil && len(under) == 0 {
		cn = nil
	}
	m.byCell[c] = cn
	return cn
}

// addition returns what the write at position w adds, if it adds.
func (m *counterFinder) addition(w int32) (a addition, ok bool) {
	in := m.formula(w)
	if in == nil && m.event(w).Kind == trace.AtomicRMW {
		in = m.atomicAdd(w)
	}
	if in == nil || !m.wholeAccess[w] {
		return a, false
	}
	f := in.Formula
	if f.Op != dataflow.Plus && f.Op != dataflow.Minus {
		return a, false
	}
	a.read = none
	next := 0
	for k := range f.Args {
		arg := &f.Args[k]
		reads := in.Reads[next : next+arg.Readings()]
		next += len(reads)
		if own := m.ownRead(w, arg, reads); own != none && a.read == none && (k == 0 || f.Op == dataflow.Plus) {
			a.read = own
			continue
		}
		v, ok := m.constantValue(arg, reads)
		if !ok {
			return a, false
		}
		if k > 0 && f.Op == dataflow.Minus {
			v = -v
		}
		a.amount += v
	}
	return a, a.read != none
}

// ownRead returns the read of what the write at position w overwrites, if f with its readings is
// just that read; else none.
func (m *counterFinder) ownRead(w int32, f *dataflow.Formula, reads []int32) int32 {
	switch {
	case f.Op == dataflow.Before:
		return w
	case f.Op == dataflow.Value && reads[0] >= 0 && m.tracked(reads[0]) && m.memory.span(reads[0]) == m.memory.span(w):
		return reads[0]
	}
	return none
}

func (m *counterFinder) holdsOne(i int32, objs map[uint64]bool) bool {
	for obj := range m.locksOver(i, i) {
		if objs[obj] {
			return true
		}
	}
	return false
}

// A counterEncoder encodes the sums of counters.
type counterEncoder struct {
	*timeline
	writes *writeIndex
	taint  *taint
	values *valueEncoder
	byCell map[int32]*counterInCone // by cell
}

// sumAt returns what the access at position i finds in cell c, if that is a counter: what the last
// write left that does not add, and everything that was added since. The second result says that it
// is known.
//
// An example: x is 5, one addition of 1 must precede the read, and nothing orders one of 2 with it.
// The sum is 5 + 1 + (2 if that addition precedes the read, else 0).
func (e *counterEncoder) sumAt(i, c int32) (v solver.Int, known solver.Bool, ok bool) {
	cn := e.m.counters.counterIn(c)
	if _, stale := e.m.memory.stale(i, c); cn == nil || stale {
		return v, known, false
	}
	base, ok := e.lastReset(i, c)
	if !ok {
		return v, known, false
	}
	if base == none {
		v, known = e.values.initialValue(i, c)
	} else {
		v, known = e.values.writtenValue(base), e.taint.writeKnown(base)
	}
	var sure int64
	var may []int32
	by := e.writes.writersOf(c).byGoroutine
	for k, own := range by {
		from, before := 0, e.writes.firstUnordered(own, i)
		if base != none {
			from = e.writes.firstUnordered(own, base)
		}
		// Writes from from to before lie between the reset and the access in each run. Their sum is
		// a difference of two prefix sums.
		if sums := e.counterOf(c).sums[k]; from < before {
			sure += sums[before] - sums[from]
		}
		if from, after := max(from, before), e.writes.firstFollowing(own, i); from < after {
			may = append(may, own.writes[from:after]...)
		}
	}
	slices.Sort(may)
	e.addWork(perLookup, len(by)+len(may))
	terms := []solver.Int{v, e.f.Const(sure)}
	for _, w := range may {
		if a, ok := cn.adds[w]; ok {
			terms = append(terms, e.values.ifElse(e.precedes(w, i), e.f.Const(a.amount), e.f.Const(0)))
		}
	}
	return e.f.Add(terms...), known, true
}

// A counterInCone is what is known of a counter in the cone.
//
// sums[k][n] is what the first n writes of the k-th goroutine add. So each row has one number more
// than there are writes, and begins with 0.
type counterInCone struct {
	sums        [][]int64 // by goroutine, as in cellWriters.byGoroutine: what its first n writes add
	otherWrites []int32   // writes that do not add, ascending
	// firstOrdered is how many of otherWrites, from the first on, happen one after the other in each
	// run.
	firstOrdered int
	// orderedWithOthers is set if each addition must precede or follow each of otherWrites.
	orderedWithOthers bool
}

// counterOf returns what is known of the counter in cell c.
func (e *counterEncoder) counterOf(c int32) *counterInCone {
	if n := e.byCell[c]; n != nil {
		return n
	}
	cn, ws := e.m.counters.counterIn(c), e.writes.writersOf(c)
	n := &counterInCone{orderedWithOthers: true}
	e.byCell[c] = n
	for _, own := range ws.byGoroutine {
		sums := make([]int64, 1, 1+len(own.writes))
		for k, w := range own.writes {
			add := cn.adds[w].amount
			sum := sums[k] + add
			n.orderedWithOthers = n.orderedWithOthers && (sum > sums[k]) == (add > 0) // else the sum overflows
			sums = append(sums, sum)
		}
		n.sums = append(n.sums, sums)
	}
	for _, w := range cn.otherWrites {
		if e.isPast(w) || e.neverHappens(w) {
			continue
		}
		if n.firstOrdered == len(n.otherWrites) && (n.firstOrdered == 0 || e.mustPrecede(n.otherWrites[n.firstOrdered-1], w)) {
			n.firstOrdered++
		}
		n.otherWrites = append(n.otherWrites, w)
		for _, own := range ws.byGoroutine {
			for _, add := range own.writes[e.writes.firstUnordered(own, w):] {
				a, adds := cn.adds[add]
				if !adds || e.isPast(a.read) {
					continue
				}
				n.orderedWithOthers = n.orderedWithOthers && e.mustPrecede(w, a.read)
				break // later additions of its goroutine follow
			}
		}
	}
	return n
}

// lastReset returns the last write in the cone before the access at position i that does not add,
// or none. It is not ok unless the order of these, the access and all additions is known.
func (e *counterEncoder) lastReset(i, c int32) (base int32, ok bool) {
	n := e.counterOf(c)
	k, writes := slices.BinarySearch(n.otherWrites, i)
	if !n.orderedWithOthers || writes || k > n.firstOrdered || k > 0 && !e.mustPrecede(n.otherWrites[k-1], i) {
		return none, false
	}
	for later := k; later < len(n.otherWrites); later = max(later+1, n.firstOrdered) {
		if !e.mustPrecede(i, n.otherWrites[later]) {
			return none, false
		}
	}
	if k == 0 {
		return none, true
	}
	return n.otherWrites[k-1], true
}

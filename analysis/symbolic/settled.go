package symbolic

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file folds constants (Wang et al., FAC 2011, §9): a condition that comes out the same
// whatever its reads may find needs no solver. It follows the formulas of the condition backwards, and
// keeps for each read the set of values that it may find, by what must precede what alone. The sets
// are too large rather than too small, as the order of writes is ignored. So if all outcomes are as
// recorded, that is a proof; if not, nothing is known.

// comesOutAsRecorded reports whether the condition of event i, an assertion, comes out as recorded
// in each run, by what must precede what alone, as far as what it follows from is known.
func (m *Model) comesOutAsRecorded(i int32, budget *solver.Budget) bool {
	in := m.formula(i)
	if in == nil {
		return false
	}
	f := folding{Model: m, limit: m.cones.limits(Failure(int(i)), int32(len(m.t.Events))), readsLeft: maxFolded, memo: make(map[int32]*[]int64), precedingEnds: make(map[int32][]int32)}
	outcomes, ok := f.valuesOf(in, nil)
	budget.Spend(perEdge * f.steps)
	return ok && !slices.ContainsFunc(outcomes, func(v int64) bool { return !in.Matches(m.event(i), v) })
}

// A folding finds the values that reads and stores may have in runs to a target.
//
// An example: an assertion wants x > 0. x is 0 at first, and main stores 1 before it starts the
// goroutines that store 2 and 3. The read follows the start, so it cannot find 0. Its set is 1, 2
// and 3, each of which satisfies the condition: no run violates it.
type folding struct {
	*Model
	limit         limits // what happens in no such run
	readsLeft     int
	memo          map[int32]*[]int64 // nil while they are looked for, and if they are not known
	precedingEnds map[int32][]int32
	steps         int64
}

// valuesOf returns the values that in may have; before are those that an atomic operation may find.
func (f *folding) valuesOf(in *dataflow.Instance, before []int64) ([]int64, bool) {
	if before == nil {
		before = []int64{0}
	}
	// Each combination has a value for each of in.Reads, in that order. An input that is no read
	// stays zero.
	combinations := [][]int64{make([]int64, len(in.Reads))}
	for k, r := range in.Reads {
		if r < 0 {
			continue
		}
		values, ok := f.valuesRead(r)
		if !ok || len(values)*len(combinations) > maxValues {
			return nil, false
		}
		var more [][]int64
		for _, c := range combinations {
			for _, v := range values {
				c = slices.Clone(c)
				c[k] = v
				more = append(more, c)
			}
		}
		combinations = more
	}
	var all []int64
	for _, c := range combinations {
		for _, b := range before {
			all = append(all, in.Formula.Eval(b, func(k int, r dataflow.Reading) int64 { return r.Number(uint64(c[k])) }))
		}
	}
	return distinct(all)
}

func distinct(values []int64) ([]int64, bool) {
	slices.Sort(values)
	values = slices.Compact(values)
	return values, len(values) <= maxValues
}

// valuesRead returns the values that the read at position i may find, as in the trace; of an atomic
// operation, those that it leaves.
func (f *folding) valuesRead(i int32) ([]int64, bool) {
	if !f.tracked(i) {
		return []int64{int64(f.event(i).Val)}, true
	}
	if f.event(i).Kind == trace.AtomicRMW {
		return f.valuesStored(i)
	}
	return f.memoized(i, f.valuesFound)
}

// valuesStored returns the values that the write at position i may leave.
func (f *folding) valuesStored(i int32) ([]int64, bool) {
	if !f.isComputed(i) {
		return []int64{int64(f.event(i).Val)}, true
	}
	// The complement keeps what a store leaves apart from what a read at the same position finds.
	return f.memoized(^i, func(int32) ([]int64, bool) {
		var before []int64
		if f.event(i).Kind == trace.AtomicRMW {
			var ok bool
			if before, ok = f.valuesFound(i); !ok {
				return nil, false
			}
		}
		return f.valuesOf(f.Model.formula(i), before)
	})
}

// memoized calls find for key, once.
func (f *folding) memoized(key int32, find func(int32) ([]int64, bool)) ([]int64, bool) {
	if values, ok := f.memo[key]; ok {
		if values == nil {
			return nil, false
		}
		return *values, true
	}
	// A read that depends on itself, by way of a store, finds this entry and gives up.
	f.memo[key] = nil
	if f.readsLeft--; f.readsLeft < 0 {
		return nil, false
	}
	values, ok := find(key)
	if ok {
		f.memo[key] = &values
	}
	return values, ok
}

// valuesFound returns the values that the access at position i may find in memory.
func (f *folding) valuesFound(i int32) ([]int64, bool) {
	c := f.memory.span(i).First
	before := f.precedingEnd(i)
	val, stale := f.memory.stale(i, c)
	if cn := f.counters.counterIn(c); cn != nil && !stale {
		if values, ok := f.counterValue(i, c, cn, before); ok {
			return values, true
		}
	}
	var values []int64
	first := true // it may find the initial value
	last := make(map[trace.GID]int32)
	for _, w := range f.memory.writers(c) {
		if w != i && f.contains(w, before) {
			// Writers ascend, so the last one of each goroutine stays.
			last[f.gid(w)] = w
			first = false
		}
	}
	for _, w := range f.memory.writers(c) {
		if w == i || f.neverBefore(w, i) || f.isOverwritten(w, last) {
			continue
		}
		left, ok := f.valuesStored(w)
		if !ok || len(values) > maxValues {
			return nil, false
		}
		values = append(values, left...)
	}
	if stale {
		values = append(values, int64(val))
	}
	if first && f.memory.cells[c].initialKnown {
		values = append(values, int64(f.memory.initial[c]))
	}
	return distinct(values)
}

// counterValue returns what the counter c holds at the access at position i, if all additions come
// either before or after it; no value if the initial one is not known.
func (f *folding) counterValue(i, c int32, cn *counter, before []int32) ([]int64, bool) {
	if len(cn.otherWrites) > 0 {
		return nil, false
	}
	v := int64(f.memory.initial[c])
	for w, a := range cn.adds {
		switch {
		case w == i || f.neverBefore(w, i):
		case f.contains(w, before):
			v += a.amount
		default:
			return nil, false
		}
	}
	if !f.memory.cells[c].initialKnown {
		return nil, true
	}
	return []int64{v}, true
}

// neverBefore reports whether w precedes i in no run to the target.
func (f *folding) neverBefore(w, i int32) bool {
	return !f.limit.allows(f.gid(w), w) || f.gid(w) == f.gid(i) && w > i
}

// isOverwritten reports whether one of the writes in last, by another goroutine, comes between w
// and what they precede.
func (f *folding) isOverwritten(w int32, last map[trace.GID]int32) bool {
	for g, l := range last {
		if g == f.gid(w) && w < l || g != f.gid(w) && f.contains(w, f.precedingEnd(l)) {
			return true
		}
	}
	return false
}

// precedingEnd returns by goroutine the end of the events that must precede event i.
func (f *folding) precedingEnd(i int32) []int32 {
	if upto, ok := f.precedingEnds[i]; ok {
		return upto
	}
	c := f.cones.closure(0, nil, func(int32) bool { return false }, false)
	c.add(i)
	c.addDependencies()
	f.precedingEnds[i] = c.ends
	f.steps += c.steps
	return c.ends
}

func (f *folding) contains(i int32, upto []int32) bool { return i < upto[f.gid(i)] }

package merged

import (
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An operation is what the nodes of one kind do to one object.
type operation struct {
	kind   trace.Kind
	object uint64
}

// assertSync asserts the effects of locks, WaitGroups and Onces.
func (e *encoding) assertSync() {
	before := make(map[operation][]int32) // acquires of both kinds are Acquire
	all := make(map[operation][]int32)
	for k := range e.nodes {
		op := operation{e.nodes[k].Kind, e.nodes[k].Obj}
		all[op] = append(all[op], int32(k))
	}
	for k := range e.nodes { // in the order of the program, so that formulas are the same each time
		n, at := &e.nodes[k], int32(k)
		op := operation{n.Kind, n.Obj}
		switch {
		case n.Kind.Acquires():
			op.kind = trace.Acquire
			for _, other := range before[op] {
				e.exclude(other, at)
			}
		case n.Kind == trace.OnceBegin:
			for _, other := range before[op] {
				e.engine.Assert(e.f.Not(e.f.And(e.happens(other), e.happens(at))))
			}
		case n.Kind == trace.WaitGroupWaited:
			e.assertIf(at, e.counterIsZero(at, all[operation{trace.WaitGroupAdd, n.Obj}]))
		case n.Kind == trace.OnceDone:
			var some []solver.Bool
			for _, end := range all[operation{trace.OnceEnd, n.Obj}] {
				some = append(some, e.happened(end, at))
			}
			e.assertIf(at, e.f.Or(some...))
		}
		before[op] = append(before[op], at)
	}
}

// exclude says that the critical sections of one lock that begin with a and b do not overlap.
func (e *encoding) exclude(a, b int32) {
	if e.nodes[a].Kind == trace.RAcquire && e.nodes[b].Kind == trace.RAcquire || e.nodes[a].G == e.nodes[b].G {
		return
	}
	some := []solver.Bool{e.f.Not(e.happens(a)), e.f.Not(e.happens(b))}
	for _, r := range e.releases(a) {
		some = append(some, e.happened(r, b))
	}
	for _, r := range e.releases(b) {
		some = append(some, e.happened(r, a))
	}
	e.engine.Assert(e.f.Or(some...))
}

// releases returns the ends of the critical section that begins with a: one for each alternative of
// its goroutine.
func (e *encoding) releases(a int32) (rs []int32) {
	n := &e.nodes[a]
	release := trace.Release
	if n.Kind == trace.RAcquire {
		release = trace.RRelease
	}
	work := []int32{a}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, next := range e.nodes[at].next {
			e.terms++
			switch o := &e.nodes[next]; {
			case o.G != n.G:
			case o.Kind == release && o.Obj == n.Obj:
				rs = append(rs, next)
			default:
				work = append(work, next)
			}
		}
	}
	return rs
}

// counterIsZero says that the counter of a WaitGroup, with the given adds, is zero at w.
func (e *encoding) counterIsZero(w int32, adds []int32) solver.Bool {
	sum := e.f.Const(0)
	for _, a := range adds {
		delta := e.f.Const(int64(e.nodes[a].Val))
		switch b := e.happened(a, w); b {
		case e.f.False():
		case e.f.True():
			sum = e.f.Add(sum, delta)
		default:
			sum = e.f.Add(sum, e.either(b, delta, e.f.Const(0)))
		}
	}
	return e.f.Eq(sum, e.f.Const(0))
}

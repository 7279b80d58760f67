package merged

import (
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// synchronize asserts what locks, WaitGroups and Onces do.
func (e *encoding) synchronize() {
	acquires, adds, begins, ends := make(map[uint64][]int32), make(map[uint64][]int32), make(map[uint64][]int32), make(map[uint64][]int32)
	var waited, dones []int32
	for k := range e.nodes {
		n, at := &e.nodes[k], int32(k)
		switch n.Kind {
		case trace.Acquire, trace.RAcquire:
			acquires[n.Obj] = append(acquires[n.Obj], at)
		case trace.WaitGroupWaited:
			waited = append(waited, at)
		case trace.OnceBegin:
			begins[n.Obj] = append(begins[n.Obj], at)
		case trace.OnceEnd:
			ends[n.Obj] = append(ends[n.Obj], at)
		case trace.OnceDone:
			dones = append(dones, at)
		}
		if n.Kind.ChangesCounter() {
			adds[n.Obj] = append(adds[n.Obj], at)
		}
	}
	for k := range e.nodes { // in the order of the program, so that formulas are the same each time
		if n := &e.nodes[k]; n.Kind == trace.Acquire || n.Kind == trace.RAcquire {
			for _, other := range acquires[n.Obj] {
				if other < int32(k) {
					e.exclude(other, int32(k))
				}
			}
		}
		if n := &e.nodes[k]; n.Kind == trace.OnceBegin {
			for _, other := range begins[n.Obj] {
				if other < int32(k) {
					e.engine.Assert(e.f.Not(e.f.And(e.happens(other), e.happens(int32(k)))))
				}
			}
		}
	}
	for _, w := range waited {
		e.assertIf(w, e.zero(w, adds[e.nodes[w].Obj]))
	}
	for _, d := range dones {
		var some []solver.Bool
		for _, end := range ends[e.nodes[d].Obj] {
			some = append(some, e.happened(end, d))
		}
		e.assertIf(d, e.f.Or(some...))
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

// zero says that the counter of a WaitGroup, with the given adds, is zero at w.
func (e *encoding) zero(w int32, adds []int32) solver.Bool {
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

package order_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// eachRandom runs check on random traces of every shape.
func eachRandom(t *testing.T, check func(t *testing.T, tr *trace.Trace, o *order.Order)) {
	shapes := []tracetest.Config{
		{Goroutines: 3, Events: 12, Sync: tracetest.All, Locks: 2, Locations: 3},
		{Goroutines: 4, Events: 30, Sync: tracetest.All, Locks: 3, Locations: 2, Unnested: true, HandOver: true, Overlap: true, Counters: true},
		{Goroutines: 40, Events: 6, Sync: tracetest.All, Locks: 2, Locations: 4},
		{Goroutines: 3, Events: 40, Sync: tracetest.Channels, Locks: 1, Locations: 3},
		{Goroutines: 3, Events: 40, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 3, Locations: 3, Unnested: true, HandOver: true, RepeatedReadLocks: true},
		{Goroutines: 3, Events: 40, Sync: tracetest.Mutexes | tracetest.Conds, Locks: 2, Locations: 2},
	}
	for k, shape := range shapes {
		for seed := range uint64(150) {
			tr := tracetest.Random(seed, shape)
			o, err := order.New(tr)
			if err != nil {
				t.Fatal(err)
			}
			ok := t.Run(fmt.Sprintf("shape%d/seed%d", k, seed), func(t *testing.T) { check(t, tr, o) })
			if !ok {
				for i, e := range tr.Events {
					t.Logf("%d: %d %v obj=%#x val=%d size=%d flags=%d", i, e.G, e.Kind, e.Obj, e.Val, e.Size, e.Flags)
				}
				return
			}
		}
	}
}

func TestBeforeIsTransitiveClosure(t *testing.T) {
	eachRandom(t, func(t *testing.T, tr *trace.Trace, o *order.Order) {
		por := closure(tr)
		for j := range tr.Events {
			for i := range tr.Events {
				if got := o.Before(i, j); got != por[j][i] {
					t.Fatalf("Before(%d, %d) = %v", i, j, got)
				}
				if got, want := o.BeforeReached(i, j), reached(tr, por, i, j); got != want {
					t.Fatalf("BeforeReached(%d, %d) = %v", i, j, got)
				}
			}
		}
	})
}

func TestAncestorsAreLastBefore(t *testing.T) {
	eachRandom(t, func(t *testing.T, tr *trace.Trace, o *order.Order) {
		por := closure(tr)
		for j, e := range tr.Events {
			want := make(map[trace.GID]int)
			for i := range j {
				if g := tr.Events[i].G; g != e.G && por[j][i] {
					want[g] = i
				}
			}
			for g, i := range o.Ancestors(j) {
				if at, ok := want[g]; !ok || at != i {
					t.Fatalf("last event of goroutine %d before %d: got %d, want %d", g, j, i, at)
				}
				delete(want, g)
			}
			if len(want) > 0 {
				t.Fatalf("ancestors of %d lack %v", j, want)
			}
		}
	})
}

func TestAncestorsBeyondOthers(t *testing.T) {
	eachRandom(t, func(t *testing.T, tr *trace.Trace, o *order.Order) {
		por := closure(tr)
		for i := range tr.Events {
			for j := range tr.Events {
				got := maps.Collect(o.AncestorsBeyond(i, j))
				for g, a := range o.Ancestors(i) {
					at, yielded := got[g]
					delete(got, g)
					switch before := a == j || por[j][a]; {
					case yielded && at != a:
						t.Fatalf("ancestor of %d beyond %d of goroutine %d: got %d, want %d", i, j, g, at, a)
					case !yielded && !before:
						t.Fatalf("ancestors of %d beyond %d lack %d", i, j, a)
					case yielded && before && g != tr.Events[j].G:
						t.Fatalf("ancestors of %d beyond %d have %d, which is before", i, j, a)
					}
				}
				if len(got) > 0 {
					t.Fatalf("ancestors of %d beyond %d have %v, which are none", i, j, got)
				}
			}
		}
	})
}

func TestSegmentsShareOrder(t *testing.T) {
	eachRandom(t, func(t *testing.T, tr *trace.Trace, o *order.Order) {
		por := closure(tr)
		first := make(map[int]int)
		for i, e := range tr.Events {
			f, ok := first[o.Segment(i)]
			if !ok {
				first[o.Segment(i)] = i
				continue
			}
			if tr.Events[f].G != e.G {
				t.Fatalf("events %d and %d of two goroutines share a segment", f, i)
			}
			for k := range tr.Events {
				if tr.Events[k].G == e.G {
					continue
				}
				if k < f && por[f][k] != por[i][k] || k > i && por[k][f] != por[k][i] || k > f && k < i && por[k][f] {
					t.Fatalf("events %d and %d share a segment, but not their order to %d", f, i, k)
				}
			}
		}
	})
}

// closure is the slow version of the order: after[j][i] if i is before j.
func closure(tr *trace.Trace) [][]bool {
	after := make([][]bool, len(tr.Events))
	for j := range tr.Events {
		after[j] = make([]bool, len(tr.Events))
		for i := j - 1; i >= 0; i-- {
			if !after[j][i] && (edge(tr, i, j) || atomicEdge(tr, i, j)) {
				after[j][i] = true
				for k := range i {
					after[j][k] = after[j][k] || after[i][k]
				}
			}
		}
		known := slices.Clone(after[j])
		for adder, r := range endedRounds(tr, j) {
			if adder != tr.Events[j].G && !known[r.added] {
				continue
			}
			for _, i := range r.dones {
				after[j][i] = true
				for k := range i {
					after[j][k] = after[j][k] || after[i][k]
				}
			}
		}
	}
	return after
}

// A round is those of a WaitGroup that one goroutine began.
type round struct {
	added int // the last add
	dones []int
}

// endedRounds are those that have ended before event j, if that is the end of a Wait, by who
// began them: a Wait that comes after their adds comes after their Dones.
func endedRounds(tr *trace.Trace, j int) map[trace.GID]round {
	all := make(map[trace.GID]round)
	if tr.Events[j].Kind != trace.WaitGroupWaited {
		return all
	}
	var now round
	adders := make(map[trace.GID]bool)
	count := int64(0)
	for i, e := range tr.Events[:j] {
		if e.Kind != trace.WaitGroupAdd || e.Obj != tr.Events[j].Obj {
			continue
		}
		count += int64(e.Val)
		if int64(e.Val) >= 0 {
			adders[e.G], now.added = true, i
			continue
		}
		now.dones = append(now.dones, i)
		if count > 0 {
			continue
		}
		if g := tr.Events[now.added].G; len(adders) == 1 {
			all[g] = round{now.added, append(all[g].dones, now.dones...)}
		}
		now = round{}
		clear(adders)
	}
	return all
}

// reached reports whether i is before what its goroutine did last before j.
func reached(tr *trace.Trace, por [][]bool, i, j int) bool {
	for p := j - 1; p >= 0; p-- {
		if tr.Events[p].G == tr.Events[j].G {
			return p == i || por[p][i]
		}
	}
	return false
}

// edge reports whether i synchronizes with j by itself.
func edge(tr *trace.Trace, i, j int) bool {
	a, b := tr.Events[i], tr.Events[j]
	if a.G == b.G {
		return true
	}
	switch b.Kind {
	case trace.Begin:
		return a.Kind == trace.Fork && trace.GID(a.Obj) == b.G
	case trace.RecvDone:
		if b.Val == 0 {
			return a.Kind == trace.Close && a.Obj == b.Obj
		}
		return i == begun(tr, trace.SendDone, b.Obj, b.Val)
	case trace.SendDone:
		return b.Val > uint64(b.Size) && i == begun(tr, trace.RecvDone, b.Obj, b.Val-uint64(b.Size))
	case trace.WaitGroupWaited:
		return slices.Contains(dones(tr, b.Obj, j), i)
	case trace.OnceDone:
		return a.Kind == trace.OnceEnd && a.Obj == b.Obj
	case trace.CondWake:
		return a.Obj == b.Obj && (a.Kind == trace.CondSignal && a.Val == b.Val+1 ||
			a.Kind == trace.CondBroadcast && a.Val <= b.Val && b.Val < a.Val+uint64(a.Size))
	case trace.Await:
		return a.Kind == trace.Post && a.Obj == b.Obj || b.Obj == 0
	}
	return false
}

// atomicEdge reports whether the atomic operation j sees what i stored. Updates
// do not see each other.
func atomicEdge(tr *trace.Trace, i, j int) bool {
	update := func(e trace.Event) bool {
		return e.Kind == trace.AtomicRMW && e.Flags&trace.FlagFailed == 0 && tr.Sites[e.Site].IsUpdate
	}
	a, b := tr.Events[i], tr.Events[j]
	if b.Kind != trace.AtomicLoad && b.Kind != trace.AtomicRMW {
		return false
	}
	for k := j - 1; k >= i; k-- {
		c := tr.Events[k]
		switch {
		case c.Obj != b.Obj || c.Kind != trace.AtomicStore && (c.Kind != trace.AtomicRMW || c.Flags&trace.FlagFailed != 0):
		case k == i:
			return !update(a) || !update(b)
		case !update(c):
			return false
		}
	}
	return false
}

// begun finds where the operation that moved an element began.
func begun(tr *trace.Trace, done trace.Kind, ch, number uint64) int {
	for k, e := range tr.Events {
		if e.Kind != done || e.Obj != ch || e.Val != number {
			continue
		}
		for b := k - 1; b >= 0; b-- {
			switch c := tr.Events[b]; {
			case c.G != e.G:
			case c.Kind == trace.Send, c.Kind == trace.Recv, c.Kind == trace.Select:
				return b
			}
		}
	}
	return -1
}

// dones are the negative adds of the last round that ended before j.
func dones(tr *trace.Trace, wg uint64, j int) (last []int) {
	var round []int
	count := int64(0)
	for i, e := range tr.Events[:j] {
		if e.Kind != trace.WaitGroupAdd || e.Obj != wg {
			continue
		}
		count += int64(e.Val)
		if int64(e.Val) < 0 {
			round = append(round, i)
		}
		if count == 0 {
			last, round = round, nil
		}
	}
	return last
}

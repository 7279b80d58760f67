package tracetest

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Explore calls visit with feasible orders of events of tr, as positions, until
// it returns false: each set of events that can have happened is there, with
// each order of its operations on conditions and channels. It does not go on
// from orders that keep turns down; the last event is the one to look at. Both
// only borrow the order.
//
// Unlike an enumeration of all orders it visits few of the orders of one set, and
// so is fit for traces of some forty events, as long as no values decide.
func Explore(tr *trace.Trace, keep, visit func(order []int) bool) {
	x := &explorer{tr: tr, judge: feasible.New(tr), keep: keep, visit: visit, seen: make(map[string]bool)}
	x.of = make([][]int, len(tr.Goroutines))
	for i, e := range tr.Events {
		x.of[e.G] = append(x.of[e.G], i)
	}
	x.at = make([]int, len(x.of))
	x.from(make([]int, 0, len(tr.Events)))
}

type explorer struct {
	tr          *trace.Trace
	judge       *feasible.Judge
	keep, visit func([]int) bool
	seen        map[string]bool
	of          [][]int // by goroutine: its events
	at          []int   // by goroutine: how many are done
}

func (x *explorer) from(order []int) bool {
	if key := x.key(order); x.seen[key] {
		return true
	} else {
		x.seen[key] = true
	}
	if !x.visit(order) {
		return false
	}
	for g, es := range x.of {
		if x.at[g] == len(es) {
			continue
		}
		next := append(order, es[x.at[g]])
		if !x.keep(next) || x.judge.Check(next, nil) != nil {
			continue
		}
		x.at[g]++
		more := x.from(next)
		x.at[g]--
		if !more {
			return false
		}
	}
	return true
}

// key tells orders apart that can go on in different ways.
func (x *explorer) key(order []int) string {
	matters := slices.DeleteFunc(slices.Clone(order), func(i int) bool {
		switch k := x.tr.Events[i].Kind; k {
		case trace.Send, trace.Recv, trace.Select, trace.Close:
			return false
		default:
			return k.Class() != trace.ClassCond
		}
	})
	return fmt.Sprint(x.at, matters)
}

package evidence

import (
	"slices"

	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file tells objects of one name apart: two connections have a channel c.reset each, and a report
// that calls both c.reset reads as if they were one.

// objects are the locks, channels and the like that a finding names. While it is made, its parts have
// their indices here, from 1, as [report.Place.Object]; tellApart replaces these.
type objects struct{ all []object }

// An object is one of a run.
type object struct {
	run   *run
	class trace.Class
	addr  uint64
}

// note returns the number, from 1, of the object of an operation of kind k in r; 0 if it is none that
// goroutines wait at.
func (o *objects) note(r *run, k trace.Kind, addr uint64) int {
	if o == nil || addr == 0 || !isNamed(k) {
		return 0
	}
	it := object{r, k.Class(), addr}
	n := slices.Index(o.all, it)
	if n < 0 {
		n = len(o.all)
		o.all = append(o.all, it)
	}
	return n + 1
}

// isNamed reports whether operations of kind k are on objects that are told apart.
func isNamed(k trace.Kind) bool {
	switch k.Class() {
	case trace.ClassLock, trace.ClassChannel, trace.ClassCond, trace.ClassWaitGroup:
		return true
	}
	return false
}

// A mention is where a finding names an object.
type mention struct {
	expr   string
	number *int
}

// mentions returns all places of f that may name an object, in the order in which readers find them.
func mentions(f *report.Finding) (all []mention) {
	place := func(p *report.Place) { all = append(all, mention{p.Expr, &p.Object}) }
	access := func(a *report.Access) {
		all = append(all, mention{a.Expr, &a.Object})
		for k := range a.Locks {
			place(&a.Locks[k])
		}
		for k := range a.HeldBy {
			place(&a.HeldBy[k].Place)
		}
		for k := range a.Partners {
			place(&a.Partners[k].Place)
		}
	}
	for k := range f.Accesses {
		access(&f.Accesses[k])
	}
	for k := range f.AlsoBlocked {
		access(&f.AlsoBlocked[k])
	}
	for k := range f.Interleaving {
		s := &f.Interleaving[k]
		all = append(all, mention{s.Expr, &s.Object})
	}
	return all
}

// tellApart numbers the objects of f that share a name with another one in one run, and lists them. An
// object of the recorded run gets the number that it has in the replay. Where it is not known which
// that is, it gets none.
func (b builder) tellApart(f *report.Finding) {
	all := mentions(f)
	base := b.recorded
	if slices.ContainsFunc(b.named.all, func(o object) bool { return o.run == b.replayed }) {
		base = b.replayed
	}
	byName := make(map[string][]int) // indices of the objects of base
	var names []string
	for _, m := range all {
		if *m.number == 0 || m.expr == "" || b.named.all[*m.number-1].run != base {
			continue
		}
		if !slices.Contains(byName[m.expr], *m.number-1) {
			byName[m.expr] = append(byName[m.expr], *m.number-1)
		}
		if !slices.Contains(names, m.expr) {
			names = append(names, m.expr)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return len(byName[name]) < 2 })
	var same map[int]int // by index of an object of the recorded run, that of the replay
	if len(names) > 0 && base != b.recorded && b.recorded != nil {
		same = b.linkRuns()
	}
	var numbered []int // indices of those that have numbers, which are the same by all names
	for _, m := range all {
		index := *m.number - 1
		*m.number = 0
		if index < 0 || !slices.Contains(names, m.expr) {
			continue
		}
		if b.named.all[index].run != base {
			linked, known := same[index]
			if !known {
				continue
			}
			index = linked
		}
		if !slices.Contains(numbered, index) {
			numbered = append(numbered, index)
		}
		*m.number = slices.Index(numbered, index) + 1
	}
	for k, index := range numbered {
		f.Objects = append(f.Objects, report.Object{Object: k + 1, MadeAt: b.madeAt(b.named.all[index])})
	}
}

// madeAt returns where a channel was made; nil if that is not known.
func (b builder) madeAt(o object) *report.Position {
	if o.class != trace.ClassChannel {
		return nil
	}
	i := slices.IndexFunc(o.run.Events, func(e trace.Event) bool { return e.Kind == trace.ChanMake && e.Obj == o.addr })
	if i < 0 {
		return nil
	}
	at := b.place(o.run, trace.ChanMake, o.run.Events[i].Site).Position
	return &at
}

// linkRuns finds the objects of the recorded run in the replay: those on which goroutines of one name
// did one operation, as often as each had been at its place. Where these disagree, as workers take
// their work in another order, there is no link.
func (b builder) linkRuns() map[int]int {
	type operation struct {
		goroutine  string
		site       uint64
		kind       trace.Kind
		occurrence int
	}
	operations := func(r *run, do func(op operation, index int)) {
		var names []string // by goroutine
		for k := range r.Goroutines {
			names = append(names, r.Goroutines[k].Name())
		}
		count := make(map[operation]int)
		for i := range r.Events {
			e := &r.Events[i]
			if e.Obj == 0 || !isNamed(e.Kind) {
				continue
			}
			op := operation{names[e.G], r.Sites[e.Site].Key, e.Kind, 0}
			count[op]++
			op.occurrence = count[op]
			if index := slices.Index(b.named.all, object{r, e.Kind.Class(), e.Obj}); index >= 0 {
				do(op, index)
			}
		}
	}
	replayed := make(map[operation]int)
	operations(b.replayed, func(op operation, index int) { replayed[op] = index })
	links, doubtful := make(map[int]int), make(map[int]bool)
	operations(b.recorded, func(op operation, index int) {
		other, known := replayed[op]
		if !known {
			return
		}
		if old, linked := links[index]; linked && old != other {
			doubtful[index] = true
		}
		links[index] = other
	})
	for index := range doubtful {
		delete(links, index)
	}
	return links
}

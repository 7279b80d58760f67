package reach

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file tells what goroutines may do yet from where they stand. An operation that
// nothing of what the others may do depends on is done at once: it makes no difference when
// (the persistent sets of Godefroid, of one operation each). So is one that stores what is
// there already, as long as the others store nothing else: setters of the same flag come in
// any order.

// A use is one way of using one thing, of those that goroutines' operations depend on each
// other by.
type use struct {
	kind useKind
	on   int32   // the number of the thing
	left content // of a store
}

type useKind uint8

const (
	reads     useKind = iota // memory, by the first of the extents that overlap
	stores                   // one value
	updates                  // with what follows from what was there
	acquires                 // a lock
	shares                   // as a reader
	sends                    // or closes
	receives                 //
	adds                     // to a WaitGroup, one that counts up
	awaits                   // a WaitGroup
	once                     //
	condition                //
	numUses
)

// A future is a set of uses, by their numbers.
type future []uint64

func (f future) has(k int) bool { return k/64 < len(f) && f[k/64]>>(k%64)&1 != 0 }

// with returns f and others together; f if that has them all.
func (f future) with(others future) future {
	for k, w := range others {
		if k >= len(f) || w&^f[k] != 0 {
			all := slices.Clone(f)
			for len(all) < len(others) {
				all = append(all, 0)
			}
			for k, w := range others {
				all[k] |= w
			}
			return all
		}
	}
	return f
}

// futures are those of a program's nodes.
type futures struct {
	*Program
	numbers map[use]int
	values  map[int32][]use // the stores to memory
	group   []int32         // by extent: the first of those that overlap with it
	byNode  []future        // by node: of it, and all that comes behind
	inside  [][]use         // by node, of an acquisition that is one step with what comes up to its release: all of that
	local   []bool          // by node: see searching
}

// maxStores is how many different stores to one piece of memory are told apart.
const maxStores = 8

// number numbers a use.
func (f *futures) number(u use) int {
	k, ok := f.numbers[u]
	if !ok {
		k = len(f.numbers)
		f.numbers[u] = k
	}
	return k
}

// lookAhead finds the futures of a program's nodes, of which those are local.
func lookAhead(p *Program, group []int32, local []bool) *futures {
	f := &futures{
		Program: p, numbers: make(map[use]int), values: make(map[int32][]use), group: group, local: local,
		byNode: make([]future, len(p.nodes)), inside: make([][]use, len(p.nodes)),
	}
	for k := range p.nodes {
		n := &p.nodes[k]
		if u := (use{stores, f.memory(n), n.stored}); n.kind.IsAccess() && f.plain(n) && !slices.Contains(f.values[u.on], u) {
			f.values[u.on] = append(f.values[u.on], u)
		}
	}
	f.findAtomicSections()
	for k := len(p.nodes) - 1; k >= 0; k-- { // what comes behind has a higher number
		n := &p.nodes[k]
		var all future
		for _, x := range n.edges {
			if all == nil {
				all = f.byNode[x.to]
			} else {
				all = all.with(f.byNode[x.to])
			}
		}
		if n.kind == trace.Fork && n.child != none {
			all = all.with(f.byNode[n.child])
		}
		for _, u := range f.usesOf(n) {
			k := f.number(u)
			one := make(future, k/64+1)
			one[k/64] = 1 << (k % 64)
			all = all.with(one)
		}
		f.byNode[k] = all
	}
	return f
}

func (f *futures) memory(n *node) int32 {
	if n.kind.IsAccess() && n.obj != none {
		return f.group[n.obj]
	}
	return none
}

// plain reports whether a node stores a value to memory that nothing else overlaps with.
func (f *futures) plain(n *node) bool {
	return storesValue(n.kind) && n.flags&trace.FlagMap == 0 && len(f.overlaps[n.obj]) == 0
}

// usesOf returns what a node uses.
func (f *futures) usesOf(n *node) (all []use) {
	if n.isSelect() {
		for _, c := range n.cases {
			all = append(all, use{sends, c.ch, 0}, use{receives, c.ch, 0})
		}
		return all
	}
	if n.obj == none {
		return nil
	}
	one := func(k useKind, on int32) []use { return []use{{k, on, 0}} }
	switch k := n.kind; {
	case k == trace.AtomicRMW:
		return []use{{reads, f.memory(n), 0}, {updates, f.memory(n), 0}}
	case isLoad(k):
		return one(reads, f.memory(n))
	case k.IsAccess():
		if f.plain(n) && len(f.values[f.memory(n)]) <= maxStores {
			return []use{{stores, f.memory(n), n.stored}}
		}
		return one(updates, f.memory(n))
	case k == trace.Acquire:
		return one(acquires, n.obj)
	case k == trace.RAcquire:
		return one(shares, n.obj)
	case k.Sends(), k == trace.Close:
		return one(sends, n.obj)
	case k.Receives():
		return one(receives, n.obj)
	case n.delta() > 0:
		return one(adds, n.obj)
	case k.Class() == trace.ClassWaitGroup && !changesGroup(k):
		return one(awaits, n.obj)
	case k == trace.OnceBegin, k == trace.OnceEnd:
		return one(once, n.obj)
	case k.Class() == trace.ClassCond:
		return one(condition, n.obj)
	}
	return nil
}

// steps finds the locks of which each acquisition is one step with all up to its release, as
// nothing in between can wait, or be seen by others: nobody ever finds them taken.
func (f *futures) findAtomicSections() {
	broken := make(map[int32]bool)
	for k := range f.nodes {
		n := &f.nodes[k]
		if n.kind != trace.Acquire && n.kind != trace.RAcquire {
			continue
		}
		if all, ok := f.upToRelease(int32(k), n.obj, n.kind); ok {
			f.inside[k] = all
		} else {
			broken[n.obj] = true
		}
	}
	for k := range f.nodes {
		if n := &f.nodes[k]; f.inside[k] != nil && broken[n.obj] {
			f.inside[k] = nil
		}
	}
}

// upToRelease returns the uses of memory after an acquisition up to its release.
func (f *futures) upToRelease(at, lock int32, k trace.Kind) (all []use, ok bool) {
	all = []use{}
	todo := []int32{at}
	for len(todo) > 0 {
		at, todo = todo[len(todo)-1], todo[:len(todo)-1]
		for _, x := range f.nodes[at].edges {
			n := &f.nodes[x.to]
			switch {
			case n.obj == lock && n.kind == trace.Release && k == trace.Acquire && n.wakes == none,
				n.obj == lock && n.kind == trace.RRelease && k == trace.RAcquire:
				if f.mayExit(n) {
					return nil, false
				}
				continue
			case n.kind == trace.None && !n.ended && !n.exits:
				continue // a run is to find out
			case !f.local[x.to], n.kind == trace.None, n.kind == trace.Fork, n.ends(), n.kind.HasAddress() && !n.kind.IsAccess(), n.kind.Class() == trace.ClassChannel:
				return nil, false
			}
			for _, u := range f.usesOf(n) {
				if !slices.Contains(all, u) {
					all = append(all, u)
				}
			}
			todo = append(todo, x.to)
		}
	}
	return all, true
}

// apart reports whether nothing that other goroutines may do in s, or after, depends on what
// a goroutine comes to.
func (f *futures) independent(s *state, g int32) bool {
	at := s.next[g]
	n := &f.nodes[at]
	if f.mayExit(n) || n.exits || n.kind == trace.None {
		return false
	}
	if all := f.inside[at]; all != nil {
		return !slices.ContainsFunc(all, func(u use) bool { return !f.useIndependent(s, g, u) })
	}
	for _, u := range f.usesOf(n) {
		if !f.useIndependent(s, g, u) {
			return false
		}
	}
	return true
}

// alone reports whether nothing that other goroutines than g may do depends on a use.
func (f *futures) useIndependent(s *state, g int32, u use) bool {
	switch u.kind {
	case reads:
		return f.unchangedByOthers(s, g, u.on)
	case stores:
		if s.content(u.on) == u.left && f.unchangedByOthers(s, g, u.on) {
			return true
		}
		return !f.othersMay(s, g, use{reads, u.on, 0}) && (!f.othersMayStore(s, g, u.on) || !f.mayRead(s, g, u.on))
	case updates:
		return !f.othersMay(s, g, use{reads, u.on, 0}) && !f.othersMayStore(s, g, u.on)
	case acquires:
		return !f.othersMay(s, g, use{acquires, u.on, 0}) && !f.othersMay(s, g, use{shares, u.on, 0})
	case shares:
		return !f.othersMay(s, g, use{acquires, u.on, 0})
	case sends, receives:
		return u.on == none || !f.external[u.on] && !f.othersMay(s, g, use{sends, u.on, 0}) && !f.othersMay(s, g, use{receives, u.on, 0})
	case adds:
		return !f.othersMay(s, g, use{awaits, u.on, 0})
	case awaits:
		return !f.othersMay(s, g, use{adds, u.on, 0})
	}
	return !f.othersMay(s, g, u)
}

// others reports whether another goroutine than g may come to a use.
func (f *futures) othersMay(s *state, g int32, u use) bool {
	k, ok := f.numbers[u]
	if !ok {
		return false
	}
	for h, at := range s.next {
		if int32(h) != g && at != none && f.byNode[at].has(k) {
			return true
		}
	}
	return false
}

// read reports whether g reads some memory yet.
func (f *futures) mayRead(s *state, g, memory int32) bool {
	k, ok := f.numbers[use{reads, memory, 0}]
	return ok && f.byNode[s.next[g]].has(k)
}

// stored reports whether another goroutine than g may store to some memory.
func (f *futures) othersMayStore(s *state, g, memory int32) bool {
	return f.othersMay(s, g, use{updates, memory, 0}) || slices.ContainsFunc(f.values[memory], func(u use) bool { return f.othersMay(s, g, u) })
}

// steady reports whether no other goroutine than g may store anything to some memory but
// what is there.
func (f *futures) unchangedByOthers(s *state, g, memory int32) bool {
	if f.othersMay(s, g, use{updates, memory, 0}) {
		return false
	}
	return !slices.ContainsFunc(f.values[memory], func(u use) bool { return u.left != s.content(memory) && f.othersMay(s, g, u) })
}

// live reports of each extent whether it may be read yet.
func (f *futures) mayBeRead(s *state, x int32) bool {
	return f.othersMay(s, none, use{reads, f.group[x], 0})
}

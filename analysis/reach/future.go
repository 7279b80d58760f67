package reach

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file tells what goroutines may do yet from where they stand. An
// operation that nothing of what the others may do depends on is done at
// once: it makes no difference when (the persistent sets of Godefroid, of one
// operation each). So is one that stores what is there already, as long as
// the others store nothing else: setters of the same flag come in any order.

// A use is one way of using one thing. Operations of goroutines depend on
// each other by their uses: those that use nothing together come in any
// order.
type use struct {
	// How it is used.
	kind useKind
	// The number of the thing, in its class.
	on int32
	// What a store leaves.
	left content
}

// A useKind says how a thing is used.
type useKind uint8

const (
	// Memory, by the first of the extents that overlap.
	reads useKind = iota
	// One value.
	stores
	// With what follows from what was there.
	updates
	// A lock.
	acquires
	// As a reader.
	shares
	// Or closes.
	sends
	receives //
	// To a WaitGroup, one that counts up.
	adds
	// A WaitGroup.
	awaits
	once      //
	condition //
	numUses
)

// A future is a set of uses, by their numbers.
type future []uint64

// has reports whether use number k is in the future.
func (f future) has(k int) bool { return k/64 < len(f) && f[k/64]>>(k%64)&1 != 0 }

// with returns f and others together; f itself if that has them all, as is
// often the case.
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

// The futures of a program's nodes say what may come after them. They do not
// depend on a state, and are found once for each search.
type futures struct {
	*Program
	// The numbers of uses.
	numbers map[use]int
	// By memory: the stores to it, if there are not too many.
	values map[int32][]use
	// By extent: the first of those that overlap with it, which stands for
	// all of them.
	group []int32
	// By node: the uses of it and of all that may come after it.
	byNode []future
	// By node, of an acquisition that is one step with all up to its
	// release: the uses of that.
	inside [][]use
	// By node: no other goroutine's operation can come before it, or see it.
	local []bool
	// By use: the goroutines that have it.
	users []map[int32]bool
}

// number numbers a use.
func (f *futures) number(u use) int {
	k, ok := f.numbers[u]
	if !ok {
		k = len(f.numbers)
		f.numbers[u] = k
		f.users = append(f.users, make(map[int32]bool))
	}
	return k
}

// lookAhead finds the futures of a program's nodes.
func lookAhead(p *Program) *futures {
	f := &futures{
		Program: p, numbers: make(map[use]int), values: make(map[int32][]use), group: p.overlapGroups(),
		byNode: make([]future, len(p.nodes)), inside: make([][]use, len(p.nodes)), local: make([]bool, len(p.nodes)),
	}
	for k := range p.nodes {
		n := &p.nodes[k]
		if u := (use{stores, f.memory(n), n.stored}); n.kind.IsAccess() && f.plain(n) && !slices.Contains(f.values[u.on], u) {
			f.values[u.on] = append(f.values[u.on], u)
		}
	}
	for k := range p.nodes {
		n := &p.nodes[k]
		for _, u := range f.usesOf(n) {
			f.users[f.number(u)][n.g] = true
		}
	}
	f.findLocal()
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

// findLocal finds the operations that no other goroutine's can come before, or
// see: nothing that others ever do depends on them, or all others hold the
// same lock, or the operation is on a channel between two goroutines.
func (f *futures) findLocal() {
	locks := make(map[int32][]held) // by memory: those that all hold
	selected := make(map[int32]bool)
	for k := range f.nodes {
		n := &f.nodes[k]
		for _, c := range n.cases {
			selected[c.ch] = true
		}
		m := f.memory(n)
		if m == none {
			continue
		}
		common, known := locks[m]
		if !known {
			common = slices.Clone(n.held)
		}
		locks[m] = slices.DeleteFunc(common, func(h held) bool { return !holds(n, h.lock) })
	}
	atMostOne := func(k useKind, ch int32) bool {
		u, ok := f.numbers[use{k, ch, 0}]
		return !ok || len(f.users[u]) <= 1
	}
	for k := range f.nodes {
		n := &f.nodes[k]
		switch {
		case f.mayExit(n), n.kind == trace.None, n.kind == trace.Select, n.kind.Class() == trace.ClassCond && n.kind != trace.CondWake:
		case n.kind.IsAccess() && len(locks[f.memory(n)]) > 0, n.kind.Class() == trace.ClassChannel && n.obj == none:
			f.local[k] = true
		case n.kind.Begins() && n.kind.Class() == trace.ClassChannel, n.kind == trace.Close:
			f.local[k] = !selected[n.obj] && !f.external[n.obj] && atMostOne(sends, n.obj) && atMostOne(receives, n.obj)
		default:
			f.local[k] = n.kind.Completes() || !slices.ContainsFunc(f.usesOf(n), func(u use) bool { return !f.useIndependent(nil, n.g, u) })
		}
	}
}

// holds reports whether the goroutine of an access holds a lock so that no
// other one can make an access that matters to it.
func holds(n *node, lock int32) bool {
	return slices.ContainsFunc(n.held, func(h held) bool { return h.lock == lock && (!h.reader || !n.kind.IsWrite()) })
}

// memory returns the memory of an access: of extents that overlap the first.
// It is none of other nodes.
func (f *futures) memory(n *node) int32 {
	if n.kind.IsAccess() && n.obj != none {
		return f.group[n.obj]
	}
	return none
}

// plain reports whether a node stores a value to memory that nothing else
// overlaps with. Then the value says all that a reader can find.
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
	case k.Class() == trace.ClassWaitGroup && !k.ChangesCounter():
		return one(awaits, n.obj)
	case k == trace.OnceBegin, k == trace.OnceEnd:
		return one(once, n.obj)
	case k.Class() == trace.ClassCond:
		return one(condition, n.obj)
	}
	return nil
}

// findAtomicSections finds the locks of which each critical section is one
// step, as nothing in it can wait, or be seen by others. Nobody ever finds
// such a lock taken, so that the uses of its section are all that matters.
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

// upToRelease returns the uses of memory after an acquisition up to its
// release. ok is false if something in between can wait or be seen.
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

// independent reports whether nothing that other goroutines may do in s, or
// after, depends on what a goroutine comes to. Then that alone is a
// persistent set (Godefroid, chapter 4).
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

// useIndependent reports whether nothing that other goroutines than g may do
// in s, or after, depends on a use; without s, nothing that they ever do. A
// store of what is there already changes nothing, as long as the others store
// nothing else.
func (f *futures) useIndependent(s *state, g int32, u use) bool {
	switch u.kind {
	case reads:
		return f.unchangedByOthers(s, g, u.on)
	case stores:
		if s != nil && s.content(u.on) == u.left && f.unchangedByOthers(s, g, u.on) {
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

// othersMay reports whether another goroutine than g may come to a use.
func (f *futures) othersMay(s *state, g int32, u use) bool {
	k, ok := f.numbers[u]
	if !ok {
		return false
	}
	if s == nil {
		return len(f.users[k]) > 1 || !f.users[k][g]
	}
	for h, at := range s.next {
		if int32(h) != g && at != none && f.byNode[at].has(k) {
			return true
		}
	}
	return false
}

// mayRead reports whether g may read some memory yet.
func (f *futures) mayRead(s *state, g, memory int32) bool {
	k, ok := f.numbers[use{reads, memory, 0}]
	return ok && (s == nil || f.byNode[s.next[g]].has(k))
}

// othersMayStore reports whether another goroutine than g may store to some
// memory.
func (f *futures) othersMayStore(s *state, g, memory int32) bool {
	return f.othersMay(s, g, use{updates, memory, 0}) || slices.ContainsFunc(f.values[memory], func(u use) bool { return f.othersMay(s, g, u) })
}

// unchangedByOthers reports whether no other goroutine than g may store
// anything to some memory but what is there.
func (f *futures) unchangedByOthers(s *state, g, memory int32) bool {
	if f.othersMay(s, g, use{updates, memory, 0}) {
		return false
	}
	return !slices.ContainsFunc(f.values[memory], func(u use) bool { return (s == nil || u.left != s.content(memory)) && f.othersMay(s, g, u) })
}

// mayBeRead reports whether an extent may be read yet. What nobody reads any
// more does not tell states apart.
func (f *futures) mayBeRead(s *state, x int32) bool {
	return f.othersMay(s, none, use{reads, f.group[x], 0})
}

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
	object int32
	// What a store leaves.
	stored content
}

// A useKind says how a thing is used.
type useKind uint8

const (
	// Memory, by the first of the extents that overlap.
	readUse useKind = iota
	// One value.
	storeUse
	// With what follows from what was there.
	updateUse
	// A lock.
	acquireUse
	// As a reader.
	readLockUse
	// Or closes.
	sendUse
	receiveUse //
	// To a WaitGroup, one that counts up.
	addUse
	// A WaitGroup.
	waitUse
	onceUse //
	condUse //
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
	storesTo map[int32][]use
	// By extent: the first of those that overlap with it, which stands for
	// all of them.
	overlapGroup []int32
	// By node: the uses of it and of all that may come after it.
	byNode []future
	// By node, of an acquisition that is one step with all up to its
	// release: the uses of that.
	sectionUses [][]use
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
		Program: p, numbers: make(map[use]int), storesTo: make(map[int32][]use), overlapGroup: p.overlapGroups(),
		byNode: make([]future, len(p.nodes)), sectionUses: make([][]use, len(p.nodes)), local: make([]bool, len(p.nodes)),
	}
	for k := range p.nodes {
		n := &p.nodes[k]
		if u := (use{storeUse, f.memory(n), n.stored}); n.kind.IsAccess() && f.plain(n) && !slices.Contains(f.storesTo[u.object], u) {
			f.storesTo[u.object] = append(f.storesTo[u.object], u)
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
		if n.kind == trace.Fork && n.childStart != none {
			all = all.with(f.byNode[n.childStart])
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
		locks[m] = slices.DeleteFunc(common, func(h held) bool { return !holdsFor(n, h.lock) })
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
			f.local[k] = !selected[n.obj] && !f.external[n.obj] && atMostOne(sendUse, n.obj) && atMostOne(receiveUse, n.obj)
		default:
			f.local[k] = n.kind.Completes() || !slices.ContainsFunc(f.usesOf(n), func(u use) bool { return !f.useIndependent(nil, n.g, u) })
		}
	}
}

// holdsFor reports whether the goroutine of an access holds a lock so that no
// other one can make an access that matters to it.
func holdsFor(n *node, lock int32) bool {
	return slices.ContainsFunc(n.held, func(h held) bool { return h.lock == lock && (!h.reader || !n.kind.IsWrite()) })
}

// memory returns the memory of an access: of extents that overlap the first.
// It is none of other nodes.
func (f *futures) memory(n *node) int32 {
	if n.kind.IsAccess() && n.obj != none {
		return f.overlapGroup[n.obj]
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
			all = append(all, use{sendUse, c.ch, 0}, use{receiveUse, c.ch, 0})
		}
		return all
	}
	if n.obj == none {
		return nil
	}
	one := func(k useKind, on int32) []use { return []use{{k, on, 0}} }
	switch k := n.kind; {
	case k == trace.AtomicRMW:
		return []use{{readUse, f.memory(n), 0}, {updateUse, f.memory(n), 0}}
	case isLoad(k):
		return one(readUse, f.memory(n))
	case k.IsAccess():
		if f.plain(n) && len(f.storesTo[f.memory(n)]) <= maxStores {
			return []use{{storeUse, f.memory(n), n.stored}}
		}
		return one(updateUse, f.memory(n))
	case k == trace.Acquire:
		return one(acquireUse, n.obj)
	case k == trace.RAcquire:
		return one(readLockUse, n.obj)
	case k.Sends(), k == trace.Close:
		return one(sendUse, n.obj)
	case k.Receives():
		return one(receiveUse, n.obj)
	case n.delta() > 0:
		return one(addUse, n.obj)
	case k.Class() == trace.ClassWaitGroup && !k.ChangesCounter():
		return one(waitUse, n.obj)
	case k == trace.OnceBegin, k == trace.OnceEnd:
		return one(onceUse, n.obj)
	case k.Class() == trace.ClassCond:
		return one(condUse, n.obj)
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
			f.sectionUses[k] = all
		} else {
			broken[n.obj] = true
		}
	}
	for k := range f.nodes {
		if n := &f.nodes[k]; f.sectionUses[k] != nil && broken[n.obj] {
			f.sectionUses[k] = nil
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
			case n.obj == lock && n.kind == trace.Release && k == trace.Acquire && n.condition == none,
				n.obj == lock && n.kind == trace.RRelease && k == trace.RAcquire:
				if f.mayExit(n) {
					return nil, false
				}
				continue
			case n.kind == trace.None && !n.goroutineEnded && !n.endsProgram:
				continue // a run is to find out
			case !f.local[x.to], n.kind == trace.None, n.kind == trace.Fork, n.endsGoroutine(), n.kind.HasAddress() && !n.kind.IsAccess(), n.kind.Class() == trace.ClassChannel:
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
	if f.mayExit(n) || n.endsProgram || n.kind == trace.None {
		return false
	}
	if all := f.sectionUses[at]; all != nil {
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
	case readUse:
		return f.unchangedByOthers(s, g, u.object)
	case storeUse:
		if s != nil && s.content(u.object) == u.stored && f.unchangedByOthers(s, g, u.object) {
			return true
		}
		return !f.othersMay(s, g, use{readUse, u.object, 0}) && (!f.othersMayStore(s, g, u.object) || !f.mayRead(s, g, u.object))
	case updateUse:
		return !f.othersMay(s, g, use{readUse, u.object, 0}) && !f.othersMayStore(s, g, u.object)
	case acquireUse:
		return !f.othersMay(s, g, use{acquireUse, u.object, 0}) && !f.othersMay(s, g, use{readLockUse, u.object, 0})
	case readLockUse:
		return !f.othersMay(s, g, use{acquireUse, u.object, 0})
	case sendUse, receiveUse:
		return u.object == none || !f.external[u.object] && !f.othersMay(s, g, use{sendUse, u.object, 0}) && !f.othersMay(s, g, use{receiveUse, u.object, 0})
	case addUse:
		return !f.othersMay(s, g, use{waitUse, u.object, 0})
	case waitUse:
		return !f.othersMay(s, g, use{addUse, u.object, 0})
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
	k, ok := f.numbers[use{readUse, memory, 0}]
	return ok && (s == nil || f.byNode[s.next[g]].has(k))
}

// othersMayStore reports whether another goroutine than g may store to some
// memory.
func (f *futures) othersMayStore(s *state, g, memory int32) bool {
	return f.othersMay(s, g, use{updateUse, memory, 0}) || slices.ContainsFunc(f.storesTo[memory], func(u use) bool { return f.othersMay(s, g, u) })
}

// unchangedByOthers reports whether no other goroutine than g may store
// anything to some memory but what is there.
func (f *futures) unchangedByOthers(s *state, g, memory int32) bool {
	if f.othersMay(s, g, use{updateUse, memory, 0}) {
		return false
	}
	return !slices.ContainsFunc(f.storesTo[memory], func(u use) bool { return (s == nil || u.stored != s.content(memory)) && f.othersMay(s, g, u) })
}

// mayBeRead reports whether an extent may be read yet. What nobody reads any
// more does not tell states apart.
func (f *futures) mayBeRead(s *state, x int32) bool {
	return f.othersMay(s, none, use{readUse, f.overlapGroup[x], 0})
}

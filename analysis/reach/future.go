package reach

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file finds which operations goroutines may still execute, and which
// operations are independent of them. An independent operation is executed at
// once, as its place in the order makes no difference: it is a persistent set
// of its own (Godefroid, chapter 4). A store of the value that memory has
// already is independent too, as long as the other goroutines store nothing
// else there: the order of goroutines that set the same flag does not matter.

// A use is a way in which operations use an object or memory. Operations that
// have no dependent uses can be executed in any order.
type use struct {
	kind useKind
	// The number of the object in its class, or of the memory.
	object int32
	// What a store leaves in memory; 0 for other uses.
	stored content
}

// A useKind is a kind of [use].
type useKind uint8

const (
	readUse     useKind = iota // a read of memory
	storeUse                   // a store of a known value, which is use.stored
	updateUse                  // a store of another value, or an atomic update
	acquireUse                 // an acquire of a lock for writing
	readLockUse                // an acquire of a lock for reading
	sendUse                    // a send on a channel, or its close
	receiveUse                 // a receive from a channel
	addUse                     // an Add that counts up a WaitGroup
	waitUse                    // a wait for a WaitGroup
	onceUse                    // any operation of a Once
	condUse                    // any operation of a condition
)

// A future is a set of uses that may still come, as bits by the uses' numbers.
type future []uint64

// has reports whether use number k is in the future.
func (f future) has(k int) bool { return k/64 < len(f) && f[k/64]>>(k%64)&1 != 0 }

// with returns the union of f and others. It returns f itself if that has them
// all, as is often the case.
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

// futures has for each node of a program the uses of the operations that may
// follow. They do not depend on a state, and are found once for each search.
type futures struct {
	*Program
	// The numbers of uses.
	numbers map[use]int
	// By memory: the stores to it whose value is all that a reader finds.
	storesTo map[int32][]use
	// By extent: the first of the extents that overlap with it, whose number
	// stands for the memory of all of them.
	overlapGroup []int32
	// By node: its uses, and those of all nodes that may follow.
	byNode []future
	// By node, for the acquire of a critical section that is one step: the uses
	// of the section's operations.
	sectionUses [][]use
	// By node: no other goroutine's operation can come before it, or see it.
	local []bool
	// By use: the goroutines that have it.
	users []map[int32]bool
}

// number returns the number of a use, a new one for a new use.
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
	// Local operations do not depend on futures, and atomic sections consist of them.
	f.findLocal()
	f.findAtomicSections()
	for k := len(p.nodes) - 1; k >= 0; k-- { // nodes that follow have higher numbers
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

// findLocal finds the operations that are independent in every state. No
// operation of another goroutine ever depends on them, or all goroutines hold
// the same lock at such accesses, or the channel has only one sender and one
// receiver.
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
// other goroutine can perform a conflicting access under that lock.
func holdsFor(n *node, lock int32) bool {
	return slices.ContainsFunc(n.held, func(h held) bool { return h.lock == lock && (!h.reader || !n.kind.IsWrite()) })
}

// memory returns the number of the memory that a node accesses, or none if it
// is not an access.
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

// findAtomicSections finds the locks whose critical sections are all one step:
// no operation in them can wait, or be seen by others. No goroutine ever finds
// such a lock taken. So only the uses of the section's operations matter.
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

// upToRelease returns the uses of memory between an acquire and its release. ok
// is false if an operation in between can wait or be seen by others.
func (f *futures) upToRelease(at, lock int32, k trace.Kind) (all []use, ok bool) {
	all = []use{}
	// The section may branch, as its reads may find different values.
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

// independent reports whether no operation that other goroutines may execute
// in s, or later, depends on the next operation of g. Then that alone is a
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

// useIndependent reports whether no operation that goroutines other than g may
// execute in s, or later, depends on a use. If s is nil, it considers all their
// operations. A store of the value that memory has already changes nothing, as
// long as the other goroutines store nothing else.
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

// othersMay reports whether a goroutine other than g may still have a use.
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

// mayRead reports whether g may still read some memory.
func (f *futures) mayRead(s *state, g, memory int32) bool {
	k, ok := f.numbers[use{readUse, memory, 0}]
	return ok && (s == nil || f.byNode[s.next[g]].has(k))
}

// othersMayStore reports whether a goroutine other than g may still store to
// some memory.
func (f *futures) othersMayStore(s *state, g, memory int32) bool {
	return f.othersMay(s, g, use{updateUse, memory, 0}) || slices.ContainsFunc(f.storesTo[memory], func(u use) bool { return f.othersMay(s, g, u) })
}

// unchangedByOthers reports whether the goroutines other than g may store to
// some memory only the value that it has.
func (f *futures) unchangedByOthers(s *state, g, memory int32) bool {
	if f.othersMay(s, g, use{updateUse, memory, 0}) {
		return false
	}
	return !slices.ContainsFunc(f.storesTo[memory], func(u use) bool { return (s == nil || u.stored != s.content(memory)) && f.othersMay(s, g, u) })
}

// mayBeRead reports whether an extent may still be read. If not, its content
// makes no difference between states.
func (f *futures) mayBeRead(s *state, x int32) bool {
	return f.othersMay(s, none, use{readUse, f.overlapGroup[x], 0})
}

package reach

import "slices"

// This file gives one name to what has got two. Where nothing tells what a
// goroutine works on, it is named by its address, and another run, in which
// another goroutine comes to it first, may have it at another address. So it
// has two names, until a run has both goroutines at it.

// A runSet has a bit for each run, by their numbers.
type runSet []uint64

// with returns s and run number n.
func (s runSet) with(n int) runSet {
	for len(s) <= n/64 {
		s = append(s, 0)
	}
	s[n/64] |= 1 << (n % 64)
	return s
}

// meets reports whether some run is in both.
func (s runSet) meets(o runSet) bool {
	for k := range min(len(s), len(o)) {
		if s[k]&o[k] != 0 {
			return true
		}
	}
	return false
}

// union returns the runs of both.
func (s runSet) union(o runSet) runSet {
	if len(s) < len(o) {
		s, o = o, s
	}
	all := slices.Clone(s)
	for k := range o {
		all[k] |= o[k]
	}
	return all
}

// noteRun notes which names the run has, so that nobody takes two of these
// for one.
func (n *naming) noteRun() {
	for own := range n.used {
		if isArbitrary(own) {
			n.p.runsWith[own] = n.p.runsWith[own].with(n.p.runCount)
		}
	}
	n.p.runCount++
}

// isArbitrary reports whether a name tells nothing but where the allocator
// has put what has it.
func isArbitrary(own uint64) bool { return onHeap(own) || own >= 1<<56 }

// unite makes one name of two, that of a node and that of the event that is
// it. It reports whether they may be those of one thing: no run has both, and
// what follows from them is not known under both.
func (r *run) unite(node, event uint64) bool {
	p := r.Program
	if r.walks > maxWalks || node == event || !isArbitrary(node) || !isArbitrary(event) || r.names.used[node] || p.runsWith[node].meets(p.runsWith[event]) {
		return false
	}
	keep, drop := node, event
	if p.valueNames[drop] {
		keep, drop = drop, keep
	}
	if p.valueNames[drop] || p.overlapping(keep) || p.overlapping(drop) {
		return false
	}
	p.runsWith[keep] = p.runsWith[keep].union(p.runsWith[drop])
	delete(p.runsWith, drop)
	for k := range p.extents {
		if p.extents[k].from == drop && p.byExtent[p.extents[k]] == int32(k) {
			p.moveExtent(int32(k), extent{keep, p.extents[k].size})
		}
	}
	for c := range numClasses {
		if k, ok := p.byObject[object{c, drop}]; ok && c != ofChan {
			p.moveObject(c, k, keep)
		}
	}
	for k := range p.nodes {
		if e := &p.nodes[k].event; e.Kind.HasAddress() && e.Obj == drop {
			e.Obj = keep
		}
	}
	return true
}

// overlapping reports whether memory of that name shares some with other
// memory.
func (p *Program) overlapping(name uint64) bool {
	for k, x := range p.extents {
		if x.from == name && len(p.overlaps[k]) > 0 {
			return true
		}
	}
	return false
}

// moveExtent gives extent k another name. If there is an extent of that name
// already, all nodes of k are on that one from now on, and nobody touches k
// any more.
func (p *Program) moveExtent(k int32, x extent) {
	delete(p.byExtent, p.extents[k])
	to, ok := p.byExtent[x]
	if !ok {
		p.extents[k], p.byExtent[x] = x, k
		return
	}
	p.lastName += 1 << 12
	p.extents[k].from = p.lastName
	if v, ok := p.initial[k]; ok {
		if _, known := p.initial[to]; !known {
			p.initial[to] = v
		}
		delete(p.initial, k)
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; n.kind.IsAccess() && n.obj == k {
			n.obj = to
		}
	}
}

// moveObject does so with an object that is no memory.
func (p *Program) moveObject(c class, k int32, name uint64) {
	delete(p.byObject, object{c, p.objects[c][k]})
	to, ok := p.byObject[object{c, name}]
	if !ok {
		p.objects[c][k], p.byObject[object{c, name}] = name, k
		return
	}
	if c == ofLock && p.readersWait[k] {
		p.readersWait[to] = true
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.kind.HasAddress() && !n.kind.IsAccess() && classOf(n.kind) == c && n.obj == k {
			n.obj = to
		}
		if c == ofCond && n.wakes == k {
			n.wakes = to
		}
		if c == ofLock && slices.ContainsFunc(n.held, func(h held) bool { return h.lock == k }) {
			n.held = slices.Clone(n.held)
			for j := range n.held {
				if n.held[j].lock == k {
					n.held[j].lock = to
				}
			}
		}
	}
}

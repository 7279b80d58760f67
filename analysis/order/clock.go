package order

import (
	"math"

	"github.com/gopredict/gopredict/recorder/trace"
)

// entries maps goroutines to the entries of clocks and back.
type entries struct {
	entryOf     []uint32 // by goroutine
	goroutineOf []uint32 // by entry
}

// newEntries orders the entries so that each goroutine is followed by those that it starts, and
// these by theirs. Whoever waits for one of them mostly waits for all. Their entries lie in
// the same nodes, which clocks share.
//
// Example: goroutine 0 starts 1 and 2, and 1 starts 3. Their entries are 0, 1, 3, 2: the child of 1
// comes directly after it.
func newEntries(t *trace.Trace) entries {
	n := len(t.Goroutines)
	room := make([]uint32, 2*n)
	e := entries{entryOf: room[:n], goroutineOf: room[n:]}
	many := make([]uint32, n) // how many descendants each one has, itself included
	for g := n - 1; g >= 0; g-- {
		many[g]++
		if by := t.Goroutines[g].Parent; int(by) < g {
			many[by] += many[g]
		}
	}
	next := uint32(0) // the entry of the next goroutine that nobody has started
	free := many      // by goroutine: the entry of the next one that it starts, once it has its own
	for g := range n {
		own := &next
		if by := t.Goroutines[g].Parent; int(by) < g {
			own = &free[by]
		}
		e.entryOf[g] = *own
		*own += many[g]
		free[g] = e.entryOf[g] + 1
		e.goroutineOf[e.entryOf[g]] = uint32(g)
	}
	return e
}

// A clock is a vector clock: for each goroutine, one more than the position of
// its last event that is before, or 0 where there is none. Positions serve as
// time stamps, so that a clock is comparable with any event of the trace.
//
// Clocks are persistent radix trees over goroutine numbers: an update copies
// one path and shares the rest, and joining two clocks skips what they share.
// A trace of thousands of goroutines thus needs memory for what each
// communication event changed, and not one vector for each.
//
// A clock is the number of its root among the nodes of its relation; 0 is the
// empty clock.
//
// Example: entry 6 of a goroutine says that its events up to position 5 are before.
type clock int32

// A node has entries if it is a leaf, else clocks one level below.
type node [fan]int32

// clocks are the nodes of all clocks of one relation, which have the same
// height. They lie in chunks, without pointers: a large trace has millions, and
// none of them goes before the relation does.
type clocks struct {
	height uint
	chunks [][]node
	joins  []knownJoin // the results of joins of nodes above leaves, by hash
	// firstGrowing is the first node of the clock that grows. No other clock has this node or
	// those after it, so that they change in place. See startGrowing.
	firstGrowing clock
}

// A knownJoin is the result of a join of two nodes. When one goroutine waits for thousands,
// one after the other, nearly all of each join was made before.
type knownJoin struct{ a, b, joined clock }

// lookupJoin returns where the join of two nodes is, if it is known. There is room for
// several times as many joins as a clock has nodes, in traces of up to some ten thousand goroutines.
func (cs *clocks) lookupJoin(a, b clock) *knownJoin {
	room := min(cs.height*fanBits+2, maxKnownJoins)
	if cs.joins == nil {
		cs.joins = make([]knownJoin, 1<<room)
	}
	return &cs.joins[(uint32(a)*0x9e3779b1^uint32(b)*0x85ebca6b)>>(32-room)]
}

// newClocks returns room for clocks of n goroutines.
func newClocks(n int) clocks {
	cs := clocks{chunks: [][]node{make([]node, 1, chunkSize)}, firstGrowing: math.MaxInt32} // the first stands for the empty clock
	for n > fan {
		n = (n + fan - 1) / fan
		cs.height++
	}
	return cs
}

// startGrowing lets one clock grow in place by all that is joined or set, up to the next call.
// So no node is kept of its intermediate states. Clocks that exist by now do not change, nor
// does this one after the next call.
func (cs *clocks) startGrowing() {
	last := len(cs.chunks) - 1
	cs.firstGrowing = clock(last<<chunkBits + len(cs.chunks[last]))
}

func (cs *clocks) node(c clock) *node { return &cs.chunks[c>>chunkBits][c&(chunkSize-1)] }

func (cs *clocks) add(n node) clock {
	last := len(cs.chunks) - 1
	if len(cs.chunks[last]) == chunkSize {
		cs.chunks = append(cs.chunks, make([]node, 0, chunkSize))
		last++
	}
	cs.chunks[last] = append(cs.chunks[last], n)
	return clock(last<<chunkBits + len(cs.chunks[last]) - 1)
}

// get returns entry g of c.
func (cs *clocks) get(c clock, g uint32) int32 {
	for h := cs.height; h > 0 && c != 0; h-- {
		c = clock(cs.node(c)[g>>(h*fanBits)%fan])
	}
	return cs.node(c)[g%fan]
}

// set returns c with entry g raised to at least v.
func (cs *clocks) set(c clock, g uint32, v int32) clock {
	if cs.get(c, g) >= v {
		return c
	}
	return cs.raiseEntry(c, g, v, cs.height)
}

// raiseEntry is set for a node at height h, whose entry is lower.
func (cs *clocks) raiseEntry(c clock, g uint32, v int32, h uint) clock {
	n, at := cs.node(c), g>>(h*fanBits)%fan
	if h > 0 {
		v = int32(cs.raiseEntry(clock(n[at]), g, v, h-1))
	}
	if c >= cs.firstGrowing {
		n[at] = v
		return c
	}
	raised := *n
	raised[at] = v
	return cs.add(raised)
}

// join returns the entry-wise maximum of a and b; it is a or b itself wherever
// one of them covers the other. So clocks share what they have in common, and a goroutine that
// learns nothing new keeps its clock.
func (cs *clocks) join(a, b clock) clock { return cs.joinNodes(a, b, cs.height) }

func (cs *clocks) joinNodes(a, b clock, h uint) clock {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	}
	m, n := cs.node(a), cs.node(b)
	var joined node
	if h == 0 {
		for i := range joined {
			joined[i] = max(m[i], n[i])
		}
		return cs.reuse(a, b, &joined)
	}
	known := cs.lookupJoin(a, b)
	if known.a == a && known.b == b {
		return known.joined
	}
	for i := range joined {
		joined[i] = int32(cs.joinNodes(clock(m[i]), clock(n[i]), h-1))
	}
	c := cs.reuse(a, b, &joined)
	if c < cs.firstGrowing || c == a { // a node that grows is the join of a and b for now only, but covers b for ever
		*known = knownJoin{a, b, c}
	}
	return c
}

// reuse returns the clock of node n, into which a and b are joined: a or b if they are equal to
// it, or a if it grows and becomes it.
func (cs *clocks) reuse(a, b clock, n *node) clock {
	if a >= cs.firstGrowing {
		*cs.node(a) = *n
		return a
	}
	switch *n {
	case *cs.node(a):
		return a
	case *cs.node(b):
		return b
	}
	return cs.add(*n)
}

// higherIn calls yield for each entry of c that is higher in c than in d, ascending, until it
// returns false. It skips what they share, and so takes as long as what differs is large.
func (cs *clocks) higherIn(c, d clock, yield func(g uint32, v int32) bool) bool {
	return c == 0 || c == d || cs.higherInNode(c, d, cs.height, 0, yield)
}

func (cs *clocks) higherInNode(c, d clock, h uint, base uint32, yield func(g uint32, v int32) bool) bool {
	known := cs.node(d) // that of the empty clock has nothing but 0
	for i, v := range *cs.node(c) {
		g := base + uint32(i)<<(h*fanBits)
		switch {
		case v == 0 || v == known[i]:
		case h > 0 && !cs.higherInNode(clock(v), clock(known[i]), h-1, g, yield), h == 0 && v > known[i] && !yield(g, v):
			return false
		}
	}
	return true
}

package schedule

import (
	"cmp"
	"math"
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// keptReads says which reads of a schedule keep the write that they read from.
type keptReads uint8

const (
	noReads         keptReads = iota
	readsThatMatter           // all reads but those at sites that only move data or count
	allReads
)

// A cone is the least set of events that an execution needs to reach given events. It is a prefix
// of each goroutine, and closed under must-happen-before, under the writes that kept reads read
// from, under the order of each channel's operations, and under the releases of critical sections
// that other sections of the lock follow. Executed in recorded order it violates none of these, so
// with all reads kept it is feasible. Compare the SP-closure of Mathur, Pavlogiannis and Viswanathan
// (Optimal Prediction of Synchronization-Preserving Races, POPL 2021).
type cone struct {
	p            *Planner
	base         *base // all events before it are in the cone
	reads        keptReads
	ends         []int32 // by goroutine: the position after its last event, 0 if it has none
	closedLinks  []int32 // by goroutine: how many of its links have been followed
	segments     []int32 // by goroutine: one more than the segment whose ancestors are in the cone
	guided       []int32 // by goroutine: how many guide edges to its events have been followed
	lastIncluded int     // an event that is in the cone with all that must happen before it; -1 for none
	work         []trace.GID
	locks        []*coneLock // by the number of the lock
	// keptOpen are rows of critical sections that stay open at the end: they come after all other
	// sections of their locks. Cones that are executed in recorded order have none.
	keptOpen []int32
	// competing are rows of the other sections of the locks of keptOpen.
	competing []int32
	guide     map[trace.GID][]causality.Edge // by goroutine of the later event
	lazy      bool                           // sections need not end before another section of the lock
	// lastReads are reads that are the last needed event of their goroutine. Their values no longer
	// matter.
	lastReads []int
	// slice, if not nil, says which reads need not be kept, as only branches with ended scopes need
	// them. turnedBranches are the branches whose recorded scopes are left out.
	slice          *dataflow.Scopes
	turnedBranches []int
	// avoid are events that must not be in the cone. As a cone only grows, it fails once one is.
	avoid       []int
	failed      bool
	closedCount int // how many links have been followed
	maxClosed   int // bound on closedCount; a cone that exceeds it is incomplete
}

// A coneLock is the critical sections of one lock in a cone.
type coneLock struct {
	open []int32 // rows of sections of which nothing in the cone needs the release yet
	// lastWriter and lastReader are the last acquires in the cone.
	lastWriter, lastReader int32
	use                    lockUse // while the cone is executed
}

// newCone returns the cone that contains the events before b and nothing else yet.
func (p *Planner) newCone(b *base, r keptReads, keptOpen []int32, guide []causality.Edge) *cone {
	n := len(p.t.Goroutines)
	// The ends are at the base from the start: all that comes before it is in the cone.
	c := &cone{
		p: p, base: b, reads: r, keptOpen: keptOpen, maxClosed: math.MaxInt, lastIncluded: -1,
		ends: slices.Repeat([]int32{b.position}, n), closedLinks: make([]int32, n), segments: make([]int32, n), guided: make([]int32, n),
		locks: make([]*coneLock, p.facts.Objects(trace.ClassLock).Len()), guide: make(map[trace.GID][]causality.Edge),
	}
	for _, e := range guide { // sorted by the later event
		g := p.t.Events[e.To].G
		c.guide[g] = append(c.guide[g], e)
	}
	p.spent.Add(int64(n))
	// A section that is open at the base has its lock, which sections of the cone may want.
	for _, row := range b.openSections {
		c.addSection(row)
	}
	return c
}

// compareTo compares the later event of an edge with event i.
func compareTo(e causality.Edge, i int) int { return cmp.Compare(e.To, i) }

// addTarget adds the events that lead to the violation v. It returns false if an access of v is
// among them.
func (c *cone) addTarget(v target) bool {
	for _, i := range v.accesses {
		c.addBefore(i)
		if v.blocks { // in an operation of a channel, after those before it in line
			for _, before := range c.p.needs(i, c.p.t.Events[i].Kind) {
				c.add(int(before))
			}
		}
	}
	// An access in the cone would have happened before the violation is reached.
	return !slices.ContainsFunc(v.accesses, c.includes)
}

// includes reports whether event i is in the cone.
func (c *cone) includes(i int) bool { return c.ends[c.p.gids.of(i)] > int32(i) }

// addBefore adds what the goroutine of event i needs to be about to execute i.
func (c *cone) addBefore(i int) {
	if prev := c.p.o.Program().Prev(i); prev >= 0 {
		c.add(prev)
	}
}

// add adds event i and all that it needs.
func (c *cone) add(i int) {
	c.include(i)
	c.closeLinks()
}

// closeLinks adds everything that the events of the cone need.
func (c *cone) closeLinks() {
	// The links of a goroutine ascend and a cone only grows. So a counter tells which of them were
	// followed, and none is followed twice.
	for len(c.work) > 0 && c.closedCount <= c.maxClosed && !c.failed {
		g := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		links := c.p.links[g]
		for int(c.closedLinks[g]) < len(links) && links[c.closedLinks[g]].event < c.ends[g] && c.closedCount <= c.maxClosed && !c.failed {
			c.closedLinks[g]++
			c.closedCount++
			c.followLink(links[c.closedLinks[g]-1])
		}
		for edges := c.guide[g]; int(c.guided[g]) < len(edges) && edges[c.guided[g]].To < int(c.ends[g]); c.guided[g]++ {
			c.include(edges[c.guided[g]].From)
		}
	}
}

// include adds event i and what must happen before it. It skips the ancestors of the goroutine's
// last event in the cone, and those of the event that was added last, as they are in the cone
// already.
func (c *cone) include(i int) {
	if c.includes(i) {
		return
	}
	g := c.p.gids.of(i)
	known := c.lastIncluded
	if c.ends[g] > c.base.position {
		known = int(c.ends[g]) - 1
	}
	c.extend(g, i)
	// All events of a segment have the same ancestors in other goroutines.
	if seg := int32(c.p.o.Segment(i) + 1); c.segments[g] != seg {
		c.segments[g] = seg
		for a, last := range c.p.o.AncestorsBeyond(i, known) {
			c.extend(a, last)
		}
	}
	c.lastIncluded = i
}

// extend adds the events of goroutine g up to event last.
func (c *cone) extend(g trace.GID, last int) {
	if c.ends[g] > int32(last) {
		return
	}
	// Links before the base have nothing to add: what they need is before the base, too.
	if c.ends[g] == c.base.position {
		c.closedLinks[g] = c.p.countLinks(g, c.base.position)
	}
	c.ends[g] = int32(last) + 1
	c.work = append(c.work, g)
	for _, i := range c.avoid {
		c.failed = c.failed || i <= last && c.p.gids.of(i) == g
	}
}

// followLink adds what a link needs beyond what must happen before it.
func (c *cone) followLink(l link) {
	i := int(l.event)
	switch {
	case c.leavesOut(i):
	case l.section != facts.None:
		c.addSection(l.section)
	default:
		for _, n := range c.needs(i, l.kind) {
			c.include(int(n))
		}
	}
}

// needs returns what event i, of kind k, needs in the cone, see [Planner.needs]: nothing if it is a
// read that is not kept.
func (c *cone) needs(i int, k trace.Kind) []int32 {
	if k.IsRead() && !c.keeps(i) {
		return nil
	}
	return c.p.needs(i, k)
}

// keeps reports whether the read at position i must read from the recorded writes.
func (c *cone) keeps(i int) bool {
	if slices.Contains(c.lastReads, i) || c.slice != nil && c.slice.ReadsForScopedBranches(i) {
		return false
	}
	if c.reads != readsThatMatter {
		return c.reads == allReads
	}
	s := c.p.o.Sites().Of(c.p.t.Events[i].Site)
	return !s.OnlyStored && !s.IsUpdate
}

// leavesOut reports whether event i is within the recorded scope of a turned branch.
func (c *cone) leavesOut(i int) bool {
	return slices.ContainsFunc(c.turnedBranches, func(at int) bool {
		// A branch controls only its own goroutine: events of others stay.
		end, _ := c.slice.ScopeEnd(at)
		return at < i && i < end && c.p.gids.of(at) == c.p.gids.of(i)
	})
}

// lock returns the state of the lock with a number.
func (c *cone) lock(number int32) *coneLock {
	l := c.locks[number]
	if l == nil {
		l = new(coneLock)
		c.locks[number] = l
	}
	return l
}

// addSection adds the releases that come before the acquire of the section in a row, and the
// section's own release if another acquire of the lock follows.
func (c *cone) addSection(row int32) {
	s := &c.p.sections[row]
	l := c.lock(s.Lock())
	last := &l.lastWriter
	if s.Shared() {
		last = &l.lastReader
	}
	if slices.Contains(c.keptOpen, row) {
		// No event has this position: the section comes after all others of its lock.
		*last = math.MaxInt32
	} else {
		*last = max(*last, s.Acquire)
		if s.Release != facts.None && !c.includes(int(s.Release)) {
			l.open = append(l.open, row)
		}
		if slices.ContainsFunc(c.keptOpen, func(kept int32) bool { return c.p.sections[kept].Lock() == s.Lock() }) {
			c.competing = append(c.competing, row)
		}
	}
	// In a lazy cone a section ends only where the guide or endSections wants that.
	if !c.lazy {
		c.addReleases(l)
	}
}

// addReleases adds the releases of open sections of l that another section follows.
func (c *cone) addReleases(l *coneLock) {
	open := l.open[:0]
	for _, row := range l.open {
		// Two readers may hold a lock at once. So a section for reading ends only for a later writer,
		// and one for writing for any later section.
		if s := &c.p.sections[row]; s.Acquire < l.lastWriter || !s.Shared() && s.Acquire < l.lastReader {
			c.include(int(s.Release))
		} else {
			open = append(open, row)
		}
	}
	l.open = open
}

// endSections makes a lazy cone an ordinary one: it adds the releases of sections that others
// follow.
func (c *cone) endSections() {
	// Releases may bring further sections into the cone. These must end at once, not lazily.
	c.lazy = false
	for _, l := range c.locks {
		if l != nil {
			c.addReleases(l)
		}
	}
	c.closeLinks()
}

// steps returns the events of the cone from its base on, in recorded order.
func (c *cone) steps() []int {
	steps := make([]int, 0, c.size())
	for i, end := c.base.position, slices.Max(c.ends); i < end; i++ {
		if c.includes(int(i)) {
			steps = append(steps, int(i))
		}
	}
	return steps
}

// size returns the number of events of the cone after its base.
func (c *cone) size() (n int) {
	for g, end := range c.ends {
		if end > c.base.position {
			events := c.p.o.Events(trace.GID(g))
			n += events.CountBefore(int(end)) - events.CountBefore(int(c.base.position))
		}
	}
	return n
}

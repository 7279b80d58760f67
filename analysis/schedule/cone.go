package schedule

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
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
// with all reads kept it is feasible. Compare the sync-preserving races of Mathur, Pavlogiannis and
// Viswanathan (POPL 2021).
type cone struct {
	p           *Planner
	base        *base // all events before it are in the cone
	reads       keptReads
	ends        []int32 // by goroutine: the position after its last event, 0 if it has none
	closedLinks []int32 // by goroutine: how many of its links have been followed
	segments    []int32 // by goroutine: one more than the segment whose ancestors are in the cone
	known       int     // an event that is in the cone with all that must happen before it; -1 for none
	work        []trace.GID
	locks       []*[lockPage]lockState // by the number of the lock
	// keptOpen are acquires whose critical sections stay open at the end: they come after all other
	// sections of their locks. Cones that are executed in recorded order have none.
	keptOpen []int32
	// keptOpenLocks are the numbers of the locks of keptOpen.
	keptOpenLocks []int32
	// competing are the other sections of the locks of keptOpen.
	competing []competingSection
	guide     guide
	guided    []int32 // by goroutine: how many guide edges to its events have been followed
	lazy      bool    // sections need not end before another section of the lock
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

// lockState is the critical sections of one lock in a cone.
type lockState struct {
	open        []openSection  // nothing in the cone needs their release yet
	room        [2]openSection // of open: most locks need no more
	acq, shared int32          // the last acquire by a writer, and by a reader
	use         lockUse        // while the cone is performed
}

// An openSection is a critical section that has not ended.
type openSection struct {
	acq, rel int32
	shared   bool
}

// A competingSection is a section of a lock that another section keeps at the end.
type competingSection struct {
	openSection
	lock int32 // its number
}

// lockPage is the number of locks that a cone allocates state for at once. A trace has many locks,
// and most cones need few.
const lockPage = 32

// pages are cleared pages of cones that are no longer used.
var pages = sync.Pool{New: func() any { return new([lockPage]lockState) }}

// free returns the memory of c to the pool.
func (c *cone) free() {
	for _, page := range c.locks {
		if page != nil {
			clear(page[:])
			pages.Put(page)
		}
	}
	c.locks = nil
}

// A guide is edges between events, by the goroutine of the later event and then by that event: the
// earlier one must come first.
type guide struct {
	edges []causality.Edge
	first []int32 // by goroutine: where those to its events begin, and one more for where the last ones end
}

// newGuide returns a guide of edges that are sorted by the later event. first must be zeroed and
// two longer than the number of goroutines.
func newGuide(gids *gids, edges []causality.Edge, first []int32) guide {
	for _, e := range edges {
		first[gids.of(e.To)+2]++
	}
	for g := 2; g < len(first); g++ {
		first[g] += first[g-1]
	}
	sorted := make([]causality.Edge, len(edges))
	for _, e := range edges { // which moves the end of its goroutine's to where it is in the end
		at := &first[gids.of(e.To)+1]
		sorted[*at] = e
		*at++
	}
	return guide{sorted, first}
}

// edgesTo returns the edges to events of goroutine g.
func (d *guide) edgesTo(g trace.GID) []causality.Edge { return d.edges[d.first[g]:d.first[g+1]] }

// newCone returns the cone that contains the events before b and nothing else yet.
func (p *Planner) newCone(b *base, r keptReads, last []int32, guide []causality.Edge) *cone {
	n := len(p.t.Goroutines)
	room := make([]int32, 5*n+2)
	c := &cone{
		p: p, base: b, reads: r, keptOpen: last, maxClosed: math.MaxInt, known: -1,
		ends: room[:n], closedLinks: room[n : 2*n], segments: room[2*n : 3*n], guided: room[3*n : 4*n],
		locks: make([]*[lockPage]lockState, (p.o.NumLocks()+lockPage-1)/lockPage),
		guide: newGuide(&p.gids, guide, room[4*n:]),
	}
	p.spent.Add(int64(len(c.ends)))
	for _, acq := range last {
		c.keptOpenLocks = append(c.keptOpenLocks, p.o.LockNumber(p.t.Events[acq].Obj))
	}
	for g := range c.ends {
		c.ends[g] = b.position
	}
	for k := range b.openSections {
		o := &b.openSections[k]
		c.addSection(int32(o.Acq), int32(o.Rel), o.Shared, p.o.LockNumber(o.Obj))
	}
	return c
}

// toCompare compares the later event of an edge with event i.
func toCompare(e causality.Edge, i int) int { return cmp.Compare(e.To, i) }

// addTarget adds the events that lead to the violation v. It returns false if an access of v is
// among them.
func (c *cone) addTarget(v target) bool {
	for _, i := range v.accesses {
		c.addBefore(i)
		if v.blocks { // all that is in line before it is
			if prev := c.p.o.PreviousInLine(i); prev >= 0 {
				c.add(prev)
			}
		}
	}
	return !slices.ContainsFunc(v.accesses, c.includes)
}

// include adds event i and what must happen before it. It skips the ancestors of the goroutine's
// last event in the cone, and those of the event that was added last, as they are in the cone
// already.
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
	for len(c.work) > 0 && c.closedCount <= c.maxClosed && !c.failed {
		g := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		links := c.p.links.of(g)
		for int(c.closedLinks[g]) < len(links) && links[c.closedLinks[g]].event < c.ends[g] && c.closedCount <= c.maxClosed && !c.failed {
			c.closedLinks[g]++
			c.closedCount++
			c.followLink(&links[c.closedLinks[g]-1])
		}
		for es := c.guide.edgesTo(g); int(c.guided[g]) < len(es) && es[c.guided[g]].To < int(c.ends[g]); c.guided[g]++ {
			c.include(es[c.guided[g]].From)
		}
	}
}

// include adds event i and what must happen before it: of that, what must happen before the last
// event of its goroutine that is in, or before the one that was added last, is in already.
func (c *cone) include(i int) {
	if i < 0 || c.includes(i) {
		return
	}
	g := c.p.gids.of(i)
	known := c.known
	if c.ends[g] > c.base.position {
		known = int(c.ends[g]) - 1
	}
	c.extend(g, i)
	if seg := int32(c.p.o.Segment(i) + 1); c.segments[g] != seg {
		c.segments[g] = seg
		for a, last := range c.p.o.AncestorsBeyond(i, known) {
			c.extend(a, last)
		}
	}
	c.known = i
}

// extend adds the events of goroutine g up to event last.
func (c *cone) extend(g trace.GID, last int) {
	if c.ends[g] <= int32(last) {
		if c.ends[g] == c.base.position {
			c.closedLinks[g] = c.p.links.before(g, c.base.position)
		}
		c.ends[g] = int32(last) + 1
		c.work = append(c.work, g)
		for _, i := range c.avoid {
			c.failed = c.failed || i <= last && c.p.gids.of(i) == g
		}
	}
}

// followLink adds what a link needs beyond what must happen before it.
func (c *cone) followLink(l *link) {
	switch {
	case len(c.turnedBranches) > 0 && c.leavesOut(int(l.event)), l.kept > 0 && c.slice != nil && c.slice.ReadsForScopedBranches(int(l.event)):
	case l.section:
		acq, rel, shared := c.p.o.SectionBounds(l.need)
		c.addSection(acq, rel, shared, c.p.o.LockOf(l.need))
	case c.reads < l.kept || l.kept > 0 && slices.Contains(c.lastReads, int(l.event)):
	case l.need == severalSources:
		for _, w := range c.p.o.Sources(int(l.event)) {
			c.include(int(w))
		}
	default:
		c.include(int(l.need))
	}
}

// keeps reports whether the read e, event i, must read from the recorded writes.
func (c *cone) keeps(i int, e *trace.Event) bool {
	if slices.Contains(c.lastReads, i) || c.slice != nil && c.slice.ReadsForScopedBranches(i) {
		return false
	}
	if c.reads != readsThatMatter {
		return c.reads == allReads
	}
	s := c.p.t.Sites[e.Site]
	return !s.OnlyStored && !s.IsUpdate
}

// leavesOut reports whether event i is within the recorded scope of a turned branch.
func (c *cone) leavesOut(i int) bool {
	return slices.ContainsFunc(c.turnedBranches, func(at int) bool {
		end, _ := c.slice.End(at)
		return at < i && i < end && c.p.gids.of(at) == c.p.gids.of(i)
	})
}

// lock returns the state of the lock with a number.
func (c *cone) lock(number int32) *lockState {
	page := &c.locks[number/lockPage]
	if *page == nil {
		*page = pages.Get().(*[lockPage]lockState)
	}
	return &(*page)[number%lockPage]
}

// addSection adds the releases that come before the acquire of a section, and the section's own
// release if another acquire of the lock follows. lock is the number of the lock.
func (c *cone) addSection(acq, rel int32, shared bool, lock int32) {
	l := c.lock(lock)
	if l.open == nil {
		l.open = l.room[:0]
	}
	kept := slices.Contains(c.keptOpenLocks, lock)
	stays := kept && slices.Contains(c.keptOpen, acq)
	switch {
	case stays && shared:
		l.shared = math.MaxInt32
	case stays:
		l.acq = math.MaxInt32
	case shared:
		l.shared = max(l.shared, acq)
	default:
		l.acq = max(l.acq, acq)
	}
	if !stays {
		if rel >= 0 && !c.includes(int(rel)) {
			l.open = append(l.open, openSection{acq, rel, shared})
		}
		if kept {
			c.competing = append(c.competing, competingSection{openSection{acq, rel, shared}, lock})
		}
	}
	if !c.lazy {
		c.addReleases(l)
	}
}

// addReleases adds the releases of open sections of l that another section follows.
func (c *cone) addReleases(l *lockState) {
	open := l.open[:0]
	for _, o := range l.open {
		if o.acq < l.acq || !o.shared && o.acq < l.shared {
			c.include(int(o.rel))
		} else {
			open = append(open, o)
		}
	}
	l.open = open
}

// endSections makes a lazy cone an ordinary one: it adds the releases of sections that others
// follow.
func (c *cone) endSections() {
	c.lazy = false
	for _, page := range c.locks {
		if page != nil {
			for k := range page {
				c.addReleases(&page[k])
			}
		}
	}
	c.closeLinks()
}

// steps returns the events of the cone from its base on, in recorded order.
func (c *cone) steps() []int {
	steps := make([]int, 0, c.size())
	for i, end := c.base.position, slices.Max(c.ends); i < end; i++ {
		if i < c.ends[c.p.gids.of(int(i))] {
			steps = append(steps, int(i))
		}
	}
	return steps
}

// size returns the number of events of the cone after its base.
func (c *cone) size() (n int) {
	for g, upto := range c.ends {
		if upto <= c.base.position {
			continue
		}
		es := c.p.o.Events(trace.GID(g))
		n += es.CountBefore(int(upto)) - es.CountBefore(int(c.base.position))
	}
	return n
}

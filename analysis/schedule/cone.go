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

// reads says which reads keep the write that they read from.
type reads uint8

const (
	noReads         reads = iota
	readsThatMatter       // all but those of sites that only move data, or count
	allReads
)

// A cone is the events that an execution needs to come to given ones: a prefix
// of each goroutine, closed under what must happen before, under the writes
// that reads read, under the lines of channels, and under the releases of
// critical sections that another one follows. Executed in recorded order it
// breaks none of these, so that with all reads kept it is feasible; it is the
// smallest such set (compare the sync-preserving races of Mathur, Pavlogiannis
// and Viswanathan, POPL 2021).
type cone struct {
	p     *Planner
	base  *base // all before it is in
	reads reads
	upto  []int32 // by goroutine: one more than its last event, 0 for none
	done  []int32 // by goroutine: how many of its links are closed
	seg   []int32 // by goroutine: one more than the segment whose ancestors are in
	known int     // an event that is in, and all that must happen before it; -1 for none
	work  []trace.GID
	locks []*[lockPage]lockState // by the number of the lock
	// last are acquires of which the critical sections stay open: they come
	// after all others of their locks. In recorded order there are none.
	last []int32
	// kept are the numbers of the locks of last.
	kept []int32
	// rivals are the other sections of the locks of last.
	rivals []rival
	guide  guide
	guided []int32 // by goroutine: how much of the guide to its events is followed
	lazy   bool    // a section that another one follows need not end
	// ends are reads that are the last of their goroutine that is needed: what
	// they find changes nothing any more.
	ends []int
	// slice is not nil where reads that only loose branches need are not kept; turned are
	// the branches of which it leaves out what was within their scopes.
	slice  *dataflow.Scopes
	turned []int
	// avoid are events that must not be in it: as it only grows, it is given up once one is.
	avoid  []int
	failed bool
	closed int // links that were closed
	most   int // of these; with more, it is not whole
}

// lockState is the critical sections of one lock in a cone.
type lockState struct {
	open        []opened  // nothing in the cone needs their release yet
	room        [2]opened // of open: most locks need no more
	acq, shared int32     // last acquire by a writer, by a reader
	use         lockUse   // while the cone is performed
}

// An opened is what matters of a section that is open.
type opened struct {
	acq, rel int32
	shared   bool
}

// A rival is a section of a lock that another one keeps.
type rival struct {
	opened
	lock int32 // its number
}

// lockPage is how many locks a cone makes room for at once. A trace has many,
// most cones need few.
const lockPage = 32

// pages are those of cones that are gone, without any lock.
var pages = sync.Pool{New: func() any { return new([lockPage]lockState) }}

// free lets others have what c was made of.
func (c *cone) free() {
	for _, page := range c.locks {
		if page != nil {
			clear(page[:])
			pages.Put(page)
		}
	}
	c.locks = nil
}

// A guide is what must come before events: edges, by the goroutine of the later event and then by that.
type guide struct {
	edges []causality.Edge
	first []int32 // by goroutine: where those to its events begin, and one more for where the last ones end
}

// newGuide returns a guide of edges, which are sorted by the later event. first is empty room.
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

// to returns the edges to events of goroutine g.
func (d *guide) to(g trace.GID) []causality.Edge { return d.edges[d.first[g]:d.first[g+1]] }

func (p *Planner) newCone(b *base, r reads, last []int32, guide []causality.Edge) *cone {
	n := len(p.t.Goroutines)
	room := make([]int32, 5*n+2)
	c := &cone{
		p: p, base: b, reads: r, last: last, most: math.MaxInt, known: -1,
		upto: room[:n], done: room[n : 2*n], seg: room[2*n : 3*n], guided: room[3*n : 4*n],
		locks: make([]*[lockPage]lockState, (p.o.NumLocks()+lockPage-1)/lockPage),
		guide: newGuide(&p.gids, guide, room[4*n:]),
	}
	p.spent.Add(int64(len(c.upto)))
	for _, acq := range last {
		c.kept = append(c.kept, p.o.LockNumber(p.t.Events[acq].Obj))
	}
	for g := range c.upto {
		c.upto[g] = b.at
	}
	for k := range b.open {
		o := &b.open[k]
		c.section(int32(o.Acq), int32(o.Rel), o.Shared, p.o.LockNumber(o.Obj))
	}
	return c
}

func toCompare(e causality.Edge, i int) int { return cmp.Compare(e.To, i) }

// lead adds what leads to the violation of v. It returns false if that is one
// of the accesses themselves.
func (c *cone) lead(v target) bool {
	for _, i := range v.accesses {
		c.reach(i)
		if v.blocks { // all that is in line before it is
			if prev := c.p.o.PreviousInLine(i); prev >= 0 {
				c.add(prev)
			}
		}
	}
	return !slices.ContainsFunc(v.accesses, c.includes)
}

func (c *cone) includes(i int) bool { return c.upto[c.p.gids.of(i)] > int32(i) }

// reach adds what the goroutine of event i needs to stand at i.
func (c *cone) reach(i int) {
	if prev := c.p.o.Program().Prev(i); prev >= 0 {
		c.add(prev)
	}
}

// add adds event i and all that it needs.
func (c *cone) add(i int) {
	c.include(i)
	c.close()
}

// close adds all that the events need that are in.
func (c *cone) close() {
	for len(c.work) > 0 && c.closed <= c.most && !c.failed {
		g := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		links := c.p.links.of(g)
		for int(c.done[g]) < len(links) && links[c.done[g]].at < c.upto[g] && c.closed <= c.most && !c.failed {
			c.done[g]++
			c.closed++
			c.link(&links[c.done[g]-1])
		}
		for es := c.guide.to(g); int(c.guided[g]) < len(es) && es[c.guided[g]].To < int(c.upto[g]); c.guided[g]++ {
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
	if c.upto[g] > c.base.at {
		known = int(c.upto[g]) - 1
	}
	c.extend(g, i)
	if seg := int32(c.p.o.Segment(i) + 1); c.seg[g] != seg {
		c.seg[g] = seg
		for a, last := range c.p.o.AncestorsBeyond(i, known) {
			c.extend(a, last)
		}
	}
	c.known = i
}

func (c *cone) extend(g trace.GID, last int) {
	if c.upto[g] <= int32(last) {
		if c.upto[g] == c.base.at {
			c.done[g] = c.p.links.before(g, c.base.at)
		}
		c.upto[g] = int32(last) + 1
		c.work = append(c.work, g)
		for _, i := range c.avoid {
			c.failed = c.failed || i <= last && c.p.gids.of(i) == g
		}
	}
}

// link adds what a link needs beyond what must happen before it.
func (c *cone) link(l *link) {
	switch {
	case len(c.turned) > 0 && c.leavesOut(int(l.at)), l.kept > 0 && c.slice != nil && c.slice.ReadsForScopedBranches(int(l.at)):
	case l.section:
		acq, rel, shared := c.p.o.SectionBounds(l.need)
		c.section(acq, rel, shared, c.p.o.LockOf(l.need))
	case c.reads < l.kept || l.kept > 0 && slices.Contains(c.ends, int(l.at)):
	case l.need == several:
		for _, w := range c.p.o.Sources(int(l.at)) {
			c.include(int(w))
		}
	default:
		c.include(int(l.need))
	}
}

// keeps reports whether the read e, event i, keeps the writes that it read from.
func (c *cone) keeps(i int, e *trace.Event) bool {
	if slices.Contains(c.ends, i) || c.slice != nil && c.slice.ReadsForScopedBranches(i) {
		return false
	}
	if c.reads != readsThatMatter {
		return c.reads == allReads
	}
	s := c.p.t.Sites[e.Site]
	return !s.Data && !s.Update
}

// leavesOut reports whether event i is within the scope of a branch that is turned.
func (c *cone) leavesOut(i int) bool {
	return slices.ContainsFunc(c.turned, func(at int) bool {
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

// section adds the releases that come before the acquire of a section, and the
// release of that if another acquire comes after it. lock is the number of its lock.
func (c *cone) section(acq, rel int32, shared bool, lock int32) {
	l := c.lock(lock)
	if l.open == nil {
		l.open = l.room[:0]
	}
	kept := slices.Contains(c.kept, lock)
	stays := kept && slices.Contains(c.last, acq)
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
			l.open = append(l.open, opened{acq, rel, shared})
		}
		if kept {
			c.rivals = append(c.rivals, rival{opened{acq, rel, shared}, lock})
		}
	}
	if !c.lazy {
		c.release(l)
	}
}

// release adds the releases of the sections of l that another one follows.
func (c *cone) release(l *lockState) {
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

// eager lets the sections of a lazy cone end that others follow, from now on.
func (c *cone) eager() {
	c.lazy = false
	for _, page := range c.locks {
		if page != nil {
			for k := range page {
				c.release(&page[k])
			}
		}
	}
	c.close()
}

// steps returns the events of the cone from its base on, in recorded order.
func (c *cone) steps() []int {
	steps := make([]int, 0, c.size())
	for i, end := c.base.at, slices.Max(c.upto); i < end; i++ {
		if i < c.upto[c.p.gids.of(int(i))] {
			steps = append(steps, int(i))
		}
	}
	return steps
}

// size is how many events the cone has from its base on.
func (c *cone) size() (n int) {
	for g, upto := range c.upto {
		if upto <= c.base.at {
			continue
		}
		es := c.p.o.Events(trace.GID(g))
		n += es.CountBefore(int(upto)) - es.CountBefore(int(c.base.at))
	}
	return n
}

package reduce

import (
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// This file finds accesses that conflict with none: loads and stores of memory that, from when it was allocated until it
// is freed, one goroutine uses alone or nobody writes. No order of goroutines makes them others.

// Conflicts sees the accesses of a trace twice: first to find the variables where some conflict, then to tell which
// accesses are to no such variable.
type conflicts struct {
	bare    []bool                                     // by goroutine: its accesses are of interest
	pages   numbering.Table[numbering.Word, variables] // by their numbers
	across  []int32                                    // see variables
	divided int
	users   []users // by variable, from 1 on
	next    int32   // variable
	full    bool    // there is too much memory to tell
	told    freeAccesses
}

// freeAccesses says of the loads and stores of bare goroutines, in their order, which conflict with none.
type freeAccesses struct {
	words []uint64
	n     int // of all
	free  int // of those that conflict with none
}

// add adds the next one.
func (a *freeAccesses) add(free bool) {
	if a.n%64 == 0 {
		a.words = append(a.words, 0)
	}
	if free {
		a.words[a.n/64] |= 1 << (a.n % 64)
		a.free++
	}
	a.n++
}

// of reports what was added for number n; no if nothing was.
func (a *freeAccesses) of(n int) bool { return n < a.n && a.words[n/64]>>(n%64)&1 != 0 }

// Variables are those in a page of memory, by granules: the number of what is there now, 0 where nobody has been. They
// are numbered in the order in which they are come to, so that each has the same number whenever the trace is gone
// through.
type variables struct {
	all [1]int32
	of  []int32 // nil: all are the same
}

// Users are those of a variable: the goroutine that came first, and whether there were others, and writes.
type users uint32

const (
	others   users = 1 << iota
	writers        // who use it as a lock count, too
	userBits = iota
)

// A trace that divides more than maxDivided pages, has more than maxVariables, or one access to more than maxPagesOf pages is
// not looked at further: it would take more memory than it saves. An access to more than maxApart granules of a page takes
// those to which nobody has come for one variable.
const maxDivided, maxVariables, maxPagesOf, maxApart = 1 << 15, 1 << 24, 1 << 14, 64

func newConflicts(bare []bool) *conflicts {
	c := &conflicts{bare: bare, users: make([]users, 1)}
	c.rewind()
	return c
}

// rewind begins anew with the trace.
func (c *conflicts) rewind() {
	c.pages, c.next, c.divided = numbering.Table[numbering.Word, variables]{}, 1, 0
}

// find takes the next events of the trace, to find who uses what.
func (c *conflicts) find(es []trace.Event) {
	for i := range es {
		e := &es[i]
		if c.full || !e.Kind.HasAddress() {
			continue
		}
		by := users(e.G) << userBits
		if e.Kind.IsWrite() || !e.Kind.IsAccess() || e.Flags&trace.FlagPut != 0 || e.Size == 0 {
			by |= writers
		}
		for _, v := range c.variables(e) {
			if int(v) == len(c.users) {
				c.users = append(c.users, by)
				continue
			}
			u := &c.users[v]
			if (*u^by)>>userBits != 0 {
				*u |= others
			}
			*u |= by & writers
		}
	}
}

// tell takes the next events of the trace, all of which find has taken before.
func (c *conflicts) tell(es []trace.Event) {
	for i := range es {
		e := &es[i]
		if c.full || !e.Kind.HasAddress() {
			continue
		}
		free := true
		for _, v := range c.variables(e) {
			free = free && c.users[v]&(others|writers) != others|writers
		}
		if c.bare[e.G] && mayBeLeftOut(e) {
			c.told.add(free)
		}
	}
}

// mayBeLeftOut reports whether e is an access of which nothing is lost if it conflicts with none.
func mayBeLeftOut(e *trace.Event) bool {
	return e.Kind.IsPlain() && e.Flags&trace.FlagPut == 0 && e.Size > 0
}

// follow goes through t: take takes its events.
func (c *conflicts) follow(t *trace.Trace, take func([]trace.Event)) {
	freed := t.Freed
	for i := range t.Events {
		freed = trace.FreedBefore(freed, i, c.free)
		take(t.Events[i : i+1])
	}
}

// variables returns what e accesses, up to the next call.
func (c *conflicts) variables(e *trace.Event) []int32 {
	from, to := e.Obj, e.Obj
	if e.Kind.IsAccess() {
		to += uint64(max(e.Size, 1)) - 1
	}
	first, last := from>>trace.PageBits, to>>trace.PageBits
	if to < from || last-first >= maxPagesOf {
		c.full = true
		return nil
	}
	if first == last {
		return c.within(first, from%trace.PageSize/trace.Granule, to%trace.PageSize/trace.Granule)
	}
	c.across = c.across[:0]
	for n := first; n <= last; n++ {
		lo, hi := max(from, n<<trace.PageBits)%trace.PageSize/trace.Granule, min(to, n<<trace.PageBits|(trace.PageSize-1))%trace.PageSize/trace.Granule
		c.across = append(c.across, c.within(n, lo, hi)...)
	}
	return c.across
}

// within returns what is in a page, from one Granule up to another, which is included.
func (c *conflicts) within(n, lo, hi uint64) []int32 {
	page := c.pages.Of(numbering.Word(n))
	its := page.of
	switch {
	case its != nil:
		its = its[lo : hi+1]
	case hi-lo == trace.PageSize/trace.Granule-1:
		its = page.all[:]
	default:
		its = c.divide(page)[lo : hi+1]
	}
	together := int32(0)
	for k := range its {
		if its[k] == 0 {
			if together == 0 || len(its) <= maxApart {
				together = c.variable()
			}
			its[k] = together
		}
	}
	return its
}

// variable numbers the next variable.
func (c *conflicts) variable() int32 {
	v := c.next
	c.next++
	c.full = c.full || c.next > maxVariables
	return v
}

// divide returns the variables of the granules of a page.
func (c *conflicts) divide(p *variables) []int32 {
	if p.of == nil {
		p.of = make([]int32, trace.PageSize/trace.Granule)
		for k := range p.of {
			p.of[k] = p.all[0]
		}
		c.divided++
		c.full = c.full || c.divided > maxDivided
	}
	return p.of
}

// free notes that memory is freed: what is there from then on are other variables.
func (c *conflicts) free(f *trace.Freed) {
	f.EachPage(func(n, from, to uint64) {
		p := c.pages.Known(numbering.Word(n))
		switch from, to := from/trace.Granule, (to-1)/trace.Granule+1; {
		case p == nil:
		case to-from == trace.PageSize/trace.Granule:
			p.all[0] = 0
			clear(p.of)
		default:
			clear(c.divide(p)[from:to])
		}
	})
}

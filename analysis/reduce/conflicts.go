package reduce

import (
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// This file finds accesses that conflict with no other. Their memory, from its allocation until it is
// freed, is used by one goroutine only, or never written. No order of the goroutines changes such an access.

// A conflicts takes the accesses of a trace twice: first to find the variables with conflicting
// accesses, then to find the accesses that touch no such variable.
type conflicts struct {
	withoutValues []bool                                         // by goroutine: its accesses may be left out
	pages         numbering.Table[numbering.Word, pageVariables] // by page number
	acrossPages   []int32                                        // buffer of the method variables
	dividedPages  int
	users         []users // by number of the variable, from 1
	nextVariable  int32   // number of the next new variable
	tooLarge      bool    // the memory is too large to be tracked
	conflictFree  conflictFreeAccesses
}

// A conflictFreeAccesses has a bit for each access that may be left out, in the order of the trace:
// whether it conflicts with no other.
type conflictFreeAccesses struct {
	bitWords  []uint64
	count     int // accesses added
	freeCount int // accesses that conflict with no other
}

// add appends the bit of the next access.
func (a *conflictFreeAccesses) add(free bool) {
	if a.count%64 == 0 {
		a.bitWords = append(a.bitWords, 0)
	}
	if free {
		a.bitWords[a.count/64] |= 1 << (a.count % 64)
		a.freeCount++
	}
	a.count++
}

// isFree returns the bit of access n, or false if it was not added.
func (a *conflictFreeAccesses) isFree(n int) bool {
	return n < a.count && a.bitWords[n/64]>>(n%64)&1 != 0
}

// A pageVariables has the numbers of the variables that a page of memory holds now; 0 stands for
// memory not accessed yet. Variables are numbered in the order of their first access, so both passes
// give them equal numbers.
type pageVariables struct {
	whole     [1]int32 // the variable of all granules, if byGranule is nil
	byGranule []int32  // nil if all granules belong to one variable
}

// A users tells which goroutine accessed a variable first, and in two flags whether others did and
// whether any wrote.
type users uint32

const (
	otherUsers users = 1 << iota
	writers          // who use it as a lock count, too
	userBits   = iota
)

// maxDivided bounds the pages that are divided into granules, maxVariables the variables, and
// maxPagesPerAccess the pages of one access. Beyond these bounds the search gives up, as it would take
// more memory than it saves. An access to more than maxSeparateGranules new granules of a page makes
// one variable of them.
const maxDivided, maxVariables, maxPagesPerAccess, maxSeparateGranules = 1 << 15, 1 << 24, 1 << 14, 64

func newConflicts(bare []bool) *conflicts {
	c := &conflicts{withoutValues: bare, users: make([]users, 1)}
	c.rewind()
	return c
}

// rewind prepares for another pass over the trace.
func (c *conflicts) rewind() {
	c.pages, c.nextVariable, c.dividedPages = numbering.Table[numbering.Word, pageVariables]{}, 1, 0
}

// findUsers takes the next events of the first pass, and records who uses each variable.
func (c *conflicts) findUsers(es []trace.Event) {
	for i := range es {
		e := &es[i]
		if c.tooLarge || !e.Kind.HasAddress() {
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
				*u |= otherUsers
			}
			*u |= by & writers
		}
	}
}

// findConflictFree takes the next events of the second pass, and records which accesses conflict with
// no other.
func (c *conflicts) findConflictFree(es []trace.Event) {
	for i := range es {
		e := &es[i]
		if c.tooLarge || !e.Kind.HasAddress() {
			continue
		}
		free := true
		for _, v := range c.variables(e) {
			free = free && c.users[v]&(otherUsers|writers) != otherUsers|writers
		}
		if c.withoutValues[e.G] && mayBeLeftOut(e) {
			c.conflictFree.add(free)
		}
	}
}

// mayBeLeftOut reports whether e is a plain access that can be left out if it conflicts with no other.
func mayBeLeftOut(e *trace.Event) bool {
	return e.Kind.IsPlain() && e.Flags&trace.FlagPut == 0 && e.Size > 0
}

// variables returns the numbers of the variables that e accesses. The result is valid until the next
// call.
func (c *conflicts) variables(e *trace.Event) []int32 {
	from, to := e.Obj, e.Obj
	if e.Kind.IsAccess() {
		to += uint64(max(e.Size, 1)) - 1
	}
	first, last := from>>trace.PageBits, to>>trace.PageBits
	if to < from || last-first >= maxPagesPerAccess {
		c.tooLarge = true
		return nil
	}
	if first == last {
		return c.variablesInPage(first, from%trace.PageSize/trace.Granule, to%trace.PageSize/trace.Granule)
	}
	c.acrossPages = c.acrossPages[:0]
	for n := first; n <= last; n++ {
		lo, hi := max(from, n<<trace.PageBits)%trace.PageSize/trace.Granule, min(to, n<<trace.PageBits|(trace.PageSize-1))%trace.PageSize/trace.Granule
		c.acrossPages = append(c.acrossPages, c.variablesInPage(n, lo, hi)...)
	}
	return c.acrossPages
}

// variablesInPage returns the variables in granules lo to hi of page n.
func (c *conflicts) variablesInPage(n, lo, hi uint64) []int32 {
	page := c.pages.Of(numbering.Word(n))
	its := page.byGranule
	switch {
	case its != nil:
		its = its[lo : hi+1]
	case hi-lo == trace.PageSize/trace.Granule-1:
		its = page.whole[:]
	default:
		its = c.divide(page)[lo : hi+1]
	}
	together := int32(0)
	for k := range its {
		if its[k] == 0 {
			if together == 0 || len(its) <= maxSeparateGranules {
				together = c.newVariable()
			}
			its[k] = together
		}
	}
	return its
}

// newVariable returns the number of a new variable.
func (c *conflicts) newVariable() int32 {
	v := c.nextVariable
	c.nextVariable++
	c.tooLarge = c.tooLarge || c.nextVariable > maxVariables
	return v
}

// divide returns the variables of p by granule, and divides p first if needed.
func (c *conflicts) divide(p *pageVariables) []int32 {
	if p.byGranule == nil {
		p.byGranule = make([]int32, trace.PageSize/trace.Granule)
		for k := range p.byGranule {
			p.byGranule[k] = p.whole[0]
		}
		c.dividedPages++
		c.tooLarge = c.tooLarge || c.dividedPages > maxDivided
	}
	return p.byGranule
}

// freeMemory forgets the variables in freed memory: later accesses there are to other variables.
func (c *conflicts) freeMemory(f *trace.FreedObjects) {
	f.EachPage(func(n, from, to uint64) {
		p := c.pages.Known(numbering.Word(n))
		switch from, to := from/trace.Granule, (to-1)/trace.Granule+1; {
		case p == nil:
		case to-from == trace.PageSize/trace.Granule:
			p.whole[0] = 0
			clear(p.byGranule)
		default:
			clear(c.divide(p)[from:to])
		}
	})
}

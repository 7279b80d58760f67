package order

// fan is the number of entries of one node of a clock.
const (
	fanBits = 4
	fan     = 1 << fanBits
)

// A clock is a vector clock: for each goroutine, one more than the position of
// its last event that is before, or 0 where there is none. Positions serve as
// time stamps, so that a clock is comparable with any event of the trace.
//
// Clocks are persistent radix trees over goroutine numbers: an update copies
// one path and shares the rest, and joining two clocks skips what they share.
// A trace of thousands of goroutines thus needs memory for what each
// communication event changed, and not one vector for each.
//
// All clocks of one relation have the same height. The zero clock is empty.
type clock struct {
	kids *[fan]clock // inner nodes
	last *[fan]int32 // leaves
}

// height returns the number of levels below the root that numbers below n need.
func height(n int) uint {
	h := uint(0)
	for n > fan {
		n = (n + fan - 1) / fan
		h++
	}
	return h
}

// get returns the entry of goroutine g in a clock of height h.
func (c clock) get(g uint32, h uint) int32 {
	for ; h > 0; h-- {
		if c.kids == nil {
			return 0
		}
		c = c.kids[g>>(h*fanBits)%fan]
	}
	if c.last == nil {
		return 0
	}
	return c.last[g%fan]
}

// set returns c with the entry of goroutine g raised to at least v.
func (c clock) set(g uint32, v int32, h uint) clock {
	if h == 0 {
		last := new([fan]int32)
		if c.last != nil {
			if c.last[g%fan] >= v {
				return c
			}
			*last = *c.last
		}
		last[g%fan] = v
		return clock{last: last}
	}
	kids := new([fan]clock)
	if c.kids != nil {
		*kids = *c.kids
	}
	kid := &kids[g>>(h*fanBits)%fan]
	*kid = kid.set(g, v, h-1)
	return clock{kids: kids}
}

// join returns the entry-wise maximum of a and b; it is a or b itself wherever
// one of them covers the other.
func join(a, b clock) clock {
	switch {
	case a == b || b == clock{}:
		return a
	case a == clock{}:
		return b
	case a.last != nil:
		return joinLeaves(a, b)
	}
	kids := new([fan]clock)
	for i := range kids {
		kids[i] = join(a.kids[i], b.kids[i])
	}
	switch *kids {
	case *a.kids:
		return a
	case *b.kids:
		return b
	}
	return clock{kids: kids}
}

func joinLeaves(a, b clock) clock {
	isA, isB := true, true
	for i := range a.last {
		isA = isA && a.last[i] >= b.last[i]
		isB = isB && b.last[i] >= a.last[i]
	}
	if isA {
		return a
	}
	if isB {
		return b
	}
	last := new([fan]int32)
	for i := range last {
		last[i] = max(a.last[i], b.last[i])
	}
	return clock{last: last}
}

// each calls yield for each entry that is not 0, by ascending goroutine,
// until it returns false.
func (c clock) each(h uint, base uint32, yield func(g uint32, v int32) bool) bool {
	if h == 0 {
		if c.last == nil {
			return true
		}
		for i, v := range c.last {
			if v != 0 && !yield(base+uint32(i), v) {
				return false
			}
		}
		return true
	}
	if c.kids == nil {
		return true
	}
	for i, k := range c.kids {
		if !k.each(h-1, base+uint32(i)<<(h*fanBits), yield) {
			return false
		}
	}
	return true
}

package symbolic

import (
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file knows gates: variables that goroutines use as a lock, such as a flag
// that says that something is busy. Each goroutine in turn writes to it something
// else than was there at first, after it has found that, and then that again; and
// under one lock, so that nobody comes between what it finds and what it writes.
//
// From the first of these writes to the second it is alone. By induction over the
// writes of a run: as long as what was there at first is there, nobody is inside; a
// goroutine that finds it goes in, and only that one can put it back. The solver
// would have to find this for each order in which goroutines may come.

// maxGuarded is how many events before a write the read is looked for that has found
// the gate open.
const maxGuarded = 64

// gate returns what goroutines are inside of when they use the cell c as a gate, as
// sections from write to write; nil if c is none.
func (m *Model) gate(c int32) *lock {
	cl := &m.mem.cells[c]
	if !cl.shared || !cl.known || len(m.mem.follow[c]) > 0 || len(m.mem.writers(c)) < 3 {
		return nil
	}
	g := new(lock)
	inside := make(map[trace.GID]bool)
	last := make(map[trace.GID]int32) // its last section
	var common map[uint64]bool        // locks under which all is done
	for _, w := range m.mem.writers(c) {
		v, ok := m.mem.part(w, c)
		gid, from := m.gid(w), w
		if !ok || m.mem.span(w).N != 1 || m.event(w).Kind == trace.AtomicRMW || m.mem.counts[w] != nil || (v == m.mem.initial[c]) != inside[gid] {
			return nil
		}
		if inside[gid] {
			g.sections[last[gid]].rel = w
		} else {
			if from = m.foundOpen(w, c); from == none {
				return nil
			}
			last[gid] = int32(len(g.sections))
			g.sections = append(g.sections, section{acq: w, rel: none})
		}
		inside[gid] = !inside[gid]
		over := m.locksOver(from, w)
		for obj := range common {
			if !over[obj] {
				delete(common, obj)
			}
		}
		if common == nil {
			common = over
		}
		if len(common) == 0 {
			return nil
		}
	}
	g.many = len(last) > 1
	return g
}

// foundOpen returns the read before the write at position w that has to find in the
// cell c what was there at first, or none.
func (m *Model) foundOpen(w, c int32) int32 {
	var branches []int32
	i := m.prev(w)
	for range maxGuarded {
		switch {
		case i == none:
			return none
		case m.event(i).Kind == trace.Branch:
			branches = append(branches, i)
		case m.event(i).Kind.IsAccess() && m.mem.span(i) == m.mem.span(w):
			if m.findsOpen(i, c, branches) {
				return i
			}
			return none
		}
		i = m.prev(i)
	}
	return none
}

// findsOpen reports whether the access at position i reads what was in the cell c at
// first in each run that goes on as recorded: by itself, or by what comes after it.
func (m *Model) findsOpen(i, c int32, branches []int32) bool {
	v, ok := m.mem.part(i, c)
	_, stale := m.mem.stale(i, c)
	if k := m.event(i).Kind; k != trace.Read && k != trace.AtomicLoad || !ok || v != m.mem.initial[c] || stale {
		return false
	}
	if m.matters(i) {
		return true
	}
	for _, b := range branches {
		if m.tracked(i) && m.parts(b, i, c) {
			return true
		}
	}
	return false
}

// parts reports whether the branch at position b follows from what the read at
// position i finds in the cell c alone, and goes another way for all but what was
// there at first.
func (m *Model) parts(b, i, c int32) bool {
	in := m.formula(b)
	if in == nil {
		return false
	}
	for _, r := range in.Reads {
		if r != i {
			return false
		}
	}
	for _, w := range m.mem.writers(c) {
		v, _ := m.mem.part(w, c)
		goes := in.Same(m.event(b), in.Formula.Eval(0, func(_ int, r trace.Reading) int64 { return r.Number(v) }))
		if goes != (v == m.mem.initial[c]) {
			return false
		}
	}
	return true
}

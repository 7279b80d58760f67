package tracetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/gopredict/gopredict/recorder/trace"
)

// RandomData returns a trace of a program that computes: of goroutines that read
// variables, store expressions over what they have read, count atomically,
// decide by comparisons, and assert some in the end, in critical sections or
// not. Its sites have formulas. Most reads are tracked; the others stand for
// those of which the value goes elsewhere, too. Of every second seed one variable is
// only counted: atomically, or under the lock. Of every fourth, expressions are not
// only linear. Of every fifth, memory is cleared unseen. Of two of three the first
// write of a variable tells what it held before. Of two of seven seeds the values are
// digests, or lengths of slices.
func RandomData(seed uint64, goroutines, steps int) *trace.Trace {
	m := &dataMachine{
		Rand: rand.New(rand.NewPCG(seed, 2)), mem: make(map[uint64]int64),
		countingMode: map[uint64]countingKind{1: atomically, 3: locked}[seed%4],
		cleared:      seed%5 == 4,
		telling:      seed%3 != 0, written: make(map[uint64]bool),
		multiplies: seed%4 == 2,
		size:       map[uint64]uint32{5: 16, 6: 24}[seed%7],
		tr:         newTrace(),
	}
	m.size = max(m.size, 8)
	for g := range goroutines {
		path := "main"
		if g > 0 {
			path = fmt.Sprint("main.", g)
		}
		m.tr.Goroutines = append(m.tr.Goroutines, trace.Goroutine{ID: trace.GID(g), Path: path})
		m.gs = append(m.gs, &dataGoroutine{left: steps})
	}
	for g := 1; g < goroutines; g++ {
		m.log(trace.Event{Kind: trace.Fork, Obj: uint64(g)})
	}
	for g := 1; g < goroutines; g++ {
		m.log(trace.Event{Kind: trace.Begin, G: trace.GID(g)})
	}
	for {
		var ready []int
		for g, s := range m.gs {
			if (s.left > 0 || s.holds) && !(m.held != nil && m.held != s && s.wants) {
				ready = append(ready, g)
			}
		}
		if len(ready) == 0 {
			return m.tr
		}
		m.step(trace.GID(ready[m.IntN(len(ready))]))
	}
}

// A dataMachine is the state of a program that computes.
type dataMachine struct {
	*rand.Rand
	tr    *trace.Trace
	mem   map[uint64]int64
	gs    []*dataGoroutine
	held  *dataGoroutine // who holds the lock
	sites trace.SiteID
	// countingMode is how the second variable is counted; 0 if it is not only counted.
	countingMode countingKind
	// cleared is set if memory becomes 0 now and then without an event, as if an
	// allocator used it again.
	cleared bool
	size    uint32 // of the variables, in bytes
	// telling is set if the first write of a variable records its prior value.
	telling bool
	written map[uint64]bool
	// multiplies is set if expressions are not only linear.
	multiplies bool
}

// A countingKind is a way to count a variable.
type countingKind int

const (
	atomically countingKind = 1 + iota
	locked
)

type dataGoroutine struct {
	left         int
	wants, holds bool // the lock
	reads        []dataRead
}

type dataRead struct {
	key uint64
	val int64
}

const dataLock = 0x9000

func (m *dataMachine) log(e trace.Event) { m.tr.Events = append(m.tr.Events, e) }

// write stores v, and records the prior value if telling is set.
func (m *dataMachine) write(x uint64, v int64) {
	if m.telling && !m.written[x] {
		m.tr.PriorValues = append(m.tr.PriorValues, trace.PriorValue{Position: len(m.tr.Events), Val: uint64(m.mem[x])})
	}
	m.mem[x], m.written[x] = v, true
}

// site makes a site of its own for an event.
func (m *dataMachine) site(s trace.Site) trace.SiteID {
	m.sites++
	s.ID = m.sites | trace.SiteRewritten
	s.Key = uint64(s.ID)
	m.tr.Sites[s.ID] = s
	return s.ID
}

func (m *dataMachine) step(g trace.GID) {
	s := m.gs[g]
	if s.wants {
		s.wants, s.holds, m.held = false, true, s
		m.log(trace.Event{Kind: trace.Acquire, G: g, Obj: dataLock})
		return
	}
	if s.left--; s.left <= 0 && s.holds || s.holds && m.IntN(3) == 0 {
		s.holds, m.held = false, nil
		m.log(trace.Event{Kind: trace.Release, G: g, Obj: dataLock})
		return
	}
	x, op := 0x1000+uint64(m.size)*m.Uint64N(2), m.IntN(10)
	if m.cleared && m.IntN(8) == 0 {
		m.mem[x] = 0
	}
	if x != 0x1000 && m.countingMode != 0 && op >= 4 && op <= 7 {
		m.count(g, s, x)
		return
	}
	switch op {
	case 0, 1, 2, 3:
		kind := trace.Read
		if m.IntN(2) == 0 {
			kind = trace.AtomicLoad
		}
		m.read(g, s, x, kind, m.IntN(4) > 0)
	case 4, 5, 6:
		text, v := m.expression(s)
		m.write(x, v)
		m.log(trace.Event{Kind: trace.Write, Flags: trace.FlagValue, G: g, Site: m.site(trace.Site{Op: "write", Formula: text}), Size: m.size, Obj: x, Val: uint64(v)})
	case 7:
		m.add(g, s, x, 1)
	case 8:
		if s.holds {
			return
		}
		s.wants = true
		s.left++
	case 9:
		m.decide(g, s)
	}
}

// count adds to a variable that is only added to.
func (m *dataMachine) count(g trace.GID, s *dataGoroutine, x uint64) {
	n := int64(m.IntN(4) - 1)
	switch {
	case m.countingMode == atomically:
		m.add(g, s, x, n)
	case s.holds:
		id := m.read(g, s, x, trace.Read, true)
		m.write(x, m.mem[x]+n)
		m.log(trace.Event{Kind: trace.Write, Flags: trace.FlagValue, G: g, Site: m.site(trace.Site{Op: "write", Formula: fmt.Sprintf("(+ %d @%xi%d)", n, uint64(id), m.size)}), Size: m.size, Obj: x, Val: uint64(m.mem[x])})
	}
}

// add adds n atomically. Most of these updates are tracked.
func (m *dataMachine) add(g trace.GID, s *dataGoroutine, x uint64, n int64) {
	m.write(x, m.mem[x]+n)
	id := m.site(trace.Site{Op: "atomic", Formula: fmt.Sprintf("(+ _ %d)", n), OnlyInFormulas: len(m.tr.Events)%4 != 3})
	m.log(trace.Event{Kind: trace.AtomicRMW, Flags: trace.FlagValue, G: g, Site: id, Size: m.size, Obj: x, Val: uint64(m.mem[x])})
	s.reads = append(s.reads, dataRead{uint64(id), m.mem[x]})
}

func (m *dataMachine) read(g trace.GID, s *dataGoroutine, x uint64, kind trace.Kind, tracked bool) trace.SiteID {
	id := m.site(trace.Site{Op: "read", OnlyInFormulas: tracked})
	m.log(trace.Event{Kind: kind, Flags: trace.FlagValue, G: g, Site: id, Size: m.size, Obj: x, Val: uint64(m.mem[x])})
	s.reads = append(s.reads, dataRead{uint64(id), m.mem[x]})
	return id
}

// decide compares what was read: a branch, or an assertion that holds.
func (m *dataMachine) decide(g trace.GID, s *dataGoroutine) {
	text, v := m.expression(s)
	bound := v + int64(m.IntN(3)-1)
	val, kind := uint64(0), trace.Branch
	site := trace.Site{Op: "branch", Formula: fmt.Sprintf("(< %s %d)", text, bound)}
	if m.IntN(2) == 0 {
		site.Formula, bound = fmt.Sprintf("(= %s %d)", text, v), v+1
	}
	if v < bound {
		val, site.FailsIf = 1, trace.IfFalse
	} else {
		site.FailsIf = trace.IfTrue
	}
	if m.IntN(2) == 0 && val == 1 {
		kind = trace.Assert
	}
	m.log(trace.Event{Kind: kind, G: g, Site: m.site(site), Val: val})
}

// expression is an expression over what s has read, and its value: linear, or such a
// one times what it has read.
func (m *dataMachine) expression(s *dataGoroutine) (text string, v int64) {
	v = int64(m.IntN(4) - 1)
	text = fmt.Sprint(v)
	for range m.IntN(3) {
		if len(s.reads) == 0 {
			break
		}
		r := s.reads[max(0, len(s.reads)-1-m.IntN(2))]
		if m.IntN(3) == 0 {
			text, v = fmt.Sprintf("(- %s @%xi%d)", text, r.key, m.size), v-r.val
		} else {
			text, v = fmt.Sprintf("(+ %s @%xi%d)", text, r.key, m.size), v+r.val
		}
	}
	if m.multiplies && len(s.reads) > 0 && m.IntN(2) == 0 {
		r := s.reads[m.IntN(len(s.reads))]
		text, v = fmt.Sprintf("(* %s @%xi%d)", text, r.key, m.size), v*r.val
	}
	return text, v
}

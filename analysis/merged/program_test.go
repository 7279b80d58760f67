package merged_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A statement of the tests' little language. Each has a site of its own.
type statement struct {
	op         op
	site       trace.SiteID
	variable   int
	add        int64 // what is stored: add and what the site from has read last; 0: nothing was read
	from       trace.SiteID
	yes, no    []statement // of a condition, that from has read less than add
	synchronic bool        // the access is atomic
}

type op int

const (
	load op = iota
	store
	count // add to a variable atomically
	lock
	unlock
	decide
	leave // the goroutine is done
	check // the assertion: what the variables hold, times 1, 2, 4, …, is not add
)

// A program is what its goroutines do, after a test has started them; then that waits for
// them, reads all variables and asserts.
type program struct {
	bodies    [][]statement // the first is the test's, after it has waited
	variables int
	sites     map[trace.SiteID]trace.Site
}

// A generator makes programs.
type generator struct {
	*rand.Rand
	*program
}

// random makes a program of n goroutines.
func random(seed uint64, n int) *program {
	g := generator{rand.New(rand.NewPCG(seed, 3)), &program{variables: 2, sites: make(map[trace.SiteID]trace.Site)}}
	g.bodies = make([][]statement, 1)
	for range n {
		g.bodies = append(g.bodies, append(g.block(3, 0, nil), statement{op: leave, site: g.site(trace.Site{})}))
	}
	var sum []string
	for x := range g.variables {
		s := statement{op: load, variable: x, site: g.site(trace.Site{Op: "read", OnlyInFormulas: true})}
		g.bodies[0] = append(g.bodies[0], s)
		sum = append(sum, fmt.Sprintf("(* %d @%xi8)", 1<<x, uint64(s.site)))
	}
	c := statement{op: check, add: g.rarest(seed)}
	c.site = g.site(trace.Site{Op: "assert", FailsIf: trace.IfFalse, Formula: fmt.Sprintf("(not (= (+ %s) %d))", strings.Join(sum, " "), c.add)})
	g.bodies[0] = append(g.bodies[0], c)
	return g.program
}

// rarest returns of the outcomes of some runs the one that comes up the least.
func (g *generator) rarest(seed uint64) (sum int64) {
	often := make(map[int64]int)
	for k := range uint64(15) {
		_, m := g.record(seed<<8|k, 0)
		often[m.sum()]++
	}
	for _, v := range slices.Sorted(maps.Keys(often)) {
		if often[sum] == 0 || often[v] < often[sum] {
			sum = v
		}
	}
	return sum
}

func (g *generator) site(s trace.Site) trace.SiteID {
	s.ID = trace.SiteID(len(g.sites)+1) | trace.SiteRewritten
	s.Key = uint64(s.ID)
	g.sites[s.ID] = s
	return s.ID
}

func (g *generator) read(x int) statement {
	return statement{op: load, variable: x, site: g.site(trace.Site{Op: "read", OnlyInFormulas: g.IntN(6) > 0}), synchronic: g.IntN(2) == 0}
}

// block makes a few statements, which may use what the site last has read.
func (g *generator) block(most, depth int, reads []trace.SiteID) (all []statement) {
	reads = slices.Clone(reads)
	held := false
	if depth == 0 && g.IntN(3) > 0 { // most find something else in other orders
		s := g.read(g.IntN(g.variables))
		reads = append(reads, s.site)
		all = append(all, s, g.condition(depth, reads))
	}
	for range 1 + g.IntN(most) {
		x, from := g.IntN(g.variables), trace.SiteID(0)
		if len(reads) > 0 && g.IntN(3) > 0 {
			from = reads[g.IntN(len(reads))]
		}
		switch k := g.IntN(11); {
		case k < 3:
			s := g.read(x)
			all, reads = append(all, s), append(reads, s.site)
		case k < 5:
			s := statement{op: store, variable: x, add: g.Int64N(3), from: from}
			formula := ""
			if from != 0 {
				formula = fmt.Sprintf("(+ %d @%xi8)", s.add, uint64(from))
			}
			s.site = g.site(trace.Site{Op: "write", Formula: formula})
			all = append(all, s)
		case k == 5:
			s := statement{op: count, variable: x, add: 1, site: g.site(trace.Site{Op: "atomic", Formula: "(+ _ 1)", OnlyInFormulas: true})}
			all, reads = append(all, s), append(reads, s.site)
		case k == 6:
			kind := lock
			if held {
				kind = unlock
			}
			held = !held
			all = append(all, statement{op: kind, site: g.site(trace.Site{})})
		case len(reads) > 0 && depth < 2 && !held:
			all = append(all, g.condition(depth, reads))
		}
	}
	if held {
		all = append(all, statement{op: unlock, site: g.site(trace.Site{})})
	}
	return all
}

// condition makes one, of what was read last.
func (g *generator) condition(depth int, reads []trace.SiteID) statement {
	s := statement{op: decide, from: reads[len(reads)-1], add: 1 + g.Int64N(2)}
	s.site = g.site(trace.Site{Op: "branch", Formula: fmt.Sprintf("(< @%xi8 %d)", uint64(s.from), s.add)})
	s.yes, s.no = g.block(2, depth+1, reads), g.block(2, depth+1, reads)
	return s
}

// A machine runs a program.
type machine struct {
	*program
	memory []int64
	holder int // of the lock, or -1
	todo   [][]statement
	locals []map[trace.SiteID]int64
	ways   []string // by goroutine: how its conditions came out
	failed bool
}

func (p *program) start() *machine {
	m := &machine{program: p, memory: make([]int64, p.variables), holder: -1, ways: make([]string, len(p.bodies))}
	for _, body := range p.bodies {
		m.todo = append(m.todo, body)
		m.locals = append(m.locals, make(map[trace.SiteID]int64))
	}
	return m
}

func (m *machine) clone() *machine {
	c := *m
	c.memory, c.todo, c.ways = slices.Clone(m.memory), slices.Clone(m.todo), slices.Clone(m.ways)
	c.locals = nil
	for _, l := range m.locals {
		own := make(map[trace.SiteID]int64, len(l))
		for site, v := range l {
			own[site] = v
		}
		c.locals = append(c.locals, own)
	}
	return &c
}

func (m *machine) key() string { return fmt.Sprint(m.memory, m.holder, m.locals, m.ways, m.left()) }

func (m *machine) left() (ns []int) {
	for _, todo := range m.todo {
		n := 0
		for _, s := range todo {
			n = n*31 + int(s.site&0xffff)
		}
		ns = append(ns, n)
	}
	return ns
}

// ready returns the goroutines that can go on.
func (m *machine) ready() (gs []int) {
	waits := slices.ContainsFunc(m.todo[1:], func(todo []statement) bool { return len(todo) > 0 })
	for g, todo := range m.todo {
		if len(todo) > 0 && !(g == 0 && waits) && !(todo[0].op == lock && m.holder >= 0) {
			gs = append(gs, g)
		}
	}
	return gs
}

// step runs the next statement of goroutine g, and returns its event, of which the
// address is the number of a variable.
func (m *machine) step(g int) trace.Event {
	s := m.todo[g][0]
	m.todo[g] = m.todo[g][1:]
	e := trace.Event{G: trace.GID(g + 1), Site: s.site}
	value := func(kind, atomically trace.Kind, v int64) {
		if e.Kind = kind; s.synchronic {
			e.Kind = atomically
		}
		e.Flags, e.Size, e.Obj, e.Val = trace.FlagValue, 8, uint64(s.variable), uint64(v)
	}
	switch s.op {
	case load:
		m.locals[g][s.site] = m.memory[s.variable]
		value(trace.Read, trace.AtomicLoad, m.memory[s.variable])
		if !m.sites[s.site].OnlyInFormulas {
			m.ways[g] += fmt.Sprint(" ", m.memory[s.variable])
		}
	case store:
		m.memory[s.variable] = s.add + m.locals[g][s.from]
		value(trace.Write, trace.AtomicStore, m.memory[s.variable])
	case count:
		m.memory[s.variable] += s.add
		m.locals[g][s.site] = m.memory[s.variable]
		value(trace.AtomicRMW, trace.AtomicRMW, m.memory[s.variable])
	case lock:
		m.holder, e.Kind, e.Obj = g, trace.Acquire, 1<<16
	case unlock:
		m.holder, e.Kind, e.Obj = -1, trace.Release, 1<<16
	case leave:
		e.Kind, e.Obj, e.Val = trace.WaitGroupAdd, 1<<17, ^uint64(0)
	case decide:
		way := s.no
		if e.Kind = trace.Branch; m.locals[g][s.from] < s.add {
			way, e.Val = s.yes, 1
		}
		m.ways[g] += fmt.Sprint(" ", e.Val)
		m.todo[g] = slices.Concat(way, m.todo[g])
	case check:
		if e.Kind, e.Val = trace.Assert, 1; m.sum() == s.add {
			m.failed, e.Val = true, 0
		}
	}
	return e
}

// sum is what the assertion is about.
func (m *machine) sum() (sum int64) {
	for x, v := range m.memory {
		sum += v << x
	}
	return sum
}

// record runs the program, with goroutines as the seed says, and returns the trace, in
// which memory begins at base.
func (p *program) record(seed, base uint64) (t *trace.Trace, m *machine) {
	r := rand.New(rand.NewPCG(seed, 4))
	t = &trace.Trace{Sites: p.sites, TestNames: []string{"Test"}, Complete: true, Goroutines: []trace.Goroutine{{Path: "main"}}}
	log := func(e trace.Event) { t.Events = append(t.Events, e) }
	for g := range p.bodies {
		its := trace.Goroutine{ID: trace.GID(g + 1), Parent: 1, Test: "Test", Path: fmt.Sprint("0.", g)}
		if g == 0 {
			its.Parent, its.Path = 0, "0"
		}
		t.Goroutines = append(t.Goroutines, its)
	}
	log(trace.Event{Kind: trace.Begin})
	log(trace.Event{Kind: trace.Fork, Obj: 1})
	log(trace.Event{Kind: trace.Begin, G: 1})
	log(trace.Event{Kind: trace.TestBegin, G: 1})
	log(trace.Event{Kind: trace.WaitGroupAdd, G: 1, Obj: base + 1<<17, Val: uint64(len(p.bodies) - 1)})
	for g := 1; g < len(p.bodies); g++ {
		log(trace.Event{Kind: trace.Fork, G: 1, Obj: uint64(g + 1)})
	}
	log(trace.Event{Kind: trace.WaitGroupWait, G: 1, Obj: base + 1<<17})
	began := map[int]bool{0: true}
	written := make(map[uint64]bool)
	waited := false
	for m = p.start(); ; {
		ready := m.ready()
		if len(ready) == 0 {
			return t, m
		}
		g := ready[r.IntN(len(ready))]
		if !began[g] {
			began[g] = true
			log(trace.Event{Kind: trace.Begin, G: trace.GID(g + 1)})
		}
		if g == 0 && !waited {
			waited = true
			log(trace.Event{Kind: trace.WaitGroupWaited, G: 1, Obj: base + 1<<17})
		}
		e := m.step(g)
		if e.Kind.HasAddress() {
			e.Obj = base + 8*e.Obj
			if e.Obj >= base+8<<16 {
				e.Obj = base + (e.Obj-base)/8
			}
		}
		if e.Kind.IsWrite() && !written[e.Obj] {
			written[e.Obj] = true
			t.PriorValues = append(t.PriorValues, trace.PriorValue{Position: len(t.Events)})
		}
		log(e)
	}
}

// fails reports whether the assertion fails in some interleaving, of those in which each
// goroutine goes a way that allowed has.
func (p *program) fails(allowed func(g int, way string) bool) bool {
	seen := make(map[string]bool)
	for todo := []*machine{p.start()}; len(todo) > 0; {
		m := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, g := range m.ready() {
			next := m.clone()
			next.step(g)
			if next.failed {
				return true
			}
			if !allowed(g, next.ways[g]) {
				continue
			}
			if key := next.key(); !seen[key] {
				seen[key] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}

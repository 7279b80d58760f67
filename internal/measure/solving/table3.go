package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A row of Table 3 of Said et al., NFM 2011: the size of a trace, and what its
// authors' solver, Yices, took for it on a machine of 2011.
type row struct {
	name                                          string
	threads, events, locking, waiting, vars, lcks int
	queries, witnesses                            int
	seconds                                       float64
}

var table3 = []row{
	{"Example run1", 3, 25, 4, 0, 6, 2, 2, 1, 0.01},
	{"Example run2", 3, 29, 8, 0, 6, 2, 0, 0, 0.01},
	{"Remote Agent", 3, 45, 12, 5, 6, 3, 4, 2, 0.01},
	{"connectionpool", 4, 85, 16, 5, 5, 1, 0, 0, 0.01},
	{"liveness.BugGen", 7, 241, 44, 6, 12, 9, 10, 1, 0.36},
	{"account #1", 6, 336, 82, 10, 17, 11, 45, 4, 0.09},
	{"account #2", 11, 651, 162, 20, 32, 21, 90, 9, 0.28},
	{"account #3", 21, 1281, 322, 40, 62, 41, 180, 19, 0.79},
	{"SyncBench #1", 2, 107, 22, 0, 3, 2, 2, 1, 0.01},
	{"SyncBench #2", 13, 722, 156, 0, 16, 3, 333, 40, 18.3},
	{"BarrierBench #1", 7, 407, 80, 14, 10, 2, 12, 0, 0.7},
	{"BarrierBench #2", 13, 653, 136, 28, 16, 2, 38, 0, 2.04},
	{"philo", 6, 1050, 126, 41, 23, 6, 0, 0, 0.0},
	{"hedc", 10, 1457, 234, 0, 85, 23, 164, 40, 57.7},
	{"Daisy", 3, 1998, 330, 14, 34, 9, 16, 7, 5.65},
	{"elevator", 4, 8000, 1298, 0, 121, 12, 0, 0, 0.0},
	{"tsp", 4, 45637, 20, 5, 42, 5, 4, 3, 0.05},
}

const table3Heading = `
## Traces of the sizes of the paper's

Table 3 of Said, Wang, Yang and Sakallah (NFM 2011) has these sizes; the traces
here are random ones with as many threads, events, lock operations, operations on
conditions, variables and locks, where every read matters, and where all that is
done to one object in one way has one place in the source. Queries are the pairs
that lock sets and the must-order leave, of two places the nearest 8; of all, as
many as the paper has, but at least 8, evenly chosen, are asked, and take the
seconds of their column together. What takes more than 5 seconds is left undecided.
The paper's programs are others, and its machine was one of 2011.

| size of | threads | events | pairs | asked | witnesses | undecided | seconds | paper: queries | witnesses | seconds |
|---|---|---|---|---|---|---|---|---|---|---|
`

// measureTable3 adds a table of random traces.
func measureTable3(ctx context.Context, w io.Writer, match *regexp.Regexp) error {
	fmt.Fprint(w, table3Heading)
	for k, r := range table3 {
		if !match.MatchString(r.name) {
			continue
		}
		t := r.trace(uint64(k))
		o, err := order.New(t)
		if err != nil {
			return err
		}
		var targets []symbolic.Target
		for _, c := range anomaly.FindRaces(t, o).Candidates {
			for _, p := range c.Pairs {
				if _, _, locked := o.Locked(p[0], p[1]); !locked {
					targets = append(targets, symbolic.Standing(p[0], p[1]))
				}
			}
		}
		pairs := len(targets)
		targets = chosen(targets, max(8, r.queries))
		start := script.Processor()
		d := symbolic.New(t, o).NewDecider(0, targets, func(f *solver.Formula) (solver.Engine, error) { return solver.NewBuiltin(f), nil })
		var answers [3]int
		for k := range targets {
			budget := &solver.Budget{Steps: 5 * solver.Second}
			a, err := d.Decide(ctx, k, budget)
			if err == nil && a.Answer == solver.Unknown { // a part of it was for near runs
				a, err = d.Prove(ctx, k, budget)
			}
			if err != nil {
				return err
			}
			answers[a.Answer]++
		}
		d.Close()
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d | %.3f | %d | %d | %.2f |\n", r.name, len(t.Goroutines), len(t.Events), pairs,
			len(targets), answers[solver.Sat], answers[solver.Unknown], (script.Processor() - start).Seconds(), r.queries, r.witnesses, r.seconds)
	}
	return nil
}

// chosen returns at most so many of the targets, evenly chosen.
func chosen(targets []symbolic.Target, most int) (some []symbolic.Target) {
	n := min(most, len(targets))
	for k := range n {
		some = append(some, targets[k*len(targets)/n])
	}
	return some
}

// trace makes a random trace of the row's size.
func (r row) trace(seed uint64) *trace.Trace {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 3)), t: &trace.Trace{Sites: make(map[trace.SiteID]trace.Site), Complete: true},
		held: make([]bool, r.lcks), mem: make([]uint64, r.vars), todo: make([][]trace.Event, r.threads)}
	m.plan(r)
	for g := range r.threads {
		path := "0"
		if g > 0 {
			path = fmt.Sprint("0.", g)
			m.t.Events = append(m.t.Events, trace.Event{Kind: trace.Fork, Obj: uint64(g)}, trace.Event{Kind: trace.Begin, G: trace.GID(g)})
		}
		m.t.Goroutines = append(m.t.Goroutines, trace.Goroutine{ID: trace.GID(g), Test: "TestX", Path: path})
	}
	for m.step() {
	}
	return m.t
}

// A maker performs what the threads have planned, in a random order.
type maker struct {
	*rand.Rand
	t       *trace.Trace
	todo    [][]trace.Event // by thread
	held    []bool
	mem     []uint64
	waiting []trace.GID // on the condition
	tickets uint64
}

// plan deals out critical sections of a few accesses, accesses without a lock,
// waits and signals.
func (m *maker) plan(r row) {
	sections, pairs := r.locking/2, r.waiting/2
	accesses := max(0, r.events-2*r.threads-r.locking-6*pairs)
	inner := accesses * 4 / 5
	for k := range sections {
		g, l := m.IntN(r.threads), uint64(m.IntN(r.lcks))
		es := []trace.Event{m.event(trace.Acquire, l)}
		for range (inner + k) / max(1, sections) {
			es = append(es, m.access(l, r))
		}
		m.todo[g] = append(m.todo[g], append(es, m.event(trace.Release, l))...)
	}
	for range accesses - inner {
		g := m.IntN(r.threads)
		m.todo[g] = append(m.todo[g], m.access(uint64(m.IntN(r.lcks)), r))
	}
	for range pairs {
		g := m.IntN(r.threads)
		m.todo[g] = append(m.todo[g], m.event(trace.Acquire, 0), m.event(trace.CondWait, 0), m.event(trace.Release, 0),
			m.event(trace.CondWake, 0), m.event(trace.Acquire, 0), m.event(trace.Release, 0))
		h := (g + 1 + m.IntN(r.threads-1)) % r.threads
		m.todo[h] = append(m.todo[h], m.event(trace.CondSignal, 0))
	}
}

// access accesses one of the variables that a lock guards.
func (m *maker) access(l uint64, r row) trace.Event {
	kind := trace.Read
	if m.IntN(3) == 0 {
		kind = trace.Write
	}
	return m.event(kind, (l+uint64(r.lcks*m.IntN(4)))%uint64(r.vars))
}

// event makes an event. What is done to one object in one way has one place in the
// source.
func (m *maker) event(kind trace.Kind, obj uint64) trace.Event {
	id := trace.SiteID(1 + uint64(kind) + uint64(trace.NumKinds)*obj)
	m.t.Sites[id] = trace.Site{ID: id, Key: uint64(id), Line: int(id), Op: kind.String()}
	return trace.Event{Kind: kind, Site: id, Obj: obj}
}

// step lets one thread do something. It returns false when none can.
func (m *maker) step() bool {
	for _, g := range m.Perm(len(m.todo)) {
		if len(m.todo[g]) == 0 {
			continue
		}
		e := m.todo[g][0]
		e.G = trace.GID(g)
		if m.can(&e) {
			m.t.Events = append(m.t.Events, e)
			m.todo[g] = m.todo[g][1:]
			return true
		}
	}
	return false
}

// can performs e, if that is possible now, and completes it.
func (m *maker) can(e *trace.Event) bool {
	switch e.Kind {
	case trace.Acquire:
		if m.held[e.Obj] {
			return false
		}
		m.held[e.Obj] = true
		e.Obj += 0x100
	case trace.Release:
		m.held[e.Obj] = false
		e.Obj += 0x100
	case trace.CondWait:
		m.waiting = append(m.waiting, e.G)
		e.Obj, e.Val = 0x80, m.tickets
		m.tickets++
	case trace.CondWake:
		for _, g := range m.waiting {
			if g == e.G {
				return false
			}
		}
		e.Obj = 0x80
	case trace.CondSignal:
		if e.Obj = 0x80; len(m.waiting) > 0 {
			e.Val = m.tickets - uint64(len(m.waiting)) + 1
			m.waiting = m.waiting[1:]
		}
	default:
		if e.Kind == trace.Write {
			m.mem[e.Obj] = m.Uint64N(3)
		}
		e.Val, e.Obj = m.mem[e.Obj], 0x1000+16*e.Obj
		e.Size, e.Flags = 8, trace.FlagValue
	}
	return true
}

package reach_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/reach"
	"github.com/gopredict/gopredict/recorder/trace"
)

var (
	programs = flag.Uint64("programs", 60, "random programs to compare with all their interleavings")
	first    = flag.Uint64("first", 0, "the seed of the first of them")

	tableFile = flag.String("table", "", "`FILE` for what they show, as a table in Markdown")
)

// free runs m to its end, in an order of chance.
func (m *interpreter) free(r *rand.Rand) {
	for {
		var ready []*thread
		for _, g := range m.gs {
			if m.ways(g) > 0 {
				ready = append(ready, g)
			}
		}
		if len(ready) == 0 {
			return
		}
		g := ready[r.IntN(len(ready))]
		m.step(g, r.IntN(m.ways(g)))
	}
}

// follow runs m up to a position of a trace, in its order.
func (m *interpreter) follow(b *reach.Beginning) error {
	done := make(map[string]int) // events of goroutines, by path
	for i := 0; i <= b.LastStep; i++ {
		e := b.Trace.Events[i]
		path := b.Trace.Goroutines[e.G].Path
		done[path]++
		if k := e.Kind; !k.CanHold() || k == trace.SelectSend || k == trace.Branch {
			continue // they come with what is before or behind them
		}
		for m.count(path) < done[path] {
			g := m.by(path)
			if g == nil || m.ways(g) == 0 {
				return fmt.Errorf("event %d, %v of %s, cannot come", i, e.Kind, path)
			}
			way := 0
			if g.began && g.relock == 0 && len(g.work) > 0 && g.work[0].op == selects {
				for k, n := range m.ready(&g.work[0]) {
					if n == asked(b.Trace, i) {
						way = k
					}
				}
			}
			m.step(g, way)
			if m.queues(g) && e.Kind == trace.Acquire {
				break // it has come to that
			}
		}
	}
	if g := m.by(b.Trace.Goroutines[b.NextGoroutine].Path); g != nil && m.ways(g) > 0 && !b.IsDeadlock() {
		m.step(g, 0)
	}
	return nil
}

// asked returns the case that the select from position i on takes.
func asked(t *trace.Trace, i int) int {
	for _, e := range t.Events[i:] {
		if e.G == t.Events[i].G && e.Kind == trace.SelectDone {
			return int(e.Val)
		}
	}
	return 0
}

func (m *interpreter) by(path string) *thread {
	for _, g := range m.gs {
		if m.tr.Goroutines[g.id].Path == path {
			return g
		}
	}
	return nil
}

// queues reports whether a goroutine waits for the readers of a lock.
func (m *interpreter) queues(g *thread) bool { return m.queued[0] == g || m.queued[1] == g }

func (m *interpreter) count(path string) (n int) {
	for _, e := range m.tr.Events {
		if m.tr.Goroutines[e.G].Path == path {
			n++
		}
	}
	return n
}

// replayed runs a program in a given order of goroutines.
func replayed(p *program, choices [][2]int) *interpreter {
	m := start(p)
	for _, c := range choices {
		m.step(m.gs[c[0]], c[1])
	}
	return m
}

// all returns the ends of all interleavings of a program, and how many these are; nil if
// there are too many states.
func all(p *program) (ends map[string]bool, interleavings float64) {
	ends = make(map[string]bool)
	count := make(map[string]float64) // of the ways from each state to an end
	var from func(choices [][2]int) float64
	from = func(choices [][2]int) (n float64) {
		m := replayed(p, choices)
		key := m.state()
		if n, seen := count[key]; seen || len(count) > maxStates {
			return n
		}
		count[key] = 0 // there are no circles
		for _, c := range m.choices() {
			n += from(append(slices.Clip(choices), c))
		}
		if n == 0 {
			n = 1
			ends[m.end()] = true
		}
		count[key] = n
		return n
	}
	if interleavings = from(nil); len(count) > maxStates {
		return nil, 0
	}
	return ends, interleavings
}

// maxStates is how many states of a program are looked at.
const maxStates = 6000

// choices returns the steps that m can do next: who, and in which way.
func (m *interpreter) choices() (out [][2]int) {
	for _, g := range m.gs {
		for way := range m.ways(g) {
			out = append(out, [2]int{g.id, way})
		}
	}
	return out
}

// state names all that decides how m goes on.
func (m *interpreter) state() string {
	s := fmt.Sprint(m.memory, m.locks, m.group, m.once, m.over)
	for on := range 2 {
		if g := m.queued[on]; g != nil {
			s += fmt.Sprint("q", on, g.id)
		}
	}
	for _, q := range m.chans {
		s += fmt.Sprint(q.closed, line(q.elements), line(q.sends), line(q.recvs))
	}
	for k := range 2 {
		s += "|"
		for _, g := range m.conds[k] {
			s += fmt.Sprint(g.id, " ")
		}
	}
	for _, g := range m.gs {
		s += fmt.Sprint(g.began, g.ended, len(g.work), g.pending, g.relock, g.onceEnd, g.found, g.done, g.history.String())
	}
	return s
}

func line(q []message) (out string) {
	for _, w := range q {
		out += fmt.Sprint(w.g.id, w.kase, w.from, " ")
	}
	return out
}

// explore runs a program until there is nothing more to see, and returns how many runs that
// took, and their ends.
func explore(t *testing.T, p *program, seed uint64) (runs int, ends map[string]bool, result reach.Result) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	program := reach.New("TestX")
	ends = make(map[string]bool)
	m := start(p)
	for {
		m.free(r)
		m.stuck()
		ends[m.end()] = true
		require.NoError(t, trace.Validate(m.tr), "seed %d", seed)
		require.True(t, program.Add(reach.Run{Trace: m.tr, Died: m.died()}), "seed %d, run %d has shown nothing", seed, runs)
		runs++
		result = program.Search(100_000)
		require.Empty(t, result.Doubts, "seed %d", seed)
		if len(result.Next) == 0 {
			return runs, ends, result
		}
		m = start(p)
		require.NoError(t, m.follow(&result.Next[0]), "seed %d, run %d", seed, runs)
	}
}

// TestOracle explores random programs, and compares with all their interleavings: each run
// shows something new, and in the end all behaviours are known, and no others.
func TestOracle(t *testing.T) {
	var table comparison
	seeds := []uint64{
		3429, // one run is ended where a goroutine waits that none has seen there
		1488, // a select sends to what is closed, which ends the program
	}
	for seed := *first; seed < *first+*programs; seed++ {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		p := random(seed)
		want, interleavings := all(p)
		if want == nil {
			continue
		}
		its, ends, result := explore(t, p, seed)
		for end := range ends {
			require.Contains(t, want, end, "seed %d", seed)
		}
		require.Equal(t, len(want), result.Behaviours, "seed %d", seed)
		table.add(its, len(want), classes(p), interleavings)
	}
	t.Logf("\n%s", &table)
	require.Greater(t, table.all.programs, int(*programs/2))
	if *tableFile != "" {
		require.NoError(t, os.WriteFile(*tableFile, []byte(table.String()), 0o666))
	}
}

// random returns a small program.
func random(seed uint64) *program {
	r := rand.New(rand.NewPCG(seed, 3))
	p := &program{capacity: []int{0, r.IntN(3)}}
	n := 2 + r.IntN(2)
	root := []statement{}
	for k := range n {
		root = append(root, statement{op: addGroup}, statement{op: spawn, on: k + 1})
	}
	if r.IntN(2) == 0 {
		root = append(root, statement{op: waitGroup})
	}
	root = append(root, body(r, 1+r.IntN(3), 1)...)
	p.bodies = append(p.bodies, root)
	for range n {
		p.bodies = append(p.bodies, append(body(r, 2+r.IntN(4), 2), statement{op: doneGroup}))
	}
	if seed%4 == 3 {
		p.bodies[1] = append(retry(r.IntN(2), 2), p.bodies[1]...)
	}
	return p
}

// retry is a loop that adds to a variable as long as it finds another value than the one
// it counts on, which it counts up, and not more often than so many times.
func retry(on, times int) []statement {
	var again []statement
	for value := times; value >= 0; value-- {
		s := statement{op: swap, on: 2 + on, value: value}
		again = []statement{s, {op: when, value: value, other: again}}
	}
	return again
}

// body returns so many statements, more or less.
func body(r *rand.Rand, n, depth int) (out []statement) {
	for len(out) < n {
		on := r.IntN(2)
		switch r.IntN(14) {
		case 0, 1:
			out = append(out, statement{op: load, on: on})
			if depth > 0 && r.IntN(2) == 0 {
				out = append(out, statement{op: when, value: r.IntN(2), then: body(r, 1, depth-1), other: body(r, r.IntN(2), depth-1)})
			}
		case 2, 3:
			out = append(out, statement{op: store, on: on, value: r.IntN(2)})
		case 4:
			out = append(out, statement{op: load, on: on}, statement{op: increment, on: on})
		case 5:
			out = append(out, statement{op: add, on: 2 + on})
		case 6:
			out = append(out, statement{op: swap, on: 2 + on, value: r.IntN(2)})
			if depth > 0 {
				out = append(out, statement{op: when, value: 0, then: body(r, 1, depth-1), other: body(r, r.IntN(2), depth-1)})
			}
		case 7, 8:
			k, kind := on, r.IntN(3)
			open, shut := statement{op: lock, on: k}, statement{op: unlock, on: k}
			if kind == 0 {
				open.op, shut.op = rlock, runlock
			}
			out = append(out, open)
			out = append(out, body(r, 1+r.IntN(2), 0)...)
			if depth > 0 && kind == 2 {
				out = append(out, statement{op: wait, on: k})
			}
			out = append(out, shut)
		case 9:
			out = append(out, statement{op: send, on: on})
		case 10:
			out = append(out, statement{op: recv, on: on})
		case 11:
			switch r.IntN(6) {
			case 0:
				out = append(out, statement{op: closes, on: on})
			case 1:
				out = append(out, statement{op: fail})
			case 2, 3:
				out = append(out, statement{op: signal, on: on})
			default:
				out = append(out, statement{op: broadcast, on: on})
			}
		case 12:
			s := statement{op: selects, dflt: r.IntN(2) == 0}
			for ch := range 2 {
				s.cases = append(s.cases, arm{ch, r.IntN(2) == 0})
			}
			if s.cases[1].send && !s.cases[0].send { // those that send come first
				s.cases[0], s.cases[1] = s.cases[1], s.cases[0]
			}
			out = append(out, s)
		case 13:
			out = append(out, statement{op: do, on: on})
		}
	}
	return out
}

// TestWaitingWriter has a goroutine that reads under a lock twice, one within the other, and
// a writer that may come in between: it waits for the first, and the second for it.
func TestWaitingWriter(t *testing.T) {
	p := &program{bodies: [][]statement{
		{{op: spawn, on: 1}, {op: spawn, on: 2}},
		{{op: rlock}, {op: rlock}, {op: runlock}, {op: runlock}},
		{{op: lock}, {op: unlock}},
	}}
	want, _ := all(p)
	require.Len(t, want, 2)
	for seed := range uint64(10) {
		_, ends, result := explore(t, p, seed)
		require.Equal(t, want, ends, "seed %d", seed)
		require.Equal(t, 2, result.Behaviours)
	}
}

// TestSort has a goroutine that looks at two variables: what it has found in the second in no
// run comes before what it has found there after something else in the first.
func TestSort(t *testing.T) {
	p := &program{bodies: [][]statement{
		{{op: spawn, on: 1}, {op: spawn, on: 2}, {op: spawn, on: 3}},
		{{op: load}, {op: load, on: 1}},
		{{op: store, value: 1}},
		{{op: store, on: 1, value: 1}, {op: store, on: 1, value: 2}},
	}}
	program := reach.New("TestX")
	run := func(first ...int) {
		m := start(p)
		for _, g := range first {
			m.step(m.gs[g], 0)
		}
		for k := 0; k < len(m.gs); k++ { // they are more by and by
			for m.ways(m.gs[k]) > 0 {
				m.step(m.gs[k], 0)
			}
		}
		require.True(t, program.Add(reach.Run{Trace: m.tr, Died: -1}))
	}
	run()
	run(0, 0, 0, 2, 2, 3, 3)
	result := program.Search(1000)
	var all []*reach.Beginning
	for k := range result.Next {
		all = append(all, &result.Next[k])
	}
	slices.SortFunc(all, func(a, b *reach.Beginning) int { return cmp.Compare(len(b.Trace.Events), len(a.Trace.Events)) })
	program.Sort(all)
	var found []uint64
	for _, b := range all {
		m := start(p)
		require.NoError(t, m.follow(b))
		for _, e := range slices.Backward(m.tr.Events) {
			if e.Kind == trace.Read {
				found = append(found, e.Val)
				break
			}
		}
	}
	require.Equal(t, []uint64{2, 2}, found[:2])
	require.ElementsMatch(t, []uint64{0, 1}, found[2:])
}

// TestLeast has a goroutine that finds what another one has stored: of that one the run to
// there has no more than this, and of a third one what it does before it stores anything, and
// before it takes the lock for that; a fourth has looked at something.
func TestLeast(t *testing.T) {
	p := &program{bodies: [][]statement{
		{{op: spawn, on: 1}, {op: spawn, on: 2}, {op: spawn, on: 3}, {op: spawn, on: 4}},
		{{op: load}},
		{{op: store, value: 1}, {op: store, on: 1, value: 1}},
		{{op: lock}, {op: unlock}, {op: lock}, {op: add, on: 2}, {op: unlock}},
		{{op: load}, {op: load}, {op: store, value: 2}},
	}}
	m := start(p)
	for k := 0; k < len(m.gs); k++ {
		for m.ways(m.gs[k]) > 0 {
			m.step(m.gs[k], 0)
		}
	}
	require.Equal(t, []string{"0.1 read", "0.2 write", "0.3 acq", "0.3 rel", "0.4 read", "0.4 read"}, toward(t, m.tr, "0.1"))
}

// TestLeastOfUnknown has a goroutine that waits for a channel to be closed, of which no event
// tells: what others do before may be needed for that.
func TestLeastOfUnknown(t *testing.T) {
	p := &program{capacity: []int{0, 0}, bodies: [][]statement{
		{{op: spawn, on: 1}, {op: spawn, on: 2}, {op: spawn, on: 3}},
		{{op: recv}, {op: load}},
		{{op: closes}, {op: store, value: 1}},
		{{op: add, on: 2}},
	}}
	m := start(p)
	for _, k := range []int{0, 0, 0, 3, 2, 1, 2, 1, 1, 1} {
		for m.ways(m.gs[k]) > 0 {
			m.step(m.gs[k], 0)
		}
	}
	m.tr.Events = slices.DeleteFunc(m.tr.Events, func(e trace.Event) bool { return e.Kind == trace.Close })
	require.Contains(t, toward(t, m.tr, "0.1"), "0.3 armw")
}

// toward returns, sorted, what goroutines do with memory and locks up to where the given one finds
// what it has not found in a run.
func toward(t *testing.T, tr *trace.Trace, path string) (did []string) {
	program := reach.New("TestX")
	require.True(t, program.Add(reach.Run{Trace: tr, Died: -1}))
	result := program.Search(1000)
	for k := range result.Next {
		b := &result.Next[k]
		if e := &b.Trace.Events[b.LastStep]; b.Trace.Goroutines[e.G].Path != path {
			continue
		}
		for _, e := range b.Trace.Events[:b.LastStep+1] {
			if e.Kind.IsAccess() || e.Kind.Class() == trace.ClassLock {
				did = append(did, fmt.Sprint(b.Trace.Goroutines[e.G].Path, " ", e.Kind))
			}
		}
		slices.Sort(did)
		return did
	}
	require.Fail(t, "no run to where it finds what it has not found")
	return nil
}

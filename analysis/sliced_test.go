package analysis_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/analysis/sliced"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

var slicedPrograms = flag.Uint64("sliced", 200, "how many random programs are sliced")

// What is predicted of a property is what a run of the program shows, and all that orders of the
// recorded events show which keep the order of any two that conflict (happens-before): random
// programs with data, locks and branches, compared with all their runs.
func TestSlicedOracle(t *testing.T) {
	predicted, sliced, beyond := 0, 0, 0
	for seed := range *slicedPrograms {
		p := randomProgram(rand.New(rand.NewPCG(seed, 7)))
		tr := p.record(rand.New(rand.NewPCG(seed, 8)))
		require.NoError(t, trace.Validate(tr))
		runs := p.runs()
		hb := happensBefore(tr)
		for _, text := range []string{"b -> once a", "a -> once b", "c -> once a", "always (a -> !once c)"} {
			m, err := property.Compile(property.LTL, text, []string{"a", "b", "c"})
			require.NoError(t, err)
			violates := func(words map[string]bool) bool {
				for w := range words {
					state := 0
					for _, letter := range w {
						if state = m.Step(state, int(letter-'a')); state == m.Violated {
							return true
						}
					}
				}
				return false
			}
			prop := property.Property{Name: text, Calls: map[uint64]int{1: 0, 2: 1, 3: 2}, Monitor: m}
			is := predicts(t, tr, prop)
			if is {
				predicted++
				require.True(t, violates(runs), "seed %d: %s is predicted, and no run shows it:\n%s", seed, text, p)
				if !predicts(t, unscoped(tr), prop) {
					sliced++
				}
			}
			if violates(hb) {
				require.True(t, is, "seed %d: %s: happens-before shows it, and it is not predicted:\n%s", seed, text, p)
			} else if is {
				beyond++
			}
		}
	}
	t.Logf("%d predicted, of these %d by slicing and %d that happens-before does not show", predicted, sliced, beyond)
	assert.Greater(t, beyond, int(*slicedPrograms/30))
}

// Races that sliced causality predicts are those of runs of the program, and all that are
// unordered where accesses that conflict keep their order.
func TestSlicedRacesOracle(t *testing.T) {
	races, beyond := 0, 0
	for seed := range *slicedPrograms {
		p := randomProgram(rand.New(rand.NewPCG(seed, 7)))
		tr := p.record(rand.New(rand.NewPCG(seed, 8)))
		o, err := order.New(tr)
		require.NoError(t, err)
		s := sliced.New(tr, o)
		hb, runs := s.HappensBefore(), p.races()
		for _, g := range o.Groups() {
			slice := s.SliceOf(g.Events)
			for n, j := range g.Events {
				for m, i := range g.Events[:n] {
					if tr.Events[i].G == tr.Events[j].G || !g.Accesses[m].Conflicts(g.Accesses[n]) || o.Exclude(o.LockSet(int(i)), o.LockSet(int(j))) {
						continue
					}
					before, is := hb.BeforeReached(int(i), int(j)), !slice.BeforeReached(int(i), int(j))
					sites := [2]trace.SiteID{min(tr.Events[i].Site, tr.Events[j].Site), max(tr.Events[i].Site, tr.Events[j].Site)}
					require.True(t, is || before, "seed %d: %d and %d: happens-before shows it", seed, i, j)
					if is {
						races++
						require.True(t, runs[sites], "seed %d: %d and %d: no run shows it:\n%s", seed, i, j, p)
						if before {
							beyond++
						}
					}
				}
			}
		}
	}
	t.Logf("%d races, %d of these ordered by happens-before", races, beyond)
	assert.Greater(t, beyond, int(*slicedPrograms/30))
}

// One goroutine calls a and says so in a variable; another one comes to call b after it has
// asked. If what it does then has nothing to do with the call, b may come before a
// (Chen and Roşu, 2005, Figure 1); if it is the call itself, it cannot.
func TestSliced(t *testing.T) {
	call := func(k int64, line int) *statement { return &statement{op: opCall, k: k, line: line, last: line} }
	asks := func(last int, body ...*statement) *statement {
		return &statement{op: opIf, y: -1, k: 1, line: 1, last: last, body: body}
	}
	store := &statement{op: opStore, x: 1, y: -1, k: 1, line: 2, last: 2}
	for _, test := range []struct {
		name      string
		asks      []*statement
		predicted bool
	}{
		{"the arm writes", []*statement{asks(3, store), call(2, 4)}, true},
		{"the arm is empty", []*statement{asks(3), call(2, 4)}, true},
		{"the arm calls", []*statement{asks(3, call(2, 2))}, false},
		{"the other arm ends the goroutine", []*statement{{op: opGuard, y: -1, k: 1, line: 1, last: 3}, call(2, 4)}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &program{[][]*statement{{call(1, 1), {op: opStore, y: -1, k: 1, line: 2, last: 2}}, test.asks}}
			tr := p.record(nil)
			m, err := property.Compile(property.LTL, "b -> once a", []string{"a", "b"})
			require.NoError(t, err)
			prop := property.Property{Name: "a first", Calls: map[uint64]int{1: 0, 2: 1}, Monitor: m}
			assert.Equal(t, test.predicted, predicts(t, tr, prop))
			assert.False(t, predicts(t, unscoped(tr), prop), "without control scopes")
		})
	}
}

// In the trace of Figure 2 (Chen and Roşu, 2005) the write of e comes whatever is written to b
// and c: both may come later. It depends on that of a, by what is read in L21, in whose
// control scope it is.
func TestFigure2(t *testing.T) {
	call := func(k int64, line int) *statement { return &statement{op: opCall, k: k, line: line, last: line} }
	p := &program{[][]*statement{
		{call(1, 1), {op: opStore, y: -1, k: 1, line: 2, last: 2}, call(2, 3), call(3, 4)}, // L11 to L13
		{{op: opIf, y: -1, k: 1, line: 1, last: 3, body: []*statement{call(4, 2)}}},        // L21, L23
	}}
	tr := p.record(nil)
	for before, predicted := range map[string]bool{"a": false, "b": true, "c": true} {
		m, err := property.Compile(property.LTL, "e -> once "+before, []string{"a", "b", "c", "e"})
		require.NoError(t, err)
		prop := property.Property{Name: before, Calls: map[uint64]int{1: 0, 2: 1, 3: 2, 4: 3}, Monitor: m}
		assert.Equal(t, predicted, predicts(t, tr, prop), "e after %s", before)
	}
}

// predicts reports whether a violation of prop is predicted from tr.
func predicts(t *testing.T, tr *trace.Trace, prop property.Property) bool {
	r, err := analysis.Predict(context.Background(), tr, analysis.Options{Kinds: []bug.Kind{bug.Property}, Properties: []property.Property{prop}})
	require.NoError(t, err)
	return slices.ContainsFunc(r.Findings, func(f analysis.Finding) bool { return f.Status == bug.Predicted })
}

// unscoped returns tr without control scopes.
func unscoped(tr *trace.Trace) *trace.Trace {
	out := *tr
	out.Sites = maps.Clone(tr.Sites)
	for id, s := range out.Sites {
		s.Scope = trace.Scope{}
		out.Sites[id] = s
	}
	return &out
}

// A program is goroutines that call methods of one object, compute with two variables, and
// branch on them.
type program struct{ bodies [][]*statement }

type operation int

const (
	opCall  operation = iota // of method k
	opStore                  // x = k, or x = y + k where from is
	opIf                     // if x == k
	opGuard                  // if x == k, and ends the goroutine otherwise
	opLock                   // a block
)

type statement struct {
	op         operation
	k          int64
	x, y       int // variables; y < 0: none
	body, els  []*statement
	line, last int
	site       map[string]trace.SiteID
}

func randomProgram(r *rand.Rand) *program {
	p := new(program)
	calls := 0
	for g := range 2 + r.IntN(5)/4 {
		line := 1
		var block func(n, depth int, locked bool) []*statement
		block = func(n, depth int, locked bool) (all []*statement) {
			for range n {
				s := &statement{line: line, x: r.IntN(2), y: -1, k: int64(r.IntN(4)+2) / 3}
				line++
				switch c := r.IntN(12); {
				case c < 3 && calls < 4:
					s.op, s.k = opCall, 1+r.Int64N(3)
					calls++
				case c < 5:
					s.op = opStore
					if r.IntN(3) == 0 {
						s.y = r.IntN(2)
					}
				case c < 10 && depth < 2:
					s.op = opIf
					s.body = block(r.IntN(3), depth+1, locked)
					if r.IntN(3) == 0 {
						s.els = block(1, depth+1, locked)
					}
				case c == 10 && depth == 0 && !locked:
					s.op = opGuard
				case c == 11 && !locked:
					s.op = opLock
					s.body = block(1+r.IntN(2), depth+1, true)
				default:
					s.op = opStore
				}
				s.last = line
				line++
				all = append(all, s)
			}
			return all
		}
		call := func(k int64) *statement {
			line += 2
			return &statement{op: opCall, k: k, line: line - 2, last: line - 1}
		}
		switch r.IntN(6) + 6*g {
		case 0, 1: // what others may find written comes after a call
			p.bodies = append(p.bodies, append([]*statement{call(1)}, block(1+r.IntN(2), 0, false)...))
		case 6, 7: // and what they do then comes before one
			p.bodies = append(p.bodies, append(block(1+r.IntN(2), 0, false), call(2)))
		default:
			p.bodies = append(p.bodies, block(2+r.IntN(2), 0, false))
		}
	}
	return p
}

func (p *program) String() string {
	var b strings.Builder
	var write func(indent string, list []*statement)
	write = func(indent string, list []*statement) {
		for _, s := range list {
			fmt.Fprintf(&b, "%s%s x%d y%d %d\n", indent, []string{"call", "store", "if", "guard", "lock"}[s.op], s.x, s.y, s.k)
			write(indent+"  ", s.body)
			if len(s.els) > 0 {
				b.WriteString(indent + "else\n")
				write(indent+"  ", s.els)
			}
		}
	}
	for g, body := range p.bodies {
		fmt.Fprintf(&b, "goroutine %d\n", g+1)
		write("  ", body)
	}
	return b.String()
}

// A step is what a goroutine does at once.
type step struct {
	s    *statement
	kind trace.Kind
}

// A runState is where a program is: what each goroutine has to do, the first last.
type runState struct {
	todo   [][]step
	mem    [2]int64
	found  []int64 // by goroutine: what it has read last
	holder int     // of the lock, -1: nobody
	word   string  // the calls so far
}

func (p *program) start() *runState {
	st := &runState{holder: -1, found: make([]int64, len(p.bodies))}
	for _, body := range p.bodies {
		st.todo = append(st.todo, expand(nil, body))
	}
	return st
}

// expand puts the steps of a block onto those that come after it.
func expand(after []step, list []*statement) []step {
	after = slices.Clone(after)
	for _, s := range slices.Backward(list) {
		switch s.op {
		case opCall:
			after = append(after, step{s, trace.Call})
		case opStore:
			after = append(after, step{s, trace.Write})
			if s.y >= 0 {
				after = append(after, step{s, trace.Read})
			}
		case opIf, opGuard:
			after = append(after, step{s, trace.Branch}, step{s, trace.Read})
		case opLock:
			after = append(after, step{s, trace.Release})
			after = expand(after, s.body)
			after = append(after, step{s, trace.Acquire})
		}
	}
	return after
}

// do does the next step of goroutine g; ok is false if it cannot. The event is that of it.
func (st *runState) do(g int) (e trace.Event, done step, ok bool) {
	todo := st.todo[g]
	if len(todo) == 0 || todo[len(todo)-1].kind == trace.Acquire && st.holder >= 0 {
		return e, done, false
	}
	done = todo[len(todo)-1]
	todo = todo[:len(todo)-1]
	s := done.s
	e = trace.Event{Kind: done.kind, G: trace.GID(g + 1)}
	switch done.kind {
	case trace.Call:
		e.Obj, e.Val = 0x5000, uint64(s.k)
		st.word += string(rune('a' + s.k - 1))
	case trace.Read:
		x := s.x
		if s.op == opStore {
			x = s.y
		}
		st.found[g] = st.mem[x]
		e.Obj, e.Size, e.Flags, e.Val = 0x1000+8*uint64(x), 8, trace.FlagValue, uint64(st.mem[x])
	case trace.Write:
		st.mem[s.x] = s.k
		if s.y >= 0 {
			st.mem[s.x] += st.found[g]
		}
		e.Obj, e.Size, e.Flags, e.Val = 0x1000+8*uint64(s.x), 8, trace.FlagValue, uint64(st.mem[s.x])
	case trace.Branch:
		is := st.found[g] == s.k
		switch {
		case is:
			e.Val = 1
			todo = expand(todo, s.body)
		case s.op == opGuard:
			todo = nil
		default:
			todo = expand(todo, s.els)
		}
	case trace.Acquire:
		st.holder, e.Obj = g, 0x9000
	case trace.Release:
		st.holder, e.Obj = -1, 0x9000
	}
	st.todo[g] = todo
	return e, done, true
}

func (st *runState) clone() *runState {
	c := *st
	c.todo, c.found = slices.Clone(st.todo), slices.Clone(st.found)
	for g := range c.todo {
		c.todo[g] = slices.Clone(c.todo[g])
	}
	return &c
}

// runs returns the calls of all runs, as words, prefixes of longer ones included.
func (p *program) runs() map[string]bool {
	words, seen := make(map[string]bool), make(map[string]bool)
	var walk func(st *runState)
	walk = func(st *runState) {
		key := fmt.Sprint(st.todo, st.mem, st.found, st.holder, st.word)
		if seen[key] {
			return
		}
		seen[key] = true
		words[st.word] = true
		for g := range st.todo {
			next := st.clone()
			if _, _, ok := next.do(g); ok {
				walk(next)
			}
		}
	}
	walk(p.start())
	return words
}

// races returns the sites of accesses that conflict and that two goroutines come to at once in
// some run, those of the recorded one.
func (p *program) races() map[[2]trace.SiteID]bool {
	found, seen := make(map[[2]trace.SiteID]bool), make(map[string]bool)
	var walk func(st *runState)
	walk = func(st *runState) {
		key := fmt.Sprint(st.todo, st.mem, st.found, st.holder)
		if seen[key] {
			return
		}
		seen[key] = true
		var at []trace.Event
		for g := range st.todo {
			next := st.clone()
			if e, done, ok := next.do(g); ok {
				e.Site = done.s.site[done.kind.String()]
				for _, other := range at {
					if e.Kind.IsAccess() && other.Kind.IsAccess() && e.Obj == other.Obj && (e.Kind == trace.Write || other.Kind == trace.Write) {
						found[[2]trace.SiteID{min(e.Site, other.Site), max(e.Site, other.Site)}] = true
					}
				}
				at = append(at, e)
				walk(next)
			}
		}
	}
	walk(p.start())
	return found
}

// record returns the trace of a run of chance, or of one goroutine after the other if r is nil.
func (p *program) record(r *rand.Rand) *trace.Trace {
	tr := &trace.Trace{Sites: make(map[trace.SiteID]trace.Site), Goroutines: []trace.Goroutine{{Test: "TestT", Path: "0"}}, Complete: true}
	log := func(e trace.Event) { tr.Events = append(tr.Events, e) }
	for g := range p.bodies {
		tr.Goroutines = append(tr.Goroutines, trace.Goroutine{ID: trace.GID(g + 1), Test: "TestT", Path: fmt.Sprint("0.", g+1)})
		log(trace.Event{Kind: trace.Fork, Obj: uint64(g + 1)})
	}
	for g := range p.bodies {
		log(trace.Event{Kind: trace.Begin, G: trace.GID(g + 1)})
	}
	tr.PriorValues = nil
	site := func(g int, at step) trace.SiteID {
		s := at.s
		if id := s.site[at.kind.String()]; id != 0 {
			return id
		}
		out := trace.Site{
			ID: trace.SiteID(len(tr.Sites)+1) | trace.SiteRewritten, Func: fmt.Sprint("g", g+1), File: "p.go", Line: s.line, Col: int(at.kind),
			Op: at.kind.String(),
		}
		out.Key = uint64(out.ID)
		read := fmt.Sprintf("@%xi8", uint64(s.site[trace.Read.String()]))
		switch {
		case at.kind == trace.Read:
			out.Op, out.OnlyInFormulas = "read", true
		case at.kind == trace.Write && s.y >= 0:
			out.Formula = fmt.Sprintf("(+ %s %d)", read, s.k)
		case at.kind == trace.Branch:
			out.Op, out.Formula = "branch", fmt.Sprintf("(= %s %d)", read, s.k)
			if s.op == opIf {
				out.Scope = trace.Scope{LastLine: s.last, HarmlessIfTrue: len(s.body) == 0, HarmlessIfFalse: len(s.els) == 0}
			}
		case at.kind == trace.Release:
			out.Line = s.last
		}
		if s.site == nil {
			s.site = make(map[string]trace.SiteID)
		}
		s.site[at.kind.String()] = out.ID
		tr.Sites[out.ID] = out
		return out.ID
	}
	written := make(map[uint64]bool)
	for st := p.start(); ; {
		var ready []int
		for g := range st.todo {
			if _, _, ok := st.clone().do(g); ok {
				ready = append(ready, g)
			}
		}
		if len(ready) == 0 {
			break
		}
		g := ready[0] // mostly one after the other: whoever comes later finds what others wrote
		if r != nil && r.IntN(4) == 0 {
			g = ready[r.IntN(len(ready))]
		}
		before := st.mem
		e, at, _ := st.do(g)
		e.Site = site(g, at)
		if e.Kind == trace.Write && !written[e.Obj] {
			written[e.Obj] = true
			tr.PriorValues = append(tr.PriorValues, trace.PriorValue{Position: len(tr.Events), Val: uint64(before[at.s.x])})
		}
		log(e)
	}
	for g := range p.bodies {
		log(trace.Event{Kind: trace.End, G: trace.GID(g + 1)})
	}
	return tr
}

// happensBefore returns the calls of all orders of the events that keep the order of those
// of one goroutine, of accesses that conflict and of critical sections, as words.
func happensBefore(tr *trace.Trace) map[string]bool {
	conflict := func(a, b *trace.Event) bool {
		switch {
		case a.G == b.G, a.Kind == trace.Fork && a.Obj == uint64(b.G):
			return true
		case a.Kind.IsAccess() && b.Kind.IsAccess():
			return a.Obj == b.Obj && (a.Kind == trace.Write || b.Kind == trace.Write)
		}
		lock := func(e *trace.Event) bool { return e.Kind == trace.Acquire || e.Kind == trace.Release }
		return lock(a) && lock(b)
	}
	n := len(tr.Events)
	before := make([][]bool, n) // of the calls
	for j := range n {
		before[j] = make([]bool, n)
		for i := range j {
			if conflict(&tr.Events[i], &tr.Events[j]) {
				before[j][i] = true
				for k := range i {
					before[j][k] = before[j][k] || before[i][k]
				}
			}
		}
	}
	var calls []int
	for i := range tr.Events {
		if tr.Events[i].Kind == trace.Call {
			calls = append(calls, i)
		}
	}
	words := make(map[string]bool)
	var walk func(left []int, word string)
	walk = func(left []int, word string) {
		words[word] = true
		for _, i := range left {
			if !slices.ContainsFunc(left, func(j int) bool { return before[i][j] }) {
				walk(slices.DeleteFunc(slices.Clone(left), func(j int) bool { return j == i }), word+string(rune('a'+tr.Events[i].Val-1)))
			}
		}
	}
	walk(calls, "")
	return words
}

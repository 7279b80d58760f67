package symbolic_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// TestOracleOfDepartures compares departures with those of all interleavings.
func TestOracleOfDepartures(t *testing.T) {
	some, none := 0, 0
	seeds := []uint64{1467} // has a quiet read of what other goroutines write
	for seed := range uint64(4 * *traces) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		if seed%5 == 4 || seed%7 == 6 {
			continue // memory is cleared unseen; slices of one length count as equal below
		}
		tr := tracetest.RandomData(seed, 2+int(seed%2), 4+int(seed%3))
		for _, e := range tr.Events {
			if s := tr.Sites[e.Site]; e.Kind == trace.Branch && s.Key%2 == 0 {
				s.FailsIf = trace.NoOutcome // a branch like any other
				tr.Sites[e.Site] = s
			} else if s.FailsIf != trace.NoOutcome && s.Key%3 == 0 {
				s.FailureEndsGoroutine = true
				tr.Sites[e.Site] = s
			}
		}
		o, err := order.New(tr)
		if err != nil {
			t.Fatal(err)
		}
		flow := dataflow.New(tr)
		d := symbolic.NewControl(tr, o).Departures(flow, trace.NewLayout(tr))
		got, err := d.All(context.Background(), 0, func(trace.GID) bool { return true }, newEngine, &solver.Budget{Steps: 60 * solver.Second})
		if err != nil {
			t.Fatal(err)
		}
		want := departures(tr, flow)
		departs := func(i int) bool { _, ok := want[i]; return ok }
		sites := make(map[trace.SiteID]bool)
		whole := true
		for _, g := range got {
			some++
			if g.Why != "" { // says so where there are more places than it looks at
				require.Greater(t, places(tr), 16, "seed %d: %s\n%s", seed, g.Why, show(tr))
				whole = false
				continue
			}
			sites[tr.Events[g.Event].Site] = true
			if !departs(g.Event) && !slices.ContainsFunc(g.Steps, departs) {
				t.Fatalf("seed %d: a run departs at %d, after %v; want one of %v\n%s", seed, g.Event, g.Steps, want, show(tr))
			}
		}
		if len(got) == 0 {
			none++
		}
		for at, sure := range want {
			if e := tr.Events[at]; whole && sure && !sites[e.Site] && met(tr, e) && !slices.Contains(ends(tr), at) && !(flow.IsTracked(at) && idle(tr, at)) {
				t.Fatalf("seed %d: a run departs at %v; want %d as well\n%s", seed, got, at, show(tr))
			}
		}
	}
	t.Logf("%d depart, %d do not", some, none)
	if some == 0 || none == 0 {
		t.Error("one of the two never came up")
	}
}

// places returns at how many sites the trace has accesses and conditions.
func places(tr *trace.Trace) int {
	sites := make(map[trace.SiteID]bool)
	for _, e := range tr.Events {
		if e.Kind.IsAccess() || e.Kind.Class() == trace.ClassControl {
			sites[e.Site] = true
		}
	}
	return len(sites)
}

// met reports whether e is a condition, or touches what other goroutines touch: what
// nobody else does is as recorded.
func met(tr *trace.Trace, e trace.Event) bool {
	return !e.Kind.IsAccess() || slices.ContainsFunc(tr.Events, func(o trace.Event) bool {
		return o.Kind.IsAccess() && o.Obj == e.Obj && o.G != e.G
	})
}

// idle reports whether the goroutine of event at does nothing more but look, and take and
// release locks: what it has read there, and has put into formulas at most, then makes no
// difference to anyone.
func idle(tr *trace.Trace, at int) bool {
	return !slices.ContainsFunc(tr.Events[at+1:], func(e trace.Event) bool {
		return e.G == tr.Events[at].G && e.Kind != trace.Read && e.Kind != trace.AtomicLoad && e.Kind.Class() != trace.ClassLock
	})
}

// ends returns the last event of each goroutine.
func ends(tr *trace.Trace) (all []int) {
	seen := make(map[trace.GID]bool)
	for i, e := range slices.Backward(tr.Events) {
		if !seen[e.G] {
			seen[e.G] = true
			all = append(all, i)
		}
	}
	return all
}

// What a channel or a Once serves in the recorded order may come in another one, unless
// something else orders it; a select with more than one case may choose another.
func TestOperationsThatSwap(t *testing.T) {
	const sent, received = "send c/2\n%d sent c#%d/2\n", "recv c/2\n%d recvd c#%d/2\n"
	send := func(g, n int) string { return fmt.Sprintf("%d "+sent, g, g, n) }
	recv := func(g, n int) string { return fmt.Sprintf("%d "+received, g, g, n) }
	for name, c := range map[string]struct {
		text string
		want int // the first of them; -1 for none
	}{
		"sends of two":                  {"0 fork 1\n0 fork 2\n" + send(1, 1) + send(2, 2), 2},
		"receives of two":               {"0 fork 1\n0 fork 2\n" + send(0, 1) + send(0, 2) + recv(1, 1) + recv(2, 2), 6},
		"sends of one":                  {"0 fork 1\n0 fork 2\n" + send(1, 1) + send(1, 2), -1},
		"a send before a fork":          {"0 fork 1\n" + send(0, 1) + "0 fork 2\n2 begin\n" + send(2, 2), -1},
		"a send and a receive":          {"0 fork 1\n0 fork 2\n" + send(1, 1) + recv(2, 1), -1},
		"two channels":                  {"0 fork 1\n0 fork 2\n" + send(1, 1) + "2 send d/2\n2 sent d#1/2\n", -1},
		"a select of two cases":         {"0 fork 1\n" + send(0, 1) + "1 select #2\n1 selected #1\n1 recvd c#1/2\n", 3},
		"a select of one case":          {"0 fork 1\n" + send(0, 1) + "1 select #1\n1 selected #1\n1 recvd c#1/2\n", -1},
		"a select of one that waits":    {"0 fork 1\n0 make d\n" + send(0, 1) + "1 selrecv c/2 @9\n1 selrecv d @9\n1 select #2 @9\n1 selected #1\n1 recvd c#1/2\n", -1},
		"a select of the nil channel":   {"0 fork 1\n" + send(0, 1) + "1 selrecv c/2 @9\n1 selrecv @9\n1 select #2 @9\n1 selected #1\n1 recvd c#1/2\n", -1},
		"a select of a timer":           {"0 fork 1\n0 make d @8\n" + send(0, 1) + "1 selrecv c/2 @9\n1 selrecv d @9\n1 select #2 @9\n1 selected #1\n1 recvd c#1/2\n", 6},
		"a select while a timer runs":   {"0 fork 1\n0 make d\n0 post p\n" + send(0, 1) + "1 selrecv c/2 @9\n1 selrecv d @9\n1 select #2 @9\n1 selected #1\n1 recvd c#1/2\n", 7},
		"a select with a default":       {"0 fork 1\n" + send(0, 1) + "1 select #1 default\n1 selected #1\n1 recvd c#1/2\n", 3},
		"a Once of two":                 {"0 fork 1\n0 fork 2\n1 oncebegin o\n1 onceend o\n1 oncedone o\n2 oncedone o\n", 2},
		"a Once of one":                 {"0 fork 1\n0 fork 2\n1 oncebegin o\n1 onceend o\n1 oncedone o\n1 oncedone o\n", -1},
		"a Once that was done by then":  {"0 oncebegin o\n0 onceend o\n0 oncedone o\n0 fork 1\n1 begin\n1 oncedone o\n", -1},
		"a Once of which others are at": {"0 fork 1\n0 fork 2\n1 oncebegin o\n1 onceend o\n1 oncedone o\n2 oncedone p\n", -1},
	} {
		lines := strings.Split(strings.TrimSpace(c.text), "\n")
		for n, line := range lines {
			lines[n] = strings.TrimSuffix(line, " default")
		}
		tr := tracetest.Parse(t, strings.Join(lines, "\n"))
		for n, line := range strings.Split(strings.TrimSpace(c.text), "\n") {
			if strings.HasSuffix(line, " default") {
				tr.Events[n].Flags |= trace.FlagDefault
			}
		}
		if s, ok := tr.Sites[8]; ok {
			s.Func = "time.NewTimer"
			tr.Sites[8] = s
		}
		o, err := order.New(tr)
		require.NoError(t, err, name)
		got, err := symbolic.NewControl(tr, o).Departures(dataflow.New(tr), trace.NewLayout(tr)).All(t.Context(), 0, func(trace.GID) bool { return true }, newEngine, &solver.Budget{Steps: solver.Second})
		require.NoError(t, err, name)
		if c.want < 0 {
			require.Empty(t, got, name)
			continue
		}
		require.Len(t, got, 1, name)
		require.Equal(t, c.want, got[0].Event, name)
		require.Negative(t, got[0].Pending, "%s: no run leads to it", name)
	}
}

// It makes no difference which goroutine calls the function of a Once of the standard library that
// has no effects, nor which parallel test begins first.
func TestOperationsThatCommute(t *testing.T) {
	const root = "/go/src/"
	once := func(body string) string {
		return "0 fork 1\n0 fork 2\n1 oncebegin o @1\n" + body + "1 onceend o @1\n1 oncedone o @1\n2 oncedone o @1\n2 r x=1 @2"
	}
	const parallel = "0 fork 1\n0 fork 2\n0 send c @1\n1 recv c @2\n0 sent c#1 @1\n1 recvd c#1 @2\n0 send c @1\n2 recv c @2\n0 sent c#2 @1\n2 recvd c#2 @2"
	std := map[trace.SiteID]trace.Site{
		1: {Func: "syscall.Getenv", File: root + "syscall/env_unix.go"},
		3: {Func: "testing.tRunner", File: root + "testing/testing.go"},
	}
	user := map[trace.SiteID]trace.Site{1: {Func: "m.Get", File: "/m/m.go"}, 3: std[3]}
	admits := map[trace.SiteID]trace.Site{1: {Func: "testing.(*testState).release"}, 2: {Func: "testing.(*testState).waitParallel"}}
	for name, c := range map[string]struct {
		text  string
		sites map[trace.SiteID]trace.Site
		swaps bool
	}{
		"of the standard library":          {once(""), std, false},
		"with a lock":                      {once("1 acq l @4\n1 rel l @4\n"), std, false},
		"that starts a goroutine":          {once("1 fork 3 @4\n"), std, true},
		"that writes":                      {once("1 w x=1 @4\n"), std, true},
		"of others":                        {once(""), user, true},
		"where nobody knows whose it is":   {once(""), map[trace.SiteID]trace.Site{1: std[1]}, true},
		"parallel tests":                   {parallel, admits, false},
		"other messages":                   {parallel, user, true},
		"messages of others to such tests": {parallel, map[trace.SiteID]trace.Site{1: user[1], 2: admits[2]}, true},
	} {
		tr := tracetest.Parse(t, c.text)
		for id, s := range c.sites {
			s.ID, s.Key = id, uint64(id)
			tr.Sites[id] = s
		}
		o, err := order.New(tr)
		require.NoError(t, err, name)
		got, err := symbolic.NewControl(tr, o).Departures(dataflow.New(tr), trace.NewLayout(tr)).All(t.Context(), 0, func(trace.GID) bool { return true }, newEngine, &solver.Budget{Steps: solver.Second})
		require.NoError(t, err, name)
		swaps := slices.ContainsFunc(got, func(d symbolic.FoundDeparture) bool { return !tr.Events[d.Event].Kind.IsAccess() })
		require.Equal(t, c.swaps, swaps, "%s: %v", name, got)
	}
}

// Counters that parallel tests share come to the same whichever begins first, and so do assertions of
// them; one of what a counter has come to in between may fail.
func TestCountersOfParallelTests(t *testing.T) {
	const (
		parallel = "0 add g#2\n0 fork 1\n0 fork 2\n0 send c @1\n1 recv c @2\n0 sent c#1 @1\n1 recvd c#1 @2\n0 send c @1\n2 recv c @2\n0 sent c#2 @1\n2 recvd c#2 @2\n"
		asserted = "%[1]d aload x=%[2]d @6\n%[1]d branch @7\n"
	)
	for _, c := range []struct {
		text    string
		departs bool
	}{
		{parallel + "1 armw x=1 @5\n1 add g#-1\n2 armw x=2 @5\n2 add g#-1\n0 wgwait g\n0 wgwaited g\n" + fmt.Sprintf(asserted, 0, 2), false},
		{parallel + "1 armw x=1 @5\n" + fmt.Sprintf(asserted, 1, 1) + "1 add g#-1\n2 armw x=2 @5\n2 add g#-1\n0 wgwait g\n0 wgwaited g", true},
	} {
		tr := tracetest.Parse(t, c.text)
		for id, s := range tr.Sites {
			switch s.Line {
			case 1:
				s.Func = "testing.(*testState).release"
			case 2:
				s.Func = "testing.(*testState).waitParallel"
			case 5:
				s.Key, s.OnlyInFormulas, s.IsUpdate, s.Formula = 5, true, true, "(+ _ 1)"
			case 6:
				s.Key, s.OnlyInFormulas = 6, true
			case 7:
				s.FailsIf, s.FailureEndsGoroutine = trace.IfTrue, true
				s.Formula = fmt.Sprintf("(= @6i8 %d)", map[bool]int{false: 1, true: 2}[c.departs])
			}
			tr.Sites[id] = s
		}
		o, err := order.New(tr)
		require.NoError(t, err)
		got, err := symbolic.NewControl(tr, o).Departures(dataflow.New(tr), trace.NewLayout(tr)).All(t.Context(), 0, func(trace.GID) bool { return true }, newEngine, &solver.Budget{Steps: solver.Second})
		require.NoError(t, err)
		require.Equal(t, c.departs, len(got) > 0, "%v", got)
	}
}

// What a read finds by what must come before what needs no solver.
func TestOrderedReads(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		departs bool
	}{
		"what was there at first":    {"0 r x=0\n0 fork 1\n1 begin\n1 w x=1", false},
		"what was written before":    {"0 w x=1\n0 fork 1\n0 fork 2\n1 begin\n1 r x=1\n1 branch\n2 begin\n2 r x=1", false},
		"the last of several":        {"0 w x=1\n0 w x=2\n0 fork 1\n1 begin\n1 r x=2\n1 branch\n1 w x=3", false},
		"what others write as well":  {"0 w x=1\n0 fork 1\n0 fork 2\n1 r x=1\n1 branch\n2 w x=2", true},
		"what others write at first": {"0 fork 1\n0 fork 2\n2 w x=1\n1 w x=2\n1 r x=2\n1 branch", true},
		"what others have written":   {"0 fork 1\n0 fork 2\n2 w x=1\n1 r x=1\n1 branch", true},
	} {
		tr := tracetest.Parse(t, c.text)
		o, err := order.New(tr)
		require.NoError(t, err, name)
		got, err := symbolic.NewControl(tr, o).Departures(dataflow.New(tr), trace.NewLayout(tr)).All(t.Context(), 0, func(trace.GID) bool { return true }, newEngine, new(solver.Budget))
		require.NoError(t, err, name)
		require.Equal(t, c.departs, len(got) > 0, "%s: %v", name, got)
	}
}

// departures finds by trying all interleavings where a run can depart first.
// False are atomic operations that may find what was there at first, which is not known.
func departures(tr *trace.Trace, flow *dataflow.Flow) map[int]bool {
	x := explorer{tr: tr, flow: flow, found: map[int]bool{}, seen: map[string]bool{}, first: map[uint64]int{}}
	s := explored{next: make([]int, len(tr.Goroutines)), mem: map[uint64]int64{}, held: -1, read: map[int32]int64{}}
	for k := range slices.Backward(tr.Events) {
		// What was there at first is known if the first access tells.
		e := &tr.Events[k]
		x.first[e.Obj] = k
		switch {
		case told(tr, k), e.Kind == trace.Read, e.Kind == trace.AtomicLoad, x.finds(k):
			s.mem[e.Obj] = 0
		case e.Kind.IsAccess():
			s.mem[e.Obj] = unknown
		}
	}
	for g := range s.next {
		s.next[g] = x.after(trace.GID(g), -1)
	}
	x.explore(s)
	return x.found
}

// told reports whether the write at position k tells what was there before it.
func told(tr *trace.Trace, k int) bool {
	_, ok := tr.PriorValueAt(k)
	return ok
}

const unknown = 1 << 40

// An explorer tries interleavings.
type explorer struct {
	tr    *trace.Trace
	flow  *dataflow.Flow
	found map[int]bool
	seen  map[string]bool
	first map[uint64]int // by address: who accesses it first in the trace
}

// explored is the state of a run.
type explored struct {
	next    []int // by goroutine
	mem     map[uint64]int64
	held    int // who holds the lock, or -1
	read    map[int32]int64
	started [8]bool
}

func (x *explorer) after(g trace.GID, i int) int {
	for i++; i < len(x.tr.Events) && x.tr.Events[i].G != g; i++ {
	}
	return i
}

func (x *explorer) explore(s explored) {
	key := fmt.Sprint(s)
	if x.seen[key] {
		return
	}
	x.seen[key] = true
	for g, i := range s.next {
		if i == len(x.tr.Events) || g > 0 && !s.started[g] {
			continue
		}
		if n, ok := x.perform(s, i); ok {
			n.next[g] = x.after(trace.GID(g), i)
			x.explore(n)
		}
	}
}

// perform does event i; ok is false if it cannot, or departs.
func (x *explorer) perform(s explored, i int) (n explored, ok bool) {
	n = explored{append([]int(nil), s.next...), map[uint64]int64{}, s.held, map[int32]int64{}, s.started}
	for a, v := range s.mem {
		n.mem[a] = v
	}
	for r, v := range s.read {
		n.read[r] = v
	}
	e, in := &x.tr.Events[i], x.flow.InstanceAt(i)
	v := int64(e.Val)
	if in != nil {
		v = in.Formula.Eval(s.mem[e.Obj], func(k int, r dataflow.Reading) int64 { return s.read[in.Reads[k]] })
	}
	switch e.Kind {
	case trace.Fork:
		n.started[e.Obj] = true
	case trace.Acquire:
		n.held = int(e.G)
		return n, s.held < 0
	case trace.Release:
		n.held = -1
	case trace.Read, trace.AtomicLoad:
		n.read[int32(i)] = s.mem[e.Obj]
		if s.mem[e.Obj] == unknown || !x.flow.IsTracked(i) && s.mem[e.Obj] != int64(e.Val) {
			x.found[i] = true
			return n, false
		}
	case trace.AtomicRMW:
		if x.first[e.Obj] == i && !x.flow.IsTracked(i) && !x.finds(i) {
			if n.mem[e.Obj], n.read[int32(i)] = int64(e.Val), int64(e.Val); s.mem[e.Obj] != unknown {
				x.found[i] = false // another value, or the same
			}
			return n, s.mem[e.Obj] == unknown
		}
		if s.mem[e.Obj] == unknown || !x.flow.IsTracked(i) && s.mem[e.Obj]+x.added(i) != int64(e.Val) {
			x.found[i] = x.found[i] || s.mem[e.Obj] != unknown
			return n, false
		}
		if in == nil {
			v = s.mem[e.Obj] + x.added(i)
		}
		n.mem[e.Obj], n.read[int32(i)] = v, v
	case trace.Write:
		n.mem[e.Obj] = v
	case trace.Branch, trace.Assert:
		if (v != 0) != (e.Val != 0) {
			if !x.tr.Sites[e.Site].FailureEndsGoroutine {
				x.found[i] = true
			}
			return n, false
		}
	}
	return n, true
}

// finds reports whether it is known what the atomic operation i found.
func (x *explorer) finds(i int) bool {
	_, ok := x.flow.ValueBefore(x.tr, i)
	return ok
}

// added is what the atomic operation i adds, by its site's formula.
func (x *explorer) added(i int) (n int64) {
	f, err := dataflow.ParseFormula(x.tr.Sites[x.tr.Events[i].Site].Formula)
	if err != nil {
		panic(err)
	}
	return f.Eval(0, nil)
}

// A read that only moves data is no departure where nothing comes of it.
func TestQuietReads(t *testing.T) {
	for _, test := range []struct {
		then    string
		departs bool
	}{
		{"2 rel l\n2 end", false},
		{"2 testend\n2 w y\n2 end", false},
		{"2 rel l\n2 w y\n2 end", true},
		{"2 rel l\n2 send c\n2 end", true},
		{"2 rel l\n2 fork 3\n2 end", true},
		{"2 branch\n2 rel l\n2 end", true},
	} {
		tr := tracetest.Parse(t, "2 acq l\n2 r x=0 data\n"+test.then+"\n1 w x=1")
		o, err := order.New(tr)
		require.NoError(t, err)
		all, err := symbolic.NewControl(tr, o).Departures(dataflow.New(tr), trace.NewLayout(tr)).All(context.Background(), 0, func(trace.GID) bool { return true }, newEngine, nil)
		require.NoError(t, err)
		require.Equal(t, test.departs, len(all) > 0, "%s: %v", test.then, all)
	}
}

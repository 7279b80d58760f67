package witness

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// build makes a trace of lines "goroutine op object [line]". Goroutine 0 is
// main, 1 is the test's, 2 and 3 its children; accesses are of 8 bytes at the
// object, in the function f of a.go, with the object in hexadecimal as their
// expression.
func build(t *testing.T, lines ...string) *trace.Trace {
	t.Helper()
	tr := &trace.Trace{
		Meta: trace.Meta{Go: "go1.26.8"},
		Goroutines: []trace.Goroutine{
			{ID: 0, Path: "main"},
			{ID: 1, Parent: 0, Test: "TestX", Path: "0"},
			{ID: 2, Parent: 1, Test: "TestX", Path: "0.1"},
			{ID: 3, Parent: 1, Test: "TestX", Path: "0.2"},
			{ID: 4, Parent: 0, Test: "TestY", Path: "0"},
		},
		Sites:     make(map[trace.SiteID]trace.Site),
		TestNames: []string{"TestX", "TestY"},
	}
	for i, l := range lines {
		var e trace.Event
		var op string
		line := i + 1
		n, _ := fmt.Sscanf(l, "%d %s %x %d", &e.G, &op, &e.Obj, &line)
		require.GreaterOrEqual(t, n, 3, l)
		var ok bool
		e.Kind, ok = trace.KindOf(op)
		require.True(t, ok, l)
		site := trace.Site{ID: trace.SiteID(line), Func: "p.f", File: "/src/a.go", Line: line, Key: trace.CallSiteKey("p.f", line)}
		if e.Kind.IsAccess() {
			name := e.Obj
			if e.Obj < 16 { // "a" and "b" are names, and do not overlap
				e.Obj *= 16
			}
			site.ID |= trace.SiteRewritten
			site.Key, site.Col, site.Op, site.Expr = uint64(site.ID), 3, op, fmt.Sprintf("v%x", name)
			e.Size, e.Flags, e.Val = 8, trace.FlagValue, uint64(i)
		}
		if e.Kind != trace.Begin {
			e.Site = site.ID
			tr.Sites[site.ID] = site
		}
		tr.Events = append(tr.Events, e)
	}
	return tr
}

// short shows steps as "0.1 read v1 occ".
func short(steps []Step) []string {
	out := []string{}
	for _, s := range steps {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s %d", strings.TrimPrefix(s.Goroutine, "TestX:"), s.Op, s.Expr, s.Occurrence)))
	}
	return out
}

func positions(from, to int) []int {
	var out []int
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

func TestFromScheduleReduces(t *testing.T) {
	tr := build(t,
		"1 testbegin 0", // 0
		"1 write a",     // 1: no other goroutine touches a
		"1 fork 2",      // 2
		"1 fork 3",      // 3
		"2 begin 0",     // 4
		"2 read b",      // 5: b is written by 3
		"2 branch 0",    // 6
		"2 acq 10",      // 7: only 2 uses lock 10 here
		"2 read c",      // 8: nobody writes c
		"2 rel 10",      // 9
		"2 send 20",     // 10: 3 receives
		"2 sent 20",     // 11
		"3 begin 0",     // 12
		"3 recv 20",     // 13
		"3 recvd 20",    // 14
		"3 read c",      // 15
		"3 write b",     // 16
		"0 write b",     // 17: outside of the test
		"3 read d",      // 18: only 3 touches d
		"2 write e",     // 19 violation
		"3 write e",     // 20 violation
		"1 wgwaited 30", // 21 held: the next one that can be
		"1 branch 0",    // 22
		"1 read f",      // 23
	)
	w, err := FromSchedule(tr, positions(0, 19), []int{19, 20}, []int{21}, ScheduleInfo{Files: Files{Root: "/src"}, Kind: "race", Package: "p"})
	require.NoError(t, err)
	assert.Equal(t, []string{"TestX"}, w.Tests)
	assert.Equal(t, "go1.26.8", w.GoVersion)
	assert.Equal(t, []string{
		"0 fork  1", "0 fork  1",
		"0.1 begin  1", "0.1 read vb 1", "0.1 send  1",
		"0.2 begin  1", "0.2 recv  1", "0.2 write vb 1",
	}, short(w.Steps))
	assert.Equal(t, []string{"0 read vf 1"}, short(w.Holds))
	assert.Equal(t, []string{"0.1 write ve 1", "0.2 write ve 1"}, short(w.Violation))
	assert.Equal(t, Step{
		Goroutine: "TestX:0.1", Op: trace.Read, Expr: "vb", Func: "p.f", File: "a.go", Line: 6, Col: 3, SiteNumber: 1, AlikeNumber: 1, AlikeCount: 5, Occurrence: 1, Value: "5",
	}, w.Steps[3])
}

// What is sent to a channel that a select may receive from has come before the select stands.
func TestFromScheduleKeepsWhatASelectMayTake(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "1 fork 3", "3 begin 0", "3 selrecv 20", "3 selrecv 21", "2 begin 0", "2 send 20", "2 sent 20", "2 send 21", "2 sent 21", "3 select 0")
	w, err := FromSchedule(tr, positions(0, 11), []int{11}, nil, ScheduleInfo{Kind: "race", Selection: VisibleSteps})
	require.NoError(t, err)
	assert.Equal(t, []string{"0 fork  1", "0 fork  1", "0.2 begin  1", "0.1 begin  1", "0.1 send  1", "0.1 send  1"}, short(w.Steps))
}

// A goroutine with no step of its own that matters still has to be started if
// it starts one that does.
func TestFromScheduleKeepsTheWayToAGrandchild(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "2 begin 0", "2 fork 3", "3 begin 0", "1 write a", "3 write a")
	w, err := FromSchedule(tr, positions(0, 5), []int{5, 6}, nil, ScheduleInfo{Kind: "race"})
	require.NoError(t, err)
	assert.Equal(t, []string{"0 fork  1", "0.1 begin  1", "0.1 fork  1", "0.2 begin  1"}, short(w.Steps))
}

func TestFromScheduleOverlap(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "2 begin 0",
		"1 write 100", "2 read 104", "1 read 110", "2 read 110", // 104 overlaps [100,108); 110 is not written
		"1 write a", "2 write a")
	w, err := FromSchedule(tr, positions(0, 7), []int{7, 8}, nil, ScheduleInfo{Kind: "race"})
	require.NoError(t, err)
	got := strings.Join(short(w.Steps), "; ")
	assert.Contains(t, got, "0 write v100")
	assert.Contains(t, got, "0.1 read v104")
	assert.NotContains(t, got, "v110")
}

// Of a goroutine that does not come to the violation, its last step says how
// far it has to go.
func TestFromScheduleKeepsLastSteps(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "1 fork 3", "2 begin 0", "3 begin 0",
		"3 write b", "3 read c", "3 read d", "3 branch 0", "2 read b", "2 read c", "1 write a", "2 write a")
	w, err := FromSchedule(tr, positions(0, 11), []int{11, 12}, nil, ScheduleInfo{Kind: "race", Selection: VisibleSteps})
	require.NoError(t, err)
	assert.Equal(t, []string{"0 fork  1", "0 fork  1", "0.1 begin  1", "0.2 begin  1", "0.2 write vb 1", "0.2 read vd 1", "0.1 read vb 1"}, short(w.Steps))
}

func TestOccurrences(t *testing.T) {
	tr := build(t,
		"1 write a 7", // before the test begins: not counted
		"1 testbegin 0", "1 fork 2", "2 begin 0",
		"1 write a 7", "1 write a 7", "2 write a 7", "1 testbegin 0", "1 write a 7", "2 write a 7", "2 write a 8")
	w, err := FromSchedule(tr, positions(0, 8), []int{8, 9}, []int{10}, ScheduleInfo{Kind: "race"})
	require.NoError(t, err)
	assert.Equal(t, []string{"0 write va 3", "0.1 write va 2"}, short(w.Violation))
	assert.Equal(t, []string{"0.1 write va 1"}, short(w.Holds))
	assert.Equal(t, 1, w.Violation[0].SiteNumber)
	assert.Equal(t, 2, w.Holds[0].SiteNumber, "the second place of equal function, operation and expression")
	for _, s := range w.Steps {
		assert.False(t, s.Goroutine == "TestX:0" && s.Op == trace.Write && s.Occurrence == 0, "the event before the test is no step")
	}
}

func TestFromScheduleStripsRuns(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "2 begin 0", "1 write a", "2 write a")
	for i := range tr.Goroutines {
		if tr.Goroutines[i].Test == "TestX" {
			tr.Goroutines[i].Test = "TestX#3"
		}
	}
	w, err := FromSchedule(tr, positions(0, 3), []int{3, 4}, nil, ScheduleInfo{Kind: "race"})
	require.NoError(t, err)
	assert.Equal(t, []string{"TestX"}, w.Tests)
	assert.Equal(t, "TestX:0.1", w.Violation[1].Goroutine)

	tr.Goroutines[2].Test = "TestX#2" // two runs of one test in one schedule
	w, err = FromSchedule(tr, positions(0, 3), []int{3, 4}, nil, ScheduleInfo{Kind: "race"})
	require.NoError(t, err)
	assert.Equal(t, []string{"TestX#3", "TestX#2"}, w.Tests)
	assert.Equal(t, "TestX#2:0.1", w.Violation[1].Goroutine)
}

func TestFromScheduleErrors(t *testing.T) {
	tr := build(t, "0 write a", "1 write a")
	for _, c := range []struct {
		name             string
		steps, violation []int
		want             string
	}{
		{"range", []int{2}, []int{0}, "schedule names event 2, the trace has 2"},
		{"negative", nil, []int{-1}, "schedule names event -1"},
		{"none", []int{0}, nil, "no violation"},
		{"no test", nil, []int{0}, "in goroutine main, outside of every test"},
	} {
		_, err := FromSchedule(tr, c.steps, c.violation, nil, ScheduleInfo{Kind: "race"})
		assert.ErrorContains(t, err, c.want, c.name)
	}
}

func TestID(t *testing.T) {
	lines := []string{"1 testbegin 0", "1 fork 2", "2 begin 0", "1 write a", "2 write a", "2 read a", "1 read a"}
	tr := build(t, lines...)
	id := NewIndex(tr).ID(tr, "race", []int{3, 5}, nil)
	assert.Regexp(t, `^race-[0-9a-f]{6}$`, id)
	assert.Equal(t, id, NewIndex(tr).ID(tr, "race", []int{5, 3}, nil), "either order of the sites")
	assert.NotEqual(t, id, NewIndex(tr).ID(tr, "race", []int{4, 5}, nil), "another write")
	assert.NotEqual(t, id, NewIndex(tr).ID(tr, "race", []int{3, 6}, nil), "another read")
	assert.NotEqual(t, id, NewIndex(tr).ID(tr, "atomicity", []int{3, 5}, nil), "another kind")

	moved := build(t, append([]string{"0 read 70 100", "0 read 80 101"}, lines...)...)
	assert.Equal(t, id, NewIndex(moved).ID(moved, "race", []int{5, 7}, nil), "moved lines")

	twin := tr.Sites[tr.Events[5].Site] // x*x
	twin.ID, twin.Col = 7|trace.SiteRewritten, 9
	tr.Sites[twin.ID] = twin
	tr.Events[6].Site = twin.ID
	assert.Equal(t, id, NewIndex(tr).ID(tr, "race", []int{3, 6}, nil), "a site that looks the same")
}

func TestIDOfCallSites(t *testing.T) {
	id := func(text string, line int) string {
		source := &Sources{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }}
		tr := build(t, "1 testbegin 0", "1 write a 2", "2 acq 20 "+fmt.Sprint(line))
		return NewIndex(tr).ID(tr, "race", []int{1, 2}, source)
	}
	const text = "package p\n\nfunc f() {\n\tn.Store(1)\n\tn.Store(1)\n}\n"
	assert.Equal(t, id(text, 4), id("// new\n"+text, 5))
	assert.NotEqual(t, id(text, 4), id(text, 5))
	assert.NotEqual(t, id("", 4), id("", 5), "without the sources, the line has to do")
}

func TestDistinct(t *testing.T) {
	assert.Equal(t, "race-1", UniqueID("race-1", nil))
	assert.Equal(t, "race-1-3", UniqueID("race-1", []string{"race-1", "race-1-2"}))
}

func TestOperand(t *testing.T) {
	for _, c := range []struct {
		k          trace.Kind
		line, want string
	}{
		{trace.Acquire, "\ta.mu.Lock()", "a.mu"},
		{trace.Acquire, "\tif !s.shard[i%8].mu.TryLock() {", "s.shard[i%8].mu"},
		{trace.Release, "\tdefer b.acct(x, y).mu.Unlock() // a.mu.Unlock()", "b.acct(x, y).mu"},
		{trace.Release, "}", ""},
		{trace.Acquire, "\ta.mu.Lock(); b.mu.Lock()", ""},
		{trace.RAcquire, "\ta.mu.RLock()", "a.mu"},
		{trace.WaitGroupAdd, "\t\tdefer wg.Done()", "wg"},
		{trace.WaitGroupWait, "\twg.Wait()", "wg"},
		{trace.OnceBegin, "\tc.once.Do(func() {", "c.once"},
		{trace.Send, "\tc.out <- v", "c.out"},
		{trace.Send, "\tcase c.out <- <-in:", ""},
		{trace.Recv, "\tv, ok := <-in", "in"},
		{trace.Recv, "\tfor v := range results {", "results"},
		{trace.Recv, "\treturn", ""},
		{trace.Close, "\tclose(done)", "done"},
		{trace.Fork, "\tgo worker(1)", "worker"},
		{trace.Fork, "\tgo func() {", "func"},
		{trace.Fork, "\tgo new(T).run(f(1))", "new(T).run"},
		{trace.Fork, "\tgo s.all[i](", "s.all[i]"},
		{trace.Fork, "\tgo (&T{}).run() // now", "(&T{}).run"},
		{trace.Fork, "\tgo )", ""},
		{trace.Fork, "\tg.Go(func() error {", "g.Go"},
		{trace.SelectSend, "\tcase c.out <- v:", "c.out"},
		{trace.Read, "\tx := y", ""},
		{trace.Write, "\tn, err := f.Read(buf)", "buf"},
		{trace.Read, "\tf.Write([]byte(s))", ""},
		{trace.Write, "\tv, ok := next()", "next"},
		{trace.Write, "\tnext() // again", "next"},
		{trace.Write, "\treflect.ValueOf(&x).Elem().Set(y)", ""},
		{trace.Acquire, "]).mu.Lock()", ""},
		{trace.Acquire, "\ta.mu.Lock(); f(a.mu.Lock())", "a.mu"},
		{trace.AtomicLoad, "\tif slot.Load() != 0 {", "slot"},
		{trace.AtomicRMW, "\tfor i := next.Add(1); i < 9; i = next.Add(1) {", "next"},
		{trace.AtomicRMW, "\tif atomic.CompareAndSwapInt32(&p.n[i], 0, 1) {", "p.n[i]"},
		{trace.AtomicRMW, "\tx.Add(y.Add(1))", ""},
		{trace.AtomicLoad, "\treturn atomic.LoadPointer(p)", ""},
		{trace.Call, "\tdefer c.Close()", "c.Close"},
		{trace.Call, "\tg.Go(func() error {", "g.Go"},
		{trace.Call, "\tg.Go(func() error { return c.Close() })", ""},
		{trace.Call, "\tclose(c)", ""},
		{trace.Call, "\ttime.AfterFunc(d, func() {", "time.AfterFunc"},
		{trace.Call, "\tb := free.Get().(*buffer)", "free.Get"},
	} {
		assert.Equal(t, c.want, Operand(c.k, c.line), c.line)
	}
}

func TestFromScheduleNamesOperands(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "2 begin 0", "2 acq 10 4", "2 rel 10 5", "1 acq 10 6", "1 write a", "2 write a")
	source := &Sources{ReadFile: func(file string) ([]byte, error) {
		assert.Equal(t, "/src/a.go", file)
		return []byte("package p\n\nfunc f() {\n\ta.mu.Lock()\n\t}\n\tother.mu.Lock()\n"), nil
	}}
	w, err := FromSchedule(tr, positions(0, 6), []int{6, 7}, nil, ScheduleInfo{Kind: "race", Source: source})
	require.NoError(t, err)
	assert.Equal(t, []string{"0 fork  1", "0.1 begin  1", "0.1 acq a.mu 1", "0.1 rel a.mu 1", "0 acq other.mu 1"}, short(w.Steps))
	assert.Equal(t, Step{
		Goroutine: "TestX:0.1", Op: trace.Acquire, Func: "p.f", File: "/src/a.go", Line: 4, Expr: "a.mu",
		LineText: "a.mu.Lock()", AlikeNumber: 1, AlikeCount: 1, Occurrence: 1,
	}, w.Steps[2])
}

func TestObserve(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "2 begin 0", "1 write a 5", "2 read a 6", "1 write b 7", "2 write b 8")
	w, err := FromSchedule(tr, positions(0, 5), []int{5, 6}, nil, ScheduleInfo{Kind: "race", Selection: VisibleSteps})
	require.NoError(t, err)
	require.Equal(t, "3", w.Steps[2].Value)
	require.Equal(t, "6", w.Violation[1].Value)

	replayed := build(t, "1 testbegin 0", "1 fork 2", "2 begin 0", "2 read a 6", "1 write a 5")
	for i := range replayed.Events {
		replayed.Events[i].Val += 40
	}
	got := w.Observe(replayed)
	assert.Equal(t, []int{1, 2, 4, 3}, got.StepPositions)
	assert.Equal(t, -1, got.ViolationPositions[1])
	assert.Equal(t, "44", got.Steps[2].Value)
	assert.Equal(t, "43", got.Steps[3].Value)
	assert.Empty(t, got.Violation[1].Value, "did not happen in the replay")
	assert.Equal(t, "6", w.Violation[1].Value, "the witness itself stays")
}

// A place is reached in whatever function its own has been inlined into, and in a literal there.
func TestReachedIn(t *testing.T) {
	for fn, want := range map[string]bool{
		"m/p.Transfer":                                   true,
		"m/p.Transfer.func1":                             true,
		"m/p.TestX.func1.Transfer.func2":                 true, // inlined there, as a literal
		"m/p.TestX.func1.1.Transfer.2":                   true,
		"m/p.(*T).Run.Transfer.func1":                    true,
		"m/p.Transfer2":                                  false,
		"m/p.Transfer.func1.TestX.func2":                 false,
		"m/q.Transfer":                                   false,
		"m/p.(*Account).Transfer":                        false,
		"m/p.TestX.func1.(*Account).Transfer.deferwrap1": false,
	} {
		tr := &trace.Trace{
			Goroutines: []trace.Goroutine{{Test: "TestX", Path: "0"}}, Events: []trace.Event{{Kind: trace.Acquire, Site: 1}},
			Sites: map[trace.SiteID]trace.Site{1: {ID: 1, Func: fn, Line: 4}},
		}
		w := &Witness{Tests: []string{"TestX"}, Violation: []Step{{Func: "m/p.Transfer", Line: 4, Expr: "a.mu"}, {Func: "m/p.Transfer", Line: 5, Expr: "a.mu"}}}
		assert.Equal(t, []bool{want, false}, w.ReachedIn(tr), fn)
	}
}

// Events that were left out count as those that are there.
func TestOccurrencesOfSkipped(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "2 begin 0", "1 write a 7", "1 write a 7", "1 write a 7", "2 write a 7")
	want, err := FromSchedule(tr, positions(0, 5), []int{5, 6}, nil, ScheduleInfo{Kind: "race"})
	require.NoError(t, err)
	require.Equal(t, "0 write va 3", short(want.Violation)[0])

	tr.Events = slices.Delete(tr.Events, 3, 5)
	tr.Events[3].Skipped = 2
	got, err := FromSchedule(tr, positions(0, 3), []int{3, 4}, nil, ScheduleInfo{Kind: "race"})
	require.NoError(t, err)
	assert.Equal(t, short(want.Violation), short(got.Violation))
	assert.Equal(t, []int{3, 4}, FindSteps(tr, nil, got.Violation))
	earlier := slices.Clone(got.Violation)
	earlier[0].Occurrence = 2
	assert.Equal(t, []int{-1, 4}, FindSteps(tr, nil, earlier), "which was left out")
}

// A replay shows values where it did the same for the same time: neither before its test began, nor
// elsewhere, nor in another goroutine.
func TestObserveCounts(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "2 begin 0", "1 write a 5", "1 write a 5", "2 read a 6", "1 write b 7", "2 write b 8")
	w, err := FromSchedule(tr, positions(0, 6), []int{6, 7}, nil, ScheduleInfo{Kind: "race", Selection: VisibleSteps})
	require.NoError(t, err)

	replayed := build(t,
		"1 write a 5", // the count of a test's own goroutine begins with the test
		"1 testbegin 0 1", "1 fork 2 2", "2 begin 0",
		"2 read c 50", "1 write a 5", "1 write d 51", "1 write a 5",
		"1 write a 5", // once more than the witness has it
		"2 read a 6",
		"1 read a 5", // another operation
		"1 write b 7",
		"3 write b 8", // another goroutine
		"2 write b 8", "2 write b 8", "1 branch 0 7", "1 acq 20 52", "1 rel 20 53", "1 testend 0", "1 write b 7",
	)
	seen := w.Observe(replayed)
	assert.Subset(t, seen.StepPositions, []int{5, 7, 9})
	assert.NotContains(t, seen.StepPositions, 0)
	assert.Equal(t, []int{11, 13}, seen.ViolationPositions)
}

// The test's own function has call sites only; a branch that is no step tells
// how its lines move.
func TestFromScheduleAnchors(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2 20", "2 begin 0", "1 write a", "2 write a")
	call := tr.Sites[20]
	call.Func = "p.TestX"
	tr.Sites[20] = call
	for i, s := range []trace.Site{
		{Func: "p.TestX", Line: 11, Op: "branch", Expr: "far"},
		{Func: "p.TestX", Line: 22, Op: "case", Expr: "near"},
		{Func: "p.TestX", Line: 20, Op: "case", Expr: "near"},
		{Func: "p.Other", Line: 19, Op: "read", Expr: "other"},
	} {
		s.ID = trace.SiteID(1000+i) | trace.SiteRewritten
		s.File, s.Col = "/src/a.go", 2
		tr.Sites[s.ID] = s
	}
	w, err := FromSchedule(tr, positions(0, 3), []int{3, 4}, nil, ScheduleInfo{Files: Files{Root: "/src"}, Kind: "race"})
	require.NoError(t, err)
	assert.Equal(t, []Step{
		{Goroutine: "*", Op: trace.Branch, SiteOp: "case", Func: "p.TestX", File: "a.go", Line: 20, Col: 2, Expr: "near", SiteNumber: 1, AlikeNumber: 1, AlikeCount: 2, Occurrence: 1},
	}, w.Anchors)
}

// Accesses that come in an order are steps but for the last one; they stay, and
// in their order, also where nothing else needs it.
func TestFromScheduleInOrder(t *testing.T) {
	tr := build(t,
		"1 testbegin 0", // 0
		"1 fork 2",      // 1
		"1 fork 3",      // 2
		"2 begin 0",     // 3
		"2 read a",      // 4: nobody else touches a
		"3 begin 0",     // 5
		"3 read b",      // 6: nobody else touches b
		"3 read c",      // 7
		"2 read d",      // 8
		"3 read d",      // 9
	)
	meta := ScheduleInfo{
		Files: Files{Root: "/src"}, Kind: "atomic-set", Package: "p",
		Pattern: "own", Variables: []int{0, 1, 2}, Regions: []int{0, 1, 0},
	}
	w, err := FromSchedule(tr, positions(0, 8), []int{4, 6, 8}, []int{7}, meta)
	require.NoError(t, err)
	assert.Equal(t, []string{"0 fork  1", "0 fork  1", "0.1 begin  1", "0.1 read va 1", "0.2 begin  1", "0.2 read vb 1", "0.2 read vc 1"}, short(w.Steps))
	assert.Equal(t, []string{"0.1 read va 1", "0.2 read vb 1", "0.1 read vd 1"}, short(w.Violation))
	assert.Equal(t, "own", w.Pattern)
	for k, want := range [][2]int{{1, 1}, {2, 2}, {3, 1}} {
		assert.Equal(t, want, [2]int{w.Violation[k].Variable, w.Violation[k].Region})
	}
	assert.True(t, w.HasAccess(w.Steps[3]))
	assert.False(t, w.HasAccess(w.Steps[6]))

	var text strings.Builder
	require.NoError(t, w.Write(&text))
	again, err := Parse("w", strings.NewReader(text.String()))
	require.NoError(t, err)
	assert.Equal(t, w, again)

	_, err = Parse("w", strings.NewReader(strings.ReplaceAll(text.String(), "region=2", "")))
	assert.ErrorContains(t, err, "violating access 2 of the atomic-set has no var= or no region=")
}

// Few leaves out goroutines that have no part in the violation, and then what is
// shared with these only.
func TestFromScheduleFew(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "1 fork 3", "2 begin 0", "3 begin 0",
		"3 write b", "2 read b", "2 read c", "1 write a", "2 write a", "1 acq 10", "0 acq 10")
	at := []int{8, 9}
	w, err := FromSchedule(tr, positions(0, at[0]), at, nil, ScheduleInfo{Kind: "race"})
	require.NoError(t, err)
	assert.Contains(t, short(w.Steps), "0.2 write vb 1")
	assert.True(t, w.HasBystanders())
	w, err = FromSchedule(tr, positions(0, at[0]), at, []int{10, 11}, ScheduleInfo{Kind: "race", Selection: InvolvedSteps})
	require.NoError(t, err)
	assert.Equal(t, []string{"0 fork  1", "0.1 begin  1"}, short(w.Steps))
	assert.Equal(t, []string{"0 acq  1"}, short(w.Holds), "what runs the tests goes by how many there are")
	assert.False(t, w.HasBystanders())
}

// Bare leaves out what the goroutines of the violation did, but for how they were started,
// and what of the violation itself comes before the rest.
func TestFromScheduleBare(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "1 fork 3", "2 begin 0", "3 begin 0",
		"3 send 100", "2 write a", "2 recv 100", "3 read a", "2 recv 200", "3 acq 300", "1 write b", "2 write b")
	w, err := FromSchedule(tr, positions(0, 10), []int{9}, nil, ScheduleInfo{Kind: "leak", Selection: StartSteps})
	require.NoError(t, err)
	assert.Equal(t, []string{"0 fork  1", "0.1 recv  1"}, short(w.Steps))
	w, err = FromSchedule(tr, positions(0, 9), []int{9, 10}, nil, ScheduleInfo{Kind: "deadlock", Selection: StartSteps})
	require.NoError(t, err)
	assert.Equal(t, []string{"0 fork  1", "0 fork  1"}, short(w.Steps))
}

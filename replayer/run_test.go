package replayer

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/predictrt"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// sample is a witness of two steps and two accesses, with the code to resolve it.
func sample() (*witness.Witness, Program) {
	w := &witness.Witness{
		ID: "race-1", Kind: "race", Package: "p", Tests: []string{"TestX"},
		Steps: []witness.Step{
			{Goroutine: "TestX:0", Op: trace.Fork, Func: "p.TestX", File: "x_test.go", Line: 5, Occurrence: 1},
			{Goroutine: "TestX:0.1", Op: trace.Begin, Occurrence: 1},
			{Goroutine: "TestX:0.1", Op: trace.Write, Func: "p.f", File: "x.go", Line: 3, Col: 2, Expr: "ready", SiteNumber: 1, Occurrence: 1},
		},
		Holds: []witness.Step{{Goroutine: "TestX:0.2", Op: trace.Begin, Occurrence: 1}},
		Violation: []witness.Step{
			{Goroutine: "TestX:0", Op: trace.Read, Func: "p.TestX", File: "x_test.go", Line: 9, Col: 5, Expr: "v", SiteNumber: 2, Occurrence: 1},
			{Goroutine: "TestX:0.1", Op: trace.Write, Func: "p.f", File: "x.go", Line: 4, Col: 2, Expr: "v", SiteNumber: 1, Occurrence: 3},
		},
	}
	return w, Program{Sites: SitesByFunc(sampleSites())}
}

func sampleSites() []trace.Site {
	return []trace.Site{
		{ID: 1, Key: 101, Func: "p.TestX", File: "x_test.go", Line: 9, Col: 5, Op: "read", Expr: "v"},
		{ID: 2, Key: 102, Func: "p.TestX", File: "x_test.go", Line: 8, Col: 5, Op: "read", Expr: "v"},
		{ID: 3, Key: 103, Func: "p.f", File: "x.go", Line: 3, Col: 2, Op: "write", Expr: "ready"},
		{ID: 4, Key: 104, Func: "p.f", File: "x.go", Line: 4, Col: 2, Op: "write", Expr: "v"},
	}
}

// stands is what a confirmed replay writes to its verdict.
var stands = []string{
	"verdict steps 3 3",
	"verdict stand TestX:0 c000012340 8 1 - 0",
	"verdict stand TestX:0.1 c000012340 8 2 18446744073709551615 0",
	"verdict confirmed",
}

func run(t *testing.T, opts Options, lines ...string) Verdict {
	t.Helper()
	w, code := sample()
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	v, err := Run(t.Context(), fake(t, lines...), w, plan, opts)
	require.NoError(t, err)
	assert.Positive(t, v.Elapsed)
	return v
}

func TestRunConfirmed(t *testing.T) {
	v := run(t, Options{}, append(stands, "print PASS", "verdict end")...)
	assert.Equal(t, bug.Confirmed, v.Status)
	assert.Equal(t, []PendingAccess{
		{Goroutine: "TestX:0", Addr: 0xc000012340, Size: 8, Op: trace.Read},
		{Goroutine: "TestX:0.1", Addr: 0xc000012340, Size: 8, Op: trace.Write, Value: "-1"},
	}, v.Accesses)
	assert.Equal(t, Outcome{Effect: bug.NoEffect}, v.Outcome)
	assert.Equal(t, "PASS\n", v.Output)
	assert.Empty(t, v.Reason)
	assert.Equal(t, [2]int{3, 3}, [2]int{v.StepsDone, v.StepsTotal})
}

func TestRunLeft(t *testing.T) {
	v := run(t, Options{}, "verdict steps 1 3", "verdict left TestX:0.1 is at write x.go:4 (1st time), the schedule expects it at step 3",
		"verdict blocked TestX:0.2 chan_receive_(nil_chan) p/q.g /my src/x.go:20", "verdict end")
	assert.Equal(t, bug.Unconfirmed, v.Status)
	assert.Equal(t, "goroutine 0.1 is at write x.go:4 (1st time), the schedule expects it at write to ready in p.f (x.go:3): goroutine 0.2 in q.g (x.go:20): chan receive (nil chan)", v.Reason)
	assert.Equal(t, []BlockedGoroutine{{"TestX:0.2", "chan receive (nil chan)", "p/q.g", "/my src/x.go:20"}}, v.Blocked)
	assert.Equal(t, 1, v.StepsDone)
}

// TestRunAstray: a program that hangs after it has left its schedule is ended long before
// its time is over, and the reason is where it has left.
func TestRunAstray(t *testing.T) {
	v := run(t, Options{Timeout: time.Hour, TimeAfterLeaving: 10 * time.Millisecond}, "verdict steps 1 3", "verdict left lost its way", "hang")
	assert.Equal(t, bug.Unconfirmed, v.Status)
	assert.Equal(t, "lost its way", v.Reason)
	assert.True(t, v.Outcome.TimedOut)
	assert.True(t, v.EndedEarly)
}

func TestRunReasons(t *testing.T) {
	for _, c := range []struct {
		name, want string
		lines      []string
	}{
		{"early end", "the test ended before goroutine 0.1 came to write to ready in p.f (x.go:3)", []string{"verdict steps 2 3", "verdict end"}},
		{"panic", "the test panicked before the violation: panic: boom", []string{"verdict steps 2 3", "print panic: boom", "exit 2"}},
		{"timeout", "timeout: the test did not come to the violation within 1s",
			[]string{"verdict steps 2 3", "print panic: test timed out after 1s", "exit 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := run(t, Options{Timeout: time.Second}, c.lines...)
			assert.Equal(t, bug.Unconfirmed, v.Status)
			assert.Equal(t, c.want, v.Reason)
		})
	}
}

func TestRunEffect(t *testing.T) {
	failing := append(stands, "print --- FAIL: TestX (0.01s)", "print     x_test.go:9: v = 1", "print FAIL", "exit 1")
	v := run(t, Options{}, failing...)
	assert.Equal(t, Outcome{Effect: bug.TestFailure, Failed: []string{"TestX"}, Detail: []string{"--- FAIL: TestX", "    x_test.go:9: v = 1"}}, v.Outcome)

	v = run(t, Options{RecordedOutcome: Outcome{Effect: bug.TestFailure, Failed: []string{"TestX"}}}, failing...)
	assert.Equal(t, bug.NoEffect, v.Outcome.Effect, "it failed in the recorded run too")
	assert.Equal(t, bug.Confirmed, v.Status)

	v = run(t, Options{RecordedOutcome: Outcome{Effect: bug.TestFailure, Failed: []string{"TestY"}}}, failing...)
	assert.Equal(t, bug.TestFailure, v.Outcome.Effect, "another test fails now")
}

// The run-time library has ended a program that could do nothing more.
func TestRunDeadlock(t *testing.T) {
	v := run(t, Options{}, append(stands, "verdict deadlock", "verdict blocked TestX:0 sync.WaitGroup.Wait p/q.TestX /x/q_test.go:9",
		"verdict blocked TestX:0.1 chan_receive p/q.f /x/q.go:20", "print fatal error: all goroutines are asleep - deadlock!", "exit 2")...)
	assert.Equal(t, bug.Confirmed, v.Status)
	assert.Empty(t, v.Blocked, "nobody was blocked while the schedule was followed")
	assert.Equal(t, Outcome{Effect: bug.Blocks, Detail: []string{
		"goroutine 0 in q.TestX (q_test.go:9): sync.WaitGroup.Wait", "goroutine 0.1 in q.f (q.go:20): chan receive",
	}}, v.Outcome)
}

// What of the witness was not found for sure may be why it missed.
func TestRunStale(t *testing.T) {
	w, code := sample()
	stale := func(w *witness.Witness, lines ...string) []string {
		plan, err := NewPlan(w, code, "01")
		require.NoError(t, err)
		v, err := Run(t.Context(), fake(t, lines...), w, plan, Options{})
		require.NoError(t, err)
		return v.Stale
	}
	guess := []string{"found again by a guess only: go in p.TestX (x_test.go:5)"}
	assert.Equal(t, guess, stale(w, "verdict steps 0 3", "verdict left lost its way"))
	assert.Empty(t, stale(w, "verdict steps 1 3", "verdict left lost its way"), "the guess was right")
	assert.Empty(t, stale(w, stands...))

	w.Holds = append(w.Holds, w.Steps[0])
	assert.Equal(t, guess, stale(w, "verdict steps 1 3", "verdict left lost its way"), "a hold that was guessed does not show")
	w.Steps[2].Expr = "gone"
	assert.Equal(t, append([]string{"no longer in the sources, left out: write to gone in p.f (x.go:3)"}, guess...),
		stale(w, "verdict steps 1 2", "verdict left lost its way"))
}

func TestRunArgs(t *testing.T) {
	w, code := sample()
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	bin := fake(t, "verdict end", "args")
	bin.Args = []string{"-test.paniconexit0", "-test.testlogfile=/gone/x", "-test.timeout=10m0s", "-test.v=test2json", "-test.run", "Foo", "-x=1", "user", "-test.run=Bar"}
	v, err := Run(t.Context(), bin, w, plan, Options{Timeout: 2 * time.Second})
	require.NoError(t, err)
	assert.Equal(t, "-test.run=^(TestX)$ -test.count=1 -test.timeout=2s -test.paniconexit0 -test.v=true -x=1 user -test.run=Bar\n", v.Output)

	w.Parallel = 3
	v, err = Run(t.Context(), bin, w, plan, Options{Timeout: 2 * time.Second})
	require.NoError(t, err)
	assert.Contains(t, v.Output, "-test.timeout=2s -test.parallel=3 -test.paniconexit0", "as many parallel tests as in the recorded run")
}

func TestRunErrors(t *testing.T) {
	w, code := sample()
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	_, err = Run(t.Context(), Binary{Path: filepath.Join(t.TempDir(), "gone")}, w, plan, Options{})
	assert.ErrorContains(t, err, "replaying race-1: ")
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = Run(t.Context(), fake(t, "verdict steps 2 3", "verdict steps 9"), w, plan, Options{})
	assert.ErrorContains(t, err, "replaying race-1: verdict:2: steps has 1 fields, expected 2")
	_, err = Run(t.Context(), fake(t, "print what?"), w, plan, Options{})
	assert.ErrorContains(t, err, `did not begin to replay: was it built by gopredict? It printed "what?"`)
}

// gone returns an address for calls, and a function that waits until n
// connections have come, does then, and waits until all callers are gone.
func gone(t *testing.T) (addr string, wait func(n int, then func())) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return l.Addr().String(), func(n int, then func()) {
		var conns []net.Conn
		for range n {
			c, err := l.Accept()
			require.NoError(t, err)
			conns = append(conns, c)
		}
		then()
		for _, c := range conns {
			_, _ = io.Copy(io.Discard, c) // returns when the caller is gone
			c.Close()
		}
	}
}

// A program that never ends is ended, with what it has shown until then.
func TestRunTimeout(t *testing.T) {
	t.Parallel() // it lasts as long as the grace
	addr, wait := gone(t)
	lines := append(stands, "call "+addr, "hang")
	done := make(chan Verdict, 1)
	go func() {
		done <- run(t, Options{Timeout: time.Millisecond, grace: 5 * time.Second}, lines...)
	}()
	wait(1, func() {})
	v := <-done
	assert.Equal(t, bug.Confirmed, v.Status)
	assert.True(t, v.Outcome.TimedOut)
	assert.Equal(t, bug.NoEffect, v.Outcome.Effect, "a time-out alone is no result")
}

func TestRunCancel(t *testing.T) {
	w, code := sample()
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	addr, wait := gone(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := Run(ctx, fake(t, "call "+addr, "child "+addr, "hang"), w, plan, Options{})
		done <- err
	}()
	wait(2, cancel)
	assert.ErrorIs(t, <-done, context.Canceled)
}

// A child that outlives the program does not outlive the replay.
func TestRunOrphan(t *testing.T) {
	addr, wait := gone(t)
	done := make(chan Verdict, 1)
	go func() { done <- run(t, Options{}, append(stands, "child "+addr, "call "+addr)...) }()
	wait(2, func() {})
	assert.Equal(t, bug.Confirmed, (<-done).Status)
}

func TestWaitingNamesAFew(t *testing.T) {
	b := BlockedGoroutine{"0.1", "select", "q.f", "/x/y.go:1"}
	assert.Empty(t, waitingText(nil))
	assert.Equal(t, ": 0.1 in q.f (y.go:1): held back until the violation", waitingText([]BlockedGoroutine{{"0.1", "waits for its hold", "q.f", "/x/y.go:1"}}))
	one := "0.1 in q.f (y.go:1): select"
	assert.Equal(t, ": "+one+"; "+one+"; "+one, waitingText([]BlockedGoroutine{b, b, b}))
	assert.Equal(t, ": "+one+"; "+one+"; "+one+"; and 2 more", waitingText([]BlockedGoroutine{b, b, b, b, b}))
}

func TestExplainLeavesUnknownNumbers(t *testing.T) {
	assert.Equal(t, "at step 7, step 0", explainReason("at step 7, step 0", &Plan{Steps: make([]witness.Step, 2)}))
}

func TestEnvironment(t *testing.T) {
	got := environment([]string{"A=1", "PWD=/old", predictrt.EnvVar + "=record;trace=x", "B=2"}, "/dir", "", predictrt.Mode{Trace: "t"})
	assert.Equal(t, []string{"A=1", "B=2", "PWD=/dir", predictrt.EnvVar + "=record;trace=t"}, got)
}

func TestOutputKeepsBothEnds(t *testing.T) {
	var o output
	for _, s := range []string{"begin\n", strings.Repeat("a", keepOutput), strings.Repeat("b", 2*keepOutput+7), "cc", strings.Repeat("d", keepOutput/2), "\nend"} {
		n, err := o.Write([]byte(s))
		require.NoError(t, err)
		require.Equal(t, len(s), n)
	}
	got := o.String()
	written := 6 + keepOutput + 2*keepOutput + 7 + 2 + keepOutput/2 + 4
	assert.True(t, strings.HasPrefix(got, "begin\naaa"))
	assert.True(t, strings.HasSuffix(got, "bbcc"+strings.Repeat("d", keepOutput/2)+"\nend"))
	assert.Contains(t, got, "bytes left out")
	assert.Equal(t, int64(written-2*keepOutput), o.lost)

	var small output
	small.Write([]byte("a"))
	small.Write([]byte("b"))
	assert.Equal(t, "ab", small.String())
}

func TestPlain(t *testing.T) {
	w, _ := sample()
	bin := fake(t, "print --- FAIL: TestX (0.00s)", "exit 1")
	bin.Env = append(bin.Env, predictrt.EnvVar+"=replay;plan=/gone")
	o, err := RunWithoutSchedule(t.Context(), bin, w, Options{})
	require.NoError(t, err)
	assert.Equal(t, Outcome{Effect: bug.TestFailure, Failed: []string{"TestX"}, Detail: []string{"--- FAIL: TestX"}}, o)
}

// What a program that was ended has left among its temporary files is removed.
func TestRunTidies(t *testing.T) {
	w, code := sample()
	work := NewFolder(t.TempDir())
	r, err := Confirm(t.Context(), fake(t, append([]string{"leave"}, stands...)...), w, code, Options{Folder: work})
	require.NoError(t, err)
	require.True(t, r.IsConfirmed())
	left, ok := strings.CutPrefix(r.Verdicts[0].Output, "left ")
	require.True(t, ok, r.Verdicts[0].Output)
	temp := work.tempDir()
	assert.Equal(t, temp, filepath.Dir(strings.TrimSpace(left)))
	entries, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

// A program that is held at the violation can be looked at while it stands.
func TestRunHold(t *testing.T) {
	w, code := sample()
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var got []PendingAccess
	var pid int
	bin := fake(t, append(stands, "hang")...)
	_, err = Run(ctx, bin, w, plan, Options{HoldTime: time.Hour, OnViolation: func(p int, s []PendingAccess) {
		pid, got = p, s
		cancel()
	}})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Positive(t, pid)
	assert.Len(t, got, 2)
}

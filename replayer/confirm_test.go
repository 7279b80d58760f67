package replayer

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

func confirm(t *testing.T, opts Options, lines ...string) Result {
	t.Helper()
	w, code := sample()
	r, err := Confirm(t.Context(), fake(t, lines...), w, code, opts)
	require.NoError(t, err)
	return r
}

func TestConfirmPicksTheWorseOrder(t *testing.T) {
	r := confirm(t, Options{}, append(stands,
		"01? print --- FAIL: TestX (0.00s)", "01? exit 1", "10? print panic: boom", "10? exit 2")...)
	assert.True(t, r.IsConfirmed())
	assert.Equal(t, "10", r.Order)
	assert.Equal(t, bug.Panic, r.Effect)
	assert.Equal(t, []string{"panic: boom"}, r.Detail)
	assert.Equal(t, [2]int{2, 2}, [2]int{r.Replays, r.Reproduced})
}

func TestConfirmPrefersTheFirstOrder(t *testing.T) {
	r := confirm(t, Options{}, stands...)
	assert.Equal(t, Result{Order: "01", Effect: bug.NoEffect, Replays: 2, Reproduced: 2, Verdicts: r.Verdicts, Witness: r.Witness}, r)
}

func TestConfirmNeedsEveryReplay(t *testing.T) {
	r := confirm(t, Options{}, append([]string{"10? verdict left lost its way", "10? exit 0"}, stands...)...)
	assert.False(t, r.IsConfirmed())
	assert.Equal(t, "stood at the violation in 1 of 2 replays only; else: lost its way", r.Reason)
	assert.Equal(t, [2]int{2, 1}, [2]int{r.Replays, r.Reproduced})
}

func TestConfirmStopsAfterTheFirstMiss(t *testing.T) {
	r := confirm(t, Options{}, "verdict steps 0 3", "verdict left lost its way", "verdict end")
	assert.False(t, r.IsConfirmed())
	assert.Equal(t, "lost its way", r.Reason)
	assert.Equal(t, [2]int{1, 0}, [2]int{r.Replays, r.Reproduced})
}

// With a second folder both replays run at once, and what comes of them is the same.
func TestConfirmAtOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		var all []net.Conn
		for range 2 {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all = append(all, conn)
		}
		for _, conn := range all {
			conn.Close()
		}
	}()
	opts := Options{Folder: NewFolder(t.TempDir()), SecondFolder: NewFolder(t.TempDir())}
	r := confirm(t, opts, append(stands, "await "+l.Addr().String(), "10? trace x", "10? print panic: boom", "10? exit 2")...)
	assert.True(t, r.IsConfirmed())
	assert.Equal(t, "10", r.Order)
	assert.Equal(t, bug.Panic, r.Effect)
	assert.Equal(t, [2]int{2, 2}, [2]int{r.Replays, r.Reproduced})
	data, err := os.ReadFile(r.Trace)
	require.NoError(t, err)
	assert.Equal(t, "x", string(data))

	r = confirm(t, opts, "10? hang", "verdict left lost its way", "verdict end")
	assert.Equal(t, "lost its way", r.Reason)
	assert.Equal(t, [2]int{1, 0}, [2]int{r.Replays, r.Reproduced}, "the other one is ended")
	opts.Slots = NewSlots(2)
	start := time.Now()
	r = confirm(t, opts, "10? hang", "verdict steps 0 3", "verdict left lost its way", "verdict end", "print --- FAIL: TestX (0.00s)", "exit 1")
	assert.Equal(t, "lost its way", r.Reason)
	assert.Less(t, time.Since(start), DefaultTimeout, "nor does the first one wait for it to be made again")
}

func TestConfirmStale(t *testing.T) {
	w, _ := sample()
	r, err := Confirm(t.Context(), fake(t), w, Program{Sites: SitesByFunc(sampleSites()[:1])}, Options{})
	require.NoError(t, err)
	assert.False(t, r.IsConfirmed())
	assert.Equal(t, bug.Stale, r.SavedEvidence().Status())
	assert.Equal(t, []string{
		"no longer in the sources: read of v in p.TestX (x_test.go:9)",
		"no longer in the sources: write to v in p.f (x.go:4, occurrence 3)",
	}, r.Stale)
	assert.Zero(t, r.Replays)
}

func TestRepeat(t *testing.T) {
	w, code := sample()
	w.Order = "10"
	r, err := Repeat(t.Context(), fake(t, append(stands, "trace x", "10? print panic: boom", "10? exit 2")...), w, code, 5, Options{Folder: NewFolder(t.TempDir())})
	require.NoError(t, err)
	assert.True(t, r.IsConfirmed())
	assert.Equal(t, bug.Panic, r.Effect)
	assert.Equal(t, "10", r.Order)
	assert.Equal(t, [2]int{5, 5}, [2]int{r.Replays, r.Reproduced})
	data, err := os.ReadFile(r.Trace)
	require.NoError(t, err)
	assert.Equal(t, "x", string(data), "recorded once")
}

// What has become of a saved witness's bug.
func TestOfWitness(t *testing.T) {
	left := []string{"verdict steps 1 3", "verdict left lost its way", "verdict end"}
	w, code := sample()
	code.Source = &witness.Sources{ReadFile: func(string) ([]byte, error) {
		return []byte("package p\n\nfunc TestX() {\n\n\tgo f()\n}\n"), nil
	}}
	w.Steps[0].LineText, w.Steps[0].AlikeNumber, w.Steps[0].AlikeCount = "go f()", 1, 1
	for name, c := range map[string]struct {
		want  bug.Status
		lines []string
	}{
		"there":  {bug.Confirmed, stands},
		"left":   {bug.Unconfirmed, left},
		"fails":  {bug.Unconfirmed, append(left, "print --- FAIL: TestX (0.00s)", "exit 1")},
		"panics": {bug.Unconfirmed, []string{"verdict steps 1 3", "print panic: boom", "exit 2"}},
	} {
		r, err := Confirm(t.Context(), fake(t, c.lines...), w, code, Options{})
		require.NoError(t, err)
		assert.Equal(t, c.want, r.SavedEvidence().Status(), name)
	}
}

// What must have happened depends on the kind of bug.
func TestConfirmKinds(t *testing.T) {
	at := func(goroutine string, kind trace.Kind, key int) string {
		return fmt.Sprintf("verdict stuck %s %d %d c0", goroutine, kind, key)
	}
	blocked := []string{at("TestX:0", trace.Read, 101), at("TestX:0.1", trace.Write, 104)}
	deadlock := append(append(stands, "verdict deadlock"), append(blocked, "exit 2")...)
	elsewhere := append(append(stands, "verdict deadlock"), blocked[0], at("TestX:0.1", trace.Write, 105), "exit 2")
	fails := append(stands, "print --- FAIL: TestX (0.00s)", "exit 1")
	tooLong := append(stands, "print panic: test timed out after 1s", "exit 2")
	unlocks := append(stands, "verdict misused TestX:0", "print fatal error: sync: unlock of unlocked mutex", "exit 2")
	for _, c := range []struct {
		kind   bug.Kind
		reason string
		lines  []string
	}{
		{"race", "", stands},
		{"assertion", "", fails},
		{"assertion", "the schedule was kept to its end, but the test did not fail", stands},
		{"assertion", "the schedule was kept to its end, but the test had not ended when its time was over", tooLong},
		{"lock-misuse", "", unlocks},
		{"lock-misuse", "the schedule was kept to its end, but the lock was locked", fails},
		{"lock-misuse", "the schedule was kept to its end, but the program recovered from the panic, as it is meant to", append(stands, "verdict misused TestX:0")},
		{"property", "", append(stands, "verdict violated TestX:0.1")},
		{"property", `the schedule was kept to its end, but the calls have satisfied the property "in turn"`, append(stands, "verdict violated TestX:0")},
		{"deadlock", "", deadlock},
		{"deadlock", "the schedule was kept to its end, but goroutine 0 was not blocked for ever in read of v in p.TestX (x_test.go:9)", stands},
		{"deadlock", "the schedule was kept to its end, but goroutine 0.1 was not blocked for ever in write to v in p.f (x.go:4, occurrence 3)", elsewhere},
	} {
		w, code := sample()
		if w.Kind = c.kind; w.Kind == bug.Property {
			w.Pattern, w.Violation, code.Properties = "in turn", w.Violation[1:], []property.Property{inTurn(t)}
		}
		r, err := Confirm(t.Context(), fake(t, c.lines...), w, code, Options{})
		require.NoError(t, err)
		assert.Equal(t, c.reason, r.Reason, c.kind)
		assert.Equal(t, c.reason == "", r.IsConfirmed(), c.kind)
	}
}

// A test that fails elsewhere does not confirm an assertion: its condition must come out
// so that it fails, or what is printed must name its line.
func TestConfirmAssertion(t *testing.T) {
	const elsewhere = "the schedule was kept to its end, but the assertion held: the test failed elsewhere"
	came := func(val string, printed ...string) []string {
		lines := []string{"verdict steps 3 3", "verdict stand TestX:0 0 8 31 " + val + " 0", "verdict confirmed", "print --- FAIL: TestX (0.00s)"}
		return append(append(lines, printed...), "exit 1")
	}
	for name, c := range map[string]struct {
		op     string
		fails  trace.Outcome
		reason string
		lines  []string
	}{
		"condition fails":             {"branch", trace.IfTrue, "", came("1")},
		"condition holds":             {"branch", trace.IfTrue, elsewhere, came("0")},
		"a false condition fails":     {"branch", trace.IfFalse, "", came("0")},
		"a true condition holds":      {"branch", trace.IfFalse, elsewhere, came("1")},
		"case fails":                  {"branch", trace.IfTrue, "", came("3")},
		"outcome not known":           {"branch", trace.IfTrue, "", came("-")},
		"which fails is not known":    {"branch", trace.NoOutcome, "", came("0")},
		"call fails":                  {"assert", trace.IfFalse, "", came("-", "print     x_test.go:9: ", "print         Error Trace:")},
		"call fails, told by a trace": {"assert", trace.IfFalse, "", came("-", "print     y_test.go:3: ", "print         Error Trace:\t/y/x_test.go:9", "print ")},
		"another call fails":          {"assert", trace.IfFalse, elsewhere, came("-", "print     x_test.go:91: ", "print         Error Trace:\t/y/x_test.go:91", "print ")},
		"use of nil":                  {"guard", trace.IfFalse, "", came("-", "print panic: nil dereference")},
	} {
		w, code := sample()
		at := w.Violation[0]
		at.Op, at.SiteOp = trace.Branch, c.op
		if c.op != "branch" {
			at.Op = trace.Assert
		}
		w.Kind, w.Violation = bug.Assertion, []witness.Step{at}
		sites := sampleSites()
		for i := range sites[:2] {
			sites[i].Op, sites[i].FailsIf = c.op, c.fails
		}
		code.Sites = SitesByFunc(sites)
		r, err := Confirm(t.Context(), fake(t, c.lines...), w, code, Options{})
		require.NoError(t, err, name)
		assert.Equal(t, c.reason, r.Reason, name)
		assert.Equal(t, c.reason == "", r.IsConfirmed(), name)
	}
}

// sequence is a witness of an r-w-r violation, with the code to resolve it.
func sequence() (*witness.Witness, Program) {
	w, code := sample()
	w.ID, w.Kind, w.Pattern = "atomicity-1", "atomicity", "r-w-r"
	first, between := w.Violation[0], w.Violation[1]
	first.Occurrence, first.Variable, first.Region = 1, 1, 1
	between.Variable, between.Region = 1, 2
	last := first
	last.Occurrence = 2
	w.Violation = []witness.Step{first, between, last}
	w.Steps = append(w.Steps, first, between)
	return w, code
}

// Accesses in a forbidden order are confirmed if they are to one variable and
// within one region where the pattern wants it.
func TestConfirmOrder(t *testing.T) {
	const read, write = "verdict stand TestX:0 c000012340 8 1 7 ", "verdict stand TestX:0.1 c000012340 8 2 8 "
	for _, c := range []struct {
		reason string
		stands []string
	}{
		{"", []string{read + "3", write + "0", read + "3"}},
		{"", []string{read + "3", write + "3", read + "3"}},
		{"read of v in p.TestX (x_test.go:9) and read of v in p.TestX (x_test.go:9, occurrence 2) were in different atomic regions",
			[]string{read + "3", write + "0", read + "4"}},
		{"read of v in p.TestX (x_test.go:9) and read of v in p.TestX (x_test.go:9, occurrence 2) were in different atomic regions",
			[]string{read + "0", write + "0", read + "0"}},
		{"read of v in p.TestX (x_test.go:9) and write to v in p.f (x.go:4, occurrence 3) were of different variables",
			[]string{read + "3", "verdict stand TestX:0.1 c000012348 8 2 8 0", read + "3"}},
		{"2 of 3 accesses came", []string{read + "3", read + "3"}},
	} {
		w, code := sequence()
		r, err := Confirm(t.Context(), fake(t, append(c.stands, "verdict steps 5 5", "verdict confirmed", "verdict end")...), w, code, Options{})
		require.NoError(t, err)
		if c.reason != "" {
			assert.Equal(t, "the schedule was kept to its end, but "+c.reason, r.Reason)
			continue
		}
		assert.True(t, r.IsConfirmed())
		assert.Equal(t, "01", r.Order)
		assert.Equal(t, [2]int{2, 2}, [2]int{r.Replays, r.Reproduced})
	}
}

// The accesses that come first are steps, and the last one ends the schedule.
func TestPlanOrder(t *testing.T) {
	w, code := sequence()
	plan, err := NewPlan(w, code, "01")
	require.NoError(t, err)
	assert.Contains(t, string(plan.Text), fmt.Sprintf("a 0 %d 101 1\na 1 %d 104 3\nh 2 %d 0 1\nv 0 %d 101 2\n", trace.Read, trace.Write, trace.Begin, trace.Read))
	assert.Equal(t, 1, strings.Count(string(plan.Text), "\nv "))
	w.Steps = w.Steps[:4]
	_, err = NewPlan(w, code, "01")
	assert.ErrorContains(t, err, "its steps have 1 of the violation's accesses, expected all 3 but the last")
}

// The trace that is kept is that of the order that is reported.
func TestConfirmKeepsTheTraceOfTheWorseOrder(t *testing.T) {
	r := confirm(t, Options{Folder: NewFolder(t.TempDir())}, append(stands, "01? trace first", "10? trace second", "10? print panic: boom", "10? exit 2")...)
	text, err := os.ReadFile(r.Trace)
	require.NoError(t, err)
	assert.Equal(t, "second", string(text))
}

// What the recorded run has shown is not tried again.
func TestConfirmLeavesOutWhatWasShown(t *testing.T) {
	r := confirm(t, Options{FirstOrderShown: true}, append(stands, "01? print panic: boom", "01? exit 2", "10? print --- FAIL: TestX (0.00s)", "10? exit 1")...)
	assert.True(t, r.IsConfirmed())
	assert.Equal(t, "10", r.Order)
	assert.Equal(t, bug.TestFailure, r.Effect)
	assert.Equal(t, [2]int{1, 1}, [2]int{r.Replays, r.Reproduced})
}

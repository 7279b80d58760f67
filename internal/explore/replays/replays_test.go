package replays

import (
	"context"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A machine is a fake: it returns what its fields say, one result after the other.
type machine struct {
	results  []replayer.Result // of Confirm
	passes   bool              // the test passes in Record
	recorded int               // calls of Record
	replayed []*witness.Witness
	opts     []replayer.Options
}

func (m *machine) Record(context.Context, recorder.Run, recorder.Order, []string, string, time.Duration) (recorder.Run, error) {
	m.recorded++
	if m.passes {
		return recorder.Run{Result: recorder.Pass}, nil
	}
	return recorder.Run{Result: recorder.Fail}, nil
}

func (m *machine) Confirm(_ context.Context, _ replayer.Binary, w *witness.Witness, _ replayer.Program, opts replayer.Options) (replayer.Result, error) {
	m.replayed, m.opts = append(m.replayed, w), append(m.opts, opts)
	r := m.results[min(len(m.replayed), len(m.results))-1]
	r.Witness = w
	return r, nil
}

func (m *machine) Continue(_ context.Context, _ replayer.Binary, w *witness.Witness, _ replayer.Program, _ replayer.Delay, opts replayer.Options) (replayer.Result, error) {
	m.replayed, m.opts = append(m.replayed, w), append(m.opts, opts)
	return m.results[0], nil
}

// newReplayer returns one whose pool has the machine and so much time.
func newReplayer(t *testing.T, m *machine, left time.Duration) *Replayer {
	clock := budget.NewClock(left)
	p := NewPool(new(recorder.Build), replayer.Program{}, clock, report.NewStatus(os.Stderr), t.TempDir(), 1)
	p.Machine = m
	require.NoError(t, p.Prepare())
	return &Replayer{Pool: p, NumRuns: new(atomic.Int64)}
}

// race returns a recording with a race on x, and its schedule. The writes of y, which nothing
// reads, are steps of the whole witness alone.
func race(t *testing.T) (*recording.Recording, finding.ScheduledFinding) {
	tr := tracetest.Parse(t, `
		0 fork 1
		0 fork 2
		2 begin
		2 w y
		1 begin
		1 w y
		1 w x
		0 r x`)
	rec := recording.New(recorder.Run{Package: recorder.Package{Path: "p"}}, tr, recording.Sources{Lines: new(witness.Sources)})
	f := finding.FromRun(rec, analysis.Finding{Kind: bug.Race, Accesses: []int{6, 7}, Tests: []string{"TestX"}})
	return rec, finding.ScheduledFinding{
		Finding: f, Recipe: analysis.Recipe{Recipe: schedule.Recipe{Accesses: []int{6, 7}}},
		Schedule: schedule.Schedule{Steps: []int{0, 1, 2, 3, 4, 5}},
	}
}

// The whole schedule is replayed only if the small witness is not confirmed, and the replays
// that do not confirm count together.
func TestSmallOrWhole(t *testing.T) {
	left := replayer.Result{Replays: 1, Reason: "left"}
	confirmed := replayer.Result{Replays: 2, Reproduced: 2}
	timed := replayer.Result{Replays: 3, DependsOnTime: true}
	for _, c := range []struct {
		name      string
		results   []replayer.Result
		witnesses int
		replays   int
		whole     bool // the outcome is that of the whole schedule
	}{
		{"small confirmed", []replayer.Result{confirmed}, 1, 2, false},
		{"whole confirmed", []replayer.Result{left, confirmed}, 2, 2, true},
		{"none confirmed", []replayer.Result{left, left}, 2, 2, true},
		{"rests on time", []replayer.Result{timed, left}, 2, 4, false},
	} {
		m := &machine{results: c.results}
		rec, s := race(t)
		o, err := newReplayer(t, m, time.Hour).ReplaySmallOrWhole(t.Context(), rec, s)
		require.NoError(t, err, c.name)
		require.Len(t, m.replayed, c.witnesses, c.name)
		assert.Equal(t, c.replays, o.Result.Replays, c.name)
		assert.Equal(t, c.whole, o.Witness == m.replayed[len(m.replayed)-1] && c.witnesses == 2, c.name)
		if c.witnesses == 2 {
			assert.Less(t, len(m.replayed[0].Steps), len(m.replayed[1].Steps), c.name)
		}
	}
}

// A long witness that is confirmed is tried without the goroutines that have no part in the
// violation, and kept if that has another effect.
func TestFewGoroutines(t *testing.T) {
	confirmed := func(e bug.Effect) replayer.Result {
		return replayer.Result{Effect: e, Replays: 2, Reproduced: 2}
	}
	for _, c := range []struct {
		name    string
		results []replayer.Result
		shorter bool
	}{
		{"as bad", []replayer.Result{confirmed(bug.NoEffect), confirmed(bug.NoEffect)}, true},
		{"another effect", []replayer.Result{confirmed(bug.Panic), confirmed(bug.NoEffect)}, false},
		{"not confirmed", []replayer.Result{confirmed(bug.NoEffect), {}}, false},
	} {
		text := "0 fork 1\n0 fork 2\n2 begin\n"
		steps := []int{0, 1, 2}
		for range LongWitnessSteps {
			text += "2 acq m\n2 rel m\n"
			steps = append(steps, len(steps), len(steps)+1)
		}
		n := len(steps)
		tr := tracetest.Parse(t, text+"1 begin\n1 acq m\n1 rel m\n1 w x\n0 r x")
		rec := recording.New(recorder.Run{}, tr, recording.Sources{Lines: new(witness.Sources)})
		f := finding.FromRun(rec, analysis.Finding{Kind: bug.Race, Accesses: []int{n + 3, n + 4}, Tests: []string{"TestX"}})
		s := finding.ScheduledFinding{
			Finding: f, Recipe: analysis.Recipe{Recipe: schedule.Recipe{Accesses: []int{n + 3, n + 4}}},
			Schedule: schedule.Schedule{Steps: append(steps, n, n+1, n+2)},
		}
		m := &machine{results: c.results}
		r := newReplayer(t, m, time.Hour)
		o, err := r.ReplaySteps(t.Context(), rec, s, witness.VisibleSteps, false)
		require.NoError(t, err)
		o, err = r.shortenToFewGoroutines(t.Context(), rec, s, o)
		require.NoError(t, err)
		require.Len(t, m.replayed, 2, c.name)
		assert.Less(t, len(m.replayed[1].Steps), len(m.replayed[0].Steps))
		assert.Equal(t, c.shorter, o.Witness == m.replayed[1], c.name)
	}
}

// A test that fails without the schedule, too, has no bug that makes it fail.
func TestControl(t *testing.T) {
	fails := replayer.Result{Effect: bug.TestFailure, Replays: 1, Reproduced: 1, Detail: []string{"lost"}}
	harmless := replayer.Result{Effect: bug.NoEffect, Replays: 1, Reproduced: 1}
	for _, c := range []struct {
		name    string
		kind    bug.Kind
		result  replayer.Result
		passes  bool // without the schedule
		failed  bool // in the recorded run
		control int  // runs
		status  bug.Status
		effect  bug.Effect
	}{
		{"passes without", bug.Property, fails, true, false, 1, bug.Confirmed, bug.TestFailure},
		{"fails without", bug.Property, fails, false, false, 1, bug.Confirmed, bug.NoEffect},
		{"the failure is the bug", bug.Assertion, fails, false, false, 1, bug.Unconfirmed, bug.NoEffect},
		{"failed when recorded", bug.Property, fails, false, true, 0, bug.Confirmed, bug.TestFailure},
		{"no effect", bug.Property, harmless, false, false, 0, bug.Confirmed, bug.NoEffect},
		{"blocked", bug.Deadlock, fails, false, false, 0, bug.Confirmed, bug.TestFailure},
	} {
		m := &machine{passes: c.passes}
		r := newReplayer(t, m, time.Hour)
		rec := &recording.Recording{Run: recorder.Run{Package: recorder.Package{Path: "p"}}}
		if c.failed {
			rec.FailedTests = []string{"TestA"}
		}
		w := &witness.Witness{Kind: c.kind, Tests: []string{"TestA"}, Violation: make([]witness.Step, 1)}
		for range 2 { // the control is run once
			got, err := r.checkWithoutSchedule(t.Context(), rec, w, c.result)
			require.NoError(t, err)
			assert.Equal(t, c.status == bug.Confirmed, got.IsConfirmed(), c.name)
			assert.Equal(t, c.effect, got.Effect, c.name)
		}
		assert.Equal(t, c.control, m.recorded, c.name)
		assert.Empty(t, r.UncheckedWarnings(), c.name)
	}
}

// A test is not run without a schedule if that takes longer than what is left: it is not
// known then whether the bug makes it fail.
func TestControlTooLong(t *testing.T) {
	m := new(machine)
	r := newReplayer(t, m, 20*time.Second)
	r.WaitingTimes = map[string]time.Duration{"TestWaits": 48 * time.Second}
	rec := &recording.Recording{Run: recorder.Run{Seconds: 48}}
	confirmed := func(kind bug.Kind) replayer.Result {
		got, err := r.checkWithoutSchedule(t.Context(), rec, &witness.Witness{Kind: kind, Tests: []string{"TestWaits"}, Violation: make([]witness.Step, 1)},
			replayer.Result{Effect: bug.TestFailure, Replays: 1, Reproduced: 1})
		require.NoError(t, err)
		return got
	}
	got := confirmed(bug.Property)
	assert.True(t, got.IsConfirmed())
	assert.Equal(t, bug.NoEffect, got.Effect)
	got = confirmed(bug.Assertion)
	assert.False(t, got.IsConfirmed())
	assert.Contains(t, got.Reason, uncheckedReason)
	assert.Equal(t, []string{"TestWaits fails in replays; " + uncheckedReason}, r.UncheckedWarnings())
	assert.Zero(t, m.recorded)
}

// A replay is given time by what its tests took, one that only looks for more less.
func TestTimes(t *testing.T) {
	assert.Equal(t, 28*time.Second, ReplayTime(time.Second))
	assert.Equal(t, 54*time.Second, ReplayTime(8*time.Second))
	m := &machine{results: []replayer.Result{{}}}
	r := newReplayer(t, m, time.Hour)
	rec, s := race(t)
	rec = rec.With(func(r *recording.Recording) { r.Run = recorder.Run{Seconds: 1} })
	_, err := r.ReplaySteps(t.Context(), rec, s, witness.NeededSteps, true)
	require.NoError(t, err)
	w, err := s.NewWitness(t.Context(), rec, witness.NeededSteps)
	require.NoError(t, err)
	_, err = r.ConfirmCommitted(t.Context(), rec, w)
	require.NoError(t, err)
	next, _, err := r.Continue(t.Context(), rec, w, "")
	require.NoError(t, err)
	assert.Nil(t, next, "it was not confirmed")
	assert.Equal(t, []time.Duration{28 * time.Second, 28 * time.Second, 5 * time.Second}, []time.Duration{m.opts[0].Timeout, m.opts[1].Timeout, m.opts[2].Timeout})
	assert.Equal(t, []time.Duration{timeAfterDivergence, 3 * time.Second, timeAfterDivergence}, []time.Duration{m.opts[0].TimeAfterLeaving, m.opts[1].TimeAfterLeaving, m.opts[2].TimeAfterLeaving})
	assert.True(t, m.opts[0].FirstOrderShown)
	assert.False(t, m.opts[1].FirstOrderShown)
}

// Both orders of tests that wait are replayed at once, if a second folder is free.
func TestTwoAtOnce(t *testing.T) {
	m := &machine{results: []replayer.Result{{}}}
	r := newReplayer(t, m, time.Hour)
	rec, s := race(t)
	replay := func() {
		_, err := r.ReplaySteps(t.Context(), rec, s, witness.NeededSteps, false)
		require.NoError(t, err)
	}
	replay()
	r.WaitingTimes = map[string]time.Duration{"TestX": time.Second}
	replay()
	var taken []*replayer.Folder
	for len(r.folders) > 1 {
		taken = append(taken, <-r.folders)
	}
	replay()
	second := func(o replayer.Options) bool { return o.SecondFolder != nil }
	assert.Equal(t, 1, slices.IndexFunc(m.opts, second))
	assert.Nil(t, m.opts[2].SecondFolder)
	assert.NotEmpty(t, taken)
	assert.Len(t, r.folders, 1, "they are given back")
}

// A run that was over before its test ended has timed out, but not one that had left its schedule.
func TestTimedOut(t *testing.T) {
	over := replayer.Verdict{Outcome: replayer.Outcome{TimedOut: true}}
	strayed := over
	strayed.EndedEarly = true
	assert.True(t, TimedOut(replayer.Result{Verdicts: []replayer.Verdict{{}, over}}))
	assert.False(t, TimedOut(replayer.Result{Verdicts: []replayer.Verdict{strayed}}))
}

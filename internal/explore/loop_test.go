package explore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/strategy"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A machine is a fake recorder and replayer.
type machine struct {
	t      *testing.T
	record func(o recorder.Order, args []string) *trace.Trace            // nil: nothing comes of it
	replay func(w *witness.Witness) (r replayer.Result, to *trace.Trace) // where the program goes

	mu   sync.Mutex
	runs []string // orders and kinds of witnesses
}

func (m *machine) note(run string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs = append(m.runs, run)
}

func (m *machine) Record(_ context.Context, run recorder.Run, o recorder.Order, args []string, file string, _ time.Duration) (recorder.Run, error) {
	m.note(string(o))
	t := m.record(o, args)
	if t == nil {
		return recorder.Run{}, nil
	}
	run.Order, run.Trace = o, write(m.t, t, file)
	return run, nil
}

func (m *machine) Confirm(_ context.Context, _ replayer.Binary, w *witness.Witness, _ replayer.Program, _ replayer.Options) (replayer.Result, error) {
	m.note(string(w.Kind))
	r, _ := m.replay(w)
	r.Witness = w
	return r, nil
}

func (m *machine) Continue(_ context.Context, _ replayer.Binary, w *witness.Witness, _ replayer.Program, _ replayer.Delay, _ replayer.Options) (replayer.Result, error) {
	m.note(string(w.Kind))
	r, to := m.replay(w)
	r.Witness = w
	if to != nil {
		r.Replays, r.Reproduced, r.Trace = 1, 1, write(m.t, to, filepath.Join(m.t.TempDir(), "replayed"))
	}
	return r, nil
}

// write writes a trace to a file and returns its name.
func write(t *testing.T, tr *trace.Trace, file string) string {
	f, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, trace.Encode(f, tr))
	require.NoError(t, f.Close())
	return file
}

// passed returns the trace of a test that does what the text says, see [tracetest.Parse], and
// passes.
func passed(t *testing.T, text string) *trace.Trace {
	tr := tracetest.Parse(t, "0 testbegin x\n"+text+"\n0 testend x\n0 end")
	for i := range tr.Events {
		if e := &tr.Events[i]; e.Kind == trace.TestBegin || e.Kind == trace.TestEnd {
			e.Obj = 0
		}
	}
	tr.TestNames = []string{"TestX"}
	for id, s := range tr.Sites {
		s.File = "x_test.go" // the fake build knows no folders
		tr.Sites[id] = s
	}
	return tr
}

// newLoop returns a loop over a package whose first recording is tr.
func newLoop(t *testing.T, m *machine, tr *trace.Trace) *loop {
	x, _ := exploration(t)
	m.t = t
	x.session.pool.Machine = m
	dir := t.TempDir()
	run := recorder.Run{Package: recorder.Package{Path: "p", Dir: dir}, Result: recorder.Pass, Trace: write(t, tr, filepath.Join(dir, "trace")), Order: recorder.NewestFirst}
	return x.session.newLoop(run)
}

const racing = "0 fork 1\n1 begin\n1 w a\n0 w a\n1 end"

// A package is explored from its recording to the report: what is predicted is replayed, the
// tests are recorded in other orders, and those that show nothing new add nothing.
func TestLoop(t *testing.T) {
	tr := passed(t, racing)
	m := &machine{
		record: func(recorder.Order, []string) *trace.Trace { return tr },
		replay: func(w *witness.Witness) (r replayer.Result, to *trace.Trace) {
			return replayer.Result{Replays: 2, Reproduced: 2}, nil
		},
	}
	l := newLoop(t, m, tr)
	require.NoError(t, l.run(t.Context(), l.predictFirst(t.Context())))
	r := l.ledger.Report
	assert.Empty(t, r.Warnings)
	require.Len(t, r.Findings, 1)
	assert.Equal(t, bug.Confirmed, r.Findings[0].Status)
	assert.Equal(t, bug.Race, r.Findings[0].Kind)
	assert.Equal(t, 1, r.Packages[0].Tests)
	assert.Equal(t, 1, strings.Count(strings.Join(m.runs, " "), "race"), "it is replayed once")
	assert.Contains(t, m.runs, string(recorder.OldestFirst))
	assert.Nil(t, l.ledger.Recordings, "no trace is kept")
}

// Another order may show a bug that the first recording does not have.
func TestLoopOrders(t *testing.T) {
	first := passed(t, "0 fork 1\n1 begin\n1 acq m\n1 rel m\n1 end\n0 acq m\n0 rel m")
	m := &machine{
		record: func(o recorder.Order, _ []string) *trace.Trace {
			if o == recorder.ChildFirst {
				return passed(t, racing)
			}
			return first
		},
		replay: func(*witness.Witness) (r replayer.Result, to *trace.Trace) {
			return replayer.Result{Replays: 2, Reproduced: 2}, nil
		},
	}
	l := newLoop(t, m, first)
	require.NoError(t, l.run(t.Context(), l.predictFirst(t.Context())))
	require.Len(t, l.ledger.Report.Findings, 1)
	assert.Equal(t, bug.Race, l.ledger.Report.Findings[0].Kind)
}

// fixed is a strategy that proposes so many runs of its own.
type fixed struct {
	runs []*strategy.Run
	next int
}

func (f *fixed) Next(_ *ledger.Ledger, n int) []*strategy.Run {
	from := f.next
	f.next = min(len(f.runs), from+n)
	return f.runs[from:f.next]
}

// newTestLoop returns one with a fake strategy, whose runs go where to says.
func newTestLoop(t *testing.T, n int, to func(k int) (replayer.Result, *trace.Trace)) (*testLoop, *fixed) {
	first := passed(t, racing)
	m := new(machine)
	m.replay = func(w *witness.Witness) (replayer.Result, *trace.Trace) {
		var k int
		if _, err := fmt.Sscanf(w.ID, "run-%d", &k); err != nil {
			return replayer.Result{Replays: 1}, nil
		}
		return to(k)
	}
	l := newLoop(t, m, first)
	l.addPackage()
	l.ledger.Allowance, l.ledger.EventsOfTest = budget.NewAllowance(first, nil, nil), map[string]int{}
	base := recording.New(l.ledger.FirstRun, first, l.session.sourceNames)
	l.ledger.ShowsNew(first)
	l.ledger.RunsOfTest = []*recording.Recording{base}
	f := new(fixed)
	for k := range n {
		f.runs = append(f.runs, &strategy.Run{Base: base, MakeBeginning: func() (*witness.Witness, error) {
			w, err := finding.BeginningWitness(base, recording.KindFlipped, first, finding.ScheduleUpTo(base, 2), []int{2})
			if err == nil {
				w.ID = fmt.Sprint("run-", k)
			}
			return w, err
		}})
	}
	return &testLoop{loop: l, test: "TestX", strategies: []strategy.Strategy{f}, withinBudget: func() bool { return true }}, f
}

// steps returns a trace that is new for each k.
func steps(t *testing.T, k int) *trace.Trace {
	return passed(t, "0 fork 1\n1 begin\n"+strings.Repeat("1 acq m\n1 rel m\n", k+1)+"1 end")
}

// Runs are dealt with in the order in which they were proposed, whichever ends first; those
// that show nothing new, or did not get there, are no runs of the test.
func TestRunsInOrder(t *testing.T) {
	second := make(chan struct{})
	loop, f := newTestLoop(t, 4, func(k int) (replayer.Result, *trace.Trace) {
		switch k {
		case 0:
			<-second
		case 1:
			close(second)
		case 2:
			return replayer.Result{}, nil
		case 3:
			return replayer.Result{}, steps(t, 0)
		}
		return replayer.Result{}, steps(t, k)
	})
	require.NoError(t, loop.run(t.Context()))
	assert.Equal(t, 4, loop.runsMade)
	require.Len(t, loop.ledger.RunsOfTest, 3)
	for k, r := range loop.ledger.RunsOfTest[1:] {
		assert.Equal(t, k+1, r.RunNumber)
		assert.Equal(t, []int{0}, r.ParentRuns)
	}
	assert.Nil(t, f.runs[2].Recording)
}

// After a run that did not end no other is made; nor when the budget is used up.
func TestRunsEnd(t *testing.T) {
	endless := replayer.Result{Verdicts: []replayer.Verdict{{Outcome: replayer.Outcome{TimedOut: true}}}}
	loop, f := newTestLoop(t, 20, func(k int) (replayer.Result, *trace.Trace) {
		if k == 1 {
			return endless, nil
		}
		return replayer.Result{}, steps(t, k)
	})
	require.NoError(t, loop.run(t.Context()))
	assert.Len(t, loop.ledger.RunsOfTest, 2, "that before it")
	assert.Less(t, f.next, 20)

	loop, f = newTestLoop(t, 20, func(k int) (replayer.Result, *trace.Trace) { return replayer.Result{}, steps(t, k) })
	loop.withinBudget = func() bool { return loop.runsMade < 3 }
	require.NoError(t, loop.run(t.Context()))
	assert.GreaterOrEqual(t, f.next, 3)
	assert.Less(t, f.next, 20)

	loop, f = newTestLoop(t, 20, nil)
	loop.ledger.TimeLeft = func() time.Duration { return 0 }
	require.NoError(t, loop.run(t.Context()))
	assert.Zero(t, f.next)

	loop, _ = newTestLoop(t, 2, func(k int) (replayer.Result, *trace.Trace) { return replayer.Result{}, steps(t, k) })
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("over"))
	assert.Error(t, loop.run(ctx))
}

// Patterns of a test are no longer looked for once many are confirmed.
func TestKinds(t *testing.T) {
	loop, _ := newTestLoop(t, 0, nil)
	kinds, some := loop.kindsToPredict()
	assert.True(t, some)
	assert.Empty(t, kinds, "all")
	for line := range maxPatterns {
		e := finding.Entry{}
		e.Kind, e.Status, e.Test, e.Package = bug.Atomicity, bug.Confirmed, "TestX", "p"
		e.ID = fmt.Sprint(line)
		loop.ledger.Report.Findings = append(loop.ledger.Report.Findings, e.Finding)
	}
	kinds, some = loop.kindsToPredict()
	assert.True(t, some)
	assert.Contains(t, kinds, bug.Race)
	assert.NotContains(t, kinds, bug.Atomicity)
	loop.session.opts.Analysis.Kinds = []bug.Kind{bug.Atomicity}
	_, some = loop.kindsToPredict()
	assert.False(t, some)
	loop.strategyOptions.Exploring = true
	_, some = loop.kindsToPredict()
	assert.True(t, some)
}

// A test passes still if it passes without a schedule in an order in which it has passed.
func TestPassing(t *testing.T) {
	l := newLoop(t, new(machine), passed(t, racing))
	assert.Nil(t, l.passingRun("TestX"), "no recording has it")
	failed := recording.New(l.ledger.FirstRun, tracetest.Parse(t, "0 testbegin x"), l.session.sourceNames)
	l.ledger.Recordings = []ledger.PredictedRecording{{Recording: failed}}
	assert.Nil(t, l.passingRun("TestX"), "it did not end")
	l.ledger.Recordings = append(l.ledger.Recordings, ledger.PredictedRecording{Recording: recording.New(l.ledger.FirstRun, passed(t, racing), l.session.sourceNames)})
	assert.NotNil(t, l.passingRun("TestX"))
}

// A run that cannot be made again does not pass.
func TestPassingWithoutRecording(t *testing.T) {
	l := newLoop(t, &machine{record: func(recorder.Order, []string) *trace.Trace { return nil }}, passed(t, racing))
	require.NoError(t, l.session.pool.Prepare())
	l.passingRuns["TestX"] = &strategy.Run{Recording: recording.New(l.ledger.FirstRun, passed(t, racing), l.session.sourceNames)}
	passes, err := l.passingRun("TestX")(t.Context())
	require.NoError(t, err)
	assert.False(t, passes)
}

// What failed in one recording is a bug of its own if its replay fails, and the test passes in
// another order.
func TestEnterFailure(t *testing.T) {
	for _, c := range []struct {
		name     string
		status   bug.Status
		passes   bool
		findings int
		warning  string
	}{
		{"confirmed", bug.Confirmed, true, 1, ""},
		{"fails anyway", bug.Confirmed, false, 0, "fails in each order by now"},
		{"not again", bug.Unconfirmed, true, 1, ""},
	} {
		m := &machine{record: func(recorder.Order, []string) *trace.Trace { return nil }}
		l := newLoop(t, m, passed(t, racing))
		r := recording.New(l.ledger.FirstRun, passed(t, racing), l.session.sourceNames)
		l.passingRuns["TestX"] = &strategy.Run{Base: r, MakeBeginning: func() (*witness.Witness, error) {
			return finding.BeginningWitness(r, recording.KindFlipped, r.Trace, finding.ScheduleUpTo(r, 2), []int{2})
		}}
		m.replay = func(*witness.Witness) (replayer.Result, *trace.Trace) {
			if c.passes {
				return replayer.Result{}, passed(t, racing)
			}
			return replayer.Result{}, nil
		}
		f := finding.FromRun(r, analysis.Finding{Kind: bug.Failure, Accesses: []int{2}, Tests: []string{"TestX"}})
		ev := finding.EvidenceWithoutReplay(r, f)
		ev.Result.Witness, ev.Result.Replays = f.Witness, 2
		if c.status == bug.Confirmed {
			ev.Result.Reproduced = 2
		}
		require.NoError(t, l.session.pool.Prepare())
		passes, err := l.enterFailure(t.Context(), t.Context(), r, f, l.confirmer.NewEntry(ev), nil)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.passes, passes, c.name)
		assert.Len(t, l.ledger.Report.Findings, c.findings, c.name)
		if c.warning != "" {
			require.Len(t, l.ledger.Report.Warnings, 1, c.name)
			assert.Contains(t, l.ledger.Report.Warnings[0], c.warning)
		}
		assert.Equal(t, c.status != bug.Confirmed, len(l.unrepeatedFailures) > 0, c.name)
	}
}

// A test is explored no longer than the time for that, however many runs could be made.
func TestExplorationTime(t *testing.T) {
	loop, _ := newTestLoop(t, 0, nil)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	loop.session.pool.Machine.(*machine).record = func(recorder.Order, []string) *trace.Trace { return nil }
	long := recording.New(loop.ledger.FirstRun, steps(t, strategy.MaxExploredEvents/2), loop.session.sourceNames)
	loop.ledger.RunsOfTest = []*recording.Recording{long} // too long to be searched completely
	loop.strategyOptions.Exploring = true
	loop.session.opts.Explore, loop.session.explorationTimeLeft = Budget{TotalTime: time.Millisecond}, time.Millisecond
	flips := strategy.NewPackageFlips(loop.strategyOptions, loop.ledger, []string{"TestX"}).FlipsOf(loop.ledger, "TestX", 1)
	require.NoError(t, loop.exploreFurther(ctx, flips))
	assert.LessOrEqual(t, loop.session.explorationTimeLeft, time.Duration(0))
	assert.Equal(t, "TestX", loop.ledger.PackageEntry().Explored[0].Test)
}

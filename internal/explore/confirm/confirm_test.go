package confirm

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/replays"
	"github.com/gopredict/gopredict/internal/explore/strategy"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A machine is a fake: replay says what the replays of a witness show.
type machine struct {
	replays.Machine
	replay func(w *witness.Witness) replayer.Result

	mu       sync.Mutex
	replayed []*witness.Witness
}

func (m *machine) Confirm(_ context.Context, _ replayer.Binary, w *witness.Witness, _ replayer.Program, _ replayer.Options) (replayer.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.replayed = append(m.replayed, w)
	r := m.replay(w)
	r.Witness = w
	return r, nil
}

func (m *machine) Continue(ctx context.Context, bin replayer.Binary, w *witness.Witness, code replayer.Program, _ replayer.Delay, opts replayer.Options) (replayer.Result, error) {
	return m.Confirm(ctx, bin, w, code, opts)
}

// newConfirmer returns one of package p whose replays are those of the machine.
func newConfirmer(t *testing.T, m *machine) *Confirmer {
	run := recorder.Run{Package: recorder.Package{Path: "p", Dir: t.TempDir()}}
	l := ledger.New(run, ledger.Paths{Root: run.Package.Dir, Witnesses: ledger.WitnessFolder{Root: run.Package.Dir, Below: "predict"}}, nil)
	l.Report.Packages = []report.Package{{Package: "p"}}
	pool := replays.NewPool(new(recorder.Build), replayer.Program{}, budget.NewClock(time.Hour), report.NewStatus(os.Stderr), t.TempDir(), 2)
	pool.Machine = m
	src := recording.Sources{Lines: new(witness.Sources)}
	return &Confirmer{
		Ledger: l, Candidates: l.Candidates, Replays: &replays.Replayer{Pool: pool, NumRuns: &l.NumRuns}, Sources: src,
		OnBug: func(string, *witness.Witness) {},
	}
}

// recorded returns the recording of a trace as text, see [tracetest.Parse].
func (c *Confirmer) recorded(t *testing.T, text string) *recording.Recording {
	return recording.New(c.Ledger.FirstRun, tracetest.Parse(t, text), c.Sources)
}

const confirmed, unconfirmed = bug.Confirmed, bug.Unconfirmed

// replayed returns the result of n replays that have all shown the bug, or none.
func replayed(status bug.Status, n int) replayer.Result {
	r := replayer.Result{Replays: n}
	if status == confirmed {
		r.Reproduced = n
	}
	return r
}

// What is predicted from a recording is replayed: what is confirmed has a draft of its
// witness, what is not stays unconfirmed, and both are settled.
func TestFindings(t *testing.T) {
	for _, status := range []bug.Status{confirmed, unconfirmed} {
		m := &machine{replay: func(*witness.Witness) replayer.Result {
			return replayed(status, 1)
		}}
		c := newConfirmer(t, m)
		var announced []string
		c.OnBug = func(pkg string, w *witness.Witness) { announced = append(announced, pkg+" "+string(w.Kind)) }
		r := c.recorded(t, "0 fork 1\n1 begin\n1 w x\n0 w x")
		_, findings, err := c.Predict(t.Context(), r, analysis.Options{})
		require.NoError(t, err)
		require.Len(t, findings, 1)
		n, err := c.ConfirmFindings(t.Context(), r, findings)
		require.NoError(t, err)
		require.Len(t, c.Ledger.Report.Findings, 1)
		f := c.Ledger.Report.Findings[0]
		assert.Equal(t, status, f.Status)
		assert.Equal(t, analysis.Settled, c.Candidates.KnowledgeOf(findings[0].Name))
		drafts := c.Ledger.Witnesses.TakeDrafts()
		if status == confirmed {
			assert.Equal(t, 1, n)
			require.Len(t, drafts, 1)
			assert.NotEmpty(t, drafts[0].Violation)
			assert.Contains(t, announced, "p race")
			assert.Equal(t, "predict/TestX/"+f.ID, f.Witness)
		} else {
			assert.Zero(t, n)
			assert.Empty(t, drafts)
			assert.Empty(t, announced)
			assert.Empty(t, f.Witness)
		}
		before := len(m.replayed)
		_, err = c.ConfirmFindings(t.Context(), r, findings)
		require.NoError(t, err)
		assert.Len(t, m.replayed, before, "nothing is replayed twice")
	}
}

// The kinds with the worst effects are replayed first.
func TestWorstFirst(t *testing.T) {
	var findings []finding.Finding
	for _, kind := range []bug.Kind{bug.AtomicSet, bug.Atomicity, bug.Race, bug.Assertion, bug.Deadlock} {
		findings = append(findings, finding.Finding{Finding: analysis.Finding{Kind: kind}})
	}
	worstFirst(findings)
	for k := range findings[1:] {
		assert.Less(t, findings[k].Kind.Rank(), findings[k+1].Kind.Rank())
	}
	assert.Equal(t, bug.Deadlock, findings[0].Kind)
}

// Of findings at the same sites the one that shows most stands in the report, whichever comes
// first.
func TestBetterWitness(t *testing.T) {
	c := newConfirmer(t, &machine{})
	r := c.recorded(t, "0 fork 1\n1 begin\n1 w x\n0 w x")
	f := finding.FromRun(r, analysis.Finding{Kind: bug.Race, Name: "race", Accesses: []int{2, 3}, Tests: []string{"TestX"}})
	entry := func(status bug.Status, effect bug.Effect) finding.Entry {
		ev := finding.EvidenceBeforeReplay(r, f)
		ev.Result = replayed(status, 1)
		ev.Result.Effect, ev.Result.Witness = effect, f.Witness
		return c.NewEntry(ev)
	}
	for name, effects := range map[string][3]bug.Effect{
		"the second":  {bug.NoEffect, bug.Panic, bug.Panic},
		"the first":   {bug.TestFailure, bug.NoEffect, bug.TestFailure},
		"unconfirmed": {"", bug.TestFailure, bug.TestFailure},
	} {
		c := newConfirmer(t, &machine{})
		status := confirmed
		if effects[0] == "" {
			status = unconfirmed
		}
		all := &confirmation{Confirmer: c, rec: r, findings: []finding.Finding{f, f}, errs: make([]error, 2), entries: []finding.Entry{entry(status, effects[0]), entry(confirmed, effects[1])}}
		all.enterEntries(t.Context())
		require.Len(t, c.Ledger.Report.Findings, 1, name)
		assert.Equal(t, effects[2], c.Ledger.Report.Findings[0].Effect, name)
	}
}

// What there was no time for is counted, and an error concerns its finding alone.
func TestNotReplayed(t *testing.T) {
	c := newConfirmer(t, &machine{})
	r := c.recorded(t, "0 fork 1\n1 begin\n1 w x\n0 w x")
	f := finding.FromRun(r, analysis.Finding{Kind: bug.Race, Name: "race", Accesses: []int{2, 3}, Tests: []string{"TestX"}})
	e := c.NewEntry(finding.EvidenceWithoutReplay(r, f))
	all := &confirmation{Confirmer: c, rec: r, findings: []finding.Finding{f, f}, entries: []finding.Entry{e, e}, errs: []error{budget.ErrTimeOver, os.ErrNotExist}}
	assert.Zero(t, all.enterEntries(t.Context()))
	assert.Len(t, c.Ledger.Report.Findings, 1)
	assert.True(t, c.Ledger.AnalysisFailed)
	assert.Len(t, c.Ledger.Report.Warnings, 1)
	assert.Equal(t, map[ledger.Bound]int{ledger.TimeOver: 1}, c.Ledger.Bounds)
}

// What a test may cost is shared by its findings, those with the worst effects first; no other
// test's findings take from it.
func TestGrantReplays(t *testing.T) {
	c := newConfirmer(t, &machine{})
	schedules := make([]analysis.Recipe, 2)
	of := func(test string, schedules []analysis.Recipe) *attempt {
		return &attempt{Finding: finding.Finding{Finding: analysis.Finding{Tests: []string{test}, Schedules: schedules}}}
	}
	attempts := []*attempt{of("TestA", schedules), of("TestB", schedules), of("TestA", nil), of("TestA", schedules), of("TestA#2", schedules)}
	all := &confirmation{Confirmer: c}
	assert.Positive(t, slices.Min(all.grantReplays(attempts)), "without an allowance there is no bound")

	c.Ledger.EventsOfTest = map[string]int{"TestA": 1 << 20, "TestB": 1 << 20}
	c.Ledger.Allowance = budget.NewAllowance(new(trace.Trace), c.Ledger.EventsOfTest, nil)
	have := c.Ledger.Allowance.ReplaysLeft("TestA", 1<<20)
	assert.Equal(t, []int{have/3 + have%3, have, 1, have / 3, have / 3}, all.grantReplays(attempts))
	attempts[0].replayed, attempts[3].replayed = have-3, 1
	all.payReplays(attempts)
	assert.Equal(t, []int{1, have, 1, 1, 0}, all.grantReplays(attempts))
	attempts[0].finished = true
	assert.Equal(t, []int{1, have, 1, 1, 1}, all.grantReplays(attempts))
	all.payReplays(attempts)
	assert.Equal(t, 2, c.Ledger.Allowance.ReplaysLeft("TestA", 1<<20), "they are paid for once")
	c.Strategy.Recordings = 7
	assert.Greater(t, all.grantReplays(attempts)[4], have, "the user asks for all")
}

// deadlock is a trace in which two goroutines wait for each other's locks, and a third one
// sends to nobody.
func deadlock(t *testing.T, c *Confirmer, stuck ...trace.BlockedGoroutine) *recording.Recording {
	r := c.recorded(t, `
		0 fork 1
		0 fork 2
		0 fork 3
		1 begin
		1 acq a
		2 begin
		2 acq b
		3 begin
		3 w x`)
	tr := *r.Trace
	locks := map[trace.GID]uint64{}
	for _, e := range tr.Events {
		if e.Kind == trace.Acquire {
			locks[e.G] = e.Obj
		}
	}
	for k := range stuck {
		if g := stuck[k].G; g == 1 || g == 2 {
			stuck[k].Op, stuck[k].Obj = trace.Acquire, locks[3-g]
		}
	}
	tr.Blocked = stuck
	return recording.New(c.Ledger.FirstRun, &tr, c.Sources)
}

// A goroutine that was blocked when its test ended, before nothing could go on, has no part
// in the deadlock; those that were not have.
func TestLeftBehind(t *testing.T) {
	m := &machine{replay: func(*witness.Witness) replayer.Result {
		return replayer.Result{Replays: 1, Reason: "left its schedule"}
	}}
	c := newConfirmer(t, m)
	r := deadlock(t, c,
		trace.BlockedGoroutine{G: 1, Proof: trace.ProofDeadlock}, trace.BlockedGoroutine{G: 2, Proof: trace.ProofDeadlock},
		trace.BlockedGoroutine{G: 3, Proof: trace.ProofLeak, Op: trace.Send, Obj: 77}, trace.BlockedGoroutine{G: 3, Proof: trace.ProofDeadlock, Op: trace.Send, Obj: 77})
	kinds := make(map[bug.Kind]int)
	for e, err := range c.endings(r) {
		require.NoError(t, err)
		kinds[e.kind] = len(e.blockedWaits)
	}
	assert.Equal(t, map[bug.Kind]int{bug.Deadlock: 2, bug.Leak: 1}, kinds)
	require.NoError(t, c.ConfirmBlocked(t.Context(), r))
	for _, f := range c.Ledger.Report.Findings {
		assert.Equal(t, unconfirmed, f.Status, "no replay has shown it")
		assert.Equal(t, "the recorded run has ended with it, and no replay of it has: left its schedule", f.Reason)
		assert.Zero(t, f.Reproduced)
		switch f.Kind {
		case bug.Deadlock:
			assert.Len(t, f.Accesses, 2)
		case bug.Leak:
			assert.Len(t, f.Accesses, 1)
		}
	}
	assert.Len(t, c.Ledger.Report.Findings, 2)
	assert.True(t, c.HasBlocked(r, bug.Deadlock, "TestX"))
	assert.False(t, c.HasBlocked(r, bug.Deadlock, "TestY"))
}

// What blocks goroutines is confirmed by a replay with its witness, and replayed a few times
// only: the goroutines that it blocks in other runs join it.
func TestBlockedAgain(t *testing.T) {
	m := &machine{replay: func(*witness.Witness) replayer.Result {
		return replayer.Result{Effect: bug.Blocks, Replays: 1, Reproduced: 1}
	}}
	c := newConfirmer(t, m)
	r := deadlock(t, c, trace.BlockedGoroutine{G: 1, Proof: trace.ProofDeadlock}, trace.BlockedGoroutine{G: 2, Proof: trace.ProofDeadlock})
	require.NoError(t, c.ConfirmBlocked(t.Context(), r))
	require.Len(t, c.Ledger.Report.Findings, 1)
	assert.Len(t, c.Ledger.Witnesses.TakeDrafts(), 1)
	before := len(m.replayed)
	require.NoError(t, c.ConfirmBlocked(t.Context(), r))
	assert.Len(t, m.replayed, before)
	assert.Len(t, c.Ledger.Report.Findings, 1)

	c.Analysis.Kinds = []bug.Kind{bug.Race}
	c.Ledger.Report.Findings = nil
	require.NoError(t, c.ConfirmBlocked(t.Context(), r))
	assert.Empty(t, c.Ledger.Report.Findings, "deadlocks are not looked for")
}

// The outcomes of further witnesses are added up, and that one confirms counts alone.
func TestNoteOutcome(t *testing.T) {
	outcome := func(status bug.Status, n int, timed bool) replays.Outcome {
		r := replayed(status, n)
		r.DependsOnTime = timed
		return replays.Outcome{Witness: &witness.Witness{ID: string(status)}, Result: r}
	}
	for _, c := range []struct {
		name          string
		before, after replays.Outcome
		replays       int
		later         bool // the later outcome stands
	}{
		{"confirmed at last", outcome(unconfirmed, 2, false), outcome(confirmed, 3, false), 3, true},
		{"never confirmed", outcome(unconfirmed, 2, false), outcome(unconfirmed, 3, false), 5, true},
		{"rests on time", outcome(unconfirmed, 2, true), outcome(unconfirmed, 3, false), 5, false},
		{"confirmed after all", outcome(unconfirmed, 2, true), outcome(confirmed, 3, false), 3, true},
	} {
		var ev evidence.Evidence
		noteOutcome(&ev, c.before)
		noteOutcome(&ev, c.after)
		assert.Equal(t, c.replays, ev.Result.Replays, c.name)
		assert.Equal(t, c.later, ev.Witness == c.after.Witness, c.name)
	}
}

// In the trace of a departure only what is open is searched for, and what explains it.
func TestOptionsForDepartures(t *testing.T) {
	c := newConfirmer(t, &machine{})
	c.Candidates.MarkSettled("other")
	of := func(kind bug.Kind, test string) finding.Finding {
		return finding.Finding{Finding: analysis.Finding{Kind: kind, Name: string(kind) + test, Tests: []string{test}}}
	}
	findings := []finding.Finding{of(bug.Race, "TestA"), of(bug.Race, "TestB"), of(bug.Atomicity, "TestA"), of(bug.Assertion, "TestA")}
	findings[1].Schedules = make([]analysis.Recipe, 1)
	options := func(open ...int) analysis.Options {
		d := &departureSearch{Confirmer: c, Departures: &strategy.Departures{Findings: findings, OpenFindings: open}}
		return d.options()
	}
	opts := options(0)
	assert.Equal(t, []bug.Kind{bug.Race}, opts.Kinds)
	assert.Equal(t, analysis.Unknown, opts.KnowledgeOf(findings[0].Name))
	assert.Equal(t, analysis.Settled, opts.KnowledgeOf(findings[1].Name), "it has schedules in the first trace")
	assert.Equal(t, analysis.TriedBefore, opts.KnowledgeOf(findings[2].Name))
	assert.Equal(t, analysis.TriedBefore, opts.KnowledgeOf("new"))
	assert.Equal(t, analysis.Settled, opts.KnowledgeOf("other"))
	assert.ElementsMatch(t, []bug.Kind{bug.Atomicity, bug.Race}, options(2).Kinds, "a pattern may be no more than a race")
	assert.Empty(t, options(0, 3).Kinds, "an assertion may fail because of any other bug")
}

// A failed assertion is the last branch at its site that fails, or a call whose message names
// its line.
func TestFailureAt(t *testing.T) {
	site := trace.Site{ID: 1, Key: 1, File: "/m/a_test.go", Line: 7, FailsIf: trace.IfTrue}
	branch := func(taken uint64) trace.Event { return trace.Event{Kind: trace.Branch, Site: 1, Val: taken} }
	call, other := trace.Event{Kind: trace.Assert, Site: 1}, trace.Event{Kind: trace.Branch, Site: 2, Val: 1}
	release, acquire := trace.Event{Kind: trace.Release, Site: 1, Obj: 8}, trace.Event{Kind: trace.Acquire, Site: 1, Obj: 8}
	for _, c := range []struct {
		name   string
		kind   bug.Kind
		events []trace.Event
		detail string
		want   int
	}{
		{"the branch fails", bug.Assertion, []trace.Event{branch(1), branch(0), other}, "", 0},
		{"the last one", bug.Assertion, []trace.Event{branch(1), branch(1), other}, "", 1},
		{"it passes", bug.Assertion, []trace.Event{branch(0), other}, "", -1},
		{"a call that printed the line", bug.Assertion, []trace.Event{call}, "  a_test.go:7: not equal", 0},
		{"a call that printed another", bug.Assertion, []trace.Event{call}, "  a_test.go:71: not equal", -1},
		{"no assertion", bug.Race, []trace.Event{branch(1)}, "", -1},
		{"a bad unlock", bug.LockMisuse, []trace.Event{acquire, release, release}, "", 2},
		{"good unlocks", bug.LockMisuse, []trace.Event{acquire, release}, "", -1},
	} {
		tr := &trace.Trace{Events: c.events, Sites: map[trace.SiteID]trace.Site{1: site, 2: {ID: 2, Key: 2}}}
		assert.Equal(t, c.want, failurePosition(new(recording.Recording).WithTrace(tr), c.kind, site, []string{c.detail}), c.name)
	}
}

// Candidates of further recordings that are patterns are findings only with a schedule.
func TestKnownPatterns(t *testing.T) {
	c := newConfirmer(t, &machine{})
	assert.Equal(t, analysis.TriedBefore, c.knowledgeOf(string(bug.Atomicity)+"\x00new"))
	assert.Equal(t, analysis.Unknown, c.knowledgeOf(string(bug.Race)+"\x00new"))
	c.Strategy.Exploring = true
	assert.Equal(t, analysis.Unknown, c.knowledgeOf(string(bug.Atomicity)+"\x00new"))
	assert.NotContains(t, WithoutPatterns(nil), bug.Atomicity)
	assert.Equal(t, []bug.Kind{bug.Race}, WithoutPatterns([]bug.Kind{bug.AtomicSet, bug.Race}))
}

// The time of replays is added to the package's, also if what replays has failed.
func TestInTime(t *testing.T) {
	c := newConfirmer(t, &machine{})
	err := c.WithinTime(t.Context(), func(ctx context.Context) error {
		assert.NoError(t, ctx.Err())
		time.Sleep(time.Millisecond)
		return os.ErrNotExist
	})
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.Positive(t, c.Ledger.PackageEntry().ReplayS)
	assert.Empty(t, c.Ledger.Report.Incomplete)
	c.Replays.Clock = budget.NewClock(time.Nanosecond)
	c.Replays.Clock.Begin()
	require.NoError(t, c.WithinTime(t.Context(), func(ctx context.Context) error {
		assert.Equal(t, budget.ErrTimeOver, context.Cause(ctx))
		return nil
	}))
	assert.Len(t, c.Ledger.Report.Incomplete, 1)
}

package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/confirm"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/places"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/replays"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file searches for the bug of a witness whose schedule the program has left. That alone
// does not mean that the bug is fixed: a schedule identifies goroutines by their numbers and
// places by their functions, so that one goroutine more or one call less leads away from a bug
// that is there. So the test is recorded again and predicted from, and predictions at the same
// places are replayed.
//
// There are three answers, and the burden of proof is on "fixed": what a few runs have not
// shown may be there nevertheless. This search collects the evidence ([bug.SavedEvidence]), which
// decides. Each piece that is missing makes the answer "cannot tell".

// A Recheck is the answer for a witness: the bug is Confirmed, and found; or Fixed; or
// Unconfirmed or Stale, if it is not known whether it is fixed.
type Recheck struct {
	Status bug.Status
	Reason string // why it is not known
	// Found is the bug that was confirmed.
	Found finding.Entry

	evidence bug.SavedEvidence
	why      string // Reason without its beginning
}

// answer returns the answer that follows from the evidence, with its reason.
func answer(e bug.SavedEvidence, reason string) Recheck {
	a := Recheck{Status: e.Status(), Reason: reason, evidence: e, why: reason}
	if a.Status != bug.Fixed && a.Status != bug.Confirmed {
		a.Reason = "cannot tell whether it is fixed: " + reason
	}
	return a
}

// ReasonAfter joins the reason of r, and the one for which the replays of the witness did not reach
// the bug.
func (r Recheck) ReasonAfter(why string) string {
	if r.Status == bug.Stale {
		return JoinReasons(why, r.Reason)
	}
	return JoinReasons(r.Reason, why)
}

// Recheck looks for the bug of w, whose replays did not reach it, as r says. Run says how its
// test is run, and replayed is the recording of one of the replays; nil if there is none. The
// exploration is for nothing else then.
func (x *Exploration) Recheck(ctx context.Context, run recorder.Run, w *witness.Witness, r replayer.Result, replayed *trace.Trace) (Recheck, error) {
	c := newRechecking(x.session.newLoop(run), w, r, replayed)
	known, err := c.run(ctx)
	if err != nil || known.Status == bug.Confirmed {
		return known, err
	}
	return c.explore(ctx, known)
}

// recheckOrders are the orders in which the test of a witness is recorded again: the order
// decides which places the test reaches.
var recheckOrders = []recorder.Order{recorder.NewestFirst, recorder.OldestFirst, recorder.ChildFirst}

// staleOrders are further orders for witnesses that no longer fit the sources: that nothing
// was predicted is all the evidence then.
var staleOrders = []recorder.Order{recorder.RandomOrder(1), recorder.RandomOrder(2)}

// errNoEvidence is the error of a recording that says nothing about the bug. Its text is why.
type errNoEvidence string

// Error returns the reason.
func (why errNoEvidence) Error() string { return string(why) }

// A rechecking is what is known of the bug of a witness from runs of its test.
type rechecking struct {
	*loop
	committed *witness.Witness
	result    replayer.Result // of the replays of old
	replayed  *trace.Trace    // of one of these replays; nil if there is none
	places    *places.Places
	orders    []recorder.Order            // in which the test is recorded
	runs      []ledger.PredictedRecording // by order
	// doubt is why the bug may be there; "" if there is no reason.
	doubt             string
	startedGoroutines bool // some run has started goroutines
	testFailed        bool // the test failed in some run
	// notRefuted is set if some run came to the assertion, and the analysis does not prove that it
	// holds in all orders of what the run did: it may not know what the assertion depends on.
	notRefuted bool
}

// newRechecking looks for the bug of w, whose replays did not reach it, as r says.
func newRechecking(l *loop, w *witness.Witness, r replayer.Result, replayed *trace.Trace) *rechecking {
	// The candidates of the package are settled by now, and would not be searched for. So this
	// search has a set of its own.
	alone, confirmer := *l, *l.confirmer
	confirmer.Candidates = ledger.NewCandidates() // those of the package were looked for
	alone.confirmer = &confirmer
	c := &rechecking{loop: &alone, committed: w, result: r, replayed: replayed, places: places.New(r.Witness, l.session.pool.Program.Sites), orders: slices.Clone(recheckOrders)}
	if c.isStale() {
		c.orders = append(c.orders, staleOrders...)
	}
	if o := recorder.Order(w.RecordedOrder); !slices.Contains(c.orders, o) {
		c.orders = append(c.orders, o)
	}
	return c
}

// isStale reports whether the witness no longer fits the sources.
func (c *rechecking) isStale() bool { return len(c.result.Stale) > 0 }

// run searches for the bug in further recordings of the test.
//
// The bug is fixed only if some run has come to each place of the violation, none of the
// predictions has a part at these places, and the test passes. Else it is not known.
func (c *rechecking) run(ctx context.Context) (Recheck, error) {
	if w := c.committed; !c.session.opts.canFind(w) {
		return c.doubtful("bugs of kind %s are not looked for", strings.TrimSpace(string(w.Kind)+" "+w.Pattern)), nil
	}
	if err := c.session.pool.Prepare(); err != nil {
		return Recheck{}, err
	}
	found, err := c.search(ctx)
	if why, ok := errors.AsType[errNoEvidence](err); ok {
		return c.doubtful("%s", string(why)), nil
	}
	switch {
	case err != nil:
		return Recheck{}, err
	case found.ConfirmedBug != "":
		return c.found(found), nil
	}
	return c.answerWithoutBug(), nil
}

// found returns the answer that another schedule of the present program has shown the bug.
func (c *rechecking) found(e finding.Entry) Recheck {
	known := c.result.SavedEvidence()
	known.Elsewhere = true
	a := answer(known, "")
	a.Found = e
	return a
}

// doubtful returns the answer that the search tells nothing, and why.
func (c *rechecking) doubtful(format string, args ...any) Recheck {
	known := c.result.SavedEvidence()
	known.Doubtful = true
	return answer(known, fmt.Sprintf(format, args...))
}

// search records the test in all orders and returns the entry of the bug, if a replay confirms
// it: at its own places in one of the runs, or else at places to which these may have moved.
func (c *rechecking) search(ctx context.Context) (finding.Entry, error) {
	now := c.result.Witness
	exact := func(v *witness.Witness) bool { return finding.BugKey(v) == finding.BugKey(now) }
	if found, err := c.searchReplay(ctx, exact); err != nil || found.ConfirmedBug != "" {
		return found, err
	}
	for k, order := range c.orders {
		c.session.status.Set("recording", fmt.Sprintf("%s again, %d of %d", c.committed.Tests[0], k+1, len(c.orders)))
		again, err := c.record(ctx, order)
		if err != nil {
			return finding.Entry{}, err
		}
		findings, unpredicted := c.predictAgain(ctx, again)
		c.runs = append(c.runs, ledger.PredictedRecording{Recording: again, Findings: findings})
		if found, err := c.reproduce(ctx, c.runs[len(c.runs)-1], exact); err != nil || found.ConfirmedBug != "" {
			return found, err
		}
		c.noteRecording(again)
		switch why, ok := errors.AsType[errNoEvidence](unpredicted); {
		case ok && c.isStale() && c.committed.EndsBlocked(): // goroutines that block at other places may be blocked by the same bug
			c.doubt = string(why)
		case unpredicted != nil:
			return finding.Entry{}, unpredicted
		default:
			c.noteUnconfirmed(findings)
		}
	}
	// A place that is gone, or that no run has reached, may have moved. A line that was
	// guessed may not be the place: it is if its operand is that of the access.
	p := c.places
	p.Gone = slices.Clone(c.result.MissingAccesses)
	for _, i := range c.result.GuessedAccesses {
		if !p.ReachedByRun[i] || !p.MayBeRenamed(c.committed.Violation[i], now.Violation[i]) {
			p.Gone = append(p.Gone, i)
		}
	}
	// Goroutines may block in code that is the same as that of others. Then nothing tells
	// which of them has moved.
	p.MayBeAnywhere = c.committed.EndsBlocked() && c.isStale()
	if len(p.MissingPlaces()) == 0 {
		return finding.Entry{}, nil
	}
	for _, again := range c.runs {
		if found, err := c.reproduce(ctx, again, p.MayBeBug); err != nil || found.ConfirmedBug != "" {
			return found, err
		}
	}
	return finding.Entry{}, nil
}

// searchReplay searches the run of a replay of the witness. Until it left the schedule, it is the
// run that is most like the bug, and what it did then may have shown the bug.
func (c *rechecking) searchReplay(ctx context.Context, is func(*witness.Witness) bool) (finding.Entry, error) {
	if c.replayed == nil || len(c.replayed.Events) > recording.MaxRepeated || trace.Validate(c.replayed) != nil {
		return finding.Entry{}, nil
	}
	run := recording.New(c.ledger.FirstRun, c.replayed, c.session.sourceNames)
	run = run.With(func(r *recording.Recording) { r.BegunBy = c.result.Witness })
	findings, err := c.predictAgain(ctx, run)
	if _, ok := errors.AsType[errNoEvidence](err); err != nil && !ok { // what it has shown is evidence all the same
		return finding.Entry{}, err
	}
	c.runs = append(c.runs, ledger.PredictedRecording{Recording: run, Findings: findings})
	return c.reproduce(ctx, c.runs[0], is)
}

// record records the test in an order.
func (c *rechecking) record(ctx context.Context, order recorder.Order) (*recording.Recording, error) {
	w, first := c.committed, c.ledger.FirstRun
	test := w.Tests[0]
	limit := replays.ReplayTime(recording.Seconds(first.Seconds))
	args := replayer.ReplayArgs(replayer.ArgsToReplay(w, first.Args), w, limit)
	c.replays.NumRuns.Add(1)
	file := filepath.Join(c.session.workFolder, fmt.Sprintf("recheck-%d", c.session.numRecheckRecordings.Add(1)))
	run, err := c.session.pool.Machine.Record(ctx, first, order, args, file, limit)
	if err != nil {
		return nil, err
	}
	t := recording.ReadReplay(run.Trace, c.session.build)
	switch {
	case t == nil || trace.Validate(t) != nil:
		return nil, errNoEvidence(test + " was run again and not recorded")
	case !recording.HasTest(t, test):
		return nil, errNoEvidence("there is no test " + test + " any more, or it is left out")
	}
	run.Args = first.Args
	return recording.New(run, t, c.session.sourceNames), nil
}

// predictAgain predicts bugs of the kind from a recording.
func (c *rechecking) predictAgain(ctx context.Context, r *recording.Recording) ([]finding.Finding, error) {
	if t := r.Trace; t.Meta.Limit > 0 || len(t.Cuts) > 0 || !t.Complete {
		return nil, errNoEvidence(c.committed.Tests[0] + " was run again, and not all of it was recorded")
	}
	opts := c.confirmer.Analysis
	opts.Kinds = []bug.Kind{c.committed.Kind}
	result, err := finding.Predict(ctx, r.Trace, opts)
	if err != nil {
		return nil, err
	}
	if result.Truncated || result.TooLong {
		return nil, errNoEvidence("there is too much to look for in " + c.committed.Tests[0])
	}
	findings, refuted, err := finding.FromAnalysis(r, result, finding.NewWitnessIDs())
	if now := c.result.Witness; now.Kind == bug.Assertion {
		isIt := func(f finding.Finding) bool { return places.SharedPlace(f.Witness, now) != "" }
		c.notRefuted = c.notRefuted || now.ReachedIn(r.Trace)[0] && !slices.ContainsFunc(refuted, isIt)
	}
	return findings, err
}

// reproduce returns the entry of the bug, if a run has shown it by itself or it was predicted
// from the run, and a replay confirms it. Function is reports whether a violation is the one
// of the bug.
func (c *rechecking) reproduce(ctx context.Context, r ledger.PredictedRecording, is func(*witness.Witness) bool) (finding.Entry, error) {
	if found, err := c.reproduceShown(ctx, r.Recording, is); err != nil || found.ConfirmedBug != "" {
		return found, err
	}
	// The violation was predicted from this run, in another order than that of the witness.
	findings := slices.DeleteFunc(slices.Clone(r.Findings), func(f finding.Finding) bool { return !is(f.Witness) })
	entries := make([]finding.Entry, len(findings))
	c.replays.Progress.Total.Store(int32(len(findings)))
	for i, f := range findings {
		ev, err := c.confirmer.ReplayFinding(ctx, r.Recording, f)
		if entries[i] = c.confirmer.NewEntry(ev); err != nil || entries[i].ConfirmedBug != "" {
			return entries[i], err
		}
	}
	err := c.confirmer.FollowDepartures(ctx, r.Recording, findings, entries)
	if i := slices.IndexFunc(entries, func(e finding.Entry) bool { return e.ConfirmedBug != "" }); i >= 0 {
		return entries[i], nil
	}
	return finding.Entry{}, err
}

// reproduceShown returns the entry of the bug, if the recorded run has shown it without a
// schedule. It is confirmed if a replay shows it once more.
func (c *rechecking) reproduceShown(ctx context.Context, r *recording.Recording, is func(*witness.Witness) bool) (finding.Entry, error) {
	switch kind := c.committed.Kind; kind {
	case bug.Deadlock, bug.Leak:
		return c.confirmer.ReplayBlocked(ctx, r, kind, is)
	case bug.Failure:
		return c.reproduceFailure(ctx, r, confirm.FailuresIn(r), c.confirmer.ReplayFailure, is)
	case bug.Assertion:
		return c.reproduceFailure(ctx, r, confirm.FailedAssertions(r), c.confirmer.ReplayAssertion, is)
	}
	return finding.Entry{}, nil
}

// reproduceFailure returns the entry of the bug, if it is one of the failures of a run, a replay fails
// likewise, and the test passes in another order.
func (c *rechecking) reproduceFailure(ctx context.Context, r *recording.Recording, failures []finding.Finding, replay func(context.Context, *recording.Recording, finding.Finding) (finding.Entry, error), is func(*witness.Witness) bool) (finding.Entry, error) {
	failures = slices.DeleteFunc(failures, func(f finding.Finding) bool { return !is(f.Witness) })
	if len(failures) == 0 {
		return finding.Entry{}, nil
	}
	if passes, err := c.passesInSomeOrder(ctx); err != nil || !passes {
		return finding.Entry{}, err
	}
	for _, f := range failures {
		if found, err := replay(ctx, r, f); err != nil || found.ConfirmedBug != "" {
			return found, err
		}
	}
	return finding.Entry{}, nil
}

// passesInSomeOrder reports whether the test passes in one of the orders.
func (c *rechecking) passesInSomeOrder(ctx context.Context) (bool, error) {
	for _, r := range c.runs {
		if r.BegunBy == nil && r.HasPassed(c.committed.Tests[0]) {
			return true, nil
		}
	}
	for _, order := range c.orders {
		again, err := c.record(ctx, order)
		if err != nil || again.HasPassed(c.committed.Tests[0]) {
			return err == nil, err
		}
	}
	return false, nil
}

// noteRecording notes which places a run that did not show the bug has reached, and whether
// its test failed or blocked.
func (c *rechecking) noteRecording(again *recording.Recording) {
	w, test := c.committed, c.committed.Tests[0]
	for i, there := range c.result.Witness.ReachedIn(again.Trace) {
		c.places.ReachedByRun[i] = c.places.ReachedByRun[i] || there
	}
	// Without other goroutines there can be no concurrency bug, but then the test no longer
	// does what the witness is about.
	goroutines := 0
	for _, g := range again.Trace.Goroutines {
		if g.Test == test {
			goroutines++
		}
	}
	c.startedGoroutines = c.startedGoroutines || goroutines > 1
	c.testFailed = c.testFailed || slices.Contains(again.FailedTests, test)
	if w.EndsBlocked() && c.isStale() && c.confirmer.HasBlocked(again, w.Kind, test) {
		c.doubt = fmt.Sprintf("goroutines of %s are blocked for ever, perhaps by the same bug", test)
	}
}

// noteUnconfirmed notes which of the findings leave the bug open. None of them was confirmed
// at its places.
func (c *rechecking) noteUnconfirmed(findings []finding.Finding) {
	now := c.result.Witness
	for _, f := range findings {
		switch place := places.SharedPlace(f.Witness, now); {
		case finding.BugKey(f.Witness) != finding.BugKey(now):
			if place != "" && c.doubt == "" {
				c.doubt = fmt.Sprintf("%s is part of another possible bug of %s", place, c.committed.Tests[0])
			}
		case f.Refuted && c.isOrderFollowed(): // no order of what this run did leads there, nor does that of the witness
		case len(f.Schedules) > 0:
			c.doubt = "another schedule was predicted, and did not confirm it"
		default:
			c.doubt = "whether another schedule leads there is undecided"
		}
	}
}

// answerWithoutBug returns the answer if no run has shown the bug.
func (c *rechecking) answerWithoutBug() Recheck {
	known := c.result.SavedEvidence()
	known.OrdersRefuted, known.OrderFollowed, known.Doubtful = c.openOrders() == "", c.isOrderFollowed(), c.otherDoubt() != ""
	lost := c.lostAccess()
	known.AccessesFound, known.TestPasses = lost == "", c.failedRun() == ""
	return answer(known, c.missing(known, lost))
}

// missing says which piece of evidence that the bug is fixed is missing, perhaps a lost access; "" if
// none is.
func (c *rechecking) missing(known bug.SavedEvidence, lost string) string {
	switch {
	case !known.OrdersRefuted && !known.OrderFollowed:
		return c.openOrders()
	case known.Doubtful:
		return c.otherDoubt()
	case !known.AccessesFound:
		return lost
	case !known.TestPasses:
		return c.failedRun()
	}
	return ""
}

// openOrders says why what was predicted does not prove that no order leads to the bug; "" if it
// does. A failure is not predicted, nor is an assertion on what the analysis does not follow, so
// that nothing follows from runs that do not fail.
func (c *rechecking) openOrders() string {
	if c.committed.Kind == bug.Failure || c.notRefuted {
		return fmt.Sprintf("%s does not fail in %d orders of goroutines, which is no proof", c.committed.Tests[0], len(c.orders))
	}
	return ""
}

// isOrderFollowed reports whether the replays have brought about the order of the witness, and the bug
// has not come of it: each step was found for sure and was made, and the goroutines that are held
// back were at their places, or had made their steps and did nothing more, as the recording of a
// replay shows. A goroutine more, say, has other goroutines held back than those of the bug.
func (c *rechecking) isOrderFollowed() bool {
	now := c.result.Witness
	if c.replayed == nil || c.isStale() || now.EndsBlocked() || len(c.result.MissingAccesses) > 0 {
		return false
	}
	for _, v := range c.result.Verdicts {
		if v.StepsDone < v.StepsTotal || v.Outcome.TimedOut || v.Outcome.Effect != bug.NoEffect {
			return false
		}
	}
	steps, holds := witness.FindSteps(c.replayed, nil, now.Steps), witness.FindSteps(c.replayed, nil, now.Holds)
	if slices.Contains(steps, -1) {
		return false
	}
	for k, at := range holds {
		if at < 0 && !c.isHeldToTheEnd(now.Holds[k].Goroutine, now.Steps, steps) {
			return false
		}
	}
	return true
}

// isHeldToTheEnd reports whether a goroutine has made steps at these positions of the replay, and
// nothing after them: the test has passed without it.
func (c *rechecking) isHeldToTheEnd(goroutine string, steps []witness.Step, positions []int) bool {
	last := -1
	for k, s := range steps {
		if s.Goroutine == goroutine && s.Func != "" { // its begin alone does not say which it is
			last = max(last, positions[k])
		}
	}
	return last >= 0 && !slices.ContainsFunc(c.replayed.Events[last+1:], func(e trace.Event) bool { return e.G == c.replayed.Events[last].G })
}

// otherDoubt says why something else may be the bug; "" if nothing may.
func (c *rechecking) otherDoubt() string {
	w, p := c.committed, c.places
	if c.doubt != "" {
		return c.doubt
	}
	for _, again := range c.runs {
		for _, f := range again.Findings {
			if c.isStale() && (len(p.Gone) == 0 || len(p.Gone) == len(w.Violation) || p.MayBeBug(f.Witness)) {
				return fmt.Sprintf("there is another possible bug of its kind in %s", w.Tests[0])
			}
		}
	}
	return ""
}

// lostAccess says which access of the violation the present program does not have, or which no run
// has reached; "" if it has all. Whether or not the bug is fixed, such a place cannot show it.
func (c *rechecking) lostAccess() string {
	w, p := c.committed, c.places
	if len(p.Gone) > 0 && !c.startedGoroutines {
		return w.Tests[0] + " does not start goroutines any more"
	}
	if w.Kind == bug.Failure { // runs that pass do not come to it, and its line is often what was changed
		return ""
	}
	for i, reached := range p.ReachedByRun {
		if !reached && !slices.Contains(p.Gone, i) {
			return fmt.Sprintf("%s does not come to %s any more", w.Tests[0], places.PlaceText(c.result.Witness.Violation[i]))
		}
	}
	for _, i := range p.Gone {
		if !c.seesObject(i) {
			return fmt.Sprintf("nothing shows what has become of %s", places.PlaceText(w.Violation[i]))
		}
	}
	return ""
}

// seesObject reports whether the runs show what access i of the violation, whose place is gone, was
// to: what is predicted of that object then tells what has become of the access. Another access of
// the violation is to the same object, or some run has used one of its name, or has come to the very
// line, which is in another function now.
func (c *rechecking) seesObject(i int) bool {
	w, p := c.committed, c.places
	a := w.Violation[i]
	for k, b := range w.Violation {
		if p.ReachedByRun[k] && !slices.Contains(p.Gone, k) && !w.EndsBlocked() && (!w.InOrder() || a.Variable == b.Variable) {
			return true
		}
	}
	names := fieldNames(a.Expr)
	type place struct {
		site trace.SiteID
		op   trace.Kind
	}
	for _, r := range c.runs {
		reached := make(map[place]bool)
		for _, e := range r.Trace.Events {
			s, here := r.Trace.Sites[e.Site], place{e.Site, e.Kind}
			if reached[here] || recording.PackageOfFunction(s.Func) != recording.PackageOfFunction(a.Func) {
				continue
			}
			reached[here] = true
			line := c.session.sourceNames.Lines.Line(s.File, s.Line)
			isLine := e.Kind == a.Op && a.LineText != "" && strings.TrimSpace(line) == a.LineText
			if isLine || len(names) > 0 && slices.Equal(fieldNames(cmp.Or(s.Expr, witness.Operand(e.Kind, line))), names) {
				return true
			}
		}
	}
	return false
}

// fieldNames returns the names of fields and functions in an operand, which tell it from others. Names
// of variables do not: a.pages[k] and x.pages have the same names.
func fieldNames(expr string) []string { return fieldName.FindAllString(witness.Shape(expr), -1) }

var fieldName = regexp.MustCompile(`[\pL\pN][\pL\pN_]*`)

// failedRun says in which run the test has failed that must have passed if the bug is fixed; "" if it
// has passed in all: in the order of the witness and, if a failure is the bug itself, in all others.
// A race may be gone from a test that fails by something else in another order.
func (c *rechecking) failedRun() string {
	failed := func(v replayer.Verdict) bool { return v.Outcome.Effect.Severity() >= bug.TestFailure.Severity() }
	switch test := c.committed.Tests[0]; {
	case crashes(c.result):
		return test + " crashes or hangs in another order of its goroutines"
	case c.testFailed && c.committed.Proof() == bug.FailedTest, slices.ContainsFunc(c.result.Verdicts, failed):
		return test + " fails in another order of its goroutines"
	}
	return ""
}

// canFind reports whether predicting could find the bug of w.
func (o *Options) canFind(w *witness.Witness) bool {
	switch {
	case !w.InOrder():
		return slices.Contains(bug.Kinds(), w.Kind)
	case w.Kind == bug.Property:
		return property.Named(o.Analysis.Properties, w.Pattern, w.Package) != nil
	}
	patterns := slices.Concat(anomaly.Builtin(), o.Analysis.Patterns)
	return slices.ContainsFunc(patterns, func(p anomaly.Pattern) bool { return p.Name == w.Pattern })
}

// failsTest reports whether a finding says that the test has failed in some order: that is confirmed,
// or the replay of a run in which it has failed has passed. It is no failure if goroutines have to be
// late for longer than any machine makes them, which all replays show.
func failsTest(f *report.Finding) bool {
	if f.Status == bug.Confirmed {
		return f.Effect.Severity() >= bug.TestFailure.Severity()
	}
	return f.Kind == bug.Failure && f.Kind.ProofOf(len(f.Accesses)) == bug.FailedTest && f.Reproduced < f.Replays
}

// explore explores the test of the witness as an ordinary run does: further runs may show
// what a few recordings have not shown of the bug, as known says.
func (c *rechecking) explore(ctx context.Context, known Recheck) (Recheck, error) {
	w := c.committed
	again, err := c.record(ctx, recorder.NewestFirst)
	if _, ok := errors.AsType[errNoEvidence](err); ok {
		return known, nil
	}
	if err != nil {
		return known, err
	}
	run := again.Run
	run.Args = replayer.ReplayArgs(replayer.ArgsToReplay(w, run.Args), w, replays.ReplayTime(recording.Seconds(run.Seconds)))
	x := newExploration(c.session, "")
	opts := &x.session.opts // the session ends after this; no file is written beside the user's tests
	opts.Analysis.Kinds = []bug.Kind{w.Kind}
	opts.WitnessFolder, opts.ArtifactFolder = filepath.Join(c.session.workFolder, "found"), ""
	// All that the test can do would tell whether it fails, where a few runs do not. It may fail in
	// another way than that of the witness by now.
	searched := w.Proof() == bug.FailedTest && known.Status != bug.Fixed
	if searched {
		opts.Explore = Budget{RunsPerTest: searchRuns}
		opts.Analysis.Kinds = append(opts.Analysis.Kinds, bug.Failure)
	}
	if err := x.Explore(ctx, []recorder.Run{run}); err != nil {
		return known, err
	}
	complete := false
	for _, pkg := range x.Report.Packages {
		for _, e := range pkg.Explored {
			complete = complete || searched && e.Test == w.Tests[0] && e.Complete
		}
	}
	return c.answerAfter(known, complete, x.Report.Findings, x.violations), nil
}

// answerAfter returns the answer after further runs, which have led to findings with these violations,
// by their sites; known is the answer without them. Complete says that the runs have shown all that
// the test can do.
func (c *rechecking) answerAfter(known Recheck, complete bool, findings []report.Finding, violations map[string]*witness.Witness) Recheck {
	w, p := c.committed, c.places
	e, why := known.evidence, known.why
	if complete {
		e.OrdersRefuted, e.Doubtful = true, false
		if why = c.missing(e, c.lostAccess()); why == "" {
			why = fmt.Sprintf("all that %s can do was seen", w.Tests[0])
		}
	}
	for _, f := range findings {
		v := violations[f.BugKey()]
		// A confirmed finding at the same places is the bug. One that was not confirmed leaves
		// it open.
		same := finding.BugKey(v) == finding.BugKey(p.Current) || p.MayBeBug(v)
		switch {
		case f.Status == bug.Infeasible, f.Refuted && e.OrderFollowed:
		case complete && f.Undecided: // no run has shown it, of all that there are
		case same && f.Status == bug.Confirmed:
			return c.found(finding.Entry{Finding: f, WitnessToSave: v})
		case same:
			e.Doubtful, why = true, JoinReasons("further runs have left it open", f.Reason)
		case w.Proof() == bug.FailedTest && failsTest(&f):
			e.TestPasses, why = false, w.Tests[0]+" fails in another order of its goroutines"
		case f.Kind == w.Kind && len(p.Gone) == len(w.Violation):
			e.Doubtful, why = true, fmt.Sprintf("there is another possible bug of its kind in %s", w.Tests[0])
		}
	}
	return answer(e, why)
}

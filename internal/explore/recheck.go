package explore

import (
	"context"
	"fmt"
	"path/filepath"
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

// This file looks for the bug of a witness whose schedule the program has left. That alone
// does not mean that the bug is fixed: a schedule identifies goroutines by their numbers and
// places by their functions, so that one goroutine more or one call less leads away from a
// bug that is there. So the test is recorded again and predicted from, and what is found at
// the same places is replayed.
//
// There are three answers, and the burden of proof is on "fixed": what a few runs have not
// shown may still be there. Whatever leaves a doubt makes the answer that it cannot be told.

// A Recheck says what became of the bug: it is Confirmed, and found; or Fixed; or
// Unconfirmed, as that cannot be told, for a reason.
type Recheck struct {
	Status bug.Status
	Reason string

	found finding.Entry
	// searchable is set if all behaviours of the test would tell, where a few runs do not.
	searchable bool
}

// Finding returns the bug that was confirmed.
func (r *Recheck) Finding() report.Finding { return r.found.Finding }

// Witness returns the witness of the bug that was confirmed.
func (r *Recheck) Witness() *witness.Witness { return r.found.Saved }

// Recheck looks for the bug of w, whose replays did not reach it, as r says. Run says how its
// test is run. The exploration is for nothing else then.
func (x *Exploration) Recheck(ctx context.Context, run recorder.Run, w *witness.Witness, r replayer.Result) (Recheck, error) {
	c := newRechecking(x.session.newLoop(run), w, r)
	known, err := c.run(ctx)
	if err != nil || known.Status == bug.Confirmed {
		return known, err
	}
	return c.explore(ctx, known)
}

// recheckOrders are the orders in which the test of a witness is recorded again: what it
// reaches may depend on that.
var recheckOrders = []recorder.Order{recorder.NewestFirst, recorder.OldestFirst, recorder.ChildFirst}

// staleOrders are further orders for witnesses that no longer fit the sources: that nothing
// was predicted is all the evidence then.
var staleOrders = []recorder.Order{recorder.RandomOrder(1), recorder.RandomOrder(2)}

// cannotTell is the answer that it cannot be told whether the bug is fixed, and why.
func cannotTell(format string, args ...any) Recheck {
	return Recheck{Status: bug.Unconfirmed, Reason: "cannot tell whether it is fixed: " + fmt.Sprintf(format, args...)}
}

// A rechecking is what is known of the bug of w from runs of its test.
type rechecking struct {
	*loop
	old    *witness.Witness
	result replayer.Result
	places *places.Places
	// orders are those in which the test is recorded.
	orders []recorder.Order
	runs   []ledger.Predicted // by order
	// doubt says why the bug may still be there; "" if nothing says so.
	doubt      string
	concurrent bool // some run has started goroutines
	failed     bool // the test failed in some run
}

// newRechecking looks for the bug of w, whose replays did not reach it, as r says.
func newRechecking(l *loop, w *witness.Witness, r replayer.Result) *rechecking {
	alone, confirmer := *l, *l.confirmer
	confirmer.Candidates = ledger.NewCandidates() // those of the package were looked for
	alone.confirmer = &confirmer
	c := &rechecking{loop: &alone, old: w, result: r, places: places.Of(r.Witness, l.session.pool.Code.Sites), orders: recheckOrders}
	if c.stale() {
		c.orders = append(slices.Clip(c.orders), staleOrders...)
	}
	if o := recorder.Order(w.RecordedOrder); !slices.Contains(c.orders, o) {
		c.orders = append(slices.Clip(c.orders), o)
	}
	return c
}

// run looks for the bug in further recordings of the test.
//
// The bug is fixed only if each place of the violation that is still there was reached in
// some run, and nothing that was predicted in any of them has a part there: else the answer
// is that it cannot be told.
func (c *rechecking) run(ctx context.Context) (Recheck, error) {
	if w := c.old; !c.session.opts.finds(w) {
		return cannotTell("bugs of kind %s are not looked for", strings.TrimSpace(string(w.Kind)+" "+w.Pattern)), nil
	}
	if err := c.session.pool.Prepare(); err != nil {
		return Recheck{}, err
	}
	for k := range c.orders {
		if answer, over, err := c.runIn(ctx, k); over || err != nil {
			return answer, err
		}
	}
	found, err := c.elsewhere(ctx)
	if err != nil {
		return Recheck{}, err
	}
	if found.Confirmed != "" {
		return Recheck{Status: bug.Confirmed, found: found}, nil
	}
	return c.answer(), nil
}

// stale reports whether the witness no longer fits the sources.
func (c *rechecking) stale() bool { return len(c.result.Stale) > 0 }

// runIn runs the test in the k-th order and looks for the very bug in what that shows. It is
// over if that gives the answer.
func (c *rechecking) runIn(ctx context.Context, k int) (answer Recheck, over bool, err error) {
	w, now := c.old, c.result.Witness
	exact := func(v *witness.Witness) bool { return finding.Sites(v) == finding.Sites(now) }
	confirmed := func(e finding.Entry, err error) (Recheck, bool, error) {
		if err != nil || e.Confirmed == "" {
			return Recheck{}, false, err
		}
		return Recheck{Status: bug.Confirmed, found: e}, true, nil
	}
	c.session.status.Set("recording", fmt.Sprintf("%s again, %d of %d", w.Tests[0], k+1, len(c.orders)))
	again, unknown, err := c.record(ctx, c.orders[k], fmt.Sprintf("%sagain-%s-%d", c.ledger.Witnesses.Paths.Drafts, w.ID, k))
	if err != nil {
		return Recheck{}, false, err
	}
	if unknown != "" {
		return cannotTell("%s", unknown), true, nil
	}
	if answer, over, err = confirmed(c.shows(ctx, again, exact)); over || err != nil {
		return answer, over, err
	}
	c.note(again)
	findings, unknown, err := c.predictAgain(ctx, again)
	if err != nil {
		return Recheck{}, false, err
	}
	if unknown != "" && c.stale() && w.EndsBlocked() {
		c.doubt = unknown // goroutines that block elsewhere may do so by the same bug
		return Recheck{}, false, nil
	}
	if unknown != "" {
		return cannotTell("%s", unknown), true, nil
	}
	c.runs[k].Findings = findings
	if answer, over, err = confirmed(c.find(ctx, again, findings, exact)); over || err != nil {
		return answer, over, err
	}
	c.doubt = stillOpen(c.doubt, findings, w, now)
	return Recheck{}, false, nil
}

// note notes what a run has shown beside the bug.
func (c *rechecking) note(again *recording.Recording) {
	w, test := c.old, c.old.Tests[0]
	c.runs = append(c.runs, ledger.Predicted{Recording: again})
	for i, there := range c.result.Witness.ReachedIn(again.Trace) {
		c.places.Reached[i] = c.places.Reached[i] || there
	}
	goroutines := 0
	for _, g := range again.Trace.Goroutines {
		if g.Test == test {
			goroutines++
		}
	}
	c.concurrent = c.concurrent || goroutines > 1
	c.failed = c.failed || slices.Contains(again.Failed, test)
	if w.EndsBlocked() && c.stale() && c.confirmer.Blocks(again, w.Kind, test) {
		c.doubt = fmt.Sprintf("goroutines of %s are blocked for ever, perhaps by the same bug", test)
	}
}

// elsewhere looks in all runs for the bug at places that may be those of w by now.
func (c *rechecking) elsewhere(ctx context.Context) (finding.Entry, error) {
	p := c.places
	// A place that is gone, or that no run reaches any more, may be elsewhere by now. A line
	// that was guessed may not be the place.
	p.Gone = slices.Clone(c.result.MissingAccesses)
	for _, i := range c.result.GuessedAccesses {
		if !p.Reached[i] {
			p.Gone = append(p.Gone, i)
		}
	}
	// Goroutines may block in code that is the same as another's: it does not show which of
	// them has moved.
	p.Anywhere = c.old.EndsBlocked() && c.stale()
	if len(p.Missing()) == 0 {
		return finding.Entry{}, nil
	}
	for _, again := range c.runs {
		found, err := c.shows(ctx, again.Recording, p.MayBe)
		if err == nil && found.Confirmed == "" {
			found, err = c.find(ctx, again.Recording, again.Findings, p.MayBe)
		}
		if err != nil || found.Confirmed != "" {
			return found, err
		}
	}
	return finding.Entry{}, nil
}

// answer returns what the runs say together, none of which has shown the bug.
func (c *rechecking) answer() Recheck {
	w, p := c.old, c.places
	open := c.doubt
	for _, again := range c.runs {
		for _, f := range again.Findings {
			if open == "" && c.stale() && (len(p.Gone) == 0 || len(p.Gone) == len(w.Violation) || p.MayBe(f.Witness)) {
				open = fmt.Sprintf("there is another possible bug of its kind in %s", w.Tests[0])
			}
		}
	}
	notReached := -1 // a place that is there, and that no run reaches
	for i, reached := range p.Reached {
		if !reached && !slices.Contains(p.Gone, i) {
			notReached = i
		}
	}
	switch {
	case w.Kind == bug.Failure && !c.failed:
		answer := cannotTell("%s does not fail in %d orders of goroutines, which is no proof", w.Tests[0], len(c.orders))
		answer.searchable = true
		return answer
	case open != "":
		answer := cannotTell("%s", open)
		answer.searchable = w.Kind == bug.Assertion
		return answer
	case len(p.Gone) > 0 && !c.concurrent:
		return cannotTell("%s does not start goroutines any more", w.Tests[0])
	case notReached >= 0:
		return cannotTell("%s does not come to %s any more", w.Tests[0], places.Text(c.result.Witness.Violation[notReached]))
	case crashes(c.result):
		return cannotTell("%s crashes or hangs in another order of its goroutines", w.Tests[0])
	}
	return Recheck{Status: bug.Fixed}
}

// record records the test in an order, with its files in the folder; unknown is why
// that tells nothing.
func (c *rechecking) record(ctx context.Context, order recorder.Order, folder string) (again *recording.Recording, unknown string, err error) {
	w, first := c.old, c.ledger.Run
	test := w.Tests[0]
	limit := replays.ReplayTime(recording.Seconds(first.Seconds))
	args := replayer.ReplayArgs(replayer.ArgsToReplay(w, first.Args), w, limit)
	c.replays.Runs.Add(1)
	run, err := c.session.pool.Machine.Record(ctx, first, order, args, folder, limit)
	if err != nil {
		return nil, "", err
	}
	t := recording.ReadReplay(run.Trace, c.session.build)
	switch {
	case t == nil || trace.Validate(t) != nil:
		return nil, test + " was run again and not recorded", nil
	case !recording.Has(t, test):
		return nil, "there is no test " + test + " any more, or it is left out", nil
	}
	run.Args = first.Args
	return recording.New(run, t, c.session.sources), "", nil
}

// shows returns the entry of the bug that is looked for, if the recorded run has shown it by
// itself, and does so again.
func (c *rechecking) shows(ctx context.Context, r *recording.Recording, is func(*witness.Witness) bool) (finding.Entry, error) {
	switch kind := c.old.Kind; kind {
	case bug.Deadlock, bug.Leak:
		return c.confirmer.BlockedAt(ctx, r, kind, is)
	case bug.Failure:
		for _, f := range confirm.FailuresIn(r) {
			if is(f.Witness) {
				return c.confirmer.ReplayFailure(ctx, r, f)
			}
		}
	}
	return finding.Entry{}, nil
}

// predictAgain predicts bugs of the kind from a recording; unknown is why that tells nothing.
func (c *rechecking) predictAgain(ctx context.Context, r *recording.Recording) (findings []finding.Finding, unknown string, err error) {
	if t := r.Trace; t.Meta.Limit > 0 || len(t.Cuts) > 0 || !t.Complete {
		return nil, c.old.Tests[0] + " was run again, and not all of it was recorded", nil
	}
	opts := c.confirmer.Analysis
	opts.Kinds = []bug.Kind{c.old.Kind}
	result, err := finding.Predict(ctx, r.Trace, opts)
	if err != nil {
		return nil, "", err
	}
	if result.Truncated || result.TooLong {
		return nil, "there is too much to look for in " + c.old.Tests[0], nil
	}
	findings, _, err = finding.Of(r, result, finding.NewNames())
	return findings, "", err
}

// stillOpen returns why the bug of w, whose places are now's, may be there although none of
// the findings was confirmed at these places: because of one of these, or else as was known
// before.
func stillOpen(before string, findings []finding.Finding, w, now *witness.Witness) string {
	open := before
	for _, f := range findings {
		switch place := places.Shared(f.Witness, now); {
		case finding.Sites(f.Witness) != finding.Sites(now):
			if place != "" && open == "" {
				open = fmt.Sprintf("%s is part of another possible bug of %s", place, w.Tests[0])
			}
		case len(f.Schedules) > 0:
			open = "another schedule was predicted, and did not confirm it"
		default:
			open = "whether another schedule leads there is undecided"
		}
	}
	return open
}

// find replays those of the findings that are the one that is looked for until one is
// confirmed, and returns the entry of that.
func (c *rechecking) find(ctx context.Context, r *recording.Recording, all []finding.Finding, is func(*witness.Witness) bool) (finding.Entry, error) {
	findings := slices.DeleteFunc(slices.Clone(all), func(f finding.Finding) bool { return !is(f.Witness) })
	entries := make([]finding.Entry, len(findings))
	c.replays.Progress.Total.Store(int32(len(findings)))
	for i, f := range findings {
		ev, err := c.confirmer.ReplayFinding(ctx, r, f)
		if entries[i] = c.confirmer.Entry(ev); err != nil || entries[i].Confirmed != "" {
			return entries[i], err
		}
	}
	err := c.confirmer.FollowDepartures(ctx, r, findings, entries)
	if i := slices.IndexFunc(entries, func(e finding.Entry) bool { return e.Confirmed != "" }); i >= 0 {
		return entries[i], nil
	}
	return finding.Entry{}, err
}

// finds reports whether predicting could find the bug of w.
func (o *Options) finds(w *witness.Witness) bool {
	if !w.InOrder() {
		return slices.Contains(bug.Kinds(), w.Kind)
	}
	if w.Kind == bug.Property {
		return property.Named(o.Analysis.Properties, w.Pattern, w.Package) != nil
	}
	for _, p := range slices.Concat(anomaly.Builtin(), o.Analysis.Patterns) {
		if p.Name == w.Pattern {
			return true
		}
	}
	return false
}

// explore explores the test of the witness as an ordinary run does: further runs may show what a few
// recordings have not shown of the bug, as known says.
func (c *rechecking) explore(ctx context.Context, known Recheck) (Recheck, error) {
	w, p := c.old, c.places
	again, unknown, err := c.record(ctx, recorder.NewestFirst, c.ledger.Witnesses.Paths.Drafts+"again-"+w.ID)
	if err != nil || unknown != "" {
		return known, err
	}
	run := again.Run
	run.Args = replayer.ReplayArgs(replayer.ArgsToReplay(w, run.Args), w, replays.ReplayTime(recording.Seconds(run.Seconds)))
	x := newExploration(c.session, "")
	opts := &x.session.opts // the session is for this alone; nothing beside the user's tests is written
	opts.Analysis.Kinds = []bug.Kind{w.Kind}
	opts.Witnesses, opts.Artifacts = filepath.Join(c.session.work, "found"), ""
	opts.Timeout = recheckTime
	if known.searchable {
		opts.Explore, x.session.exploring = Budget{Time: searchTime}, searchTime
	}
	x.session.clock.Restart(recheckTime)
	if err := x.Explore(ctx, []recorder.Run{run}); err != nil {
		return known, err
	}
	for _, f := range x.Report.Findings {
		v := p.ViolationOf(&f)
		if exact := finding.Sites(v) == finding.Sites(p.Now); !exact && !p.MayBe(v) {
			open := f.Kind == w.Kind && (f.Status == bug.Confirmed || f.Status == bug.Unconfirmed)
			if open && known.Status == bug.Fixed && len(p.Gone) == len(w.Violation) {
				known = cannotTell("there is another possible bug of its kind in %s", w.Tests[0])
			}
			continue
		}
		if f.Status == bug.Confirmed {
			return Recheck{Status: bug.Confirmed, found: finding.Entry{Finding: f, Saved: v}}, nil
		}
		if f.Status == bug.Unconfirmed {
			known.searchable = false
			if known.Status == bug.Fixed {
				known = cannotTell("further runs have left it open")
			}
		}
	}
	for _, pkg := range x.Report.Packages {
		for _, e := range pkg.Explored {
			if known.searchable && known.Status == bug.Unconfirmed && e.Test == w.Tests[0] && e.Complete {
				known.Status, known.Reason = bug.Fixed, fmt.Sprintf("all that %s can do was seen", e.Test)
			}
		}
	}
	return known, nil
}

package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A confirmation replays what was predicted for one package.
type confirmation struct {
	*Exploration
	run      recorder.Run
	trace    *trace.Trace
	toward   *witness.Witness // where the run of trace departed from the recorded one; nil: it is that
	index    *witness.Index   // of trace
	recorded replayer.Outcome // of the recorded run
	others   map[uint64]bool  // the keys of the sites of predicted bugs that are no assertions
	tally    *tally           // of the package
	slowly   bool             // the recorded run has not ended in time
	tests    int              // how many the trace has
	alone    bool             // one test was recorded to see what it does so
	*progress
}

// A progress is for the status line.
type progress struct {
	replayed, confirmed atomic.Int32
	total               int
}

// A suspect is a finding of the analysis, and a witness of nothing but its
// violation, which gives it its name: unlike positions in the trace it stays
// the same when lines move. The steps can be many, and wait for the replay.
type suspect struct {
	analysis.Finding
	witness *witness.Witness
}

// errTimeOver is why a replay was not run, or not to its end.
var errTimeOver = errors.New("the time for replays was over")

// inTime calls f, which replays, with the time that is left for that.
func (c *confirmation) inTime(ctx context.Context, f func(ctx context.Context) error) error {
	if err := c.makeFolders(); err != nil {
		return err
	}
	start := time.Now()
	limit, cancel := context.WithTimeoutCause(ctx, c.left, errTimeOver)
	defer cancel()
	defer func() {
		took := time.Since(start)
		c.left = max(c.left-took, 0)
		c.Report.Packages[len(c.Report.Packages)-1].ReplayS += took.Seconds()
	}()
	return f(limit)
}

// confirm replays those of the predicted bugs that no other recording has settled, the
// kinds that do most harm first, until the time for replays is over.
func (c *confirmation) confirm(ctx context.Context, suspects []suspect) error {
	suspects = slices.DeleteFunc(slices.Clone(suspects), func(s suspect) bool {
		if c.done[sitesOf(s.witness)] { // by a committed witness, or in another package
			c.tally.settled[s.Name] = true
		}
		return c.tally.settled[s.Name]
	})
	slices.SortStableFunc(suspects, func(a, b suspect) int { return a.Kind.Rank() - b.Kind.Rank() })
	return c.inTime(ctx, func(limit context.Context) error { return c.replayAll(ctx, limit, suspects) })
}

// replayAll replays the suspects until limit is over, and tells what came of them.
func (c *confirmation) replayAll(ctx, limit context.Context, suspects []suspect) error {
	out := make([]telling, len(suspects))
	errs := make([]error, len(suspects))
	c.total = len(suspects)
	each(c.workers, len(suspects), func(i int) {
		ev, err := c.suspect(limit, suspects[i])
		out[i], errs[i] = c.telling(ev), err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := c.departed(limit, suspects, out)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && !errors.Is(err, errTimeOver) {
		c.Failed = true
		c.warn("%s: %v", c.run.Package.Path, err)
	}
	late := 0
	var bugs []telling
	of := make(map[string]int) // of bugs, by their places
	for i, err := range errs {
		switch {
		case errors.Is(err, errTimeOver):
			late++
		case err != nil:
			c.Failed = true
			c.warn("%s: %s: %v", c.run.Package.Path, suspects[i].witness.ID, err)
			continue
		}
		c.tally.note(suspects[i], out[i].Finding, c)
		k, again := of[out[i].Sites()]
		switch {
		case !again:
			of[out[i].Sites()] = len(bugs)
			bugs = append(bugs, out[i])
		case out[i].Outdoes(&bugs[k].Finding):
			bugs[k] = out[i]
		}
	}
	for _, bug := range bugs {
		if c.outdone(&bug.Finding) {
			continue
		}
		if err := c.save(&bug); err != nil {
			c.Failed = true
			c.warn("%s: %s: %v", c.run.Package.Path, bug.ID, err)
		}
		c.tell(bug)
	}
	if late > 0 {
		c.warn("%s: %d of %d predicted bugs were not replayed, as the time for replays, -predict.timeout=%v, was over",
			c.run.Package.Path, late, len(suspects), c.opts.Timeout)
	}
	return nil
}

// each calls f for 0 to n-1, in this order, in so many goroutines.
func each(workers, n int, f func(i int)) {
	var next atomic.Int32
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	all.Wait()
}

// sitesOf names the places of a witness's violation, wherever they are now. What
// an operation of a call is on may have another name by now, which its line need
// not show.
func sitesOf(w *witness.Witness) string {
	f := report.Finding{Kind: w.Kind}
	for _, s := range w.Violation {
		expr := s.Expr
		if s.Nth == 0 {
			expr = witness.Shape(expr)
		}
		f.Accesses = append(f.Accesses, report.Access{Op: s.Op.String(), Expr: expr, File: s.File, Line: s.Line})
	}
	return f.Sites()
}

// suspects makes the witnesses of the findings, of those that are proven infeasible
// apart.
func (c *confirmation) suspects(result *analysis.Result) (open, impossible []suspect, err error) {
	name := func(w *witness.Witness, f analysis.Finding) *witness.Witness {
		w.ID = c.tally.id(w.ID, f.Name)
		return w
	}
	for _, f := range result.Findings {
		switch {
		case f.Status == bug.Infeasible:
			continue
		case len(f.Tests) == 0:
			f.Schedules, f.Departures, f.Reason = nil, nil, cmp.Or(f.Reason, f.Note)
			open = append(open, suspect{f, name(c.outside(f), f)})
			continue
		}
		w, err := c.witness(f, analysis.Recipe{Recipe: schedule.Recipe{Accesses: f.Accesses}, Pattern: f.Pattern}, schedule.Schedule{}, witness.Small)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.run.Package.Path, err)
		}
		open = append(open, suspect{f, name(w, f)})
	}
	for _, f := range result.Findings {
		if f.Status == bug.Infeasible {
			impossible = append(impossible, suspect{f, name(c.outside(f), f)})
		}
	}
	return open, impossible, nil
}

// An attempt is one of the schedules of a suspect, as made by its recipe.
type attempt struct {
	suspect
	recipe analysis.Recipe
	plan   schedule.Schedule
}

// shown reports whether the recorded run, of which all was recorded, has shown what
// comes of the violating accesses in the order in which they are listed.
func (a attempt) shown(t *trace.Trace) bool {
	whole := t.Complete && t.Meta.Limit == 0 && len(t.Cuts) == 0
	return whole && a.recipe.Pattern == nil && slices.IsSorted(a.recipe.Accesses) && a.plan.AsRecorded(t)
}

// scheduled makes a witness of the attempt.
func (c *confirmation) scheduled(a attempt, extent witness.Extent) (*witness.Witness, error) {
	w, err := c.witness(a.Finding, a.recipe, a.plan, extent)
	if err == nil {
		w.ID = a.suspect.witness.ID
	}
	return w, err
}

// witness makes the witness of a schedule for f.
func (c *confirmation) witness(f analysis.Finding, r analysis.Recipe, s schedule.Schedule, extent witness.Extent) (*witness.Witness, error) {
	meta := witness.Meta{Kind: f.Kind, Package: c.run.Package.Path, Tests: f.Tests, Files: c.files, Source: c.source, Extent: extent, Index: c.index}
	if r.Pattern != nil {
		meta.Pattern = r.Pattern.Name
		for _, e := range r.Pattern.Events {
			meta.Variables, meta.Regions = append(meta.Variables, e.Variable), append(meta.Regions, e.Region)
		}
	}
	w, err := witness.FromSchedule(c.trace, s.Steps, r.Accesses, s.Hold, meta)
	if err == nil {
		c.likeRun(w)
		w.Methods = c.opts.Methods && w.InOrder()
	}
	return w, err
}

// likeRun has w replayed as the tests were run that were recorded.
func (c *confirmation) likeRun(w *witness.Witness) {
	w.Run = replayer.SubtestFilter(c.run.Args)
	w.Args = replayer.Lasting(c.run.Args)
	w.Parallel = runtime.GOMAXPROCS(0)
	w.Recorded = string(c.run.Order)
}

// outside makes a witness without steps for a finding that nothing can replay, as it is
// outside of all tests or infeasible; the report shows its accesses.
func (c *confirmation) outside(f analysis.Finding) *witness.Witness {
	w := &witness.Witness{
		ID:   witness.ID(c.trace, f.Kind, f.Accesses, c.source),
		Kind: f.Kind, Package: c.run.Package.Path, Tests: f.Tests,
	}
	for k, i := range f.Accesses {
		e := c.trace.Events[i]
		site := c.trace.Sites[e.Site]
		w.Violation = append(w.Violation, witness.Step{
			Goroutine: c.trace.Goroutines[e.G].Name(), Op: e.Kind, Func: site.Func,
			File: c.files.Name(site.File), Line: site.Line, Col: site.Col, Expr: site.Expr,
		})
		if f.Pattern != nil {
			w.Pattern = f.Pattern.Name
			w.Violation[k].Variable, w.Violation[k].Region = f.Pattern.Events[k].Variable+1, f.Pattern.Events[k].Region+1
		}
	}
	return w
}

// suspect replays the schedules of s in turn until one is confirmed, and returns
// what there is to say of it. The error is errTimeOver if there was no time for
// that, or else says why replaying did not work.
func (c *confirmation) suspect(ctx context.Context, s suspect) (report.Evidence, error) {
	ev := c.evidence(s, s.witness)
	ev.Result = replayer.Result{Status: bug.Unconfirmed, Reason: witness.Prose(s.Reason, s.Tests)}
	for i, recipe := range s.Schedules {
		if ctx.Err() != nil {
			return late(ctx, ev)
		}
		w, r, replayed, err := c.smallOrWhole(ctx, attempt{s, recipe, recipe.Schedule()})
		if ctx.Err() != nil {
			return late(ctx, ev)
		}
		if err != nil {
			return ev, err
		}
		if i == 0 {
			ev.Witness = w
		}
		before := ev.Result.Replays
		if r.Status == bug.Confirmed {
			c.confirmed.Add(1)
			ev = c.evidence(s, w)
			ev.Violation, ev.Tier = recipe.Accesses, recipe.Tier()
			ev.Result, ev.Replayed = r, replayed
			return ev, nil
		}
		if i == 0 {
			ev.Result = r
		}
		ev.Result.Replays = before + r.Replays
	}
	return ev, nil
}

// smallOrWhole replays the small witness of a schedule; if that does not confirm
// it, the whole one, for the small one goes by what the trace shows.
func (c *confirmation) smallOrWhole(ctx context.Context, a attempt) (*witness.Witness, replayer.Result, *trace.Trace, error) {
	w, err := c.scheduled(a, witness.Small)
	if err != nil {
		return w, replayer.Result{}, nil, err
	}
	shown := c.toward == nil && a.shown(c.trace)
	r, replayed, err := c.replay(ctx, w, c.run.Args, shown)
	if err == nil && r.Status == bug.Confirmed {
		return c.fewer(ctx, a, w, r, replayed)
	}
	if err != nil {
		return w, r, replayed, err
	}
	whole, err := c.scheduled(a, witness.Whole)
	if err != nil || slices.Equal(whole.Steps, w.Steps) {
		return w, r, replayed, err
	}
	before := r.Replays
	r, replayed, err = c.replay(ctx, whole, c.run.Args, shown)
	if r.Status != bug.Confirmed { // else those of the other witness do not count
		r.Replays += before
	}
	return whole, r, replayed, err
}

// longWitness is from how many steps on a witness is worth replays that may make
// it shorter.
const longWitness = 20

// fewer takes out of a long witness, which was confirmed, the goroutines that have
// no part in the violation, if replays show that they need no control.
func (c *confirmation) fewer(ctx context.Context, a attempt, w *witness.Witness, r replayer.Result, replayed *trace.Trace) (*witness.Witness, replayer.Result, *trace.Trace, error) {
	if len(w.Steps) <= longWitness || !w.Bystanders() {
		return w, r, replayed, nil
	}
	short, err := c.scheduled(a, witness.Few)
	if err != nil {
		return w, r, replayed, err
	}
	again, replayedAgain, err := c.replay(ctx, short, c.run.Args, false)
	if err != nil || again.Status != bug.Confirmed || again.Effect != r.Effect {
		return w, r, replayed, nil // what was confirmed stays so
	}
	return short, again, replayedAgain, nil
}

// late is what there is to say of a suspect that time was over for.
func late(ctx context.Context, ev report.Evidence) (report.Evidence, error) {
	err := context.Cause(ctx)
	if ev.Result.Replays == 0 {
		ev.Result.Reason = "not replayed: " + err.Error()
	}
	return ev, err
}

// evidence returns what there is to say of s before a replay.
func (c *confirmation) evidence(s suspect, w *witness.Witness) report.Evidence {
	return report.Evidence{
		Witness: w, Tier: s.Tier, Undecided: s.Status == bug.Undecided, Trace: c.trace, Violation: s.Accesses,
		Files: c.files, Source: c.source.Line,
	}
}

// ruledOut returns what there is to say of s, which no run of the program can do.
func (c *confirmation) ruledOut(s suspect) report.Evidence {
	ev := c.evidence(s, s.witness)
	ev.Result = replayer.Result{Status: bug.Infeasible, Reason: witness.Prose(s.Reason, s.Tests)}
	return ev
}

// A telling is what the report tells of a suspect.
type telling struct {
	report.Finding
	confirmed string           // the sites of the confirmed bug
	witness   *witness.Witness // to be saved, with the values of the replay
}

func (c *confirmation) telling(ev report.Evidence) telling {
	f := telling{Finding: report.NewFinding(ev)}
	f.Reason = c.files.Shorten(f.Reason)
	if f.Status == bug.Confirmed {
		f.confirmed = sitesOf(ev.Result.Witness)
		w := *ev.Witness
		if f.witness = &w; ev.Replayed != nil {
			f.witness = w.Observe(ev.Replayed)
		}
	}
	return f
}

// outdone reports whether another recording has told as much of f's bug.
func (c *confirmation) outdone(f *report.Finding) bool {
	at, told := c.tally.told[f.Sites()]
	if !told {
		return false
	}
	before := &c.Report.Findings[at]
	return f.Status == bug.Infeasible || !f.Outdoes(before) && before.Status != bug.Infeasible
}

// ruleOut tells of the suspects that no run of the program can do.
func (c *confirmation) ruleOut(suspects []suspect) {
	for _, s := range suspects {
		if f := c.telling(c.ruledOut(s)); !c.outdone(&f.Finding) {
			c.tell(f)
		}
	}
}

// tell puts a finding into the report, in the place of what another recording has
// shown of the same bug.
func (c *confirmation) tell(f telling) {
	if f.confirmed != "" {
		c.done[f.confirmed] = true
	}
	if at, told := c.tally.told[f.Sites()]; told {
		c.Report.Findings[at] = f.Finding
		return
	}
	c.tally.told[f.Sites()] = len(c.Report.Findings)
	c.Report.Findings = append(c.Report.Findings, f.Finding)
}

// replay replays w in both orders, or in the one that the recorded run has not
// shown. If that confirms it, w keeps the order that
// does more harm, and the recording of that one is returned, which has the
// values that are shown.
func (c *confirmation) replay(ctx context.Context, w *witness.Witness, args []string, shown bool) (replayer.Result, *trace.Trace, error) {
	return c.replayWith(w, args, func(bin replayer.Binary, opts replayer.Options) (replayer.Result, error) {
		opts.Shown = shown
		return replayer.Confirm(ctx, bin, w, c.code, opts)
	})
}

// replayWith has run replay w, in a folder that is free, and returns the recording of
// that as well.
func (c *confirmation) replayWith(w *witness.Witness, args []string, run func(replayer.Binary, replayer.Options) (replayer.Result, error)) (replayer.Result, *trace.Trace, error) {
	n := c.replayed.Add(1)
	c.status.Set("replaying", fmt.Sprintf("%s, %d of %d, %d confirmed", c.run.Package.Path, min(int(n), c.total), c.total, c.confirmed.Load()))
	bin := replayer.Binary{Path: c.run.Binary, Dir: c.run.Package.Dir, Args: args, Env: c.run.Env, Exec: c.run.Exec}
	folder := <-c.folders
	defer func() { c.folders <- folder }()
	r, err := run(bin, replayer.Options{Timeout: replayTime(c.run.Seconds), Recorded: c.recorded, Slots: c.slots, Work: folder})
	if err != nil || r.Status != bug.Confirmed {
		return r, nil, err
	}
	w.Order = r.Order
	return r, ReadReplay(r.Trace, c.build), nil
}

// replayTime is the time that one replay may take, of tests that took so many
// seconds when they were recorded.
func replayTime(seconds float64) time.Duration {
	return replayer.DefaultTimeout + time.Duration(3*seconds*float64(time.Second))
}

// save writes the witness of f, if it is confirmed, beside its test: in the place of
// a committed one of the same bug that the program has left, but not of another bug's.
func (c *confirmation) save(f *telling) error {
	if f.witness == nil {
		return nil
	}
	c.renew(f)
	at := c.tally.saved[f.confirmed]
	if at.test != f.witness.Tests[0] {
		folder := filepath.Join(c.run.Package.Dir, c.opts.Witnesses, f.witness.Tests[0])
		var used []string
		for _, file := range c.tally.taken {
			if filepath.Dir(file) == folder {
				used = append(used, filepath.Base(file))
			}
		}
		id := witness.Distinct(f.ID, used)
		at = saved{f.witness.Tests[0], filepath.Join(folder, id), id}
		c.tally.saved[f.confirmed] = at
	}
	f.ID, f.witness.ID, f.Witness = at.id, at.id, c.rel(at.file)
	return f.witness.Save(at.file)
}

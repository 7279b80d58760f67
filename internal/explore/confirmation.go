package explore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A confirmation replays what was predicted from one recording of a package. Each
// recording has its own, as witnesses are made of its events; what they share is in the
// tally, and in the inPackage.
//
// The replays of one confirmation run beside each other, so what they write is atomic
// (progress) or behind a channel (setting.folders). The tally and the report are
// written only before and after them.
type confirmation struct {
	*inPackage
	run      recorder.Run
	trace    *trace.Trace
	toward   *witness.Witness                  // where the run of trace departed from the recorded one; nil: it is that
	index    *witness.Index                    // of trace
	recorded replayer.Outcome                  // of the recorded run
	failed   []string                          // the tests that have failed in it
	others   map[uint64]bool                   // the keys of the sites of predicted bugs that are no assertions
	tally    *tally                            // of the package
	slowly   bool                              // the recorded run has not ended in time
	tests    int                               // how many the trace has
	alone    bool                              // one test was recorded to see what it does so
	number   int                               // of the run among those beyond the recordings, from 1; 0: it is none
	parents  []int                             // of that run, see [attempt]
	sized    func() ([]string, map[string]int) // sizes of the trace
	*progress
}

// A progress is for the status line.
type progress struct {
	replayed, confirmed, total atomic.Int32
}

// A finding is one of the analysis, with a witness of nothing but its violation, which
// gives it its name: unlike positions in the trace it stays the same when lines move.
// The witnesses with steps are made when they are to be replayed: there may be many
// findings, and a witness may have thousands of steps.
type finding struct {
	analysis.Finding
	witness *witness.Witness
}

// inTime calls f, which replays, with the time that is left for that.
func (c *confirmation) inTime(ctx context.Context, f func(ctx context.Context) error) error {
	if err := c.ready(); err != nil {
		return err
	}
	start := time.Now()
	c.timeout.begin()
	limit, cancel := c.limited(ctx)
	defer cancel()
	defer func() {
		if c.timeout.end() == 0 && !c.bounded() {
			c.incomplete(c.timeWas())
		}
		c.Report.Packages[len(c.Report.Packages)-1].ReplayS += time.Since(start).Seconds()
	}()
	return f(limit)
}

// confirm replays those of the predicted bugs that no other recording has settled, the
// kinds that do most harm first, until the time for replays is over.
func (c *confirmation) confirm(ctx context.Context, findings []finding) error {
	findings = slices.DeleteFunc(slices.Clone(findings), func(f finding) bool {
		if c.done[sitesOf(f.witness)] { // by a committed witness
			c.tally.settled[f.Name] = true
		}
		return c.tally.settled[f.Name]
	})
	slices.SortStableFunc(findings, func(a, b finding) int { return a.Kind.Rank() - b.Kind.Rank() })
	return c.inTime(ctx, func(limit context.Context) error { return c.replayAll(ctx, limit, findings) })
}

// replayAll replays the findings until limit is over, and tells what came of them; if ctx
// ends, of those that were confirmed by then.
func (c *confirmation) replayAll(ctx, limit context.Context, findings []finding) error {
	// What comes of each is kept apart until all are through, so that the report is the
	// same whichever replay ends first.
	out := make([]reported, len(findings))
	errs := make([]error, len(findings))
	c.total.Store(int32(len(findings)))
	// The first schedule of each is replayed before the others of any.
	trials := make([]*trial, len(findings))
	for i, f := range findings {
		trials[i] = newTrial(f)
	}
	each(c.beside(findings), 2*len(findings), func(k int) {
		i := k % len(findings)
		t := trials[i]
		if k < len(findings) {
			defer close(t.tried)
			ev, err := c.replayNext(limit, t, 1)
			out[i], errs[i] = c.reported(ev), err
			return
		}
		defer t.stop()
		if <-t.tried; t.over {
			return
		}
		ev, err := c.replayNext(limit, t, math.MaxInt)
		if errs[i] = err; ev.Result.Status == bug.Confirmed {
			out[i] = c.reported(ev)
		} else { // the first is told
			out[i].Replays += ev.Result.Replays
		}
	})
	var err error
	if ctx.Err() == nil {
		err = c.departed(limit, findings, out)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errTimeOver) {
		c.Failed = true
		c.warn("%s: %v", c.run.Package.Path, err)
	}
	// Findings at the same places are one bug to who mends it: a race and a pattern, or
	// what two tests show. The one that tells most stands for it.
	late := 0
	var bugs []reported
	of := make(map[string]int) // of bugs, by their places
	for i, err := range errs {
		switch {
		case ctx.Err() != nil && out[i].Status != bug.Confirmed:
			continue
		case errors.Is(err, errTimeOver):
			if out[i].Replays == 0 {
				late++
			}
		case err != nil && ctx.Err() == nil:
			c.trouble(findings[i].witness.ID, err)
			continue
		}
		c.tally.note(findings[i], out[i].Finding, c)
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
		c.keep(bug)
	}
	if late > 0 {
		c.warn("%s: %d of %d predicted bugs were not replayed, as %s", c.run.Package.Path, late, len(findings), c.timeWas())
	}
	return ctx.Err()
}

// beside is how many of the findings are dealt with at once: as many as runs can be made beside each
// other, and fewer where what their replays record would take memory.
func (c *confirmation) beside(findings []finding) int {
	longest := 1
	_, size := c.sized()
	for _, f := range findings {
		longest = max(longest, eventsOf(f.Tests, size))
	}
	return max(c.workers, min(attemptsAtOnce, togetherEvents/longest))
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
	f := report.Finding{Kind: w.Kind, Pattern: w.Pattern}
	for _, s := range w.Violation {
		expr := s.Expr
		if s.Nth == 0 {
			expr = witness.Shape(expr)
		}
		f.Accesses = append(f.Accesses, report.Access{Op: s.Word(), Expr: expr, File: s.File, Line: s.Line})
	}
	return f.Sites()
}

// replayFinding replays the schedules of f in turn until one is confirmed, and returns
// what there is to say of it. The error is errTimeOver if there was no time for
// that, or else says why replaying did not work.
func (c *confirmation) replayFinding(ctx context.Context, f finding) (evidence.Evidence, error) {
	t := newTrial(f)
	defer t.stop()
	return c.replayNext(ctx, t, math.MaxInt)
}

// A trial is of a finding, whose schedules are replayed in turn.
type trial struct {
	finding
	next  func() (analysis.Recipe, bool)
	stop  func()
	tried chan struct{} // closed once the first one was
	over  bool          // no other one is to be
}

func newTrial(f finding) *trial {
	next, stop := iter.Pull(f.Recipes())
	return &trial{finding: f, next: next, stop: stop, tried: make(chan struct{})}
}

// replayNext is replayFinding for most of the schedules that are left.
func (c *confirmation) replayNext(ctx context.Context, t *trial, most int) (evidence.Evidence, error) {
	f := t.finding
	ev := c.evidence(f, f.witness)
	ev.Result = replayer.Result{Status: bug.Unconfirmed, Reason: witness.Prose(f.Reason, f.Tests)}
	first := true
	for range most {
		recipe, more := t.next()
		if t.over = !more; t.over {
			break
		}
		t.over = ctx.Err() != nil
		if t.over {
			return late(ctx, ev)
		}
		w, r, replayed, err := c.smallOrWhole(ctx, scheduled{f, recipe, recipe.Schedule()})
		t.over = ctx.Err() != nil || err != nil || r.Status == bug.Confirmed || timedOut(r)
		if ctx.Err() != nil && (err != nil || r.Status != bug.Confirmed) { // what was confirmed stays so
			return late(ctx, ev)
		}
		if err != nil {
			return ev, err
		}
		if first {
			ev.Witness = w
		}
		// Of what is not confirmed the first schedule is told, which is the one that is
		// most likely to be replayed; of what is, the one that was confirmed.
		before := ev.Result.Replays
		if r.Status == bug.Confirmed {
			c.confirmed.Add(1)
			ev = c.evidence(f, w)
			ev.Violation, ev.Tier = recipe.Accesses, recipe.Tier()
			ev.Result, ev.Replayed = r, replayed
			c.note(w)
			return ev, nil
		}
		if first {
			ev.Result = r
		}
		ev.Result.Replays = before + r.Replays
		if t.over {
			break
		}
		first = false
	}
	return ev, nil
}

// wholeSteps is how many steps a schedule has at most of which there is a whole witness: more take memory, and
// many a replay.
const wholeSteps = 1 << 18

// stepsAtOnce is how many steps the witnesses have together that are replayed at the same time: one may have a
// million, of 200 bytes each. One that has more is replayed alone.
const stepsAtOnce = 1 << 20

// smallOrWhole replays the small witness of s schedule; if that does not confirm
// it, the whole one, for the small one goes by what the trace shows.
func (c *confirmation) smallOrWhole(ctx context.Context, s scheduled) (*witness.Witness, replayer.Result, *trace.Trace, error) {
	steps := int64(min(len(s.order.Steps), stepsAtOnce))
	if err := c.steps.Acquire(ctx, steps); err != nil {
		return nil, replayer.Result{}, nil, err
	}
	defer c.steps.Release(steps)
	shown := c.toward == nil && s.shown(c.trace)
	w, r, replayed, err := c.small(ctx, s, shown)
	if err != nil || r.Status == bug.Confirmed || len(s.order.Steps) > wholeSteps {
		return w, r, replayed, err
	}
	whole, err := c.witnessOf(ctx, s, witness.Whole)
	if err != nil || slices.Equal(whole.Steps, w.Steps) {
		return w, r, replayed, err
	}
	// The small witness leaves out events that, by the trace, do not matter to the
	// violation. What the trace does not show may: then only the whole order leads there.
	first, before := r, r.Replays
	r, replayed, err = c.replay(ctx, whole, c.run.Args, shown)
	if r.Status != bug.Confirmed { // else those of the other witness do not count
		r.Replays += before
		if first.Timed { // that it was shown to rest on time says more than that the whole order does not lead there
			first.Replays = r.Replays
			return w, first, nil, err
		}
	}
	return whole, r, replayed, err
}

// small replays the small witness of s schedule, and if that is confirmed and long, one
// with fewer goroutines. shown says that the recorded run has shown one order.
func (c *confirmation) small(ctx context.Context, s scheduled, shown bool) (*witness.Witness, replayer.Result, *trace.Trace, error) {
	w, err := c.witnessOf(ctx, s, witness.Small)
	if err != nil {
		return w, replayer.Result{}, nil, err
	}
	r, replayed, err := c.replay(ctx, w, c.run.Args, shown)
	if err == nil && r.Status == bug.Confirmed {
		return c.fewer(ctx, s, w, r, replayed)
	}
	return w, r, replayed, err
}

// longWitness is from how many steps or holds on a witness is worth replays that may
// make it shorter, and longWay up to how many: on a longer way what others do matters nearly
// always.
const longWitness, longWay = 20, 300

// fewer takes out of s long witness, which was confirmed, the goroutines that have
// no part in the violation, if replays show that they need no control.
func (c *confirmation) fewer(ctx context.Context, s scheduled, w *witness.Witness, r replayer.Result, replayed *trace.Trace) (*witness.Witness, replayer.Result, *trace.Trace, error) {
	if max(len(w.Steps), len(w.Hold)) <= longWitness || len(w.Steps) > longWay || !w.Bystanders() || s.Kind == bug.Failure { // of which the steps are all that tells why
		return w, r, replayed, nil
	}
	short, err := c.witnessOf(ctx, s, witness.Few)
	if ctx.Err() != nil {
		return w, r, replayed, nil // what was confirmed stays so
	}
	if err != nil {
		return w, r, replayed, err
	}
	again, replayedAgain, err := c.replay(ctx, short, c.run.Args, false)
	if err != nil || again.Status != bug.Confirmed || again.Effect != r.Effect {
		return w, r, replayed, nil
	}
	return short, again, replayedAgain, nil
}

// late is what there is to say of a finding that time was over for.
func late(ctx context.Context, ev evidence.Evidence) (evidence.Evidence, error) {
	err := context.Cause(ctx)
	if ev.Result.Replays == 0 {
		ev.Result.Reason = "not replayed: " + err.Error()
	}
	return ev, err
}

// evidence returns what there is to say of f before a replay.
func (c *confirmation) evidence(f finding, w *witness.Witness) evidence.Evidence {
	return evidence.Evidence{
		Witness: w, Tier: f.Tier, Run: c.number, Parents: c.parents, Undecided: f.Status == bug.Undecided, Refuted: f.Refuted, Trace: c.trace, Violation: f.Accesses, Index: c.index,
		Files: c.files, Source: c.source.Line,
	}
}

// ruledOut returns what there is to say of f, which no run of the program can do.
func (c *confirmation) ruledOut(f finding) evidence.Evidence {
	ev := c.evidence(f, f.witness)
	ev.Result = replayer.Result{Status: bug.Infeasible, Reason: witness.Prose(f.Reason, f.Tests)}
	return ev
}

// A reported finding is what the report tells of one, after its replays. It is not in
// the report yet: another recording may have told as much (outdone), and its witness has
// no file before save.
type reported struct {
	report.Finding
	confirmed string           // the sites of the confirmed bug
	witness   *witness.Witness // to be saved, with the values of the replay
}

func (c *confirmation) reported(ev evidence.Evidence) reported {
	var f reported
	if ev.Result.Status == bug.Confirmed {
		f.confirmed = sitesOf(ev.Result.Witness)
		w := *ev.Witness
		if f.witness = &w; ev.Replayed != nil {
			seen := w.Observe(ev.Replayed)
			f.witness = seen.Witness
			if now := ev.Result.Witness; slices.Equal(w.Steps, now.Steps) && slices.Equal(w.Hold, now.Hold) && slices.Equal(w.Violation, now.Violation) {
				ev.Observed = &seen // and not looked for once more
			}
		}
	}
	f.Finding = evidence.NewFinding(ev)
	f.Reason = c.files.Shorten(f.Reason)
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

// ruleOut tells of the findings that no run of the program can do.
func (c *confirmation) ruleOut(findings []finding) {
	for _, f := range findings {
		if r := c.reported(c.ruledOut(f)); !c.outdone(&r.Finding) {
			c.tell(r)
		}
	}
}

// tell puts a finding into the report, in the place of what another recording has
// shown of the same bug, but for who else was blocked there.
func (c *confirmation) tell(f reported) {
	if f.confirmed != "" {
		c.note(f.witness)
		c.done[f.confirmed] = true
	}
	if at, told := c.tally.told[f.Sites()]; told {
		if f.Status == bug.Confirmed {
			f.Join(c.Report.Findings[at].Also)
		}
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
	return c.replayWithin(ctx, w, args, shown, briefly)
}

// replayWithin is replay, where a program that has left the schedule goes on for a while.
func (c *confirmation) replayWithin(ctx context.Context, w *witness.Witness, args []string, shown bool, while time.Duration) (replayer.Result, *trace.Trace, error) {
	told := func(r replayer.Result) *trace.Trace { return ReadShown(r.Trace, c.build, w, r.Witness) }
	return c.replayWith(w, args, waitOf(w.Tests, c.waited) > 0, told, func(bin replayer.Binary, opts replayer.Options) (replayer.Result, error) {
		opts.Shown, opts.Astray = shown, while
		r, err := replayer.Confirm(ctx, bin, w, c.code, opts)
		c.runs.Add(int64(len(r.Verdicts)))
		if err != nil {
			return r, err
		}
		return c.withControl(ctx, w, r)
	})
}

// replayWith has run replay w, in a folder that is free, or with atOnce in two if there are, and returns what is
// read of its recording as well. The runs are for the caller to count.
func (c *confirmation) replayWith(w *witness.Witness, args []string, atOnce bool, read func(replayer.Result) *trace.Trace, run func(replayer.Binary, replayer.Options) (replayer.Result, error)) (replayer.Result, *trace.Trace, error) {
	n := c.replayed.Add(1)
	c.status.Count("replaying", c.run.Package.Path, int(min(n, c.total.Load())), int(c.total.Load()), fmt.Sprintf("%d confirmed", c.confirmed.Load()))
	bin := replayer.Binary{Path: c.run.Binary, Dir: c.run.Package.Dir, Args: args, Env: c.run.Env, Exec: c.run.Exec}
	folder := <-c.folders
	defer func() { c.folders <- folder }()
	var second *replayer.Folder
	if atOnce {
		select {
		case second = <-c.folders:
			defer func() { c.folders <- second }()
		default: // who has one does not wait for another
		}
	}
	r, err := run(bin, replayer.Options{
		Timeout: replayTime(c.took(c.run, w.Tests)), Astray: briefly,
		Recorded: c.recorded, Slots: c.slots, Work: folder, Second: second,
	})
	if err != nil || r.Status != bug.Confirmed {
		return r, nil, err
	}
	w.Order = r.Order
	return r, read(r), nil
}

// all reads the whole recording of a replay.
func (c *confirmation) all(r replayer.Result) *trace.Trace { return ReadReplay(r.Trace, c.build) }

// ifWorth reads the recording of a run unless it is too long to be searched for more than it has
// shown, and has shown nothing.
func (c *confirmation) ifWorth(r replayer.Result) *trace.Trace {
	info, err := os.Stat(r.Trace) // an event has a byte at least
	if err == nil && info.Size() > againEvents && r.Effect == bug.NoEffect && len(c.failed) == 0 && !c.opts.Explore.explores() {
		t, events, err := trace.Glance(r.Trace, againEvents)
		if err == nil && events > againEvents && len(t.Stuck) == 0 {
			return nil
		}
	}
	return c.all(r)
}

// replayTime is the time that one replay may take, of tests that took so long at most when
// they were recorded: short ones are not waited for as long as others.
func replayTime(took time.Duration) time.Duration {
	return min(replayer.DefaultTimeout, 5*time.Second+20*took) + 3*took
}

// furtherTime is the time of a run that goes on beyond what was recorded: it only looks for more.
func furtherTime(took time.Duration) time.Duration { return 2*time.Second + 3*took }

// took is how long some tests of run took at most: what they waited by themselves, and all that
// was done beside waiting in any test.
func (x *inPackage) took(run recorder.Run, tests []string) time.Duration {
	rest, own := took(run.Seconds), time.Duration(0)
	for test, waited := range x.waited {
		rest -= waited
		if slices.ContainsFunc(tests, func(name string) bool { return funcOf(name) == test }) {
			own += waited
		}
	}
	// Tests that are parallel have waited at once.
	return min(took(run.Seconds), max(rest, took(run.Processor))+own)
}

// astray is how long a program goes on that has left its schedule, where it counts how it ends: longer
// than its tests took.
func astray(took time.Duration) time.Duration { return 2*time.Second + took }

// briefly is how long it goes on where that does not count, as the schedule is only one of those that
// may lead to a bug.
const briefly = 500 * time.Millisecond

// took is a number of seconds as a duration.
func took(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// timedOut reports whether a replay was over before the test had come to an end, though it had not
// left its schedule: another schedule would most likely take as long.
func timedOut(r replayer.Result) bool {
	return slices.ContainsFunc(r.Verdicts, func(v replayer.Verdict) bool { return v.Outcome.TimedOut && !v.Strayed })
}

// A witnessFolder is where the witnesses of a package's tests are, in a folder for each test:
// below is in root, and no link leads out of that.
type witnessFolder struct{ root, below string }

func (f witnessFolder) path() string { return filepath.Join(f.root, f.below) }

// witnessFolder is where witnesses are looked for, and saved if that is possible.
func (c *confirmation) witnessFolder() witnessFolder {
	if filepath.IsAbs(c.opts.Witnesses) {
		return witnessFolder{c.opts.Witnesses, filepath.FromSlash(c.run.Package.Path)}
	}
	return witnessFolder{c.run.Package.Dir, c.opts.Witnesses}
}

// keep saves the witness of f, and tells of f whether or not that is possible.
func (c *confirmation) keep(f reported) {
	if err := c.save(&f); err != nil {
		c.trouble(f.ID, err)
	}
	c.tell(f)
}

// trouble notes that something could not be done about the bug of that ID.
func (c *confirmation) trouble(id string, err error) {
	c.Failed = true
	c.warn("%s: %s: %v", c.run.Package.Path, id, err)
}

// save drafts the witness of f, if it is confirmed, for a file beside its test: in the place of
// a committed one of the same bug that the program has left, but not of another bug's.
func (c *confirmation) save(f *reported) error {
	if f.witness == nil {
		return nil
	}
	// One file a bug and test, also where later recordings confirm it with less harm or
	// more: a folder that fills with witnesses of one bug is no help.
	c.renew(f)
	in := c.witnessFolder()
	at := c.tally.saved[f.confirmed]
	if at.test != f.witness.Tests[0] {
		folder := filepath.Join(in.path(), f.witness.Tests[0])
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
	f.ID, f.witness.ID = at.id, at.id
	f.Witness = c.rel(at.file)
	f.witness.Comment = f.Heading()
	err := c.draft(f.witness, at.file)
	if err != nil {
		f.Witness = "" // there is none to replay
	}
	return err
}

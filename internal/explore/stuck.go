package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/analysis/waits"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// tierRecording is the tier of what the recorded run itself has shown.
const tierRecording = "recording"

// maxAlike is how many of those that wait at the same places are replayed at most: they
// are one bug, and a loop may leave a thousand behind; maxAlikeEver is how many are of all runs.
const maxAlike, maxAlikeEver = 2, 6

// maxReplayed is how many events a run has at most that is replayed as a whole: a schedule of
// more takes gigabytes, and minutes.
const maxReplayed = 1 << 18

// maxCones is the number of events of the longest window in which what leads goroutines to where
// they were blocked is looked for first, which takes as much memory as the prediction. In a longer
// one it is if the run does not come there by itself.
const maxCones = 1 << 22

// tier is that of what the run of c itself has shown.
func (c *confirmation) tier() string {
	switch {
	case c.toward != nil && c.toward.Kind != kindExplored:
		return tierFlip
	case c.toward != nil || c.number > 0:
		return tierExplore
	}
	return tierRecording
}

// deadlocked reports whether the run of t was ended as nothing could move any more.
func deadlocked(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Stuck, func(s trace.Stuck) bool { return s.Proof == trace.ProofDeadlock })
}

// stuck tells of the goroutines that were blocked for ever in the recorded run, and
// replays what led there. They are confirmed as they are: a replay is to show them again.
func (c *confirmation) stuck(ctx context.Context) error {
	for r, err := range c.ends {
		if err != nil {
			return err
		}
		if !c.wants(r.kind) {
			continue
		}
		err := c.inTime(ctx, func(limit context.Context) error {
			tried := make(map[string]int)
			for _, members := range groups(r.kind, r.ws) {
				places := r.places(members)
				if tried[places] == maxAlike {
					continue
				}
				tried[places]++
				if err := r.confirm(ctx, limit, members); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ends yields the recorded run as one at whose end goroutines were blocked, for each kind
// of bug that this is and each window of the trace in which it is. The trace may be without its events
// meanwhile: a window and the recording of a replay are what is in memory then. The error is that they cannot be
// read again.
func (c *confirmation) ends(yield func(*ended, error) bool) {
	for _, b := range []struct {
		kind  bug.Kind
		proof trace.Proof
	}{{bug.Deadlock, trace.ProofDeadlock}, {bug.Leak, trace.ProofLeak}} {
		is := func(s trace.Stuck) bool { return s.Proof == b.proof }
		if !slices.ContainsFunc(c.trace.Stuck, is) {
			continue
		}
		for w, err := range analysis.Blocked(c.trace, is) {
			if err != nil {
				yield(nil, err)
				return
			}
			recorded := len(w.Events)
			ws, with := waits.BlockedInPlace(w, b.proof)
			if b.proof == trace.ProofDeadlock {
				ws = slices.DeleteFunc(ws, func(w waits.Wait) bool { return leftBehind(c.trace, w.G) })
			}
			if len(ws) == 0 {
				continue
			}
			at := *c
			at.trace, at.index, at.sized = with, witness.NewIndex(with), sizesOnce(with)
			at.recorded.Effect = bug.NoEffect // it is the bug's
			if !yield(&ended{confirmation: &at, kind: b.kind, ws: ws, recorded: recorded}, nil) {
				return
			}
		}
	}
}

// blockedAt returns what there is to tell of the bug of that kind, which is the one that is
// looked for, if the recorded run has come to it, and does so again.
func (c *confirmation) blockedAt(ctx context.Context, kind bug.Kind, is func(*witness.Witness) bool) (reported, error) {
	for r, err := range c.ends {
		if err != nil {
			return reported{}, err
		}
		if r.kind != kind {
			continue
		}
		for _, members := range groups(r.kind, r.ws) {
			if b := r.finding(members); len(b.Tests) > 0 && is(b.witness) {
				ev := r.evidence(b, b.witness)
				err := r.replayOf(ctx, b, members, &ev)
				return r.reported(ev), err
			}
		}
	}
	return reported{}, nil
}

// blocks reports whether goroutines of test were blocked at the end of the recorded run, by a
// bug of that kind.
func (c *confirmation) blocks(kind bug.Kind, test string) bool {
	for r, err := range c.ends {
		if err == nil && r.kind == kind && slices.Contains(r.testsOf(r.ws), test) {
			return true
		}
	}
	return false
}

// leftBehind reports whether goroutine g was blocked already when its test was over, before
// nothing could move any more: it is no part of what stopped a later test.
func leftBehind(t *trace.Trace, g trace.GID) bool {
	return slices.ContainsFunc(t.Stuck, func(s trace.Stuck) bool { return s.G == g && s.Proof != trace.ProofDeadlock })
}

// groups returns the goroutines of each bug. In a deadlock all that is left are blocked by
// one bug; of those that are left behind each is blocked by its own.
func groups(kind bug.Kind, ws []waits.Wait) (out [][]waits.Wait) {
	of := func(ks ...int) (members []waits.Wait) {
		for _, k := range ks {
			members = append(members, ws[k])
		}
		return members
	}
	circles, others := waits.Bugs(ws)
	for _, c := range circles {
		out = append(out, of(c...))
	}
	switch {
	case kind == bug.Leak:
		for _, k := range others {
			out = append(out, of(k))
		}
	case len(circles) == 0:
		out = append(out, of(others...))
	}
	return out
}

// wants reports whether bugs of a kind are looked for.
func (x *setting) wants(kind bug.Kind) bool {
	kinds := x.opts.Analysis.Kinds
	return len(kinds) == 0 || slices.Contains(kinds, kind)
}

// An ended is a recorded run at whose end goroutines were blocked.
type ended struct {
	*confirmation
	kind     bug.Kind
	ws       []waits.Wait
	recorded int             // how many events of the trace have happened
	cones    *analysis.Cones // nil before they are needed
}

// finding is the bug by which its members wait.
func (r *ended) finding(members []waits.Wait) finding {
	var accesses []int
	for _, w := range members {
		accesses = append(accesses, w.At)
	}
	b := finding{Finding: analysis.Finding{Kind: r.kind, Accesses: accesses, Tests: r.testsOf(members), Status: bug.Predicted, Tier: r.tier()}}
	b.witness = r.unscheduled(b.Finding)
	return b
}

// confirm deals with those that wait by one bug.
func (r *ended) confirm(ctx, limit context.Context, members []waits.Wait) error {
	b := r.finding(members)
	sites := sitesOf(b.witness)
	if r.done[sites] || r.tally.ends[sites] == maxAlikeEver || r.told(b.witness) {
		r.join(b)
		return nil
	}
	r.tally.ends[sites]++
	ev := r.evidence(b, b.witness)
	if len(b.Tests) > 0 {
		if err := r.replayOf(limit, b, members, &ev); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if limit.Err() == nil {
				r.trouble(b.witness.ID, err)
			}
		}
	}
	if ev.Result.Status != bug.Confirmed && !ev.Result.Timed { // the run itself has shown it
		ev.Result.Status, ev.Result.Effect = bug.Confirmed, effectOf(r.kind)
		ev.Result.Reproduced = 0
	}
	if ev.Result.Reproduced > 0 {
		r.keep(r.reported(ev))
	} else {
		r.keep(reported{Finding: evidence.NewFinding(ev)})
	}
	return nil
}

// join adds those whom b blocks at the end of this run to what the report tells of b.
func (r *ended) join(b finding) {
	ev := r.evidence(b, b.witness)
	f := evidence.NewFinding(ev)
	if at, told := r.tally.told[f.Sites()]; told && r.Report.Findings[at].Status == bug.Confirmed {
		r.Report.Findings[at].Join(evidence.AlsoBlocked(ev))
	}
}

// replayOf replays what led to b, of which these are the members, and notes in ev what
// that has shown: first no more than what must have happened, at last the whole run; of a long
// one first the run as it goes by itself.
func (r *ended) replayOf(ctx context.Context, b finding, members []waits.Wait, ev *evidence.Evidence) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	recipe := analysis.Recipe{Recipe: schedule.Recipe{Accesses: b.Accesses}}
	take := func(w *witness.Witness, result replayer.Result, replayed *trace.Trace, err error) error {
		if err == nil {
			if result.Status != bug.Confirmed { // else those of the other schedules do not count
				result.Replays += ev.Result.Replays
				if ev.Result.Timed { // which stays so, whatever the other schedules lead to
					ev.Result.Replays = result.Replays
					return nil
				}
			}
			ev.Witness, ev.Result, ev.Replayed = w, result, replayed
		}
		return err
	}
	all := scheduled{b, recipe, asRecorded(r.trace, r.recorded)}
	bare := r.toward == nil
	if bare && len(r.trace.Events) > maxCones {
		w, result, replayed, err := r.bare(ctx, all)
		if err := take(w, result, replayed, err); err != nil || result.Status == bug.Confirmed {
			return err
		}
		bare = false
	}
	if r.cones == nil {
		made, err := unlessDone(ctx, func() (*analysis.Cones, error) { return analysis.NewCones(r.trace, r.ws) })
		if err != nil {
			return err
		}
		r.cones = made
	}
	for order := range r.cones.Of(members) {
		if err := take(r.small(ctx, scheduled{b, recipe, order}, false)); err != nil {
			return err
		}
		if ev.Result.Status == bug.Confirmed {
			break
		}
	}
	if bare && (ev.Result.Status != bug.Confirmed || len(ev.Witness.Steps) > longWitness) {
		w, result, replayed, err := r.bare(ctx, all)
		if err != nil {
			return err
		}
		if result.Status == bug.Confirmed && (ev.Result.Status != bug.Confirmed || result.Effect == ev.Result.Effect) {
			return take(w, result, replayed, nil)
		}
		if ev.Result.Status != bug.Confirmed {
			ev.Result.Replays += result.Replays
		}
	}
	if ev.Result.Status == bug.Confirmed || len(all.order.Steps) > maxReplayed {
		return nil
	}
	return take(r.smallOrWhole(ctx, all))
}

// bare replays the bare witness of s schedule: what the recorded run came to by itself, it
// mostly comes to again.
func (c *confirmation) bare(ctx context.Context, s scheduled) (*witness.Witness, replayer.Result, *trace.Trace, error) {
	w, err := c.witnessOf(ctx, s, witness.Bare)
	if err != nil {
		return w, replayer.Result{}, nil, err
	}
	r, replayed, err := c.replay(ctx, w, c.run.Args, false)
	return w, r, replayed, err
}

// told reports whether the report has a deadlock in which all of its goroutines are blocked
// at the end of r. If r ends there that is its bug, whoever else waits; if it goes on, it is
// that of those who are among them in w.
func (r *ended) told(w *witness.Witness) bool {
	return slices.ContainsFunc(r.Report.Findings, func(f report.Finding) bool {
		if f.Kind != bug.Deadlock || f.Status != bug.Confirmed || f.Package != w.Package {
			return false
		}
		for _, a := range f.Accesses {
			if !slices.ContainsFunc(r.ws, func(b waits.Wait) bool {
				s := r.trace.Sites[b.Site]
				return a.Op == b.Op.String() && a.File == r.files.Name(s.File) && a.Line == s.Line
			}) {
				return false
			}
		}
		return r.kind == bug.Deadlock || !slices.ContainsFunc(w.Violation, func(s witness.Step) bool {
			return !slices.ContainsFunc(f.Accesses, func(a report.Access) bool { return a.Op == s.Op.String() && a.File == s.File && a.Line == s.Line })
		})
	})
}

// effectOf is the harm that what the recorded run has shown does by itself.
func effectOf(kind bug.Kind) bug.Effect {
	if kind == bug.Leak {
		return bug.Leaks
	}
	return bug.Blocks
}

// places names where those that wait do so, in no special order of these.
func (c *confirmation) places(ws []waits.Wait) string {
	var places []string
	for _, w := range ws {
		e := c.trace.Events[w.At]
		places = append(places, fmt.Sprint(e.Kind, " ", e.Site))
	}
	slices.Sort(places)
	return strings.Join(places, ", ")
}

// testsOf returns the tests of those that wait, each once.
func (c *confirmation) testsOf(ws []waits.Wait) []string {
	var tests []string
	for _, w := range ws {
		if test := c.trace.Goroutines[w.G].Test; test != "" && !slices.Contains(tests, test) {
			tests = append(tests, test)
		}
	}
	return tests
}

// asRecorded is the first so many events of the run, in their order, but for what the
// tests' own goroutines do once their tests are over: that is when goroutines that are
// left behind were found.
func asRecorded(t *trace.Trace, events int) schedule.Schedule {
	steps := make([]int, 0, events)
	over := make(map[trace.GID]bool)
	for i, e := range t.Events[:events] {
		if !over[e.G] {
			steps = append(steps, i)
		}
		over[e.G] = over[e.G] || e.Kind == trace.TestEnd
	}
	return schedule.Schedule{Steps: steps}
}

package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/blocked"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// tierRecording is the tier of what the recorded run itself has shown.
const tierRecording = "recording"

// maxAlike is how many of those that wait at the same places are replayed at most: they
// are one bug, and a loop may leave a thousand behind.
const maxAlike = 2

// deadlocked reports whether the run of t was ended as nothing could move any more.
func deadlocked(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Stuck, func(s trace.Stuck) bool { return s.Proof == trace.ProofDeadlock })
}

// stuck tells of the goroutines that were blocked for ever in the recorded run, and
// replays what led there. They are confirmed as they are: a replay is to show them again.
func (c *confirmation) stuck(ctx context.Context) error {
	for _, b := range []struct {
		kind  bug.Kind
		proof trace.Proof
	}{{bug.Deadlock, trace.ProofDeadlock}, {bug.Leak, trace.ProofLeak}} {
		ws, with := blocked.Of(c.trace, b.proof)
		if len(ws) == 0 || !c.wants(b.kind) {
			continue
		}
		at := *c
		at.trace, at.index = with, witness.NewIndex(with)
		at.recorded.Effect = bug.NoEffect // it is the bug's
		err := c.inTime(ctx, func(limit context.Context) error {
			tried := make(map[string]int)
			for _, members := range groups(b.kind, ws) {
				places := at.places(members)
				if tried[places] == maxAlike {
					continue
				}
				tried[places]++
				if err := at.stuckFor(ctx, limit, b.kind, members, len(c.trace.Events)); err != nil {
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

// groups returns the goroutines of each bug. In a deadlock all that is left are blocked by
// one bug; of those that are left behind each is blocked by its own.
func groups(kind bug.Kind, ws []blocked.Wait) (out [][]blocked.Wait) {
	of := func(ks ...int) (members []blocked.Wait) {
		for _, k := range ks {
			members = append(members, ws[k])
		}
		return members
	}
	circles, others := blocked.Bugs(ws)
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
func (x *Exploration) wants(kind bug.Kind) bool {
	kinds := x.opts.Analysis.Kinds
	return len(kinds) == 0 || slices.Contains(kinds, kind)
}

// stuckFor deals with those that wait by one bug. Recorded is the number of events that
// happened.
func (c *confirmation) stuckFor(ctx, limit context.Context, kind bug.Kind, members []blocked.Wait, recorded int) error {
	var accesses []int
	for _, w := range members {
		accesses = append(accesses, w.At)
	}
	b := finding{Finding: analysis.Finding{Kind: kind, Accesses: accesses, Tests: c.testsOf(members), Status: bug.Predicted, Tier: tierRecording}}
	b.witness = c.outside(b.Finding)
	if c.done[sitesOf(b.witness)] {
		return nil
	}
	ev := c.evidence(b, b.witness)
	if len(b.Tests) > 0 {
		recipe := analysis.Recipe{Recipe: schedule.Recipe{Accesses: accesses}}
		w, r, replayed, err := c.smallOrBare(limit, scheduled{b, recipe, asRecorded(c.trace, recorded)})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			ev.Witness, ev.Result, ev.Replayed = w, r, replayed
		}
	}
	if ev.Result.Status != bug.Confirmed { // by a replay
		ev.Result.Status, ev.Result.Effect = bug.Confirmed, effectOf(kind)
		ev.Result.Reproduced = 0
	}
	f := reported{Finding: report.NewFinding(ev)}
	if f.Reproduced > 0 {
		f = c.reported(ev)
		if err := c.save(&f); err != nil {
			c.Failed = true
			c.warn("%s: %s: %v", c.run.Package.Path, f.ID, err)
		}
	}
	c.tell(f)
	return nil
}

// smallOrBare replays the small or whole witness of s schedule. If that is long, or does not
// confirm it, a bare one may: what the recorded run came to by itself, it mostly comes to
// again.
func (c *confirmation) smallOrBare(ctx context.Context, s scheduled) (*witness.Witness, replayer.Result, *trace.Trace, error) {
	w, r, replayed, err := c.smallOrWhole(ctx, s)
	if err != nil || r.Status == bug.Confirmed && len(w.Steps) <= longWitness {
		return w, r, replayed, err
	}
	bare, err := c.witnessOf(s, witness.Bare)
	if err != nil {
		return w, r, replayed, err
	}
	again, replayedAgain, err := c.replay(ctx, bare, c.run.Args, false)
	if err != nil || again.Status != bug.Confirmed || r.Status == bug.Confirmed && again.Effect != r.Effect {
		return w, r, replayed, err
	}
	return bare, again, replayedAgain, nil
}

// effectOf is the harm that what the recorded run has shown does by itself.
func effectOf(kind bug.Kind) bug.Effect {
	if kind == bug.Leak {
		return bug.Leaks
	}
	return bug.Blocks
}

// places names where those that wait do so, in no special order of these.
func (c *confirmation) places(ws []blocked.Wait) string {
	var places []string
	for _, w := range ws {
		e := c.trace.Events[w.At]
		places = append(places, fmt.Sprint(e.Kind, " ", e.Site))
	}
	slices.Sort(places)
	return strings.Join(places, ", ")
}

// testsOf returns the tests of those that wait, each once.
func (c *confirmation) testsOf(ws []blocked.Wait) []string {
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
	var steps []int
	over := make(map[trace.GID]bool)
	for i, e := range t.Events[:events] {
		if !over[e.G] {
			steps = append(steps, i)
		}
		over[e.G] = over[e.G] || e.Kind == trace.TestEnd
	}
	return schedule.Schedule{Steps: steps}
}

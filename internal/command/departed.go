package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file follows runs that depart from the recorded one: a branch goes the other
// way there, or a read finds something else, and what comes then is in no trace yet.
// So the program is run to there and recorded from then on, as a further trace of the
// same test (Wang et al., FAC 2011, §8: traces with different branches). If an
// assertion has failed there, the order of that run is its witness.

// maxDeparted is how many assertions of a package are looked at in that way, each of
// which takes a replay.
const maxDeparted = 16

// last is 1 for what is looked at if there is time left.
func last(s suspect) int {
	if s.Departure != nil {
		return 1
	}
	return 0
}

// fewDepartures takes the others off the suspects.
func fewDepartures(suspects []suspect) {
	n := 0
	for k := range suspects {
		if n += last(suspects[k]); n > maxDeparted {
			suspects[k].Departure = nil
		}
	}
}

// departed runs to where a run departs on the way to the assertion of s, and goes on.
// If the assertion fails there, it confirms that with a witness of that run.
func (c *confirmation) departed(ctx context.Context, s suspect, ev report.Evidence) (report.Evidence, error) {
	if c.slow.Load() { // the next may take as long
		return ev, nil
	}
	w, err := c.witness(s.Finding, *s.Departure, s.Departure.Schedule(), witness.Whole)
	if err != nil {
		return ev, err
	}
	r, further, err := c.replay(ctx, w, c.run.Args, false)
	if ctx.Err() != nil {
		return late(ctx, ev)
	}
	if slices.ContainsFunc(r.Verdicts, func(v replayer.Verdict) bool { return v.Outcome.TimedOut }) {
		c.slow.Store(true)
	}
	if err != nil || r.Status != replayer.Confirmed || further == nil {
		return ev, err
	}
	at := c.failure(s, further, r.Detail)
	if at < 0 {
		return ev, nil
	}
	for _, extent := range []witness.Extent{witness.Small, witness.Whole} {
		if w, err = c.performed(s, further, at, extent); err != nil {
			return ev, err
		}
		r, replayed, err := c.replay(ctx, w, c.run.Args, false)
		if ctx.Err() != nil {
			return late(ctx, ev)
		}
		if err != nil {
			return ev, err
		}
		if r.Status == replayer.Confirmed {
			c.confirmed.Add(1)
			ev = c.evidence(s, w)
			ev.Undecided, ev.Trace, ev.Violation, ev.Result, ev.Replayed = false, further, []int{at}, r, replayed
			return ev, nil
		}
	}
	return ev, nil
}

// failure returns the position in t, a further trace in which tests have failed with
// the given output, of the assertion of s that failed; -1 if it did not.
func (c *confirmation) failure(s suspect, t *trace.Trace, detail []string) int {
	site := c.trace.Sites[c.trace.Events[s.Accesses[0]].Site]
	line := fmt.Sprintf("%s:%d: ", filepath.Base(site.File), site.Line)
	for i, e := range slices.Backward(t.Events) {
		its := t.Sites[e.Site]
		if its.Key != site.Key || its.Fails == trace.Neither {
			continue
		}
		told := slices.ContainsFunc(detail, func(l string) bool { return strings.Contains(l, line) })
		if e.Kind == trace.Branch && (its.Fails == trace.IfTrue) == (e.Val != 0) || e.Kind == trace.Assert && told {
			return i
		}
	}
	return -1
}

// performed makes a witness for s of the order in which the events of t, another
// trace of its test, came up to the assertion at position at.
func (c *confirmation) performed(s suspect, t *trace.Trace, at int, extent witness.Extent) (*witness.Witness, error) {
	var steps, hold []int
	held := map[trace.GID]bool{t.Events[at].G: true}
	for i, e := range t.Events {
		switch {
		case i < at:
			if e.Kind != trace.End { // nothing waits for it
				steps = append(steps, i)
			}
		case !held[e.G]:
			held[e.G] = true
			hold = append(hold, i)
		}
	}
	w, err := witness.FromSchedule(t, steps, []int{at}, hold, witness.Meta{
		Kind: s.Kind, Package: c.run.Package.Path, Files: c.files, Source: c.source, Extent: extent,
	})
	if err != nil {
		return nil, err
	}
	w.ID = s.witness.ID
	c.likeRun(w)
	return w, nil
}

package explore

import (
	"context"
	"errors"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file looks for assertions that fail only where goroutines go the ways of different
// recordings (Wang et al., FAC 2011, §8). No recording leads there, nor does a run that
// departs from one once. So all recordings of a test are merged into one program, of
// which a run is looked for that comes to the failure; it is replayed like any other.

// mergedEvents is how many events a recording has at most that is merged with others, and
// maxMixed how many assertions of a package are looked for.
const mergedEvents, maxMixed = 1 << 17, 64

// mixed looks for the assertions that are suspected in some recording and that nothing
// has confirmed.
func mixed(ctx context.Context, e *explored) error {
	var traces []*trace.Trace
	for _, r := range e.recordings {
		if len(r.trace.Events) <= mergedEvents && len(r.trace.Cuts) == 0 {
			traces = append(traces, r.trace)
		}
	}
	if len(traces) < 2 {
		return nil
	}
	x := mixing{e, traces, analysis.NewRecordings(traces), make(map[string]*analysis.Merged), e.others()}
	tried := make(map[string]bool)
	for _, r := range e.recordings {
		for _, f := range r.findings {
			if f.Kind != bug.Assertion || len(f.Tests) != 1 || tried[f.Name] || len(tried) == maxMixed || e.done[sitesOf(f.witness)] || e.left() == 0 {
				continue
			}
			tried[f.Name] = true
			if err := x.look(ctx, r, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// A mixing looks at recordings of a package together.
type mixing struct {
	*explored
	traces     []*trace.Trace
	all        analysis.Recordings
	programs   map[string]*analysis.Merged // by test; nil: there is none
	otherSites map[uint64]bool             // see explored.others
}

// merged returns the program of a test; nil if there are not several recordings of it, or
// too long ones.
func (x *mixing) merged(test string) *analysis.Merged {
	m, made := x.programs[test]
	if made {
		return m
	}
	var of analysis.Recordings
	for k, t := range x.traces {
		if began(t, test) {
			of = append(of, x.all[k])
		}
	}
	if len(of) > 1 {
		s := x.opts.Analysis.Solving
		s.Budget.Steps = furtherSolving
		m = of.Merge(test, s)
	}
	x.programs[test] = m
	return m
}

// others are the keys of the sites of predicted bugs that are no assertions.
func (e *explored) others() map[uint64]bool {
	keys := make(map[uint64]bool)
	for _, r := range e.recordings {
		for _, f := range r.findings {
			for _, site := range f.Sites {
				key := r.trace.Sites[site].Key
				keys[key] = keys[key] || f.Kind != bug.Assertion && len(f.Schedules) > 0
			}
		}
	}
	return keys
}

// look looks for a run in which f fails, which r has left open, and confirms it.
func (x *mixing) look(ctx context.Context, r recording, f finding) error {
	m := x.merged(f.Tests[0])
	if m == nil {
		return nil
	}
	x.status.Set("predicting", r.run.Package.Path+", recordings merged")
	bound, end := x.inBound(ctx)
	defer end()
	t, err := m.Fails(bound, r.place(f).Key)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil || t == nil: // what is suspected stays undecided
		return nil
	}
	c := &confirmation{
		inPackage: x.inPackage, run: r.run, trace: t, index: witness.NewIndex(t),
		recorded: r.recorded, failed: r.failed, others: x.otherSites, progress: r.progress, tally: x.tally, sized: sizesOnce(t),
	}
	at := len(t.Events) - 1
	if c.byOthers(at) {
		return nil
	}
	f.Accesses = []int{at}
	return c.mix(ctx, f)
}

// mix confirms that f fails, in the run of which c has the trace: that of no recording.
func (c *confirmation) mix(ctx context.Context, f finding) error {
	var ev evidence.Evidence
	err := c.inTime(ctx, func(limit context.Context) (err error) {
		ev, err = c.fails(limit, f, f.Accesses[0])
		return err
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errTimeOver):
		return nil
	case err != nil:
		c.trouble(f.witness.ID, err)
		return nil
	case ev.Result.Status != bug.Confirmed:
		return nil
	}
	ev.Tier = analysis.TierMerged
	c.tally.settled[f.Name] = true
	c.keep(c.reported(ev))
	return nil
}

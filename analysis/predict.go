package analysis

import (
	"context"
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/reduce"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// Predict analyses t. It fails for a trace that contradicts itself, and when ctx ends. Equal traces give
// equal results.
func Predict(ctx context.Context, t *trace.Trace, opts Options) (*Result, error) {
	return PredictWindows(ctx, reduce.Divide(t, opts.Properties), opts)
}

// PredictWindows is [Predict] for a trace that is divided into windows. It closes d.
func PredictWindows(ctx context.Context, d *reduce.Divided, opts Options) (*Result, error) {
	defer d.Close()
	switch {
	case opts.Schedules > 0:
	case d.Windows() == 1:
		opts.Schedules = 1
	default:
		opts.Schedules = mostSchedules
	}
	opts.isFurtherTrace = opts.KnowledgeOf != nil
	events := d.Events()
	work := newWork(&opts, events)
	if d.Windows() == 1 {
		t, err := d.Trace(0)
		if err != nil {
			return nil, err
		}
		return predict(ctx, t, opts, work)
	}
	r := new(Result)
	index := make(map[string]int) // of findings, by name
	before := opts
	opts.KnowledgeOf = func(name string) Knowledge {
		if k, ok := index[name]; ok && r.Findings[k].Status == bug.Predicted {
			return Settled
		}
		return before.knownOf(name)
	}
	for k := range d.Windows() {
		t, err := d.Trace(k)
		if err != nil {
			return nil, err
		}
		from, to := d.Bounds(k)
		found, err := predict(ctx, t, opts, windowWork(work, to-from, events))
		if err != nil {
			return nil, err
		}
		events -= to - from
		if !found.makeSchedules(madeSteps * (to - from)) {
			d.Retain()
		}
		r.join(found, from, index)
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return a.detector - b.detector })
	r.Candidates = len(r.Findings) + r.Pruned()
	return r, nil
}

// predict is Predict for a trace that is one window.
func predict(ctx context.Context, t *trace.Trace, opts Options, work *solver.Budget) (*Result, error) {
	flow := make(chan *dataflow.Flow, 1)
	go func() { flow <- dataflow.New(t) }()
	o, err := order.New(t)
	if err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	p := newPredictor(newSubject(t, o, <-flow, opts))
	defer p.background.Wait() // the caller may change t then
	r := new(Result)
	in := &detect.Input{
		Trace: t, Order: o, Flow: p.flow, Tests: p.tests, Kinds: opts.Kinds, Patterns: opts.Patterns, Properties: opts.Properties,
		IsKnownRace: func(race string) bool { return p.settled[race] },
	}
	var effects [][2]int // ranges of findings that may be effects of others
	deciding := work.Part(work.Steps - work.Steps/proofsPart)
	if in.LooksLeft = looksFor(deciding, len(t.Events)); !opts.isFurtherTrace {
		in.StartEarly(p.background.Go)
	}
	for k, d := range detect.All {
		first := len(r.Findings)
		looks := looksFor(deciding, len(t.Events))
		in.LooksLeft = looks
		cs, counts := d.Candidates(in)
		deciding.Spend(lookStep * int64(max(0, looks-in.LooksLeft-freeLooks*len(t.Events))))
		r.Counts.Add(counts)
		p.work = deciding.Share(d.WorkDivisor)
		if err := p.decideAll(ctx, r, cs); err != nil {
			return nil, err
		}
		if d.MayBeEffects {
			effects = append(effects, [2]int{first, len(r.Findings)})
		}
		for n := range r.Findings[first:] {
			r.Findings[first+n].detector = k
		}
	}
	p.work = work
	if !opts.OnlyScheduled {
		if err := p.departures.demote(ctx, r.Findings); err != nil {
			return nil, err
		}
	}
	for _, e := range slices.Backward(effects) {
		p.dropEffects(r, e[0], e[1])
	}
	r.Candidates = len(r.Findings) + r.Pruned()
	return r, nil
}

// A predictor decides all candidates of one trace.
type predictor struct {
	*decider
	departures *departureSearch
	// settled are the names of candidates that are predicted, or were left out as they are settled. Of
	// the latter settledSites has the sites.
	settled      map[string]bool
	settledSites map[trace.SiteID]bool
}

// newPredictor returns the predictor of a subject.
func newPredictor(s *subject) *predictor {
	d := newDecider(s)
	return &predictor{d, newDepartureSearch(d.effort), make(map[string]bool), make(map[trace.SiteID]bool)}
}

// decideAll decides the candidates of one detector and adds them to the findings of r.
func (p *predictor) decideAll(ctx context.Context, r *Result, cs []detect.Candidate) error {
	cs = slices.DeleteFunc(cs, p.leaveOutSettled)
	if len(cs) == 0 {
		return nil
	}
	if p.planner == nil {
		// Most traces with candidates need the judge. Few need the model, so the first to ask makes it.
		if judge := p.newJudge; !p.opts.isFurtherTrace {
			p.background.Go(func() { judge() })
		}
		p.prepare()
	}
	decided, err := p.decideDirectly(ctx, cs)
	if err != nil {
		return err
	}
	var undecided []*candidate
	for _, c := range decided {
		if p.isSolvable(c) {
			undecided = append(undecided, c)
		}
	}
	undecided, err = (&pairSearch{decider: p.decider}).allPairs(ctx, undecided)
	if err == nil {
		undecided, err = (&matchSearch{decider: p.decider}).allMatches(ctx, undecided)
	}
	if err == nil {
		err = p.solve(ctx, undecided)
	}
	if err != nil {
		return err
	}
	for _, c := range decided {
		f := c.finding
		if f.Status != bug.Predicted && p.opts.knownOf(f.Name) == TriedBefore {
			continue
		}
		if f.Status == bug.Infeasible && !p.opts.OnlyScheduled {
			p.departures.addProven(c.Instances, len(r.Findings))
		}
		if f.Status == bug.Predicted {
			p.settled[f.Name] = true
		}
		r.Findings = append(r.Findings, *f)
	}
	return nil
}

// decideDirectly decides candidates by all tiers but solving, from their first instances.
func (p *predictor) decideDirectly(ctx context.Context, cs []detect.Candidate) (decided []*candidate, err error) {
	p.coneLinks = max(leastCone, (coneLinks+len(p.trace.Events))/len(cs))
	budget := p.work.Share(directPart)
	areDeadlocks := cs[0].Instances[0].IsDeadlock
	if areDeadlocks {
		p.startDeadlocks(cs)
	}
	for k := range cs {
		if err := context.Cause(ctx); err != nil {
			return nil, stopped(len(cs)-k, len(cs), err)
		}
		if !areDeadlocks {
			p.allow(budget, len(cs)-k)
		}
		c := &candidate{Candidate: cs[k]}
		first := cs[k]
		if c.isPartial() || p.triesNeighbours(first) {
			first.Instances = first.Instances[:min(len(first.Instances), maxTried)]
		}
		f, open := p.decide(first)
		if areDeadlocks && !p.proposer.afterBarrier && f.Status == bug.Undecided && p.allowance.Over() {
			p.turnToBarriers(cs[k:])
			c.Candidate = cs[k]
			f, open = p.decide(cs[k])
		}
		if f.Status != bug.Predicted && p.opts.knownOf(c.Name) == TriedBefore && !c.IsSingleEvent() && !c.isPartial() {
			continue
		}
		c.finding, c.open = &f, open
		if c.IsSingleEvent() && len(open) > maxEventsOfAssertion {
			c.open, c.Exhaustive = open[:maxEventsOfAssertion], false
		}
		decided = append(decided, c)
	}
	return decided, nil
}

// isSolvable reports whether c is undecided and something is left to look at. A property that one event
// violates has no schedule of another order.
func (p *predictor) isSolvable(c *candidate) bool {
	return c.isOpen() && (c.Instances[0].Property == nil || len(c.Instances[0].Accesses) > 1) && (len(c.open) > 0 || len(c.Places) > 0 || c.isPartial())
}

// leaveOutSettled reports whether c is settled, and notes its name and sites then.
func (p *predictor) leaveOutSettled(c detect.Candidate) bool {
	if p.opts.knownOf(c.Name) != Settled {
		return false
	}
	p.settled[c.Name] = true
	for _, i := range c.Instances[0].Accesses {
		p.settledSites[p.trace.Events[i].Site] = true
	}
	return true
}

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

// Predict analyses t. It fails for a trace that contradicts itself, and when
// ctx ends. Equal traces give equal results.
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
	at := make(map[string]int) // by name: the finding's index
	before := opts
	opts.KnowledgeOf = func(name string) Knowledge {
		if k, ok := at[name]; ok && r.Findings[k].Status == bug.Predicted {
			return Settled
		}
		return before.known(name)
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
		if !found.letGo(madeSteps * (to - from)) {
			d.Retain()
		}
		r.join(found, from, at)
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
	defer p.background.Wait() // whoever has t may change it then
	r := new(Result)
	in := &detect.Input{
		Trace: t, Order: o, Flow: p.flow, Tests: p.tests, Kinds: opts.Kinds, Patterns: opts.Patterns, Properties: opts.Properties,
		IsKnownRace: func(race string) bool { return p.settled[race] },
	}
	var effects [][2]int // findings that may be effects of others
	deciding := work.Part(work.Steps - work.Steps/proofsPart)
	if in.LooksLeft = looksFor(deciding, len(t.Events)); !opts.isFurtherTrace {
		in.Ahead(p.background.Go)
	}
	for k, d := range detect.All {
		first := len(r.Findings)
		in.LooksLeft = looksFor(deciding, len(t.Events))
		there := in.LooksLeft
		cs, counts := d.Candidates(in)
		deciding.Spend(lookStep * int64(max(0, there-in.LooksLeft-freeLooks*len(t.Events))))
		r.Counts.Add(counts)
		p.work = deciding.Share(d.WorkDivisor)
		if err := p.all(ctx, r, cs); err != nil {
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
	// settled are the names of candidates that are predicted, or were left out as they are settled. Of the
	// latter there are the sites, too.
	settled      map[string]bool
	settledSites map[trace.SiteID]bool
}

// newPredictor returns one for the subject.
func newPredictor(s *subject) *predictor {
	d := newDecider(s)
	return &predictor{d, newDepartureSearch(d.effort), make(map[string]bool), make(map[trace.SiteID]bool)}
}

// all decides candidates and adds them to the findings.
func (p *predictor) all(ctx context.Context, r *Result, cs []detect.Candidate) error {
	cs = slices.DeleteFunc(cs, func(c detect.Candidate) bool {
		settled := p.opts.known(c.Name) == Settled
		if settled {
			p.settle(c)
		}
		return settled
	})
	if len(cs) > 0 && p.planner == nil {
		// The judge is asked in most traces with candidates. The model is made for whoever asks first: few
		// traces need one, and those the less that are long.
		if judge := p.newJudge; !p.opts.isFurtherTrace {
			p.background.Go(func() { judge() })
		}
		p.prepare()
	}
	p.links = max(leastCone, (coneLinks+len(p.t.Events))/max(1, len(cs)))
	direct := p.work.Share(directPart)
	if len(cs) > 0 && cs[0].Instances[0].IsDeadlock {
		p.startDeadlocks(cs)
	}
	var fs []Finding
	var of []detect.Candidate // by finding
	var undecided []candidate
	for k, c := range cs {
		if err := context.Cause(ctx); err != nil {
			return fmt.Errorf("analysis: ended with %d of %d candidates undecided: %w", len(cs)-k, len(cs), err)
		}
		if !c.Instances[0].IsDeadlock {
			p.allow(direct, len(cs)-k)
		}
		f, left := p.decide(p.firstInstances(c))
		if c.Instances[0].IsDeadlock && !p.proposer.afterBarrier && f.Status == bug.Undecided && p.allowance.Over() {
			p.turnToBarriers(cs[k:])
			c = cs[k]
			f, left = p.decide(c)
		}
		if p.opts.known(c.Name) == TriedBefore && !c.IsSingleEvent() && !p.isPartial(c) && f.Status != bug.Predicted {
			continue
		}
		if solvable := c.Instances[0].Property == nil || len(c.Instances[0].Accesses) > 1; solvable && f.Status == bug.Undecided && (len(left) > 0 || len(c.Places) > 0 || p.isPartial(c)) {
			u := candidate{Candidate: c, finding: len(fs), open: left}
			if c.IsSingleEvent() && len(left) > maxAlone {
				u.open, u.Exhaustive = left[:maxAlone], false
			}
			undecided = append(undecided, u)
		}
		fs, of = append(fs, f), append(of, c)
	}
	undecided, err := (&pairSearch{p.decider}).allPairs(ctx, fs, of, undecided)
	if err == nil {
		undecided, err = (&matchSearch{p.decider}).allMatches(ctx, fs, of, undecided)
	}
	if err == nil {
		err = p.solve(ctx, fs, undecided)
	}
	if err != nil {
		return err
	}
	for k, c := range of {
		f := fs[k]
		if f.Status != bug.Predicted && p.opts.known(f.Name) == TriedBefore {
			continue
		}
		if f.Status == bug.Infeasible && !p.opts.OnlyScheduled {
			p.departures.addProven(candidate{c, len(r.Findings), instancesOf(c)})
		}
		if f.Status == bug.Predicted {
			p.settled[f.Name] = true
		}
		r.Findings = append(r.Findings, f)
	}
	return nil
}

// settle leaves a candidate out.
func (p *predictor) settle(c detect.Candidate) {
	p.settled[c.Name] = true
	for _, i := range c.Instances[0].Accesses {
		p.settledSites[p.t.Events[i].Site] = true
	}
}

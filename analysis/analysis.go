// Package analysis predicts concurrency bugs: it takes the trace of one run,
// and returns findings, each with schedules of the same events that lead to
// it. Whether they do, only a replay can tell.
//
// The tiers, cheap to exact, each for what the one before left undecided:
//
//  1. must-order and lock sets (packages order and anomaly) find candidates,
//  2. lock-acquisition histories ([order.Order.Locked]) and causality graphs
//     (package causality) refute some,
//  3. direct schedules (package schedule) confirm: of the accesses' cone, with critical
//     sections turned round, or PECAN's; the independent judge (package feasible)
//     has seen each of them; for properties also such as go another way where that makes
//     no difference to what comes later (Chen and Roşu, 2005),
//  4. where the detectors have handed over the nearest pairs only, all pairs are looked at:
//     a must clock ([order.Must]) refutes, one growing cone for each two goroutines
//     confirms ([schedule.Planner.Meet]); and all matches of patterns ([anomaly.Braid]),
//     of which those that came in the pattern's order are direct,
//  5. solving (package symbolic) decides the others: it finds a schedule, or
//     proves that there is none, within a budget.
//
// What a tier proves, it proves of the recorded events. The program cannot do it only
// if no run departs from these either; else there are schedules up to where it does
// (Finding.Departures).
//
// What is left of assertions then is looked for in several recordings of a test together
// ([Recordings], package merged).
package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// The tiers that decide, as the report names them: those that refute, and the
// schedulers that find a schedule, of which the solver also refutes.
const (
	TierHistory   = "history"
	TierMust      = "must"
	TierCausality = "causality"
	TierCone      = string(schedule.Cone)
	TierTurned    = string(schedule.Turned)
	TierPecan     = string(schedule.Pecan)
	TierSliced    = string(schedule.Sliced)
	TierSolver    = string(schedule.Solver)
)

// The steps that look beyond the nearest instances of a candidate. Findings name the tier that
// decided there.
const (
	StepPairs   = "pairs"   // all pairs of accesses of a race
	StepMatches = "matches" // all matches of a pattern
)

// A Finding is a predicted bug: a set of source sites, and events of the trace
// that show it. It has no name: package witness names bugs by their sources.
type Finding struct {
	Kind bug.Kind
	// Name is the kind and the places of the accesses in words: the same for the
	// same bug in all traces of a program.
	Name string
	// Pattern is the one that Accesses match; nil for those that meet.
	Pattern *anomaly.Pattern
	// Accesses are positions of events: of those that meet the earlier one first, else
	// in the order of the pattern.
	Accesses []int
	Sites    []trace.SiteID
	// Tests are the top-level tests that the accesses are part of: one, or none
	// outside of tests, or several. Note says so in the last two cases. Where
	// goroutines do what another test has told them to, that one is the first.
	Tests     []string
	Note      string
	Status    bug.Status // Predicted, Undecided or Infeasible
	Reason    string     // why it is not predicted
	Tier      string     // which tier decided, of predicted ones that of the first schedule; "" for undecided
	Schedules []Recipe   // to replay in turn; each ends at accesses of the same sites. See Recipes for more
	// Departures are runs to where the program departs from the recorded run, of a
	// finding that only this keeps from being infeasible: it may be there in one of
	// them. Findings of the same tests share them.
	Departures []*Departure
	// Refuted is set of an undecided finding that no order of the recorded events leads to, as
	// detectors leave out accesses that are ordered or under one lock: it is none but where one of
	// the Departures, or another recording, shows it.
	Refuted  bool
	detector int    // which one of detect.All
	later    *later // nil: there is nothing beyond Schedules
}

// A Recipe makes a schedule for a finding. Pattern is the one that it shows; nil
// for races.
type Recipe struct {
	schedule.Recipe
	Pattern *anomaly.Pattern
}

// Tier is the one that has found the schedule.
func (r Recipe) Tier() string { return string(r.Scheduler()) }

// A Result is what was predicted from one trace. The numbers count sets of
// source sites, one for each possible finding.
type Result struct {
	Findings   []Finding // races, then other kinds, each in the order of their events in the trace
	Candidates int       // accesses that conflict, and those that match a pattern in some order: findings and pruned ones
	detect.Counts
}

// Pruned is the number of candidates that are no findings.
func (r *Result) Pruned() int { return r.Locked + r.Ordered + r.Raced + r.Intended }

// Options say how far to go.
type Options struct {
	// Kinds are the kinds of bugs to look for; none stands for all of them.
	Kinds []bug.Kind
	// Patterns are looked for besides the built-in ones of these kinds.
	Patterns []anomaly.Pattern
	// Properties are those that the package declares of which the trace is, and built-in ones.
	Properties []property.Property
	// Schedules is the greatest number of schedules for one finding that are made at once; 0 stands for 1, and in
	// several windows, of which nothing is kept, for mostSchedules. [Finding.Recipes] makes the others.
	Schedules int
	Solving   Solving
	// Known is asked what other traces have told of the candidate of that name
	// (Finding.Name). nil: nothing is known of any.
	Known func(name string) Known
	// Scheduled is set where only findings that have schedules are wanted. Of the others it is not looked into
	// whether a run departs: their status tells of the recorded events only.
	Scheduled bool
	// Without names tiers that are switched off, as findings name them, or [StepPairs] and
	// [StepMatches]. It is for measuring what each of them finds that no other does.
	Without []string
	// further is set for further traces of a package. Of many of these little is asked.
	further bool
}

// mostSchedules is how many schedules a finding has: of 579 bugs that replays have confirmed, in real
// suites and those of this project, the first has shown 574, the second 5, and a third none.
const mostSchedules = 2

// Known is what is known of a candidate before a trace is analyzed.
type Known int

// What can be known.
const (
	Unknown Known = iota
	// Tried candidates are findings only if there is a schedule. None is looked for by
	// solving, but for those that nothing else decides.
	Tried
	Settled // no finding any more, whatever the trace shows
)

// uses reports whether a tier or step is not switched off.
func (o *Options) uses(tier string) bool { return !slices.Contains(o.Without, tier) }

// known is what other traces have told of the candidate of that name.
func (o *Options) known(name string) Known {
	if o.Known == nil {
		return Unknown
	}
	return o.Known(name)
}

// The cones of the candidates of one detector share coneLinks and one link for each event, in equal
// parts of leastCone or more; where that of a candidate needs more, schedules keep what happened, and
// cost what is between the accesses. Once there is a schedule, further ones may take furtherCones
// times that part.
const (
	coneLinks    = 1 << 16
	leastCone    = 1 << 8
	furtherCones = 4 * judgeStep
)

// Predict analyses t. It fails for a trace that contradicts itself, and when
// ctx ends. Equal traces give equal results.
func Predict(ctx context.Context, t *trace.Trace, opts Options) (*Result, error) {
	return Divide(t, opts.Properties).Predict(ctx, opts)
}

// Predict is [Predict] for the trace that was divided.
func (d *Divided) Predict(ctx context.Context, opts Options) (*Result, error) {
	if d.again != nil {
		defer d.again.Close()
	}
	switch {
	case opts.Schedules > 0:
	case len(d.windows) == 1:
		opts.Schedules = 1
	default:
		opts.Schedules = mostSchedules
	}
	opts.further = opts.Known != nil
	events := d.events
	work := newWork(&opts, events)
	if len(d.windows) == 1 {
		return predict(ctx, d.part(d.windows[0], d.all), opts, work)
	}
	r := new(Result)
	at := make(map[string]int) // by name: the finding's index
	before := opts
	opts.Known = func(name string) Known {
		if k, ok := at[name]; ok && r.Findings[k].Status == bug.Predicted {
			return Settled
		}
		return before.known(name)
	}
	for k, w := range d.windows {
		t, err := d.trace(k)
		if err != nil {
			return nil, err
		}
		its, err := predict(ctx, t, opts, windowWork(work, w.to-w.from, events))
		if err != nil {
			return nil, err
		}
		events -= w.to - w.from
		if !its.letGo(madeSteps * (w.to - w.from)) {
			d.room = nil // they keep it
		}
		r.join(its, w.from, at)
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
	p := newPredictor(t, o, <-flow, opts)
	defer p.beside.Wait() // whoever has t may change it then
	r := new(Result)
	in := &detect.Input{
		Trace: t, Order: o, Flow: p.flow, Tests: p.tests, Kinds: opts.Kinds, Patterns: opts.Patterns, Properties: opts.Properties,
		Known: func(race string) bool { return p.settled[race] },
	}
	var effects [][2]int // findings that may be effects of others
	deciding := work.Part(work.Steps - work.Steps/proofsPart)
	if in.Looks = looksFor(deciding, len(t.Events)); !opts.further {
		in.Ahead(p.beside.Go)
	}
	for k, d := range detect.All {
		first := len(r.Findings)
		in.Looks = looksFor(deciding, len(t.Events))
		there := in.Looks
		cs, counts := d.Candidates(in)
		deciding.Spend(lookStep * int64(max(0, there-in.Looks-freeLooks*len(t.Events))))
		r.Counts.Add(counts)
		p.work = deciding.Share(d.Part)
		if err := p.all(ctx, r, cs); err != nil {
			return nil, err
		}
		if d.Effects {
			effects = append(effects, [2]int{first, len(r.Findings)})
		}
		for n := range r.Findings[first:] {
			r.Findings[first+n].detector = k
		}
	}
	p.work = work
	if !opts.Scheduled {
		if err := p.demote(ctx, r.Findings); err != nil {
			return nil, err
		}
	}
	for _, e := range slices.Backward(effects) {
		p.byOthers(r, e[0], e[1])
	}
	r.Candidates = len(r.Findings) + r.Pruned()
	return r, nil
}

// An instance is one of a candidate, and what must come before what if it is a bug.
type instance struct {
	detect.Instance
	guide []causality.Edge
}

// instancesOf are those of c, of which nothing else is known yet.
func instancesOf(c detect.Candidate) []instance {
	instances := make([]instance, len(c.Instances))
	for k, v := range c.Instances {
		instances[k].Instance = v
	}
	return instances
}

// A predictor decides candidates of one trace.
type predictor struct {
	t    *trace.Trace
	o    *order.Order
	opts Options
	work *solver.Budget // for the candidates of the detector at hand
	its  *solver.Budget // what the candidate at hand may take of that
	// charged is what was worked when that was taken off, see charge.
	charged int64
	most    int  // links of the cones of the candidate at hand, see [schedule.Planner.Race]
	late    bool // only late schedules are made for deadlocks
	// Each event is decided. Most of those that no cone in recorded order leads to are impossible.
	eventwise bool

	parts                 // what others of these are made of
	beside sync.WaitGroup // what is made beside what else is done
	// What decides candidates; nil before there is one.
	graphs     *causality.Model
	planner    *schedule.Planner
	judging    *feasible.Judge       // nil before somebody asks: see judge
	asked      *judging              // who is asked once all is predicted
	symbols    *symbolic.Model       // nil before something is to be solved
	clock      anomaly.Ordering      // nil before somebody asks: see must
	departing  map[string]*departing // by scopes
	subtests   map[string]*subtests  // by scopes, of whole tests
	infeasible []candidate           // of the findings so far
	flow       *dataflow.Flow        // what values follow from
	slice      *dataflow.Scopes      // what branches decide
	tests      *detect.Tests         // who events are done for
	// The names of candidates that are predicted, or were left out as they are settled;
	// of the latter the places, too.
	settled   map[string]bool
	elsewhere map[trace.SiteID]bool
	// See owned; nil before somebody asks.
	disowned, covered map[uint64]bool
}

// newPredictor returns one for t, whose order and flow these are.
func newPredictor(t *trace.Trace, o *order.Order, flow *dataflow.Flow, opts Options) *predictor {
	return &predictor{
		t: t, o: o, opts: opts, flow: flow, parts: newParts(t, o, flow), tests: detect.NewTests(t, o),
		settled: make(map[string]bool), elsewhere: make(map[trace.SiteID]bool),
		departing: make(map[string]*departing), subtests: make(map[string]*subtests), asked: &judging{t: t},
	}
}

// prepare makes what decides candidates.
func (p *predictor) prepare() {
	p.graphs = causality.New(p.t, p.o)
	p.planner = schedule.NewPlanner(p.t, p.o, p.graphs)
	p.slice = dataflow.NewScopes(p.t, p.flow)
	p.planner.Slice(p.slice)
	for _, tier := range p.opts.Without {
		p.planner.Without(schedule.Scheduler(tier))
	}
}

// judge is who has to agree to schedules. Many a further trace needs none.
func (p *predictor) judge() *feasible.Judge {
	if p.judging == nil {
		p.judging = p.newJudge()
	}
	return p.judging
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
		if judge := p.newJudge; !p.opts.further {
			p.beside.Go(func() { judge() })
		}
		p.prepare()
	}
	p.most = max(leastCone, (coneLinks+len(p.t.Events))/max(1, len(cs)))
	direct := p.work.Share(directPart)
	if len(cs) > 0 && cs[0].Instances[0].Blocks {
		p.inOrder(cs)
	}
	var fs []Finding
	var of []detect.Candidate // by finding
	var undecided []candidate
	for k, c := range cs {
		if err := context.Cause(ctx); err != nil {
			return fmt.Errorf("analysis: ended with %d of %d candidates undecided: %w", len(cs)-k, len(cs), err)
		}
		if !c.Instances[0].Blocks {
			p.allow(direct, len(cs)-k)
		}
		f, left := p.decide(p.nearest(c))
		if c.Instances[0].Blocks && !p.late && f.Status == bug.Undecided && p.its.Over() {
			p.goLate(cs[k:])
			c = cs[k]
			f, left = p.decide(c)
		}
		if p.opts.known(c.Name) == Tried && !c.Alone() && !p.many(c) && f.Status != bug.Predicted {
			continue
		}
		if solvable := c.Instances[0].Property == nil || len(c.Instances[0].Accesses) > 1; solvable && f.Status == bug.Undecided && (len(left) > 0 || len(c.Places) > 0 || p.many(c)) {
			u := candidate{Candidate: c, finding: len(fs), open: left}
			if c.Alone() && len(left) > maxAlone {
				u.open, u.Exhaustive = left[:maxAlone], false
			}
			undecided = append(undecided, u)
		}
		fs, of = append(fs, f), append(of, c)
	}
	undecided, err := p.allPairs(ctx, fs, of, undecided)
	if err == nil {
		undecided, err = p.allMatches(ctx, fs, of, undecided)
	}
	if err == nil {
		err = p.solve(ctx, fs, undecided)
	}
	if err != nil {
		return err
	}
	for k, c := range of {
		f := fs[k]
		if f.Status != bug.Predicted && p.opts.known(f.Name) == Tried {
			continue
		}
		if f.Status == bug.Infeasible && !p.opts.Scheduled {
			p.proven(candidate{c, len(r.Findings), instancesOf(c)})
		}
		if f.Status == bug.Predicted {
			p.settled[f.Name] = true
		}
		r.Findings = append(r.Findings, f)
	}
	return nil
}

// proven notes that c is infeasible, as far as the recorded events tell.
func (p *predictor) proven(c candidate) {
	if p.infeasible = append(p.infeasible, c); len(p.infeasible) == 1 && !p.opts.further && len(p.t.Events) <= maxEarly {
		departures := p.departures
		p.beside.Go(func() { departures() })
	}
}

// maxEarly is how many events a trace has at most of which it is prepared to look for departures while
// there is the solver's model: both together take much memory.
const maxEarly = trace.MaxFlow

// settle leaves a candidate out.
func (p *predictor) settle(c detect.Candidate) {
	p.settled[c.Name] = true
	for _, i := range c.Instances[0].Accesses {
		p.elsewhere[p.t.Events[i].Site] = true
	}
}

// decide decides one candidate, by all but solving. It returns the instances that
// nothing refutes.
func (p *predictor) decide(c detect.Candidate) (f Finding, open []instance) {
	f = Finding{Kind: c.Kind, Name: c.Name, Status: bug.Undecided, Pattern: c.Instances[0].Pattern, Accesses: p.o.Begun(c.Instances[0].Accesses)}
	if c.Alone() {
		p.place(&f)
		all := p.open(instancesOf(c))
		if open = p.unordered(all, maxAlone); len(open) == 0 && c.Exhaustive {
			f.Status, f.Reason = bug.Infeasible, "no order of the recorded events leads to it"
			if len(all) > 0 {
				f.Tier = TierMust
			}
		} else if len(open) == 0 {
			f.overBudget(fmt.Sprintf("not the first %d ways, and there are more", len(c.Instances)))
		}
		return f, open // what it takes is for the solver to say
	}
	if c.Instances[0].Blocks {
		return p.decideBlocked(f, c)
	}
	if p.its.Over() {
		f.Reason = givenUp
		p.place(&f)
		return f, instancesOf(c)
	}
	open = p.refute(&f, instancesOf(c))
	p.schedules(&f, open)
	p.decided(&f, c, open)
	return f, open
}

// decided notes in f what became of c, of which nothing has refuted the instances that are
// open.
func (p *predictor) decided(f *Finding, c detect.Candidate, open []instance) {
	switch {
	case len(f.Schedules) > 0:
		f.Status, f.Tier, f.Reason = bug.Predicted, f.Schedules[0].Tier(), ""
		f.Pattern, f.Accesses = f.Schedules[0].Pattern, f.Schedules[0].Accesses
	case len(open) == 0 && c.Exhaustive:
		f.Status = bug.Infeasible
	default:
		f.Tier = ""
	}
	p.place(f)
}

// givenUp is why nothing is known of a candidate.
const givenUp = "the search was given up"

// place fills in what follows from the accesses of f.
func (p *predictor) place(f *Finding) {
	f.Sites = nil
	for _, i := range f.Accesses {
		f.Sites = append(f.Sites, p.t.Events[i].Site)
	}
	f.Tests, f.Note = p.testsOf(f.Accesses)
}

// historyShare is of how many events one is an acquire of a given lock, roughly, which takes a step.
const historyShare = 64

// refute returns the instances that nothing refutes. If there are none, f has
// the tier and the reason that refuted the first.
func (p *predictor) refute(f *Finding, instances []instance) (open []instance) {
	left, props := make([]instance, 0, len(instances)), make([]causality.Property, 0, len(instances))
	for _, v := range instances {
		if v.Blocks { // the history of locks between is looked at
			p.its.Spend(int64(spread(v.Accesses)) / historyShare)
		}
		if v.Pattern != nil {
			left, props = append(left, v), append(props, p.graphs.Sequence(v.Accesses...))
			continue
		}
		held, needed, ok := p.locked(v.Accesses)
		ok = ok && p.opts.uses(TierHistory)
		if !ok {
			left, props = append(left, v), append(props, p.graphs.Meeting(v.Accesses...))
		} else if f.Reason == "" {
			f.Tier = TierHistory
			f.Reason = fmt.Sprintf("the lock acquired at %s is still held there, and the other access needs %s before", p.where(held), p.where(needed))
		}
	}
	cyclic := make([]bool, len(left))
	for _, group := range p.graphs.Partition(props) {
		members := make([]causality.Property, len(group))
		for n, k := range group {
			members[n] = props[k]
		}
		g := p.graphs.Chopped(members...)
		for n, k := range group {
			left[k].guide, cyclic[k] = g.Edges(n), g.Cyclic()>>n&1 != 0 && p.opts.uses(TierCausality)
			if cyclic[k] && f.Reason == "" {
				f.Tier, f.Reason = TierCausality, p.circle(g.Cycle(n))
			}
		}
	}
	for k, v := range left {
		if !cyclic[k] {
			open = append(open, v)
		}
	}
	return open
}

// locked is [order.Order.Locked] for any two of the accesses.
func (p *predictor) locked(accesses []int) (held, needed int, ok bool) {
	for k, j := range accesses {
		for _, i := range accesses[:k] {
			if held, needed, ok = p.o.Locked(i, j); ok {
				return held, needed, true
			}
		}
	}
	return 0, 0, false
}

// circle describes events each of which would have to come before the next.
func (p *predictor) circle(events []int) string {
	var names []string
	for _, i := range events {
		names = append(names, fmt.Sprintf("%s: %s", p.t.Goroutines[p.t.Events[i].G].Name(), p.where(i)))
	}
	return fmt.Sprintf("each of these would have to come before the next, and the last before the first: %s", strings.Join(names, ", "))
}

// schedules finds feasible schedules for f: as many as are wanted, for the re-run may miss what the trace does
// not show. Without any, f.Reason is why the first one is infeasible.
func (p *predictor) schedules(f *Finding, instances []instance) {
	if len(instances) == 0 {
		return
	}
	f.Reason = ""
	ways := &ways{planner: p.planner, plan: p.planned, instances: instances, most: p.most}
	for at, its := range ways.from(turn{}) {
		if !p.charge() {
			f.Reason = cmp.Or(f.Reason, givenUp)
			return
		}
		v, looked := instances[at.instance], 0
		for s, recipe := range its {
			looked++
			if !p.charge() && len(f.Schedules) > 0 {
				return
			}
			err := p.check(s.From, s.Steps, v.Instance)
			more := p.charge()
			if err != nil {
				if f.Reason == "" {
					f.Reason = refusal(err)
				}
				if !more {
					return
				}
				continue
			}
			f.Schedules = append(f.Schedules, Recipe{recipe, v.Pattern})
			if len(f.Schedules) == 1 && more {
				p.keepLater(f, ways, at, looked)
			}
			if !v.Blocks { // further ones are not worth as much
				p.its = p.its.Part(furtherCones * int64(p.most))
			}
			if len(f.Schedules) == p.opts.Schedules || !more || v.Blocks && p.late {
				return
			}
		}
	}
	if len(f.Schedules) == 0 {
		p.sliced(f, instances)
	}
	if f.Reason == "" {
		f.Reason = "no order of the events that the accesses need leads to them"
	}
}

// maxTurned bounds the branches that one schedule turns.
const maxTurned = 16

// sliced finds a schedule for an instance of a property in which branches come out
// otherwise whose control scopes have ended: those that the judge finds do.
func (p *predictor) sliced(f *Finding, instances []instance) {
	if p.slice.Empty() || !p.opts.uses(TierSliced) {
		return
	}
	for _, v := range instances {
		if v.Property == nil {
			continue
		}
		for turned := []int(nil); len(turned) <= maxTurned; {
			s, recipe, ok := p.planner.Sliced(v.Accesses, v.guide, turned)
			if !ok || !p.charge() {
				break
			}
			err := p.check(s.From, s.Steps, v.Instance)
			if err == nil {
				f.Schedules = append(f.Schedules, Recipe{recipe, v.Pattern})
				return
			}
			no, ok := errors.AsType[*feasible.Infeasible](err)
			if !ok || slices.Contains(turned, no.Event) {
				break
			}
			if _, ok := p.slice.End(no.Event); !ok {
				break
			}
			turned = append(slices.Clip(turned), no.Event)
		}
	}
}

// planned makes the schedules that may lead to v, with cones of most links.
func (p *predictor) planned(planner *schedule.Planner, v instance, most int) *schedule.Attempt {
	switch {
	case v.Blocks && p.late:
		return planner.Late(v.Accesses, v.guide)
	case p.eventwise:
		return planner.Turned(v.Accesses[0], v.Accesses[1], v.guide)
	}
	return planned(planner, v, most)
}

// check asks the judge whether steps lead to v.
func (p *predictor) check(from int, steps []int, v detect.Instance) error {
	return check(p.t, p.judge(), from, steps, v)
}

func check(t *trace.Trace, judge *feasible.Judge, from int, steps []int, v detect.Instance) error {
	if v.Blocks {
		return judge.StuckFrom(from, steps, v.Accesses)
	}
	err := judge.CheckFrom(from, steps, v.Accesses)
	if err == nil && !v.Violates(t, from, steps) {
		return errSatisfied
	}
	return err
}

// errSatisfied is why a schedule is none of a property: other calls of the object come in
// between, or are missing.
var errSatisfied = errors.New("the calls that the order has besides satisfy the property")

// refusal says why the judge has turned a schedule down. That is no proof that
// the bug is infeasible: others may exist.
func refusal(err error) string {
	if no, ok := errors.AsType[*feasible.Infeasible](err); ok {
		return "the orders that lead there would change what the program does: " + no.Where + ": " + no.Reason
	}
	return err.Error()
}

// open returns the instances that another order of the recorded events may turn to a
// violation: not conditions of which no formula tells what they follow from. That is taken
// to be as it was, and so are they.
func (p *predictor) open(instances []instance) []instance {
	return slices.DeleteFunc(instances, func(v instance) bool {
		at := v.Accesses[0]
		return p.t.Events[at].Kind == trace.Branch && p.flow.At(at) == nil
	})
}

// maxAlone is how many events of one assertion the solver is asked about.
const maxAlone = 64

// unordered returns those of the instances, conditions and others, that may come out otherwise, by
// more than what must come before what. Once these are more than most, it takes the others for such.
func (p *predictor) unordered(instances []instance, most int) (left []instance) {
	if len(p.t.Events) > maxSolved {
		return instances
	}
	for k, v := range instances {
		if !p.opts.uses(TierMust) || !p.owned(v.Accesses[0]) && !p.model().Ordered(v.Accesses[0]) {
			left = append(left, v)
		}
		if len(left) > most {
			return append(left, instances[k+1:]...)
		}
	}
	return left
}

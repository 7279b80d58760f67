package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file takes proofs back. Each tier proves that no order of the recorded events reaches a
// violation: with these locks, messages and reads, on the way that each goroutine went. A run that
// departs from that, as a branch goes the other way, may reach the violation nevertheless. So a proof
// is one only if no run of the candidate's tests departs anywhere (Wang et al., FAC 2011, §8).

// A Departure makes the schedule of a run up to where it departs from the recorded one. Only a run of
// the program can tell what happens then.
type Departure struct {
	Recipe
	events []int // the reads that find something else then, and last the event that departs
}

// last returns the event that departs.
func (d *Departure) last() int { return d.events[len(d.events)-1] }

// A departureSearch looks for where runs of tests may depart from the recorded run.
type departureSearch struct {
	*effort
	proven   []proven                   // the findings that are infeasible so far
	byScope  map[string]*testDepartures // by scope
	subtests map[string]*subtests       // by scope of whole tests
}

// A proven is a finding that is infeasible as far as the recorded events tell.
type proven struct {
	instances []detect.Instance
	finding   int // index in Result.Findings
}

// newDepartureSearch returns a search that has not looked anywhere yet.
func newDepartureSearch(e *effort) *departureSearch {
	return &departureSearch{effort: e, byScope: make(map[string]*testDepartures), subtests: make(map[string]*subtests)}
}

// addProven adds a finding, by its index, that is infeasible as far as the recorded events tell.
func (p *departureSearch) addProven(instances []detect.Instance, finding int) {
	p.proven = append(p.proven, proven{instances, finding})
	if len(p.proven) == 1 && !p.opts.isFurtherTrace && len(p.trace.Events) <= maxEarly {
		departures := p.newDepartures
		p.background.Go(func() { departures() })
	}
}

// A testDepartures is what is known of the departures of some tests.
type testDepartures struct {
	description string   // describes where a run departs; "" if none does
	inputs      []string // what the tests have looked at that no event has: see [trace.HiddenInput]
	departures  []*Departure
}

// demote makes infeasible findings undecided, unless no run of their tests departs from the recorded
// one. It comes last, so that the memory of the solver's model is free.
func (p *departureSearch) demote(ctx context.Context, fs []Finding) error {
	p.solverModel, p.mustClock, p.newModel = nil, nil, nil
	p.allow(p.work, 0)
	defer p.charge()
	left := make(map[string]bool) // scopes that were not looked at
	for _, c := range p.proven {
		for _, v := range c.instances {
			left[p.scope(v).key] = true
		}
	}
	// What small tests leave of the budget goes to large ones.
	slices.SortStableFunc(p.proven, func(a, b proven) int { return cmp.Compare(p.testEvents(a), p.testEvents(b)) })
	for _, c := range p.proven {
		f, but := &fs[c.finding], ""
		for _, v := range c.instances {
			d, err := p.departs(ctx, p.scope(v), left)
			if err != nil {
				return fmt.Errorf("analysis: ended with what is infeasible not proven: %w", err)
			}
			for _, what := range d.inputs {
				if !slices.Contains(f.LookedAtChance, what) {
					f.LookedAtChance = append(f.LookedAtChance, what)
				}
			}
			if d.description == "" {
				continue
			}
			f.Departs, f.Departures, but = true, d.sortedFor(p.trace, v), d.description
			break
		}
		if but == "" {
			but = "the test has looked at " + strings.Join(f.LookedAtChance, ", ") + ", which may be otherwise in another run"
		}
		if f.Status = f.Evidence().Status(); f.Status == bug.Undecided && !f.Refuted {
			f.Reason = fmt.Sprintf("undecided: %s, but %s", cmp.Or(strings.TrimSuffix(f.Reason, ": the solver has proven that"), "no order of the recorded events leads to it"), but)
			f.Tier, f.Refuted = "", true
		}
	}
	return nil
}

// testEvents returns how many events the tests of c have.
func (p *departureSearch) testEvents(c proven) int {
	if len(c.instances) == 0 {
		return 0
	}
	return p.countEvents(p.goroutinesOf(p.tests.TestsOf(c.instances[0].Accesses)))
}

// A scope is the goroutines whose departures matter to an instance.
type scope struct {
	key  string
	from int // the first event that may be otherwise
	has  func(trace.GID) bool
}

// scope returns the scope of v: its tests without the subtests that do not matter to v.
func (p *departureSearch) scope(v detect.Instance) scope {
	s := scope{p.testKey(v), p.planner.RecordedPrefix(v.Accesses...), p.goroutinesOf(p.tests.TestsOf(v.Accesses))}
	parts, known := p.subtests[s.key]
	if !known {
		parts = newSubtests(p.subject, s.has)
		p.subtests[s.key] = parts
	}
	if parts == nil {
		return s
	}
	goroutines := make([]trace.GID, len(v.Accesses))
	for k, i := range v.Accesses {
		goroutines[k] = p.trace.Events[i].G
	}
	whole, relevant := s.has, parts.relevantTo(goroutines)
	s.has = func(g trace.GID) bool { return relevant.isRelevant[parts.of[g]] && whole(g) }
	s.key += "\x00" + relevant.key
	return s
}

// departs returns where runs of a scope may depart from the recorded one. What was before the scope's
// tests is as recorded.
func (p *departureSearch) departs(ctx context.Context, in scope, left map[string]bool) (*testDepartures, error) {
	if d := p.byScope[in.key]; d != nil {
		return d, nil
	}
	part := p.work.Share(max(1, int64(len(left))/partFactor))
	delete(left, in.key)
	d := &testDepartures{inputs: p.hiddenInputs(in)}
	p.byScope[in.key] = d
	budget := part.Part(p.opts.Solving.budget().Steps)
	if budget.Over() || len(p.trace.Events) > maxSolved || p.countEvents(in.has) > maxProven {
		d.description = "not all of what else the program could do was looked at"
		return d, nil
	}
	all, err := p.newDepartures().All(ctx, in.from, in.has, p.opts.Solving.engine(), budget)
	if err != nil {
		return nil, err
	}
	var unextended []*Departure
	for _, at := range all {
		if d.description == "" {
			d.description = p.describeDeparture(at)
		}
		if at.Pending < 0 {
			continue
		}
		departure := p.departure(at.Steps, at)
		if departure == nil {
			continue
		}
		if len(d.departures) == 0 {
			d.description = p.describeDeparture(at)
		}
		if more := p.extend(in.has, at); more != nil {
			unextended = append(unextended, departure)
			departure = p.departure(more, at)
		}
		d.departures = append(d.departures, departure)
	}
	d.departures = append(d.departures, unextended...)
	return d, nil
}

// hiddenInputs names what the tests of a scope have looked at.
func (p *departureSearch) hiddenInputs(in scope) (all []string) {
	for _, h := range p.trace.HiddenInputs {
		if h.Test != "" && slices.ContainsFunc(p.trace.Goroutines, func(g trace.Goroutine) bool { return g.Test == h.Test && in.has(g.ID) }) {
			if what := h.Describe(); !slices.Contains(all, what) {
				all = append(all, what)
			}
		}
	}
	return all
}

// departure makes the departure that the solver has found, at the end of steps; nil if the judge refuses it.
func (p *departureSearch) departure(steps []int, at symbolic.FoundDeparture) *Departure {
	if p.judge().CheckFrom(at.Base, steps, []int{at.Event}) != nil {
		return nil
	}
	events := append(p.judge().Deviations(), at.Event)
	recipe := p.planner.FromSteps(at.Base, steps, []int{at.Pending}, []int{at.Pending})
	return &Departure{Recipe{recipe, nil}, events}
}

// extend returns the steps to a departure in which the other goroutines first do what they can without
// touching what is read at the end, in the recorded order, up to where they hold no lock: there they may
// meet what comes after. The solver's runs have as few steps as can be. It returns nil if that is all.
func (p *departureSearch) extend(has func(trace.GID) bool, at symbolic.FoundDeparture) []int {
	steps := at.Steps
	own := len(steps) // from here on only the goroutine that departs has steps
	for g := p.trace.Events[at.Event].G; own > 0 && p.trace.Events[steps[own-1]].G == g; own-- {
	}
	isRead := func(i int) bool {
		e := &p.trace.Events[i]
		return slices.ContainsFunc(steps[own:], func(k int) bool {
			o := &p.trace.Events[k]
			return o.Kind.IsAccess() && e.Obj < o.Obj+uint64(max(o.Size, 1)) && o.Obj < e.Obj+uint64(max(e.Size, 1))
		})
	}
	last := make(map[trace.GID]int)
	for _, i := range steps {
		last[p.trace.Events[i].G] = i
	}
	more := slices.Clone(steps[:own])
	for g := range p.trace.Goroutines {
		gid := trace.GID(g)
		if gid == p.trace.Events[at.Event].G || !has(gid) {
			continue
		}
		done, ok := last[gid]
		if !ok {
			done = p.order.Events(gid).LastBefore(at.Base)
		}
		if done < 0 {
			continue
		}
		var further []int
		free := 0 // how many of further end without a lock
		for i := p.order.Program().Next(done); i >= 0 && len(further) < maxExtension && !(p.trace.Events[i].Kind.IsWrite() && isRead(i)); i = p.order.Program().Next(i) {
			if len(p.order.Held(i)) == 0 {
				free = len(further)
			}
			further = append(further, i)
		}
		extended := append(slices.Clone(more), further[:free]...)
		if free > 0 && p.judge().CheckFrom(at.Base, append(slices.Clone(extended), steps[own:]...), []int{at.Event}) == nil {
			more = extended
		}
	}
	if len(more) == own {
		return nil
	}
	return append(more, steps[own:]...)
}

// sortedFor returns the departures, those first that may matter most to v: before one of its accesses in
// the same goroutine.
func (d *testDepartures) sortedFor(t *trace.Trace, v detect.Instance) []*Departure {
	rank := func(d *Departure) int {
		if slices.ContainsFunc(v.Accesses, func(i int) bool { return t.Events[i].G == t.Events[d.last()].G && d.last() < i }) {
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(d.departures), func(a, b *Departure) int { return rank(a) - rank(b) })
}

// describeDeparture describes where a run departs.
func (p *departureSearch) describeDeparture(d symbolic.FoundDeparture) string {
	e := &p.trace.Events[d.Event]
	site := p.trace.Sites[e.Site]
	what := "may find something else"
	switch e.Kind {
	case trace.Branch, trace.Assert, trace.Operand:
		what = "may come out otherwise"
	case trace.Select:
		what = "may choose another case"
	case trace.Send, trace.Recv, trace.OnceBegin, trace.OnceDone:
		what = "may come in another order"
	}
	return fmt.Sprintf("%s %s (%s)", cmp.Or(site.Expr, e.Kind.Spec().Phrase), what, p.describe(d.Event))
}

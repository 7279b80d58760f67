package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file takes proofs back. Each tier proves that no order of the recorded events reaches a
// violation: of these locks, messages and reads, on the way that each goroutine went. A run that
// departs from that, as a branch goes the other way, may reach the violation nevertheless. So a proof
// is one only if no run of the candidate's tests departs anywhere.

// A Departure makes the schedule of a run up to where it departs from the recorded one.
// What the program does then, only a run of it can tell.
type Departure struct {
	Recipe
	events []int // the reads that find something else then, or the condition
}

// at is the event that departs.
func (d *Departure) last() int { return d.events[len(d.events)-1] }

// A departureSearch looks for where runs of tests may depart from the recorded run.
type departureSearch struct {
	*effort
	infeasible []candidate                // of the findings so far
	known      map[string]*testDepartures // by scope
	subtests   map[string]*subtests       // by scope of whole tests
}

// newDepartureSearch returns one that has not looked anywhere yet.
func newDepartureSearch(e *effort) *departureSearch {
	return &departureSearch{effort: e, known: make(map[string]*testDepartures), subtests: make(map[string]*subtests)}
}

// addProven notes that c is infeasible, as far as the recorded events tell.
func (p *departureSearch) addProven(c candidate) {
	if p.infeasible = append(p.infeasible, c); len(p.infeasible) == 1 && !p.opts.isFurtherTrace && len(p.t.Events) <= maxEarly {
		departures := p.newDepartures
		p.background.Go(func() { departures() })
	}
}

// A testDepartures is what is known of the departures of some tests.
type testDepartures struct {
	but        string // where a run departs; "" if none does
	departures []*Departure
}

// demote makes of infeasible findings undecided ones, unless no run of their tests departs
// from the recorded one. Nothing is solved any more then, so that there is memory for that.
func (p *departureSearch) demote(ctx context.Context, fs []Finding) error {
	p.solverModel, p.mustClock, p.newModel = nil, nil, nil
	p.allow(p.work, 0)
	defer p.charge()
	sizes := make(map[string]int) // by tests: how many events they have
	size := func(c candidate) int {
		if len(c.open) == 0 {
			return 0
		}
		v := c.open[0]
		key := p.testKey(v)
		n, ok := sizes[key]
		if !ok {
			n = p.events(p.goroutinesOf(p.tests.TestsOf(v.Accesses)))
			sizes[key] = n
		}
		return n
	}
	left := make(map[string]bool)
	for _, c := range p.infeasible {
		for _, v := range c.open {
			left[p.scope(v).key] = true
		}
	}
	// What small tests leave goes to large ones.
	slices.SortStableFunc(p.infeasible, func(a, b candidate) int { return cmp.Compare(size(a), size(b)) })
	for _, c := range p.infeasible {
		f := &fs[c.finding]
		for _, v := range c.open {
			d, err := p.departs(ctx, p.scope(v), left)
			if err != nil {
				return fmt.Errorf("analysis: ended with what is infeasible not proven: %w", err)
			}
			if d.but == "" {
				continue
			}
			f.Departures = d.sortedFor(p.t, v)
			if f.Status == bug.Infeasible {
				f.Reason = fmt.Sprintf("undecided: %s, but %s", cmp.Or(strings.TrimSuffix(f.Reason, ": the solver has proven that"), "no order of the recorded events leads to it"), d.but)
				f.Status, f.Tier, f.Refuted = bug.Undecided, "", true
			}
			break
		}
	}
	return nil
}

// testKey names the tests of v, and what was before these.
func (p *departureSearch) testKey(v instance) string {
	return fmt.Sprint(p.planner.From(v.Accesses...), "\x00", strings.Join(p.tests.TestsOf(v.Accesses), "\x00"))
}

// A scope is of whom it is asked where runs may depart from the recorded one.
type scope struct {
	key  string
	from int // the first event that may be otherwise
	in   func(trace.GID) bool
}

// scope is that of v: its tests, but for subtests that are nothing to it.
func (p *departureSearch) scope(v instance) scope {
	its := scope{p.testKey(v), p.planner.From(v.Accesses...), p.goroutinesOf(p.tests.TestsOf(v.Accesses))}
	s, known := p.subtests[its.key]
	if !known {
		s = newSubtests(p.subject, its.in)
		p.subtests[its.key] = s
	}
	if s == nil {
		return its
	}
	goroutines := make([]trace.GID, len(v.Accesses))
	for k, i := range v.Accesses {
		goroutines[k] = p.t.Events[i].G
	}
	whole, about := its.in, s.relevantTo(goroutines)
	its.in = func(g trace.GID) bool { return about[s.of[g]] && whole(g) }
	its.key += fmt.Sprint("\x00", about)
	return its
}

// departs says where runs may depart from the recorded one. What was before these tests is as recorded.
// Those of which that is not known are left.
func (p *departureSearch) departs(ctx context.Context, about scope, left map[string]bool) (*testDepartures, error) {
	key, from, in := about.key, about.from, about.in
	if d := p.known[key]; d != nil {
		return d, nil
	}
	part := p.work.Share(max(1, int64(len(left))/overdraw))
	delete(left, key)
	d := new(testDepartures)
	p.known[key] = d
	budget := part.Part(p.opts.Solving.budget().Steps)
	if budget.Over() || len(p.t.Events) > maxSolved || p.events(in) > maxProven {
		d.but = "not all of what else the program could do was looked at"
		return d, nil
	}
	all, err := p.newDepartures().All(ctx, from, in, p.opts.Solving.engine(), budget)
	if err != nil {
		return nil, err
	}
	var early []*Departure
	for _, at := range all {
		if d.but == "" {
			d.but = p.describeDeparture(at)
		}
		if at.Pending < 0 {
			continue
		}
		departure := p.departure(at.Steps, at)
		if departure == nil {
			continue
		}
		if len(d.departures) == 0 {
			d.but = p.describeDeparture(at)
		}
		if more := p.extend(in, at); more != nil {
			early = append(early, departure)
			departure = p.departure(more, at)
		}
		d.departures = append(d.departures, departure)
	}
	d.departures = append(d.departures, early...)
	return d, nil
}

// departure returns the departure at, at the end of steps, nil if the judge refuses it.
func (p *departureSearch) departure(steps []int, at symbolic.FoundDeparture) *Departure {
	if p.judge().CheckFrom(at.Base, steps, []int{at.Event}) != nil {
		return nil
	}
	events := append(p.judge().Deviations(), at.Event)
	recipe := p.planner.Given(at.Base, steps, []int{at.Pending}, []int{at.Pending})
	return &Departure{Recipe{recipe, nil}, events}
}

// extend returns the steps to a departure in which the other goroutines that are in do first
// what they can do without touching what is read at the end, in the recorded order, up to
// where they hold no lock: there they may meet with what comes after. The solver's runs
// have as few steps as can be. It is nil if that is all.
func (p *departureSearch) extend(in func(trace.GID) bool, at symbolic.FoundDeparture) []int {
	steps := at.Steps
	own := len(steps) // from here on the goroutine that departs is alone
	for g := p.t.Events[at.Event].G; own > 0 && p.t.Events[steps[own-1]].G == g; own-- {
	}
	read := func(i int) bool {
		e := &p.t.Events[i]
		return slices.ContainsFunc(steps[own:], func(k int) bool {
			o := &p.t.Events[k]
			return o.Kind.IsAccess() && e.Obj < o.Obj+uint64(max(o.Size, 1)) && o.Obj < e.Obj+uint64(max(e.Size, 1))
		})
	}
	last := make(map[trace.GID]int)
	for _, i := range steps {
		last[p.t.Events[i].G] = i
	}
	more := slices.Clone(steps[:own])
	for g := range p.t.Goroutines {
		gid := trace.GID(g)
		if gid == p.t.Events[at.Event].G || !in(gid) {
			continue
		}
		done, ok := last[gid]
		if !ok {
			done = p.o.Events(gid).LastBefore(at.Base)
		}
		if done < 0 {
			continue
		}
		var its []int
		free := 0
		for i := p.o.Program().Next(done); i >= 0 && len(its) < maxExtension && !(p.t.Events[i].Kind.IsWrite() && read(i)); i = p.o.Program().Next(i) {
			if len(p.o.Held(i)) == 0 {
				free = len(its)
			}
			its = append(its, i)
		}
		if with := append(slices.Clone(more), its[:free]...); free > 0 && p.judge().CheckFrom(at.Base, append(slices.Clone(with), steps[own:]...), []int{at.Event}) == nil {
			more = with
		}
	}
	if len(more) == own {
		return nil
	}
	return append(more, steps[own:]...)
}

// sortedFor returns the departures, those first that may matter most to v: in a goroutine
// of its accesses and before these.
func (d *testDepartures) sortedFor(t *trace.Trace, v instance) []*Departure {
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
	e := &p.t.Events[d.Event]
	site := p.t.Sites[e.Site]
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

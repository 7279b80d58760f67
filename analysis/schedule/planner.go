package schedule

import (
	"iter"
	"slices"
	"sync/atomic"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A Planner makes schedules for the violations of one trace. It is safe for
// concurrent use.
type Planner struct {
	traceData
	graphs *causality.Model
	bases  bases
	slice  *dataflow.Scopes // nil before Slice
	spent  atomic.Int64
	// without are the schedulers that make none.
	without    []Scheduler
	spentLimit int64 // see LimitSpent
}

// traceData is what planners of one trace have in common.
type traceData struct {
	t          *trace.Trace
	o          *order.Order
	facts      *facts.Facts
	gids       gids
	sections   []facts.Section
	handedOver []int32          // rows of the sections of locks that are handed over
	links      [][]link         // by goroutine, ascending
	testBegins map[string]int32 // see testBegins
}

// NewPlanner prepares schedules for t, whose order is o and whose causality
// graphs are those of m, in linear time.
func NewPlanner(t *trace.Trace, o *order.Order, m *causality.Model) *Planner {
	p := &Planner{
		traceData: traceData{t: t, o: o, gids: newGIDs(t), facts: o.Facts(), sections: o.Facts().Sections(), testBegins: testBegins(t)},
		graphs:    m,
		bases:     bases{byPosition: make(map[int32]*base)},
	}
	for row := range p.sections {
		if p.facts.HandedOver(p.sections[row].Lock()) {
			p.handedOver = append(p.handedOver, int32(row))
		}
	}
	p.links = p.findLinks()
	return p
}

// WithOwnCount returns a planner for the same trace that counts what it does by itself, from 0.
func (p *Planner) WithOwnCount() *Planner {
	return &Planner{
		traceData: p.traceData, graphs: p.graphs.WithOwnCount(), bases: bases{byPosition: make(map[int32]*base)},
		slice: p.slice, without: p.without,
	}
}

// Spent is the work that was done for schedules and causality graphs so far, those that were not
// found too: events, edges and goroutines looked at.
func (p *Planner) Spent() int64 { return p.spent.Load() + p.graphs.Spent() }

// LimitSpent lets the planner give up schedules, and causality graphs for them, as soon as Spent is
// beyond a limit. Recipes make theirs all the same.
func (p *Planner) LimitSpent(spent int64) {
	p.spentLimit = spent
	p.graphs.LimitSpent(p.graphs.Spent() + spent - p.Spent())
}

// Without lets a scheduler make no schedules any more.
func (p *Planner) Without(s Scheduler) { p.without = append(p.without, s) }

// Race returns an attempt at schedules that lead to the race between the accesses at positions i
// and j, the likeliest to succeed first. They are not yet checked for feasibility, which depends on
// values too. Both orders of the accesses are left to the replay.
//
// The guide has the edges that every run to the race respects, from package causality.
//
// Short schedules come first, as a replay can miss each step: the accesses' cone in recorded order.
// Then comes PECAN's schedule, which keeps all that happened; it helps where goroutines depend on
// each other in ways that the trace does not show. Then come schedules that turn critical sections
// round, and those in which reads read from other writes, perhaps with equal values.
//
// If the cone with all reads has more than `most` links, all schedules keep what happened before
// the first event that has to be reordered. They are then not much longer, and making one takes
// time in proportion to the rest.
func (p *Planner) Race(i, j int, guide []causality.Edge, most int) *Attempt {
	v := target{accesses: []int{min(i, j), max(i, j)}, guide: guide}
	return &Attempt{
		p: p, target: v, isLarge: func(v target) bool { return p.exceedsLinks(v, most) },
		// The second is the one that differs most, not a smaller cone.
		keeping: []method{directAll, pecan},
		others:  []method{directMatter, turnedMatter, pecan},
	}
}

// RaceFromBarrier is like Race, but its schedules turn critical sections round and begin with everything
// recorded before a causality barrier. It is for accesses that no cone in recorded order reaches.
// Making a schedule takes time in proportion to the events between the barrier and the accesses.
func (p *Planner) RaceFromBarrier(i, j int, guide []causality.Edge) *Attempt {
	v := target{accesses: []int{min(i, j), max(i, j)}, guide: guide, fromBarrier: true}
	return &Attempt{p: p, target: v, others: []method{turnedMatter, pecan}}
}

// exceedsLinks reports whether the cone of v with all reads has more than `most` links.
func (p *Planner) exceedsLinks(v target, most int) bool {
	b := p.testBase(v)
	// Each link is an event, so that so few events cannot have more links.
	if slices.Max(v.accesses)-int(b.position) <= most {
		return false
	}
	// This lower bound takes a few binary searches. Only if it does not decide, a cone is built.
	if p.countOwnLinks(b, v) > most {
		return true
	}
	c := p.newCone(b, allReads, nil, nil)
	c.maxClosed = most
	c.addTarget(v)
	p.spent.Add(int64(c.closedCount))
	return c.closedCount > most
}

// countOwnLinks returns the number of links of the goroutines of v's accesses between b and the
// accesses. All of them are in v's cone.
func (p *Planner) countOwnLinks(b *base, v target) (n int) {
	for _, i := range v.accesses {
		g := p.gids.of(i)
		// Of several accesses of a goroutine, the last one has the links of all.
		later := func(j int) bool { return j > i && p.gids.of(j) == g }
		if i > int(b.position) && !slices.ContainsFunc(v.accesses, later) {
			n += int(p.countLinks(g, int32(i)) - p.countLinks(g, b.position))
		}
	}
	return n
}

// Deadlock returns an attempt at schedules after which goroutines are about to execute all of the
// given operations, each holding the locks that it holds in the trace. A goroutine that waits for a
// condition is about to wake.
func (p *Planner) Deadlock(operations []int, guide []causality.Edge) *Attempt {
	return &Attempt{
		p: p, target: target{accesses: operations, guide: guide, blocks: true},
		keeping: []method{directAll}, others: []method{directMatter, turnedMatter},
	}
}

// DeadlockFromBarrier is like Deadlock, but its schedules begin with everything recorded before a
// causality barrier. Making one takes time in proportion to the events after the barrier, while
// Deadlock may need all of the trace.
func (p *Planner) DeadlockFromBarrier(operations []int, guide []causality.Edge) *Attempt {
	v := target{accesses: operations, guide: guide, blocks: true, fromBarrier: true}
	return &Attempt{p: p, target: v, others: []method{turnedMatter, directAll}}
}

// A method is one way to make a schedule.
type method uint8

// The methods for races, the likeliest to succeed first, then those for
// sequences.
const (
	directAll method = iota
	directMatter
	turnedMatter
	pecan

	sequenceAll
	sequenceRecorded
	sequenceNone
	sequenceSliced
)

// scheduler returns the scheduler that method m belongs to.
func (m method) scheduler() Scheduler {
	switch m {
	case turnedMatter:
		return Turned
	case pecan, sequenceRecorded:
		return Pecan
	case sequenceSliced:
		return Sliced
	}
	return Cone
}

// A target is the events that a schedule is to reach, with the edges that every run to them
// respects.
type target struct {
	accesses       []int
	guide          []causality.Edge // sorted by the later event
	blocks         bool             // goroutines block in the accesses
	fromBarrier    bool             // schedules keep a recorded beginning, see [Planner.start]
	turnedBranches []int            // for sequenceSliced: branches that take another direction than recorded
	spentLimit     int64            // given up then, see [Planner.LimitSpent]; 0 is never
}

// An Attempt makes the schedules for one violation, each once. They lack Hold, which
// [Recipe.Schedule] adds.
type Attempt struct {
	p *Planner
	target
	isLarge         func(target) bool // whether fromBarrier has to be set; nil once that is decided
	keeping, others []method
	yielded         []Schedule
}

// Keeping yields the schedules in which each read keeps its value, the likeliest first. It yields
// none if no cone allows that.
func (a *Attempt) Keeping() iter.Seq2[Schedule, Recipe] {
	return func(yield func(Schedule, Recipe) bool) { a.yieldKeeping(yield) }
}

// Others yields the schedules that Keeping does not yield, the likeliest first.
func (a *Attempt) Others() iter.Seq2[Schedule, Recipe] {
	return func(yield func(Schedule, Recipe) bool) { a.yieldOthers(yield) }
}

// All yields the schedules of Keeping, and then those of Others.
func (a *Attempt) All() iter.Seq2[Schedule, Recipe] {
	return func(yield func(Schedule, Recipe) bool) {
		if a.yieldKeeping(yield) {
			a.yieldOthers(yield)
		}
	}
}

// yieldKeeping yields what Keeping does. It reports whether more schedules are wanted.
func (a *Attempt) yieldKeeping(yield func(Schedule, Recipe) bool) bool {
	for _, m := range a.keeping {
		if exists, more := a.try(m, yield); !exists || !more {
			return more
		}
	}
	return true
}

// yieldOthers yields what Others does.
func (a *Attempt) yieldOthers(yield func(Schedule, Recipe) bool) {
	for _, m := range a.others {
		if _, more := a.try(m, yield); !more {
			return
		}
	}
}

// try yields the schedule that m makes. It reports whether there is one, and
// whether more are wanted.
func (a *Attempt) try(m method, yield func(Schedule, Recipe) bool) (exists, more bool) {
	if slices.Contains(a.p.without, m.scheduler()) {
		return true, true
	}
	// The answer may take a cone. So it is asked for with the first schedule, not with the attempt.
	if a.isLarge != nil {
		a.fromBarrier, a.isLarge = a.isLarge(a.target), nil
	}
	v := a.target
	v.spentLimit = a.p.spentLimit
	s, ok := a.p.make(m, v)
	if !ok || slices.ContainsFunc(a.yielded, s.same) {
		return ok, true
	}
	a.yielded = append(a.yielded, s)
	return true, yield(s, a.p.recipe(m, a.target))
}

// recipe returns the recipe of the schedule that method m makes for v.
func (p *Planner) recipe(m method, v target) Recipe {
	return Recipe{Accesses: p.o.ReplaceWakes(v.accesses), target: v, p: p, method: m}
}

// make returns the schedule of method m for v; ok is false if m has none.
func (p *Planner) make(m method, v target) (s Schedule, ok bool) {
	b := p.start(m, v)
	steps, ok := p.steps(b, m, v)
	if !ok {
		return s, false
	}
	return p.newSchedule(b, steps, m.violationEvents(v)), true
}

// violationEvents returns the events that goroutines are about to execute at the end of a schedule
// of method m for v.
func (m method) violationEvents(v target) []int {
	if m >= sequenceAll {
		return v.accesses[len(v.accesses)-1:]
	}
	return v.accesses
}

// steps returns the steps of a schedule of method m for v, from b on; ok is false if m has none.
func (p *Planner) steps(b *base, m method, v target) (steps []int, ok bool) {
	switch m {
	case directAll, directMatter:
		return p.directSteps(b, v, m.keeps())
	case turnedMatter:
		return p.turnedSteps(b, v, readsThatMatter)
	case pecan:
		return pecanSteps(p.t, p.o, int(b.position), v.accesses[0], v.accesses[1]), true
	}
	return p.sequenceSteps(b, v, m)
}

// directSteps returns the events of the cone of the accesses in recorded order.
func (p *Planner) directSteps(b *base, v target, r keptReads) ([]int, bool) {
	c := p.newCone(b, r, nil, nil)
	c.avoid = v.accesses
	ok := c.addTarget(v)
	if !v.blocks { // of which those that can be are judged, and counted then
		p.spent.Add(int64(c.closedCount))
	}
	if !ok {
		return nil, false
	}
	return c.steps(), true
}

// newSchedule returns the schedule with the given steps from b on. A CondWake is no violation
// event, as its goroutine has already begun to wait.
func (p *Planner) newSchedule(b *base, steps []int, violation []int) Schedule {
	s := Schedule{From: int(b.position), Steps: steps}
	for _, i := range violation {
		if p.t.Events[i].Kind != trace.CondWake {
			s.Violation = append(s.Violation, i)
		}
	}
	return s
}

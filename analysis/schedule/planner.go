package schedule

import (
	"iter"
	"slices"
	"sync/atomic"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A Planner makes schedules for the violations of one trace. It is safe for
// concurrent use.
type Planner struct {
	t      *trace.Trace
	o      *order.Order
	graphs *causality.Model
	gids   gids
	links  linkTable
	*bases
	answers *answers
	handed  map[uint64]bool  // see [order.Order.HandedOver]
	given   []order.Section  // of these locks, by acquire
	slice   *dataflow.Scopes // nil before Slice
	spent   atomic.Int64
	// without are the schedulers that make none.
	without []Scheduler
	until   int64 // see Until
}

// Spent is the work that was done for schedules and causality graphs so far, those that were not
// found too: events, edges and goroutines looked at.
func (p *Planner) Spent() int64 { return p.spent.Load() + p.graphs.Spent() }

// Apart returns a planner for the same trace that knows nothing of what p has done, and counts what it does by itself.
func (p *Planner) Apart() *Planner {
	graphs := p.graphs.WithOwnCount()
	answers := newAnswers(graphs)
	return &Planner{
		t: p.t, o: p.o, graphs: graphs, gids: p.gids, links: p.links, bases: p.bases.withOwnCache(answers), answers: answers,
		handed: p.handed, given: p.given, slice: p.slice, without: p.without,
	}
}

// Without lets a scheduler make no schedules any more.
func (p *Planner) Without(s Scheduler) { p.without = append(p.without, s) }

// Until lets schedules that are looked for from now on be given up where Spent is beyond that, and causality
// graphs that are made for them. Recipes make them all the same.
func (p *Planner) Until(spent int64) {
	p.until = spent
	p.graphs.LimitSpent(p.graphs.Spent() + spent - p.Spent())
}

// NewPlanner prepares schedules for t, whose order is o and whose causality
// graphs are those of m, in linear time.
func NewPlanner(t *trace.Trace, o *order.Order, m *causality.Model) *Planner {
	p := &Planner{
		t: t, o: o, graphs: m, gids: newGIDs(t), links: newLinkTable(t, o), handed: o.HandedOver(), answers: newAnswers(m),
	}
	p.bases = newBases(t, o, p.answers)
	if len(p.handed) > 0 {
		for _, s := range o.Sections() {
			if p.handed[s.Obj] {
				p.given = append(p.given, s)
			}
		}
	}
	return p
}

// Race returns what makes schedules that may lead to the race between the accesses at
// positions i and j, the likeliest first, each with the recipe to make it
// again. Nobody has checked yet that they are
// feasible: that depends on values too. Both orders of the accesses are left
// to the replay.
//
// The guide is what must come before what in every run to the race; package
// causality knows.
//
// Schedules with few steps come first, for each step is one that the re-run
// can miss: the accesses' cone in recorded order; then PECAN's, which keeps all that happened and is the one to
// take where goroutines depend on each other in ways that the trace does not
// show; then with critical sections turned round; then those in which reads find other writes, perhaps of equal values.
//
// Where the cone with all reads has more than most links, all schedules keep what
// happened before what has to be turned round: they are not much smaller otherwise, and take no longer than
// what is between that and the accesses.
func (p *Planner) Race(i, j int, guide []causality.Edge, most int) *Attempt {
	v := target{accesses: []int{min(i, j), max(i, j)}, guide: guide}
	return &Attempt{
		p: p, target: v, large: func(v target) bool { return p.large(v, most) },
		// The second is the one that differs most, not a smaller cone.
		keeping: []method{directAll, pecan},
		others:  []method{directMatter, turnedMatter, pecan},
	}
}

// Turned is Race for those schedules that turn critical sections round and
// begin with all that happened before a causality barrier, as it was recorded: to make one takes
// no longer than what is between that and the accesses. It is for accesses to which no cone in
// recorded order leads.
func (p *Planner) Turned(i, j int, guide []causality.Edge) *Attempt {
	v := target{accesses: []int{min(i, j), max(i, j)}, guide: guide, late: true}
	return &Attempt{p: p, target: v, others: []method{turnedMatter, pecan}}
}

// large reports whether the cone of v with all reads has more than most links.
func (p *Planner) large(v target, most int) bool {
	b := p.of(v)
	if slices.Max(v.accesses)-int(b.at) <= most {
		return false
	}
	if p.own(b, v) > most {
		return true
	}
	c := p.newCone(b, allReads, nil, nil)
	c.most = most
	defer c.free()
	c.lead(v)
	p.spent.Add(int64(c.closed))
	return c.closed > most
}

// own is how many links the goroutines of v's accesses have between b and these: all are in v's cone.
func (p *Planner) own(b *base, v target) (n int) {
	for _, i := range v.accesses {
		g := p.gids.of(i)
		later := func(j int) bool { return j > i && p.gids.of(j) == g }
		if i > int(b.at) && !slices.ContainsFunc(v.accesses, later) {
			n += int(p.links.before(g, int32(i)) - p.links.before(g, b.at))
		}
	}
	return n
}

// Deadlock returns what makes schedules that may lead to where goroutines stand at all of the
// operations at the given positions, each holding what it holds in the trace, as those of
// Race do. Who waits for a condition stands before it wakes.
func (p *Planner) Deadlock(operations []int, guide []causality.Edge) *Attempt {
	return &Attempt{
		p: p, target: target{accesses: operations, guide: guide, blocks: true},
		keeping: []method{directAll}, others: []method{directMatter, turnedMatter},
	}
}

// Late is Deadlock for schedules that begin with all that happened before a causality
// barrier, as it was recorded. What it takes to make one follows from what is between the
// barrier and the operations, where those of Deadlock may need all of the trace.
func (p *Planner) Late(operations []int, guide []causality.Edge) *Attempt {
	v := target{accesses: operations, guide: guide, blocks: true, late: true}
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

// scheduler is who makes schedules by m.
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

// A target is what schedules are for: events, and what must come before what in
// every run to them.
type target struct {
	accesses []int
	guide    []causality.Edge
	blocks   bool  // goroutines block in the accesses
	late     bool  // schedules keep what happened before, see [Planner.start]
	turned   []int // branches that come out otherwise: of sequenceSliced
	until    int64 // given up then, see [Planner.Until]; 0 is never
}

// An Attempt makes schedules for one violation, each once. They have no Hold: [Recipe.Schedule] has.
type Attempt struct {
	p *Planner
	target
	large           func(target) bool // whether they are to be late; nil once that is known
	keeping, others []method
	made            []Schedule
}

// Keeping yields the schedules in which each read finds what it found, the likeliest first. Where there is
// no cone of which that is so, there is none.
func (a *Attempt) Keeping() iter.Seq2[Schedule, Recipe] {
	return func(yield func(Schedule, Recipe) bool) {
		exists, more := true, true
		for k := 0; exists && more && k < len(a.keeping); k++ {
			exists, more = a.try(a.keeping[k], yield)
		}
	}
}

// Others yields the schedules that Keeping does not yield, the likeliest first.
func (a *Attempt) Others() iter.Seq2[Schedule, Recipe] {
	return func(yield func(Schedule, Recipe) bool) {
		for k, more := 0, true; more && k < len(a.others); k++ {
			_, more = a.try(a.others[k], yield)
		}
	}
}

// All yields the schedules of Keeping, and then those of Others.
func (a *Attempt) All() iter.Seq2[Schedule, Recipe] {
	return func(yield func(Schedule, Recipe) bool) {
		for _, its := range []iter.Seq2[Schedule, Recipe]{a.Keeping(), a.Others()} {
			for s, r := range its {
				if !yield(s, r) {
					return
				}
			}
		}
	}
}

// try yields the schedule that m makes. It reports whether there is one, and
// whether more are wanted.
func (a *Attempt) try(m method, yield func(Schedule, Recipe) bool) (exists, more bool) {
	if slices.Contains(a.p.without, m.scheduler()) {
		return true, true
	}
	if a.large != nil {
		a.late, a.large = a.large(a.target), nil
	}
	v := a.target
	v.until = a.p.until
	s, ok := a.p.make(m, v)
	if !ok || slices.ContainsFunc(a.made, s.same) {
		return ok, true
	}
	a.made = append(a.made, s)
	return true, yield(s, Recipe{Accesses: a.p.o.ReplaceWakes(a.accesses), target: a.target, p: a.p, method: m})
}

// make makes the schedule for v; ok is false if m cannot.
func (p *Planner) make(m method, v target) (s Schedule, ok bool) {
	b := p.start(m, v)
	steps, ok := p.steps(b, m, v)
	if !ok {
		return s, false
	}
	return newSchedule(p.t, b, steps, m.stands(v)...), true
}

// stands are the events at which goroutines stand where a schedule for v ends that m makes.
func (m method) stands(v target) []int {
	if m >= sequenceAll {
		return v.accesses[len(v.accesses)-1:]
	}
	return v.accesses
}

// steps makes the steps that lead to where goroutines stand at v; ok is false if m cannot.
func (p *Planner) steps(b *base, m method, v target) (steps []int, ok bool) {
	switch m {
	case directAll:
		return p.direct(b, v, allReads)
	case directMatter:
		return p.direct(b, v, readsThatMatter)
	case turnedMatter:
		return p.turned(b, v, readsThatMatter)
	case pecan:
		return pecanSteps(p.t, p.o, int(b.at), v.accesses[0], v.accesses[1]), true
	}
	return p.sequence(b, v, m)
}

// direct performs the cone of the accesses in recorded order.
func (p *Planner) direct(b *base, v target, r reads) ([]int, bool) {
	c := p.newCone(b, r, nil, nil)
	defer c.free()
	c.avoid = v.accesses
	ok := c.lead(v)
	if !v.blocks { // of which those that can be are judged, and counted then
		p.spent.Add(int64(c.closed))
	}
	if !ok {
		return nil, false
	}
	return c.steps(), true
}

// newSchedule is that of the steps, without what must not happen before the violation.
func newSchedule(t *trace.Trace, b *base, steps []int, violation ...int) Schedule {
	s := Schedule{From: int(b.at), Steps: steps}
	for _, i := range violation {
		if t.Events[i].Kind != trace.CondWake { // it has begun to wait, and does not stand there
			s.Violation = append(s.Violation, i)
		}
	}
	return s
}

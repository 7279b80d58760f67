package analysis

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A subject is the trace that is analyzed, with what follows from it. Each part is made once, when it
// is first needed: many take as long as all that is decided by them.
type subject struct {
	trace *trace.Trace
	order *order.Order
	opts  Options
	parts
	flow   *dataflow.Flow    // which events values follow from
	scopes *dataflow.Scopes  // which events branches decide
	tests  *detect.TestIndex // which tests events belong to
	// graphs and planner make schedules. They are nil before prepare, as many traces have no candidates.
	graphs  *causality.Model
	planner *schedule.Planner
	// The following are nil before they are first needed: see judge, model and mustOrder.
	ownJudge    *feasible.Judge
	solverModel *symbolic.Model
	mustClock   anomaly.Ordering
	shared      *sharedJudge   // of schedules that are only made when replays ask for them
	background  sync.WaitGroup // goroutines that make parts
}

// newSubject returns the subject of t, whose order and flow these are.
func newSubject(t *trace.Trace, o *order.Order, flow *dataflow.Flow, opts Options) *subject {
	return &subject{
		trace: t, order: o, opts: opts, parts: newParts(t, o, flow), flow: flow, tests: detect.NewTestIndex(t, o), shared: &sharedJudge{trace: t},
	}
}

// prepare makes what candidates are decided with.
func (s *subject) prepare() {
	s.graphs = causality.New(s.trace, s.order)
	s.planner = schedule.NewPlanner(s.trace, s.order, s.graphs)
	s.scopes = dataflow.NewScopes(s.trace, s.flow)
	s.planner.Slice(s.scopes)
	for _, tier := range s.opts.DisabledTiers {
		s.planner.Without(schedule.Scheduler(tier))
	}
}

// judge returns the judge of schedules.
func (s *subject) judge() *feasible.Judge {
	if s.ownJudge == nil {
		s.ownJudge = s.newJudge()
	}
	return s.ownJudge
}

// model returns the solver's model of the trace.
func (s *subject) model() *symbolic.Model {
	if s.solverModel == nil {
		s.solverModel = s.newModel()
	}
	return s.solverModel
}

// mustOrder returns the strongest known order of events: for long traces the must-order.
func (s *subject) mustOrder() anomaly.Ordering {
	switch {
	case s.mustClock != nil:
	case len(s.trace.Events) > maxSolved, !s.opts.uses(TierMust):
		s.mustClock = s.order
	default:
		s.mustClock = clockedOrder{s.order, s.model().Must()}
	}
	return s.mustClock
}

// A clockedOrder joins the must-order and the must clock. The must-order has orders that another run
// could have, such as that of atomic operations. The must clock follows values: a read that matters
// finds its value from one writer only.
type clockedOrder struct {
	*order.Order
	clock *order.Must
}

func (c clockedOrder) BeforeReached(i, j int) bool {
	return c.Order.BeforeReached(i, j) || c.clock.BeforeReached(i, j)
}

// check asks the judge whether steps lead to v.
func (s *subject) check(from int, steps []int, v detect.Instance) error {
	return check(s.trace, s.judge(), from, steps, v)
}

func check(t *trace.Trace, judge *feasible.Judge, from int, steps []int, v detect.Instance) error {
	if v.IsDeadlock {
		return judge.StuckFrom(from, steps, v.Accesses)
	}
	err := judge.CheckFrom(from, steps, v.Accesses)
	if err == nil && !v.Violates(t, from, steps) {
		return errPropertyHolds
	}
	return err
}

// errSatisfied says that a schedule does not violate its property: other calls of the object come in
// between, or are missing.
var errPropertyHolds = errors.New("the calls that the order has besides satisfy the property")

// refusal returns the reason for a schedule that the judge rejected. That is no proof that the bug is
// infeasible: other schedules may exist.
func reasonOf(err error) string {
	if no, ok := errors.AsType[*feasible.Infeasible](err); ok {
		return "the orders that lead there would change what the program does: " + no.Where + ": " + no.Reason
	}
	return err.Error()
}

// testsOf returns the tests of accesses, and a note unless it is one test.
func (s *subject) testsOf(accesses []int) (tests []string, note string) {
	tests = s.tests.TestsOf(accesses)
	outside := slices.Index(tests, "")
	if outside >= 0 {
		tests = slices.Delete(tests, outside, outside+1)
	}
	switch {
	case len(tests) == 0:
		return nil, "all goroutines run outside of any test"
	case outside >= 0:
		return tests, "one of the goroutines runs outside of any test"
	case len(tests) > 1:
		return tests, "the goroutines belong to different tests, " + strings.Join(tests, " and ")
	}
	return tests, ""
}

// locate sets the sites and tests of f by its accesses.
func (s *subject) locate(f *Finding) {
	f.Sites = nil
	for _, i := range f.Accesses {
		f.Sites = append(f.Sites, s.trace.Events[i].Site)
	}
	f.Tests, f.Note = s.testsOf(f.Accesses)
}

// goroutinesOf returns a predicate for the goroutines of the tests.
func (s *subject) goroutinesOf(tests []string) func(trace.GID) bool {
	return func(g trace.GID) bool { return slices.Contains(tests, s.trace.Goroutines[g].Test) }
}

// countEvents returns how many events some goroutines have.
func (s *subject) countEvents(has func(trace.GID) bool) (n int) {
	for g := range s.trace.Goroutines {
		if has(trace.GID(g)) {
			n += s.order.Events(trace.GID(g)).Len()
		}
	}
	return n
}

// describe returns the operation of event i with its place in the sources.
func (s *subject) describe(i int) string {
	e := &s.trace.Events[i]
	site, ok := s.trace.Sites[e.Site]
	if !ok {
		return e.Kind.Spec().Phrase + " at an unknown place"
	}
	return fmt.Sprintf("%s at %s:%d", e.Kind.Spec().Phrase, path.Base(strings.ReplaceAll(site.File, `\`, "/")), site.Line)
}

// parts are functions that make what follows from a trace alone. Each makes its part once, at the first
// call, which may come from a goroutine in the background.
type parts struct {
	layout        func() *trace.Layout        // the memory of the trace
	newModel      func() *symbolic.Model      // see subject.model
	newJudge      func() *feasible.Judge      // see subject.judge
	newDepartures func() *symbolic.Departures // where runs may depart from the recorded one
}

func newParts(t *trace.Trace, o *order.Order, flow *dataflow.Flow) parts {
	layout := sync.OnceValue(func() *trace.Layout { return trace.NewLayout(t) })
	control := sync.OnceValue(func() *symbolic.Control { return symbolic.NewControl(t, o) })
	return parts{
		layout:        layout,
		newModel:      sync.OnceValue(func() *symbolic.Model { return control().Concurrent(flow, layout()) }),
		newJudge:      sync.OnceValue(func() *feasible.Judge { return feasible.NewWith(t, o.Program(), flow, layout()) }),
		newDepartures: sync.OnceValue(func() *symbolic.Departures { return control().Departures(flow, layout()) }),
	}
}

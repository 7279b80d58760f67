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
// is first needed; many take as long as all that is decided by them.
type subject struct {
	t    *trace.Trace
	o    *order.Order
	opts Options
	parts
	flow   *dataflow.Flow    // what values follow from
	scopes *dataflow.Scopes  // what branches decide
	tests  *detect.TestIndex // the tests that events are done for
	// What schedules are made with: nil before prepare, as many traces have no candidates.
	graphs  *causality.Model
	planner *schedule.Planner
	// The following are nil before they are first needed: see judge, model and mustOrder.
	ownJudge    *feasible.Judge
	solverModel *symbolic.Model
	mustClock   anomaly.Ordering
	shared      *sharedJudge   // the judge of schedules that are made once all is predicted
	background  sync.WaitGroup // work on parts that goes on concurrently
}

// newSubject returns the subject of t, whose order and flow these are.
func newSubject(t *trace.Trace, o *order.Order, flow *dataflow.Flow, opts Options) *subject {
	return &subject{
		t: t, o: o, opts: opts, parts: newParts(t, o, flow), flow: flow, tests: detect.NewTestIndex(t, o), shared: &sharedJudge{t: t},
	}
}

// prepare makes what decides candidates.
func (s *subject) prepare() {
	s.graphs = causality.New(s.t, s.o)
	s.planner = schedule.NewPlanner(s.t, s.o, s.graphs)
	s.scopes = dataflow.NewScopes(s.t, s.flow)
	s.planner.Slice(s.scopes)
	for _, tier := range s.opts.DisabledTiers {
		s.planner.Without(schedule.Scheduler(tier))
	}
}

// judge is who has to agree to schedules. Many a further trace needs none.
func (s *subject) judge() *feasible.Judge {
	if s.ownJudge == nil {
		s.ownJudge = s.newJudge()
	}
	return s.ownJudge
}

// model is the solver's of the trace.
func (s *subject) model() *symbolic.Model {
	if s.solverModel == nil {
		s.solverModel = s.newModel()
	}
	return s.solverModel
}

// mustOrder is what is known to come before what. Of long traces that is the must-order.
func (s *subject) mustOrder() anomaly.Ordering {
	switch {
	case s.mustClock != nil:
	case len(s.t.Events) > maxSolved, !s.opts.uses(TierMust):
		s.mustClock = s.o
	default:
		s.mustClock = clocked{s.o, s.model().Must()}
	}
	return s.mustClock
}

// A clocked is what the must-order and the must clock say together. The one has orders that
// another run could have, as that of atomic operations; the other one has what values say,
// where a read that matters finds what it found from one writer only.
type clocked struct {
	*order.Order
	must *order.Must
}

func (c clocked) BeforeReached(i, j int) bool {
	return c.Order.BeforeReached(i, j) || c.must.BeforeReached(i, j)
}

// check asks the judge whether steps lead to v.
func (s *subject) check(from int, steps []int, v detect.Instance) error {
	return check(s.t, s.judge(), from, steps, v)
}

func check(t *trace.Trace, judge *feasible.Judge, from int, steps []int, v detect.Instance) error {
	if v.IsDeadlock {
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

// locate fills in what follows from the accesses of f.
func (s *subject) locate(f *Finding) {
	f.Sites = nil
	for _, i := range f.Accesses {
		f.Sites = append(f.Sites, s.t.Events[i].Site)
	}
	f.Tests, f.Note = s.testsOf(f.Accesses)
}

// in tells which goroutines are of the tests.
func (s *subject) goroutinesOf(tests []string) func(trace.GID) bool {
	return func(g trace.GID) bool { return slices.Contains(tests, s.t.Goroutines[g].Test) }
}

// events is how many events the goroutines have that are in.
func (s *subject) events(in func(trace.GID) bool) (n int) {
	for g := range s.t.Goroutines {
		if in(trace.GID(g)) {
			n += s.o.Events(trace.GID(g)).Len()
		}
	}
	return n
}

// describe describes event i by its place in the sources.
func (s *subject) describe(i int) string {
	e := &s.t.Events[i]
	site, ok := s.t.Sites[e.Site]
	if !ok {
		return e.Kind.Spec().Phrase + " at an unknown place"
	}
	return fmt.Sprintf("%s at %s:%d", e.Kind.Spec().Phrase, path.Base(strings.ReplaceAll(site.File, `\`, "/")), site.Line)
}

// parts are what a trace is looked at by, each made once, by whoever is the first to ask for it. They
// follow from the trace alone, so that it makes no difference when and where that is: many of them take
// as long as all that is decided by them, and are made beside that.
type parts struct {
	layout   func() *trace.Layout     // the memory of the trace
	control  func() *symbolic.Control // what the solver's models of the trace overdraw
	newModel func() *symbolic.Model   // see [predictor.model]
	newJudge func() *feasible.Judge   // see [predictor.judge]
	// newDepartures tells where runs may depart from the recorded one.
	newDepartures func() *symbolic.Departures
}

func newParts(t *trace.Trace, o *order.Order, flow *dataflow.Flow) parts {
	layout := sync.OnceValue(func() *trace.Layout { return trace.NewLayout(t) })
	control := sync.OnceValue(func() *symbolic.Control { return symbolic.NewControl(t, o) })
	return parts{
		layout: layout, control: control,
		newModel:      sync.OnceValue(func() *symbolic.Model { return control().Concurrent(flow, layout()) }),
		newJudge:      sync.OnceValue(func() *feasible.Judge { return feasible.NewWith(t, o.Program(), flow, layout()) }),
		newDepartures: sync.OnceValue(func() *symbolic.Departures { return control().Departures(flow, layout()) }),
	}
}

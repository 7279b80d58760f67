// Package analysis predicts concurrency bugs: it takes the trace of one run,
// and returns findings, each with schedules of the same events that lead to
// it. Whether they do, only a replay can tell.
//
// The tiers, cheap to exact, each for what the one before left undecided:
//
//  1. must-order and lock sets (packages order and anomaly) find candidates,
//  2. lock-acquisition histories ([order.Order.Locked]) and causality graphs
//     (package causality) refute some,
//  3. direct schedules (package schedule) confirm; the independent judge
//     (package feasible) has seen each of them.
package analysis

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Status says what the analysis knows of a finding.
type Status string

// What a finding can be before any replay.
const (
	Predicted  Status = "predicted"  // it has schedules
	Undecided  Status = "undecided"  // no tier found a schedule, or a proof that there is none
	Infeasible Status = "infeasible" // no schedule exists
)

// The tiers that decide, as the report names them.
const (
	TierHistory   = "history"
	TierCausality = "causality"
	TierPecan     = "pecan"
)

// A Finding is a predicted bug: a set of source sites, and events of the trace
// that show it. It has no name: package witness names bugs by their sources.
type Finding struct {
	Kind     string // "race"
	Pattern  string // which one of the kind's patterns; "" for races
	Accesses [2]int // positions of the two events, the earlier one first
	Sites    [2]trace.SiteID
	// Held are for each access the positions of the acquires of the locks that
	// its goroutine holds there, the outermost first.
	Held [2][]int
	// Tests are the top-level tests that the two goroutines belong to: one, or
	// none outside of tests, or two. Note says so in the last two cases.
	Tests []string
	Note  string
	// Hidden is set if the recorded order of critical sections orders the
	// accesses, so that go test -race would not have reported this run.
	Hidden    bool
	Status    Status
	Reason    string            // why it is not predicted
	Tier      string            // which tier decided; "" for undecided
	Schedules []schedule.Recipe // to replay in turn; each ends at a pair of the same sites
}

// A Result is what was predicted from one trace. The numbers count pairs of
// source sites, one for each possible finding.
type Result struct {
	Findings   []Finding // in the order in which the events come in the trace
	Candidates int       // conflicting accesses by different goroutines: findings and pruned ones
	Locked     int       // pruned: a common lock excludes them
	Ordered    int       // pruned: one must happen before the other
}

// Pruned is the number of candidates that are no findings.
func (r *Result) Pruned() int { return r.Locked + r.Ordered }

// Options say how far to go.
type Options struct {
	// Schedules is the greatest number of schedules for one finding; 0 stands
	// for 3.
	Schedules int
}

// effort bounds the steps that the judge looks at for one finding, so that
// hopeless ones in long traces do not take for ever. It counts events and not
// time: equal traces give equal findings.
const effort = 1 << 24

// Predict analyses t. It fails for a trace that contradicts itself, and when
// ctx ends. Equal traces give equal results.
func Predict(ctx context.Context, t *trace.Trace, opts Options) (*Result, error) {
	o, err := order.New(t)
	if err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	if opts.Schedules == 0 {
		opts.Schedules = 3
	}
	races := anomaly.FindRaces(t, o)
	p := newPredictor(t, o, opts)
	r := &Result{Locked: races.Locked, Ordered: races.Ordered}
	candidates := p.merge(races.Candidates)
	for _, c := range candidates {
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("analysis: ended with %d of %d candidates undecided: %w", len(candidates)-len(r.Findings), len(candidates), err)
		}
		r.Findings = append(r.Findings, p.race(c))
	}
	p.hide(r.Findings)
	r.Candidates = len(r.Findings) + r.Pruned()
	return r, nil
}

// A predictor decides candidates of one trace.
type predictor struct {
	t       *trace.Trace
	o       *order.Order
	graphs  *causality.Model
	planner *schedule.Planner
	judge   *feasible.Judge
	opts    Options
}

func newPredictor(t *trace.Trace, o *order.Order, opts Options) *predictor {
	graphs := causality.New(t, o)
	return &predictor{
		t: t, o: o, opts: opts,
		graphs:  graphs,
		planner: schedule.NewPlanner(t, o, graphs),
		judge:   feasible.New(t),
	}
}

// race decides one candidate.
func (p *predictor) race(c anomaly.Candidate) Finding {
	f := Finding{Kind: "race", Status: Undecided}
	open := p.refute(&f, c)
	p.schedules(&f, open)
	shown := c.Pairs[0]
	switch {
	case len(f.Schedules) > 0:
		f.Status, f.Tier, f.Reason = Predicted, TierPecan, ""
		shown = f.Schedules[0].Violation
	case len(open) == 0 && c.Exhaustive:
		f.Status = Infeasible
	default:
		f.Tier = ""
	}
	f.Accesses = shown
	for k, i := range shown {
		f.Sites[k] = p.t.Events[i].Site
		for _, acq := range p.o.Held(i) {
			f.Held[k] = append(f.Held[k], int(acq))
		}
	}
	f.Tests, f.Note = p.tests(shown)
	return f
}

// A lead is a pair that may race, and what must come before what if it does.
type lead struct {
	pair  [2]int
	guide []causality.Edge
}

// refute returns the pairs of c that nothing refutes. If there are none, f has
// the tier and the reason that refuted the first.
func (p *predictor) refute(f *Finding, c anomaly.Candidate) (open []lead) {
	var left [][2]int
	for _, pair := range c.Pairs {
		held, needed, ok := p.o.Locked(pair[0], pair[1])
		if !ok {
			left = append(left, pair)
		} else if f.Reason == "" {
			f.Tier = TierHistory
			f.Reason = fmt.Sprintf("the lock acquired at %s is still held there, and the other access needs %s before", p.where(held), p.where(needed))
		}
	}
	props := make([]causality.Property, len(left))
	for k, pair := range left {
		props[k] = p.graphs.Race(pair[0], pair[1])
	}
	guides := make([][]causality.Edge, len(left))
	cyclic := make([]bool, len(left))
	for _, group := range p.graphs.Partition(props) {
		members := make([]causality.Property, len(group))
		for n, k := range group {
			members[n] = props[k]
		}
		g := p.graphs.Chopped(members...)
		for n, k := range group {
			guides[k], cyclic[k] = g.Edges(n), g.Cyclic()>>n&1 != 0
			if cyclic[k] && f.Reason == "" {
				f.Tier, f.Reason = TierCausality, p.circle(g.Cycle(n))
			}
		}
	}
	for k, pair := range left {
		if !cyclic[k] {
			open = append(open, lead{pair, guides[k]})
		}
	}
	return open
}

// circle describes events each of which would have to come before the next.
func (p *predictor) circle(events []int) string {
	var names []string
	for _, i := range events {
		names = append(names, fmt.Sprintf("%s: %s", p.t.Goroutines[p.t.Events[i].G].Name(), p.where(i)))
	}
	return fmt.Sprintf("each of these would have to come before the next, and the last before the first: %s", strings.Join(names, ", "))
}

// schedules finds feasible schedules for f: for the nearest pair that has one
// also a second, for the re-run may miss what the trace does not show; for
// others the first. Without any, f.Reason is why the first is infeasible.
func (p *predictor) schedules(f *Finding, leads []lead) {
	if len(leads) == 0 {
		return
	}
	f.Reason = ""
	judged := 0
	for _, l := range leads {
		found := 0
		for s, recipe := range p.planner.Race(l.pair[0], l.pair[1], l.guide) {
			if judged += len(s.Steps); judged > effort && judged > len(s.Steps) {
				if f.Reason == "" {
					f.Reason = "the search was given up"
				}
				return
			}
			if err := p.judge.CheckFrom(s.From, s.Steps, s.Violation); err != nil {
				if f.Reason == "" {
					f.Reason = refusal(err)
				}
				continue
			}
			f.Schedules = append(f.Schedules, recipe)
			found++
			if len(f.Schedules) == p.opts.Schedules {
				return
			}
			if found < len(f.Schedules) || found == 2 {
				break
			}
		}
	}
	if f.Reason == "" {
		f.Reason = "no order of the events that the two accesses need leads to both"
	}
}

// refusal says why the judge has turned a schedule down. That is no proof that
// the bug is infeasible: others may exist.
func refusal(err error) string {
	if no, ok := errors.AsType[*feasible.Infeasible](err); ok {
		return "the orders that lead there would change what the program does: " + no.Where + ": " + no.Reason
	}
	return err.Error()
}

// hide marks the findings that the recorded order hides from -race.
func (p *predictor) hide(fs []Finding) {
	if len(fs) == 0 {
		return
	}
	pairs := make([][2]int, len(fs))
	for k := range fs {
		pairs[k] = fs[k].Accesses
	}
	for k, hidden := range p.o.InRecorded(pairs) {
		fs[k].Hidden = hidden
	}
}

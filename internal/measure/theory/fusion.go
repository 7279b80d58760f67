package theory

import (
	"fmt"
	"time"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// fusion decides the assertions of the programs of Table 1 of Wang et al., FAC 2011, in
// solving-fusion.txt: name, package, test, threads, events, whether assertions can fail, and the
// seconds of the authors' solver, with any number of switches and with at most two.
func (b *solvingBench) fusion(p *solvingPage) bool {
	good := true
	var ratios [2][]float64
	for _, c := range readTable("solving-fusion.txt") {
		if !b.Matches(c[0]) {
			continue
		}
		b.Log("%s", c[0])
		t := b.record(c[1], c[2])
		line := fmt.Sprintf("| %s | %d | %d", c[0], len(t.Goroutines)-1, len(t.Events))
		for k, bound := range []int{unbounded, 2} {
			d := b.decideAssertions(t, bound)
			if k == 0 {
				line += fmt.Sprintf(" | %d | %d | %d", d.answers[solver.Sat]+d.answers[solver.Unsat]+d.answers[solver.Unknown],
					d.answers[solver.Sat], d.answers[solver.Unsat])
			}
			line += d.columns(&ratios[k])
			if fails := c[5] == "true"; d.differ > 0 || d.answers[solver.Unknown] == 0 && (d.answers[solver.Sat] > 0) != fails {
				b.Log("%s, %d switches: %+v", c[0], bound, d)
				good = false
			}
		}
		p.Fusion = append(p.Fusion, fmt.Sprintf("%s | %s | %s | %s | %s |", line, c[3], c[4], c[6], c[7]))
	}
	for k, of := range ratios {
		if len(of) > 0 {
			p.Means[k] = fmt.Sprintf("%.1f", run.GeometricMean(of))
		}
	}
	return good
}

// A decision is what was found out about a program.
type decision struct {
	comparison
	answers [3]int
	seconds time.Duration // without Z3's
}

// columns returns columns of a table. It adds how often Z3's time is the engine's, if they had to
// decide something.
func (d *decision) columns(ratios *[]float64) string {
	seconds := fmt.Sprintf(" | %.3f", d.seconds.Seconds())
	if n := d.answers[solver.Unknown]; n > 0 {
		seconds += fmt.Sprintf(", %d undecided", n)
	}
	if d.checks == 0 {
		return seconds + " | 0 | 0 |"
	}
	ratio, more := d.took[1].Seconds()/d.took[0].Seconds(), ""
	*ratios = append(*ratios, ratio)
	if d.undecided > 0 {
		more = "more than "
	}
	return fmt.Sprintf("%s | %.3f | %s%.3f | %.1f", seconds, d.took[0].Seconds(), more, d.took[1].Seconds(), ratio)
}

// unbounded stands for any number of switches.
const unbounded = -1

// decideAssertions decides all assertions that t has evaluated, each for itself.
func (b *solvingBench) decideAssertions(t *trace.Trace, bound int) (d decision) {
	watch := run.Start()
	o := run.Must(order.New(t))
	flow := dataflow.New(t)
	m := symbolic.NewConcurrent(t, o, flow)
	for i := range t.Events {
		if t.Sites[t.Events[i].Site].FailsIf != trace.NoOutcome && flow.InstanceAt(i) != nil {
			d.answers[b.decide(&d.comparison, m, symbolic.Failure(i), bound)]++
		}
	}
	d.seconds = watch.Lap() - d.took[1]
	return d
}

// decide decides one target with both engines.
func (b *solvingBench) decide(c *comparison, m *symbolic.Model, target symbolic.Target, bound int) solver.Answer {
	budget := solvingBudget()
	cone, ok := m.Cone(0, target)
	if !ok {
		return solver.Unsat
	}
	f := solver.NewFormula()
	engine := run.Must(c.engine(f, solver.Budget{Steps: solver.Second, Memory: budget.Memory}))
	defer engine.Close()
	e := run.Must(m.Encode(cone, f, engine))
	if bound == unbounded {
		return run.Must(e.Solve(b.Context(), target, budget)).Answer
	}
	a, _, err := e.SolveBounded(b.Context(), target, bound, budget)
	run.Check(err)
	return a.Answer
}

// atomicity decides triples of accesses of the programs of Table 2 of the same paper, in
// solving-atomicity.txt: name, package, test, threads, events, seconds, regions, pavs, hb-pavs,
// sym-avs, those without data, and whether some and all of the triples that the must-order leaves
// are violations.
func (b *solvingBench) atomicity(p *solvingPage) bool {
	good := true
	for _, c := range readTable("solving-atomicity.txt") {
		if !b.Matches(c[0]) {
			continue
		}
		b.Log("%s", c[0])
		t := b.record(c[1], c[2])
		watch := run.Start()
		o := run.Must(order.New(t))
		regions, triples := tracetest.UnserializableTriples(t)
		var unordered []symbolic.Target
		for _, x := range triples {
			if !o.Before(x[1], x[0]) && !o.Before(x[2], x[1]) {
				unordered = append(unordered, symbolic.Sequence(x[:]...))
			}
		}
		violations, unknown := b.reachable(symbolic.NewConcurrent(t, o, dataflow.New(t)), unordered)
		took := watch.Lap()
		control, _ := b.reachable(symbolic.NewRelaxed(t, o), unordered)
		some, all := c[11] == "true", c[12] == "true"
		if violations > 0 && !some || violations == 0 && unknown == 0 && some || all && violations < len(unordered) {
			b.Log("%s: %d of %d triples are violations, %d are undecided", c[0], violations, len(unordered), unknown)
			good = false
		}
		found := fmt.Sprint(violations)
		if unknown > 0 {
			found += fmt.Sprintf(", %d undecided", unknown)
		}
		p.Atomicity = append(p.Atomicity, fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %s | %.3f | %d | %s | %s | %s | %s | %s | %s | %s | %s |", c[0],
			len(t.Goroutines)-1, len(t.Events), regions, len(triples), len(unordered), found, took.Seconds(), control,
			c[3], c[4], c[6], c[7], c[8], c[9], c[5], c[10]))
	}
	return good
}

// reachable counts the targets to which a run leads, and those that are undecided.
func (b *solvingBench) reachable(m *symbolic.Model, targets []symbolic.Target) (sat, unknown int) {
	d := m.NewDecider(0, targets, builtin)
	defer d.Close()
	for k := range targets {
		switch run.Must(d.Decide(b.Context(), k, solvingBudget())).Answer {
		case solver.Sat:
			sat++
		case solver.Unknown:
			unknown++
		}
	}
	return sat, unknown
}

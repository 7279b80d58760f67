package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"time"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A program is a row of Table 1 of Wang et al., FAC 2011, and a test of
// testdata/papers/fusion: how many threads and events it has, whether its assertions can
// fail, and what the authors' solver, Yices, took on a machine of 2009.
type program struct {
	name, pkg, test string
	threads, events int
	fails           bool
	seconds         float64
	bounded         float64 // seconds with up to two switches
}

var table1 = []program{
	{"banking-2", "banking", "TestBanking2", 2, 843, false, 0.1, 0.1},
	{"banking-2a", "banking", "TestBanking2a", 2, 843, true, 0.1, 0.1},
	{"banking-5", "banking", "TestBanking5", 5, 1622, false, 0.3, 0.1},
	{"banking-5a", "banking", "TestBanking5a", 5, 1622, true, 0.1, 0.1},
	{"banking-10", "banking", "TestBanking10", 10, 2725, false, 1.6, 0.6},
	{"banking-10a", "banking", "TestBanking10a", 10, 2725, true, 0.1, 0.1},
	{"indexer-10", "indexer", "TestIndexer10", 10, 3000, false, 0.1, 0.1},
	{"indexer-15", "indexer", "TestIndexer15", 15, 4277, false, 0.1, 0.1},
	{"indexer-15a", "indexer", "TestIndexer15a", 15, 4277, true, 0.4, 0.2},
	{"indexer-20", "indexer", "TestIndexer20", 20, 5647, false, 0.4, 0.1},
	{"indexer-20a", "indexer", "TestIndexer20a", 20, 5647, true, 3.2, 0.7},
	{"indexer-25", "indexer", "TestIndexer25", 25, 7482, false, 0.9, 0.1},
	{"indexer-25a", "indexer", "TestIndexer25a", 25, 7482, true, 26.1, 9.8},
}

const fusionHeading = `
## The programs of Fusion

Table 1 of Wang, Kundu, Limaye, Ganai and Gupta (FAC 2011): testdata/papers/fusion has the
programs in Go, written from their descriptions, about as large as the paper's; they
have one goroutine more, the test's. Each evaluation of an assertion is decided for
itself, over its cone: can it fail? Of the seconds that takes, those of the engine
are told apart from those that make formulas. Z3 has decided the same formulas in the
same run, as far as it can with about a second of work for each assertion; where it
cannot, more is written. The built-in engine gives up after 5. "2 switches" is the
same with at most two switches between goroutines first, and then any number (§6); what
must come before what alone often takes as many. The paper's are its columns predict
and predict-cb, of a machine of 2009. Where the engines take no time, nothing is left
to decide once constants are folded.

| program | goroutines | events | assertions | fail | cannot | seconds | engine | Z3 | Z3 / engine | 2 switches: seconds | engine | Z3 | Z3 / engine | paper: threads | events | seconds | 2 switches |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`

// measureFusion adds a table of the programs, and reports whether all answers are
// as expected.
func measureFusion(ctx context.Context, w io.Writer, match *regexp.Regexp) (good bool, err error) {
	fmt.Fprint(w, fusionHeading)
	programs, err := newPrograms()
	if err != nil {
		return false, err
	}
	defer programs.remove()
	good = true
	var ratios [2][]float64
	for _, p := range table1 {
		if !match.MatchString(p.name) {
			continue
		}
		t, err := programs.record(ctx, p)
		if err != nil {
			return false, fmt.Errorf("%s: %w", p.name, err)
		}
		line := fmt.Sprintf("| %s | %d | %d", p.name, len(t.Goroutines)-1, len(t.Events))
		for k, bound := range []int{unbounded, 2} {
			d, err := p.decide(ctx, t, bound)
			if err != nil {
				return false, fmt.Errorf("%s: %w", p.name, err)
			}
			if k == 0 {
				line += fmt.Sprintf(" | %d | %d | %d", d.answers[solver.Sat]+d.answers[solver.Unsat]+d.answers[solver.Unknown],
					d.answers[solver.Sat], d.answers[solver.Unsat])
			}
			line += d.times(&ratios[k])
			if !d.as(p.fails) {
				fmt.Fprintf(os.Stderr, "solving: %s, %d switches: %d can fail, %d cannot, %d are undecided, and in %d checks the engines differ\n",
					p.name, bound, d.answers[solver.Sat], d.answers[solver.Unsat], d.answers[solver.Unknown], d.differ)
				good = false
			}
		}
		fmt.Fprintf(w, "%s | %d | %d | %.1f | %.1f |\n", line, p.threads, p.events, p.seconds, p.bounded)
	}
	for k, name := range []string{"of one question each", "with up to 2 switches first"} {
		if len(ratios[k]) > 0 {
			fmt.Fprintf(w, "\nThe geometric mean of Z3 / engine, %s: %.1f.\n", name, geometricMean(ratios[k]))
		}
	}
	return good, nil
}

func geometricMean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(xs)))
}

// decided is what was found out about a program.
type decided struct {
	comparison
	answers [3]int
	seconds time.Duration // without Z3's
}

// as reports whether nothing was decided wrongly: some assertion can fail exactly if
// that is to be.
func (d *decided) as(fails bool) bool {
	return d.differ == 0 && (d.answers[solver.Unknown] > 0 || (d.answers[solver.Sat] > 0) == fails)
}

// times returns columns of a table. It adds how often Z3's time is the engine's, if
// they had to decide something.
func (d *decided) times(ratios *[]float64) string {
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

// decide decides all assertions that t has evaluated, each for itself.
func (p program) decide(ctx context.Context, t *trace.Trace, bound int) (d decided, err error) {
	start := script.Processor()
	o, err := order.New(t)
	if err != nil {
		return d, err
	}
	flow := dataflow.New(t)
	m := symbolic.NewConcurrent(t, o, flow)
	for i := range t.Events {
		if t.Sites[t.Events[i].Site].Fails == trace.Neither || flow.At(i) == nil {
			continue
		}
		a, err := d.decide(ctx, m, symbolic.Failure(i), bound)
		if err != nil {
			return d, err
		}
		d.answers[a]++
	}
	d.seconds = script.Processor() - start - d.took[1]
	return d, nil
}

func (d *decided) decide(ctx context.Context, m *symbolic.Model, target symbolic.Target, bound int) (solver.Answer, error) {
	budget := solver.Budget{Steps: 5 * solver.Second, Memory: 1 << 30}
	cone, ok := m.Cone(0, target)
	if !ok {
		return solver.Unsat, nil
	}
	f := solver.NewFormula()
	engine, err := d.engine(f, solver.Budget{Steps: solver.Second, Memory: budget.Memory})
	if err != nil {
		return solver.Unknown, err
	}
	defer engine.Close()
	e, err := m.Encode(cone, f, engine)
	if err != nil {
		return solver.Unknown, err
	}
	var a symbolic.Answer
	if bound == unbounded {
		a, err = e.Solve(ctx, target, &budget)
	} else {
		a, _, err = e.SolveBounded(ctx, target, bound, &budget)
	}
	return a.Answer, err
}

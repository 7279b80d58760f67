package theory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A solvingPage is what the template of the page gets: lines of its tables, without the papers'
// columns, which are in the files solving-*.txt.
type solvingPage struct {
	Fusion, Atomicity, Traces, Random []string
	Means                             [2]string // geometric, of Z3's time over the engine's
}

// solving measures what it takes to decide candidates by solving: the assertions and atomic
// regions of Fusion's programs, the candidates of traces in RAPID's std format, of the folders
// that are its arguments, and those of random traces of the sizes that a paper has. All is as it
// must be if no engine says something else than expected.
func solving(j *run.Job) bool {
	j.Parse()
	b := &solvingBench{Job: j, tests: make(map[string]*run.Tests)}
	var p solvingPage
	good := b.fusion(&p)
	good = b.atomicity(&p) && good
	for _, dir := range j.Args() {
		for _, file := range run.Must(filepath.Glob(filepath.Join(dir, "*.std"))) {
			if name := strings.TrimSuffix(filepath.Base(file), ".std"); j.Matches(name) {
				run.In(file, func() { p.Traces = append(p.Traces, b.trace(name, file)...) })
			}
		}
	}
	b.random(&p)
	j.Write(pages, "solving.md", p)
	return good
}

// A solvingBench records programs of testdata/papers/fusion, and decides.
type solvingBench struct {
	*run.Job
	tests map[string]*run.Tests // by package
}

// record runs a test of a package.
func (b *solvingBench) record(pkg, test string) *trace.Trace {
	if b.tests[pkg] == nil {
		b.tests[pkg] = b.BuildTests(filepath.Join("testdata", "papers", "fusion", pkg), recorder.Config{})
	}
	return b.tests[pkg].Record("^" + test + "$")
}

// solvingBudget is that of one question: what takes more than some 5 seconds is left undecided.
func solvingBudget() *solver.Budget {
	return &solver.Budget{Steps: 5 * solver.Second, Memory: 1 << 30}
}

// builtin makes the built-in engine.
func builtin(f *solver.Formula) (solver.Engine, error) { return solver.NewBuiltin(f), nil }

// trace decides each pair of accesses of a trace that may race, over its cone and over the whole
// trace, and returns the lines of the table.
func (b *solvingBench) trace(name, file string) (lines []string) {
	f := run.Must(os.Open(file))
	defer f.Close()
	t := run.Must(trace.ReadRAPID(f))
	o := run.Must(order.New(t))
	var pairs [][2]int
	for _, c := range anomaly.FindRaces(t, o).Candidates {
		pairs = append(pairs, c.Pairs...)
	}
	m := symbolic.New(t, o)
	for _, scope := range []string{"cone", "whole"} {
		var answers [3]int
		var total, worst time.Duration
		largest := 0
		for _, p := range pairs {
			watch := run.Start()
			target := symbolic.Simultaneous(p[0], p[1])
			cone, ok := m.Cone(0, target)
			if scope == "whole" {
				cone, ok = m.WholeCone(target)
			}
			a := symbolic.Answer{Answer: solver.Unsat}
			if ok {
				f := solver.NewFormula()
				a = run.Must(run.Must(m.Encode(cone, f, solver.NewBuiltin(f))).Solve(b.Context(), target, solvingBudget()))
				largest = max(largest, cone.Events())
			}
			took := watch.Lap()
			answers[a.Answer]++
			total, worst = total+took, max(worst, took)
		}
		lines = append(lines, fmt.Sprintf("| %s | %d | %d | %s | %d | %d | %d | %d | %.4f | %.4f |", name, len(t.Events), len(pairs), scope,
			answers[solver.Sat], answers[solver.Unsat], answers[solver.Unknown], largest,
			total.Seconds()/float64(max(1, len(pairs))), worst.Seconds()))
	}
	return lines
}

// random decides pairs of random traces of the sizes of Table 3 of Said et al., in
// solving-nfm.txt: name, the numbers of a [tracetest.Size], and the paper's queries, witnesses and
// seconds.
func (b *solvingBench) random(p *solvingPage) {
	for k, c := range readTable("solving-nfm.txt") {
		if !b.Matches(c[0]) {
			continue
		}
		var size tracetest.Size
		for n, to := range []*int{&size.Threads, &size.Events, &size.LockOperations, &size.CondOperations, &size.Variables, &size.Locks} {
			*to = int(number(c[n+1]))
		}
		t := tracetest.RandomOfSize(size, uint64(k))
		o := run.Must(order.New(t))
		var targets []symbolic.Target
		for _, candidate := range anomaly.FindRaces(t, o).Candidates {
			for _, pair := range candidate.Pairs {
				if _, _, locked := o.ExcludedByHistory(pair[0], pair[1]); !locked {
					targets = append(targets, symbolic.Simultaneous(pair[0], pair[1]))
				}
			}
		}
		pairs := len(targets)
		targets = evenly(targets, max(8, int(number(c[7]))))
		watch := run.Start()
		d := symbolic.New(t, o).NewDecider(0, targets, builtin)
		var answers [3]int
		for k := range targets {
			budget := &solver.Budget{Steps: 5 * solver.Second}
			a := run.Must(d.Decide(b.Context(), k, budget))
			if a.Answer == solver.Unknown { // a part of the budget was for near runs
				a = run.Must(d.DecideAll(b.Context(), k, budget))
			}
			answers[a.Answer]++
		}
		d.Close()
		p.Random = append(p.Random, fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %.3f | %s | %s | %s |", c[0], len(t.Goroutines), len(t.Events), pairs,
			len(targets), answers[solver.Sat], answers[solver.Unknown], watch.Lap().Seconds(), c[7], c[8], c[9]))
	}
}

// evenly returns at most so many of the targets, evenly chosen.
func evenly(targets []symbolic.Target, most int) (some []symbolic.Target) {
	n := min(most, len(targets))
	for k := range n {
		some = append(some, targets[k*len(targets)/n])
	}
	return some
}

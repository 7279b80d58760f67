package bugs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/subjects"
	"github.com/gopredict/gopredict/recorder"
)

// mostRuns bounds the runs until a bug counts as not found.
const mostRuns = 200

// furtherRuns is how many runs are explored of a program in rareBugs, whose bug neither exploring
// nor random schedulers show in mostRuns.
const furtherRuns = 2000

var rareBugs = map[string]bool{"TestSafeStack": true}

// An exploreRow is what was measured of one program or suite, in numbers of runs.
type exploreRow struct {
	Seeds       int
	Explored    exploration // with -predict.explore, up to mostRuns runs
	FurtherRuns exploration // with -predict.explore=furtherRuns
	Command     exploration // gopredict test without flags
	// Random has the median number of runs until one fails, for each of randomOrders, and Plain
	// that for go test. It is more than mostRuns if none fails.
	Random [len(randomOrders)]int
	Plain  int
	Table  string // of the test of random programs
}

// An exploration is what one command has shown of a test.
type exploration struct {
	Confirmed int  // in which run; 0: in none
	Runs      int  // in all
	Complete  bool // all behaviours were seen
	Known     int  // of the behaviours
}

// An exploreBench has the programs, and what was measured of them.
type exploreBench struct {
	*run.Job
	seeds, programs int
	all             []*exploreProgram
	rows            *run.Rows[exploreRow]
}

// An exploreProgram is one test of a subject.
type exploreProgram struct {
	test  string
	buggy bool
	dir   string
	tests *run.Tests
}

// exploreSuites are tests of others that can be explored completely.
var exploreSuites = []struct{ module, folder, test string }{
	{"golang.org/x/sync@v0.17.0", "./singleflight", "TestForget"},
	{"golang.org/x/sync@v0.17.0", "./errgroup", "TestWithContext"},
	{"github.com/sourcegraph/conc@v0.3.0", "./panics", "TestTry"},
	{"go.uber.org/atomic@v1.11.0", ".", "TestPointer"},
}

// exploring counts how many runs it takes until the bugs of testdata/papers/sctbench and testdata/kinds/reach
// are seen, and to see all that some tests of others and random programs can do. All is as it
// must be if each bug is confirmed within mostRuns, nothing is in a program without one, and
// each test of others is explored completely.
func exploring(j *run.Job) bool {
	b := &exploreBench{Job: j}
	j.IntVar(&b.seeds, "seeds", 20, "of how many seeds the medians are; 0: only gopredict is run")
	j.IntVar(&b.programs, "programs", 5000, "how many random programs are explored completely")
	j.Parse()
	b.rows = run.LoadRows[exploreRow](j)
	for _, subject := range []string{"sctbench", "reach"} {
		b.prepare(subject)
	}
	good := true
	for _, p := range b.all {
		b.rows.Measure(p.test, func() exploreRow { return b.measure(p) })
		if r, ok := b.rows.Get(p.test); ok && r.Seeds != b.seeds {
			run.Fail("%s: expected a row of %d seeds, as -seeds says, found %d", p.test, b.seeds, r.Seeds)
		} else if ok && !rareBugs[p.test] {
			good = good && p.buggy == (r.Explored.Confirmed > 0) && (p.buggy || r.Command.Confirmed == 0)
		}
	}
	for k, s := range exploreSuites {
		b.rows.Measure(s.test, func() exploreRow {
			dir := filepath.Join(j.Dir, "suites", fmt.Sprint(k))
			j.Download(s.module, dir)
			return exploreRow{Explored: b.explore(dir, "-run="+s.test+"$", "-predict.explore=all", s.folder)}
		})
		r, ok := b.rows.Get(s.test)
		good = good && (!ok || r.Explored.Complete)
	}
	b.rows.Measure("oracle", b.oracle)
	j.Write(pages, "exploring.md", b.page())
	return good
}

// prepare copies a subject, builds it plainly and instrumented, and lists its tests. A comment
// //want: says that a test has a bug; a TestOpen… without one is left out.
func (b *exploreBench) prepare(subject string) {
	dir := run.CopySubject(subject, filepath.Join(b.Dir, subject))
	tests := b.BuildTests(dir, recorder.Config{}, run.Plain)
	for _, t := range run.Must(subjects.Tests(dir)) {
		if t.Want != "" || !strings.HasPrefix(t.Name, "TestOpen") {
			b.all = append(b.all, &exploreProgram{t.Name, t.Want != "", dir, tests})
		}
	}
}

// measure measures one program.
func (b *exploreBench) measure(p *exploreProgram) exploreRow {
	r := exploreRow{Seeds: b.seeds}
	explore := func(flags ...string) exploration {
		clearWitnesses(p.dir)
		return b.explore(p.dir, slices.Concat([]string{"-run=^" + p.test + "$"}, flags, []string{"."})...)
	}
	// A failure of a run is reported as a bug that was predicted later, if that explains it. So
	// both are tried.
	const failures = "-predict.kinds=failure,deadlock"
	runs := fmt.Sprint("-predict.explore=", mostRuns)
	r.Explored = explore(runs, "-predict.runs=1", failures)
	if n := explore(runs, "-predict.runs=1").Confirmed; n > 0 && (r.Explored.Confirmed == 0 || n < r.Explored.Confirmed) {
		r.Explored.Confirmed = n
	}
	if rareBugs[p.test] {
		r.FurtherRuns = explore(fmt.Sprint("-predict.explore=", furtherRuns), "-predict.runs=1", failures)
	}
	r.Command = explore()
	if p.buggy && b.seeds > 0 {
		b.randomRuns(p, &r)
	}
	return r
}

// explore runs gopredict test in a folder, on one test.
func (b *exploreBench) explore(dir string, args ...string) (e exploration) {
	r, _ := b.Predict(dir, append([]string{"-count=1"}, args...)...)
	for _, pkg := range r.Packages {
		e.Runs += 1 + int(pkg.Runs)
		for _, x := range pkg.Explored {
			e.Runs, e.Known, e.Complete = x.Runs, x.Behaviours, x.Complete
		}
	}
	e.Confirmed = firstFailure(r.Findings)
	return e
}

// firstFailure is the first run that has shown a confirmed bug by which the test fails; 0 if
// none has.
func firstFailure(findings []report.Finding) (first int) {
	for _, f := range confirmed(findings) {
		if n := 1 + f.Run; f.Effect.Severity() >= bug.TestFailure.Severity() && (first == 0 || n < first) {
			first = n
		}
	}
	return first
}

// runLimit is the time for one run.
const runLimit = 20 * time.Second

// randomOrders are the random schedulers: each makes an order of goroutines from a seed and the
// number of steps of the program.
var randomOrders = [...]struct {
	Name string
	of   func(seed, steps int) recorder.Order
}{
	{"POS", func(seed, _ int) recorder.Order { return recorder.POS(seed) }},
	{"PCT, 2", func(seed, steps int) recorder.Order { return recorder.PCT(seed, 2, steps) }},
	{"PCT, 3", func(seed, steps int) recorder.Order { return recorder.PCT(seed, 3, steps) }},
	{"gives way", func(seed, _ int) recorder.Order { return recorder.RandomOrder(seed) }},
}

// randomRuns runs a program in random orders, and plainly.
func (b *exploreBench) randomRuns(p *exploreProgram, r *exploreRow) {
	args := []string{"-test.run=^" + p.test + "$", "-test.timeout=0"}
	instrumented := recorder.Run{Package: p.tests.Build.Tested[0], Binary: p.tests.Binaries[run.Recorded], Env: os.Environ()}
	again := func(order recorder.Order, file string) recorder.Run {
		return run.Must(instrumented.RecordAgain(b.Context(), order, args, filepath.Join(b.Dir, file), runLimit))
	}
	again(recorder.NewestFirst, "steps")
	steps := recorder.PCTSteps(run.ReadTrace(filepath.Join(b.Dir, "steps")), p.test)
	for k, o := range randomOrders {
		r.Random[k] = medianUntil(b.seeds, func(seed, n int) bool {
			return again(o.of(1+seed*mostRuns+n, steps), fmt.Sprint("trace", seed)).Result == recorder.Fail
		})
	}
	var plain []int
	for range b.seeds {
		got := p.tests.Run(run.Plain, "^"+p.test+"$", "-test.timeout=0", "-test.v", "-test.failfast", fmt.Sprint("-test.count=", mostRuns))
		n := strings.Count(got.Stdout, "=== RUN")
		if got.Code == 0 {
			n++
		}
		plain = append(plain, n)
	}
	slices.Sort(plain)
	r.Plain = plain[(len(plain)-1)/2]
}

// medianUntil returns the median, over seeds, of how many runs it takes until one fails; more than
// mostRuns if that one does not. The n-th runs of all seeds are made concurrently, and no more
// once half of the seeds have failed.
func medianUntil(seeds int, fails func(seed, n int) bool) int {
	failed := make([]bool, seeds)
	for n := range mostRuns {
		run.Each(seeds, func(seed int) { failed[seed] = failed[seed] || fails(seed, n) })
		left := 0
		for _, f := range failed {
			if !f {
				left++
			}
		}
		if left <= seeds/2 {
			return n + 1
		}
	}
	return mostRuns + 1
}

// oracle explores random programs completely: a test compares that with all that they can do,
// and writes a table.
func (b *exploreBench) oracle() exploreRow {
	table := filepath.Join(b.Dir, "oracle.md")
	b.Succeed(run.Command{Args: []string{"go", "test", "./analysis/reach", "-run=^TestOracle$", "-count=1", "-timeout=0",
		fmt.Sprint("-programs=", b.programs), "-table=" + table}})
	return exploreRow{Table: run.ReadFile(table)}
}

// Behaviours returns how many there are, as the page has it.
func (e exploration) Behaviours() string {
	if e.Complete {
		return fmt.Sprint(e.Known)
	}
	return fmt.Sprint("more than ", e.Known)
}

// An exploreLine is a program on the page.
type exploreLine struct {
	exploreRow
	Name   string
	Buggy  bool
	Found  string   // in which run
	Others []string // random orders and plain runs
}

// IsSeen reports whether exploring sees the bug, and IsFewest whether it does in no more runs than
// any random order takes.
func (l exploreLine) IsSeen() bool { return l.Buggy && l.Explored.Confirmed > 0 }
func (l exploreLine) IsFewest() bool {
	return l.IsSeen() && l.Explored.Confirmed <= slices.Min(append(l.Random[:], l.Plain))
}

// page is what the template of the page gets.
func (b *exploreBench) page() any {
	var p struct {
		Seeds, Most, Programs int
		Orders                any
		Lines                 []exploreLine
		Later, Table          string
		Suites                []exploreLine
	}
	p.Seeds, p.Most, p.Programs, p.Orders = b.seeds, mostRuns, b.programs, randomOrders
	for _, program := range b.all {
		r, ok := b.rows.Get(program.test)
		if !ok {
			continue
		}
		p.Lines = append(p.Lines, program.line(r))
		if r.FurtherRuns.Runs > 0 {
			p.Later = fmt.Sprintf("exploring does not see it in %d runs either", furtherRuns)
			if n := r.FurtherRuns.Confirmed; n > 0 {
				p.Later = fmt.Sprintf("exploring sees it in run %d, if it may make %d", n, furtherRuns)
			}
		}
	}
	for _, s := range exploreSuites {
		if r, ok := b.rows.Get(s.test); ok {
			p.Suites = append(p.Suites, exploreLine{exploreRow: r, Name: fmt.Sprintf("`%s` | `-run='%s$' %s`", s.module, s.test, s.folder)})
		}
	}
	oracle, _ := b.rows.Get("oracle")
	p.Table = oracle.Table
	return p
}

// line is that of a program on the page.
func (p *exploreProgram) line(r exploreRow) exploreLine {
	l := exploreLine{exploreRow: r, Name: strings.TrimPrefix(p.test, "Test"), Buggy: p.buggy}
	if n := r.Explored.Confirmed; n > 0 {
		l.Found = fmt.Sprint(n)
	} else if p.buggy {
		l.Found = "no"
	}
	for _, runs := range append(r.Random[:], r.Plain) {
		switch {
		case runs == 0:
			l.Others = append(l.Others, "")
		case runs > mostRuns:
			l.Others = append(l.Others, fmt.Sprintf("> %d", mostRuns))
		default:
			l.Others = append(l.Others, fmt.Sprint(runs))
		}
	}
	return l
}

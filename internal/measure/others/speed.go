package others

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/recorder"
)

// speedModules are those whose test suites are run.
var speedModules = strings.Fields(run.ReadEmbedded(pages, "pages/speed.txt"))

// builtModule is the one whose builds are measured.
const builtModule = "github.com/spf13/viper@v1.21.0"

// A speedRow is what was measured of one subject.
type speedRow struct {
	Name  string
	Costs [run.Ways]run.Cost
}

// A speedPage is what the template of the page gets.
type speedPage struct {
	Rounds, Cores           int
	Time                    time.Duration
	Version                 string // of Go
	Kernels, Suites, Builds []speedRow
}

// A speedBench is one run of the suite.
type speedBench struct {
	*run.Job
	rounds int
	time   time.Duration
}

// speed measures what recording costs beside plain runs and the race detector: the time and peak
// memory of the kernels in testdata and of the test suites of public modules, and the time to
// build them. Rows are named kernel/NAME, suite/MODULE and build/MODULE.
func speed(j *run.Job) bool {
	b := &speedBench{Job: j}
	j.IntVar(&b.rounds, "rounds", 5, "run each row up to `N` times in each way")
	j.DurationVar(&b.time, "time", 20*time.Second, "begin no further round of a row after `D`")
	j.Parse()
	rows := run.LoadRows[[]speedRow](j)
	b.kernels(rows)
	for _, module := range speedModules {
		b.row(rows, "suite/", module, b.suite)
	}
	b.row(rows, "build/", builtModule, b.builds)
	j.Write(pages, "speed.md", speedPage{
		b.rounds, runtime.NumCPU(), b.time, b.Go("", "env", "GOVERSION"),
		slices.Concat(rows.WithPrefix("kernel/")...), slices.Concat(rows.WithPrefix("suite/")...), slices.Concat(rows.WithPrefix("build/")...),
	})
	return true
}

// row measures the rows of a module.
func (b *speedBench) row(rows *run.Rows[[]speedRow], prefix, module string, measure func(name, dir string) []speedRow) {
	name, _, _ := strings.Cut(module, "@")
	rows.Measure(prefix+name, func() []speedRow {
		dir := filepath.Join(run.Must(os.MkdirTemp(b.Dir, "module-")), "module")
		defer os.RemoveAll(dir)
		b.Download(module, dir)
		return measure(name, dir)
	})
}

// kernels measures each test of testdata/applications/kernels on its own.
func (b *speedBench) kernels(rows *run.Rows[[]speedRow]) {
	var t *run.Tests
	build := func() *run.Tests {
		if t == nil {
			t = b.BuildTests(filepath.Join("testdata", "applications", "kernels"), recorder.Config{}, run.Plain, run.Race)
			t.Limit = 1 << 40 // every event counts here
		}
		return t
	}
	for _, test := range strings.Fields(b.Go(filepath.Join("testdata", "applications", "kernels"), "test", "-list=.", ".")) {
		name, ok := strings.CutPrefix(test, "Test")
		if !ok { // the result of go test
			break
		}
		rows.Measure("kernel/"+name, func() []speedRow {
			return []speedRow{{name, run.Least(b.rounds, b.time, func(w run.Way) run.Cost { return cost(build(), w, "^"+test+"$") })}}
		})
	}
}

// suite measures the tests of a module, all its packages one after another.
func (b *speedBench) suite(name, dir string) []speedRow {
	var packages []*run.Tests
	for _, pkg := range b.Packages(dir, "./...") {
		packages = append(packages, b.BuildTests(pkg, recorder.Config{}, run.Plain, run.Race))
	}
	return []speedRow{{name, run.Least(b.rounds, b.time, func(w run.Way) (sum run.Cost) {
		for _, t := range packages {
			sum = sum.And(cost(t, w, "."))
		}
		return sum
	})}}
}

// attempts is how often tests may fail: those of the suites that wait for a fixed time do on a
// busy machine.
const attempts = 3

// cost runs tests until they pass, and returns what that took.
func cost(t *run.Tests, w run.Way, pattern string) (c run.Cost) {
	p := t.Run(w, pattern)
	for n := 1; p.Code != 0; n++ {
		if n == attempts {
			run.Fail("%s: %s\n%s", w, p.State, p.Output)
		}
		p = t.Run(w, pattern)
	}
	c.Seconds, c.Memory = p.Elapsed.Seconds(), p.Memory
	if w == run.Recorded {
		tr, size := t.Trace()
		c.Trace = float64(size) / (1 << 20)
		c.Cut = tr.Meta.Limit > 0 || len(tr.Cuts) > 0
	}
	return c
}

// builds measures how long it takes until the tests of a module could begin: with an empty build
// cache, with one file changed, and with nothing changed since. No test is run.
func (b *speedBench) builds(name, dir string) (rows []speedRow) {
	tool := filepath.Join(filepath.Dir(dir), "gopredict")
	b.Go("", "build", "-o", tool, ".") // a copy, so that its cache is empty
	source := filepath.Join(dir, b.Go(dir, "list", "-f", "{{index .GoFiles 0}}"))
	commands := [run.Ways][]string{run.Plain: {"go", "test"}, run.Race: {"go", "test", "-race"}, run.Recorded: {tool, "test"}}
	for _, kind := range []struct {
		name   string
		rounds int
		change bool
	}{{"cold", 1, false}, {"one file changed", b.rounds, true}, {"nothing changed", b.rounds, false}} {
		costs := run.Least(kind.rounds, b.time, func(w run.Way) run.Cost {
			if kind.change {
				run.WriteFile(source, run.ReadFile(source)+fmt.Sprintf("\nvar _ = %d\n", time.Now().UnixNano()))
			}
			p := b.Succeed(run.Command{
				Dir: dir, Env: []string{"GOCACHE=" + filepath.Join(filepath.Dir(dir), w.String())},
				Args: append(commands[w], "-count=1", "-run=^$", "./..."),
			})
			return run.Cost{Seconds: p.Elapsed.Seconds()}
		})
		rows = append(rows, speedRow{name + ", " + kind.name, costs})
	}
	return rows
}

// Plain, Race and Recorded are the costs of each way.
func (r speedRow) Plain() run.Cost    { return r.Costs[run.Plain] }
func (r speedRow) Race() run.Cost     { return r.Costs[run.Race] }
func (r speedRow) Recorded() run.Cost { return r.Costs[run.Recorded] }

// IsCut reports whether the trace does not hold the whole run.
func (r speedRow) IsCut() bool { return r.Recorded().Cut }

// Times and memory are compared with a plain run, and recording with -race.
func (r speedRow) RaceTime() float64        { return r.Race().Seconds / r.Plain().Seconds }
func (r speedRow) RecordingTime() float64   { return r.Recorded().Seconds / r.Plain().Seconds }
func (r speedRow) TimeOverRace() float64    { return r.Recorded().Seconds / r.Race().Seconds }
func (r speedRow) RaceMemory() float64      { return r.Race().Memory / r.Plain().Memory }
func (r speedRow) RecordingMemory() float64 { return r.Recorded().Memory / r.Plain().Memory }
func (r speedRow) MemoryOverRace() float64  { return r.Recorded().Memory / r.Race().Memory }

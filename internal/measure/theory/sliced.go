package theory

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/sliced"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A slicedSource is a module whose tests are measured.
type slicedSource struct {
	name           string
	folder         string   // below testdata/papers; "": name is a public module
	pkgs           string   // -predict.pkgs, "" for the module's own
	tests          []string // patterns of tests that have a row each; nil: one row for the module
	alsoCounted    string   // another folder whose lines are counted
	timesRecording bool     // the time of recorded runs is measured, too
}

var slicedSources = []slicedSource{
	{name: "banking", folder: "sliced", tests: []string{"./banking TestTellers"}, timesRecording: true},
	{name: "httpserver", folder: "sliced", tests: []string{"./httpserver TestClients"}, timesRecording: true},
	{name: "daisy", folder: "sliced", tests: []string{"./daisy TestDaisy"}, timesRecording: true},
	{name: "daisy2", folder: "sliced", tests: []string{"./daisy TestDaisy2"}, timesRecording: true},
	{name: "raytracer", folder: "sliced", pkgs: "work,example.com/papers/raytracer", tests: []string{"./raytracer TestRender"}, alsoCounted: "programs/raytracer", timesRecording: true},
	{name: "github.com/go-chi/chi/v5@v5.2.3", timesRecording: true},

	{name: "the papers' programs", folder: "programs"},

	{name: "golang.org/x/sync@v0.17.0"},
	{name: "github.com/hashicorp/golang-lru/v2@v2.0.7"},
	{name: "github.com/sourcegraph/conc@v0.3.0"},
	{name: "github.com/gammazero/workerpool@v1.1.3"},
	{name: "github.com/patrickmn/go-cache@v2.1.0+incompatible"},
}

// paperTests are the packages of testdata/papers/programs, with all their tests, but for those
// whose programs are among those of Chen and Roşu.
func paperTests() (all []string) {
	for _, file := range run.Must(filepath.Glob("testdata/papers/programs/*/bugs.txt")) {
		name := filepath.Base(filepath.Dir(file))
		if !slices.Contains([]string{"daisy", "httpclient", "raytracer"}, name) {
			all = append(all, "./"+name+" .")
		}
	}
	return all
}

// A slicedRow is what was measured of a program or suite.
type slicedRow struct {
	Name  string
	Lines int
	extent
	Slices            int           // variables that may have races, and so a slice
	Relevant, Kept    int           // of each slice, the relevant events, and those that it has
	Order             time.Duration // to compute must-happen-before
	Slicing, Checking time.Duration
	Predicting        time.Duration // by gopredict, from the trace to schedules

	// Pairs of lines.
	Candidates         int // they conflict, and neither a lock nor must-happen-before excludes them
	HappensBefore      int // candidates that happens-before leaves unordered
	Sliced             int // candidates that the slice of their variable leaves unordered
	Predicted          int // by gopredict
	Confirmed          int
	SlicedAndConfirmed int      // of Sliced, those that gopredict confirms
	OnlySliced         []string // of Sliced, those that gopredict does not predict
	Refuted            []string // of OnlySliced, those that gopredict has refuted

	Seconds [run.Ways]float64 // of the tests, in each way
}

// slicedCausality measures the races that happens-before, sliced causality (Chen and Roşu,
// Predictive Runtime Analysis of Multithreaded Programs, 2005) and gopredict predict. All is as
// it must be if sliced causality predicts no race that gopredict refutes.
func slicedCausality(j *run.Job) bool {
	j.Parse()
	rows := run.LoadRows[[]slicedRow](j)
	var page slicedPage
	good := true
	for _, s := range slicedSources {
		rows.Measure(s.name, func() []slicedRow { return s.measure(j) })
		own, ok := rows.Get(s.name)
		if !ok {
			page.Missing = append(page.Missing, s.name)
		}
		for _, r := range own {
			for _, pair := range r.Refuted {
				j.Log("%s: predicted by sliced causality, and refuted: %s", s.name, pair)
				good = false
			}
		}
		page.add(s.name, own)
	}
	j.Write(pages, "sliced.md", page)
	return good
}

// measure returns the rows of a source.
func (s slicedSource) measure(j *run.Job) (rows []slicedRow) {
	dir := run.Must(os.MkdirTemp(j.Dir, "source-"))
	defer os.RemoveAll(dir)
	module := filepath.Join(dir, "module")
	if s.folder == "" {
		j.Download(s.name, module)
	} else {
		for _, folder := range []string{"programs", "sliced"} { // programs in sliced import those in programs
			run.Check(os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join("testdata", "papers", folder))))
		}
		module = filepath.Join(dir, s.folder)
	}
	tests := s.tests
	if tests == nil && s.folder == "programs" {
		tests = paperTests()
	} else if tests == nil {
		tests = []string{"./... ."}
	}
	for _, test := range tests {
		pattern, match, _ := strings.Cut(test, " ")
		if match != "." {
			match = "^" + match + "$"
		}
		var r slicedRow
		run.In(test, func() { r = s.row(j, module, pattern, match) })
		r.Name = s.name
		if len(tests) > 1 {
			r.Name = strings.TrimPrefix(pattern, "./")
		}
		rows = append(rows, r)
	}
	return rows
}

// row records tests once, and measures what is predicted of their traces, and confirmed.
func (s slicedSource) row(j *run.Job, module, pattern, match string) (r slicedRow) {
	keep := run.Must(os.MkdirTemp(j.Dir, "keep-"))
	defer os.RemoveAll(keep)
	args := []string{"-run=" + match, "-predict.kinds=race", "-predict.runs=1", "-predict.explore=off", "-predict.keep=" + keep}
	config := recorder.Config{}
	if s.pkgs != "" {
		args = append(args, "-predict.pkgs="+s.pkgs)
		config.InstrumentPatterns = strings.Split(s.pkgs, ",")
	}
	found, p := j.Predict(module, append(args, pattern)...)
	if p.Code != 0 && p.Code != 1 {
		run.Fail("gopredict: %s\n%s", p.State, p.Output)
	}
	confirmed := make(map[string]bool)
	for _, f := range found.Findings {
		if a := f.Accesses; f.Kind == bug.Race && f.Status == bug.Confirmed {
			confirmed[pairOf(run.Place(a[0].File, a[0].Line), run.Place(a[1].File, a[1].Line))] = true
		}
	}
	r.Confirmed = len(confirmed)
	for _, file := range run.RecordedTraces(keep) {
		r.read(j, run.ReadTrace(file), confirmed)
	}
	folder := filepath.Join(module, strings.TrimSuffix(pattern, "..."))
	r.Lines = countLines(folder)
	if s.alsoCounted != "" {
		r.Lines += countLines(filepath.Join(filepath.Dir(module), s.alsoCounted))
	}
	run.Check(os.RemoveAll(filepath.Join(folder, "testdata", "predict")))
	if s.timesRecording {
		for _, dir := range j.Packages(module, pattern) {
			t := j.BuildTests(dir, config, run.Plain, run.Race)
			costs := run.Least(5, time.Hour, func(w run.Way) run.Cost {
				p := t.Run(w, match)
				if p.Code != 0 && w != run.Race { // where a race fails the tests
					run.Fail("%s: %s\n%s", dir, p.State, p.Output)
				}
				return run.Cost{Seconds: p.Processor.Seconds()}
			})
			for w, c := range costs {
				r.Seconds[w] += c.Seconds
			}
		}
	}
	return r
}

// countLines counts those of the Go files below a folder, without tests.
func countLines(folder string) (n int) {
	for _, file := range run.GoFiles(folder) {
		n += strings.Count(run.ReadFile(file), "\n")
	}
	return n
}

// pairOf is the same for two places in either order.
func pairOf(a, b string) string { return min(a, b) + " " + max(a, b) }

// read adds what is predicted of a trace in three ways.
func (r *slicedRow) read(j *run.Job, t *trace.Trace, confirmed map[string]bool) {
	watch := run.Start()
	o := run.Must(order.New(t))
	r.Order += watch.Lap()
	x := extentOf(t, o)
	r.Goroutines, r.Events, r.Shared = r.Goroutines+x.Goroutines, r.Events+x.Events, r.Shared+x.Shared
	pair := func(i, j int) string {
		a, b := t.Sites[t.Events[i].Site], t.Sites[t.Events[j].Site]
		return pairOf(run.Place(a.File, a.Line), run.Place(b.File, b.Line))
	}
	watch.Lap()
	found := run.Must(analysis.Predict(j.Context(), t, analysis.Options{Kinds: []bug.Kind{bug.Race}}))
	r.Predicting += watch.Lap()
	status := make(map[string]bug.Status) // by pair: the best one
	for _, f := range found.Findings {
		p := pair(f.Accesses[0], f.Accesses[1])
		if status[p] != bug.Predicted && (status[p] == "" || f.Status != bug.Infeasible) {
			status[p] = f.Status
		}
	}
	candidates, ordered, inSlices := r.slice(t, o, pair)
	r.Candidates += len(candidates)
	r.HappensBefore += len(ordered)
	r.Sliced += len(inSlices)
	for p, is := range status {
		if is == bug.Predicted && candidates[p] {
			r.Predicted++
		}
	}
	for p := range inSlices {
		if confirmed[p] {
			r.SlicedAndConfirmed++
		}
		if status[p] != bug.Predicted {
			r.OnlySliced = append(r.OnlySliced, p)
		}
		if status[p] == bug.Infeasible {
			r.Refuted = append(r.Refuted, p)
		}
	}
	slices.Sort(r.OnlySliced)
	slices.Sort(r.Refuted)
}

// slice returns the pairs of accesses that neither locks nor the must-order exclude, and of these
// those that happens-before and those that the slice of their variable leaves unordered. Each
// slice is as large as the trace, and so is let go of before the next one.
func (r *slicedRow) slice(t *trace.Trace, o *order.Order, pair func(i, j int) string) (candidates, happensBefore, inSlices map[string]bool) {
	candidates, happensBefore, inSlices = make(map[string]bool), make(map[string]bool), make(map[string]bool)
	watch := run.Start()
	s := sliced.New(t, o)
	group := make(map[int32]int)
	for k, g := range o.Groups() {
		for _, i := range g.Events {
			group[i] = k
		}
	}
	rows := slices.DeleteFunc(anomaly.AllConflictSets(t, o), func(c anomaly.ConflictSet) bool {
		return !t.Events[c.First[0]].Kind.IsAccess() || c.CountPairs(o) == 0
	})
	byGroup := make(map[int][]anomaly.ConflictSet)
	for _, c := range rows {
		byGroup[group[c.First[0]]] = append(byGroup[group[c.First[0]]], c)
	}
	for k, own := range byGroup {
		relevant := o.Groups()[k].Events
		slice := s.SliceOf(relevant)
		r.Slicing += watch.Lap()
		r.Relevant += len(relevant)
		r.Kept += slice.Events
		r.Slices++
		for _, c := range own {
			unordered(c, slice, func(i, j int) { inSlices[pair(i, j)] = true })
		}
		r.Checking += watch.Lap()
	}
	if len(rows) > 0 {
		hb := s.HappensBefore()
		for _, c := range rows {
			unordered(c, o, func(i, j int) { candidates[pair(i, j)] = true })
			unordered(c, hb, func(i, j int) { happensBefore[pair(i, j)] = true })
		}
	}
	return candidates, happensBefore, inSlices
}

// unordered calls found with accesses of c that an order lets meet.
func unordered(c anomaly.ConflictSet, o anomaly.Ordering, found func(i, j int)) {
	for _, row := range []anomaly.ConflictSet{c, {First: c.Second, Second: c.First}} {
		for j, earlier := range row.EarlierPartners(o) {
			for _, i := range earlier {
				found(int(i), int(j))
			}
		}
	}
}

// A slicedPage is what the template of the page gets.
type slicedPage struct {
	Figures []slicedFigure
	Rows    []slicedRow
	Missing []string
}

// A slicedFigure is a row of Figures 11 and 12, as measured and as published in sliced.txt.
type slicedFigure struct {
	slicedRow
	Paper []string
}

// add adds the rows of a source.
func (p *slicedPage) add(source string, rows []slicedRow) {
	for _, c := range readTable("sliced.txt") {
		if c[0] == source && len(rows) > 0 {
			p.Figures = append(p.Figures, slicedFigure{rows[0], c[1:]})
		}
	}
	p.Rows = append(p.Rows, rows...)
}

// Own is the time of sliced causality.
func (r slicedRow) Own() time.Duration { return r.Slicing + r.Checking }

// MeanRelevant and MeanKept are of each slice; "" where there is none.
func (r slicedRow) MeanRelevant() string { return mean(r.Relevant, r.Slices) }
func (r slicedRow) MeanKept() string     { return mean(r.Kept, r.Slices) }

func mean(n, of int) string {
	if of == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", float64(n)/float64(of))
}

// Slowdown and RaceSlowdown are processor time beside a plain run; "" where it was not measured.
func (r slicedRow) Slowdown() string     { return run.Over(r.Seconds[run.Recorded], r.Seconds[run.Plain]) }
func (r slicedRow) RaceSlowdown() string { return run.Over(r.Seconds[run.Race], r.Seconds[run.Plain]) }

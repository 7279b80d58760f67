package others

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
)

// suiteList and newModules have a line for each suite: a module, PATH@VERSION, or a pattern of std
// packages, and flags of go test. The new modules were not looked at while gopredict was written.
var (
	suiteList  = run.ReadEmbedded(pages, "pages/suites.txt")
	newModules = run.ReadEmbedded(pages, "pages/new-modules.txt")
)

// A suite is the tests of one or more packages.
type suite struct {
	name  string // of the module, PATH@VERSION, or the pattern of std packages
	flags []string
}

func (s suite) isModule() bool { return strings.Contains(s.name, "@") }

// Title is the suite's name with its flags.
func (s suite) Title() string {
	name, _, _ := strings.Cut(s.name, "@")
	return strings.Join(append([]string{name}, s.flags...), " ")
}

// parseSuites reads suiteList, or as many names.
func parseSuites(lines []string) (all []suite) {
	for _, line := range lines {
		if words := strings.Fields(line); len(words) > 0 {
			all = append(all, suite{words[0], words[1:]})
		}
	}
	return all
}

// A suiteRow is what was measured of one suite.
type suiteRow struct {
	Title, Version      string
	Broken              string // what made the comparison fail
	Pass, Fail, Skip    int    // tests, plainly
	TestsRun            int    // tests with gopredict that passed or failed
	Differences         []difference
	Varying             []string // tests whose results differ without gopredict already
	Candidates          int
	Confirmed           []report.Finding
	Lingering           int
	Warnings            []string
	Events              int
	TraceBytes          int64
	Plain, Seconds, MiB float64
	Explored            *exploringCost // nil: not measured
}

// An exploringCost is seconds of processor time, and confirmed bugs, without exploring and by
// default.
type exploringCost struct {
	WithoutExploring, WithExploring float64
	OffConfirmed, OnConfirmed       int
}

// A difference is a test that came out with gopredict as it did in no run without; "" stands for
// no result.
type difference struct{ Test, Plain, Recorded string }

// A suiteBench runs suites.
type suiteBench struct {
	*run.Job
	rounds int    // how often a suite is run as it is
	costs  bool   // what exploring costs is measured, too
	keep   string // folder for what the runs leave
	flags  string // for gopredict, between spaces
}

// suites runs test suites of others as they are and with gopredict, and compares the result of
// each test by its name. Arguments PATH@VERSION name other modules to be run instead. All is as
// it must be if no result differs, but for a reason in suite-reasons.txt.
func suites(j *run.Job) bool { return runSuites(j, "The suites of others", suiteList) }

// unseen is suites of other modules, as a sample of what users have.
func unseen(j *run.Job) bool { return runSuites(j, "Modules that were new to it", newModules) }

// runSuites runs the suites of a list, for a page with that title.
func runSuites(j *run.Job, title, list string) bool {
	b := &suiteBench{Job: j}
	j.IntVar(&b.rounds, "plain", 3, "how often a suite is run as it is, to know the tests whose results vary")
	j.BoolVar(&b.costs, "costs", false, "run each suite also without exploring, and once more with it, to measure what that costs")
	j.StringVar(&b.keep, "keep", "", "folder for the output of each run, the reports and the traces; without it, they are removed")
	j.StringVar(&b.flags, "flags", "", "further `FLAGS` of gopredict test, as -predict.runs=1 where only the results are compared")
	j.Parse()
	rows := run.LoadRows[suiteRow](j)
	lines := j.Args()
	if len(lines) == 0 {
		lines = strings.Split(list, "\n")
	}
	var measured []suiteRow
	good := true
	for _, s := range parseSuites(lines) {
		rows.Measure(s.Title(), func() suiteRow { return b.row(s) })
		if r, ok := rows.Get(s.Title()); ok {
			measured = append(measured, r)
			good = good && r.good()
		}
	}
	j.Write(pages, "suites.md", suitePage{j.Name(), title, b.Go("", "env", "GOVERSION"), runtime.NumCPU(), measured})
	return good
}

// good reports whether each result is the same, or there is a reason why it is not.
func (r suiteRow) good() bool {
	return r.Broken == "" && !slices.ContainsFunc(r.Differences, func(d difference) bool { return d.Reason() == "" })
}

// row measures a suite.
func (b *suiteBench) row(s suite) (r suiteRow) {
	r.Title = s.Title()
	err := run.Catch(func() { b.compare(s, &r) })
	run.Check(context.Cause(b.Context()))
	if err != nil {
		b.Log("%s: %v", r.Title, err)
		r.Broken, _, _ = strings.Cut(err.Error(), "\n")
	}
	return r
}

// prepare makes a folder where go test finds the suite, and returns the pattern of its packages
// and the flags that instrument them.
func (b *suiteBench) prepare(s suite, r *suiteRow) (dir, packages string, flags []string) {
	dir = filepath.Join(run.Must(os.MkdirTemp(b.Dir, "suite-")), "module")
	if s.isModule() {
		r.Version = b.Download(s.name, dir)
		return dir, "./...", nil
	}
	r.Version = b.Go("", "env", "GOVERSION")
	run.WriteMod(dir, "outcomes", "1.26")
	return dir, s.name, []string{"-predict.pkgs=" + s.name}
}

var notInFileNames = regexp.MustCompile(`[^a-zA-Z0-9.]+`)

// compare runs a suite in both ways. If that fails, the row is as far as it came.
func (b *suiteBench) compare(s suite, r *suiteRow) {
	dir, packages, flags := b.prepare(s, r)
	defer os.RemoveAll(dir)
	keep := b.keep
	if keep == "" {
		keep = b.Sub("keep")
		defer os.RemoveAll(keep)
	}
	keep = filepath.Join(keep, notInFileNames.ReplaceAllString(s.name, "_"))
	run.Check(os.RemoveAll(keep))
	run.Check(os.MkdirAll(keep, 0o777))
	test := slices.Concat([]string{"-json", "-count=1"}, s.flags)
	var plain []run.Results
	for i := range b.rounds {
		p := b.Run(run.Command{Dir: dir, Limit: 30 * time.Minute, Args: slices.Concat([]string{"go", "test"}, test, []string{packages})})
		run.WriteFile(filepath.Join(keep, fmt.Sprintf("plain%d.json", i)), p.Output)
		plain = append(plain, run.ReadResults(p.Stdout))
		if i == 0 {
			r.Plain = p.Processor.Seconds()
		}
	}
	count := plain[0].Count
	if r.Pass, r.Fail, r.Skip = count("pass"), count("fail"), count("skip"); r.Pass == 0 {
		run.Fail("no test passes plainly: %s", keep)
	}
	predict := func(more ...string) (*report.Report, run.Process) {
		found, p := b.PredictWith(run.Command{Dir: dir, Limit: 30 * time.Minute, Args: slices.Concat(test, flags, strings.Fields(b.flags), more, []string{packages})})
		if p.Code > 1 {
			run.Fail("gopredict: %s\n%s", p.State, p.Output)
		}
		return found, p
	}
	found, p := predict("-predict.keep=" + filepath.Join(keep, "run"))
	run.WriteFile(filepath.Join(keep, "recorded.json"), p.Output)
	recorded := run.ReadResults(p.Stdout)
	r.read(found, p, recorded)
	r.Differences, r.Varying = compareResults(plain, recorded)
	if b.costs {
		off, offCost := predict("-predict.explore=off", "-predict.witnesses="+filepath.Join(keep, "off"))
		on, onCost := predict("-predict.witnesses=" + filepath.Join(keep, "on"))
		r.Explored = &exploringCost{offCost.Processor.Seconds(), onCost.Processor.Seconds(), off.Totals.Confirmed, on.Totals.Confirmed}
	}
	b.checkTraces(keep)
}

// read takes what the page has from the report.
func (r *suiteRow) read(found *report.Report, p run.Process, recorded run.Results) {
	for _, pkg := range found.Packages {
		if pkg.Result == "pass" || pkg.Result == "fail" { // by itself, whatever was confirmed
			recorded[pkg.Package] = pkg.Result
		}
		r.Events += pkg.Events
		r.TraceBytes += pkg.TraceBytes
		r.Lingering += len(pkg.Lingering)
	}
	r.Seconds, r.MiB = p.Processor.Seconds(), p.Memory
	r.TestsRun = recorded.Count("pass") + recorded.Count("fail")
	r.Warnings, r.Candidates = found.Warnings, found.Totals.Candidates
	for _, f := range found.Findings {
		if f.Status == bug.Confirmed {
			f.Interleaving, f.Source = nil, nil // long, and not on the page
			r.Confirmed = append(r.Confirmed, f)
		}
	}
}

// compareResults compares the results with those of the plain runs. A package whose tests differ
// is not listed itself.
func compareResults(plain []run.Results, recorded run.Results) (differences []difference, varying []string) {
	seen := make(map[string][]string) // the plain results of each test
	for _, results := range plain {
		for name, result := range results {
			seen[name] = append(seen[name], result)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		results := slices.Compact(slices.Sorted(slices.Values(seen[name])))
		if len(results) > 1 || len(seen[name]) < len(plain) {
			varying = append(varying, name)
		} else if got := recorded[name]; got != results[0] {
			differences = append(differences, difference{name, results[0], got})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		if seen[name] == nil {
			differences = append(differences, difference{name, "", recorded[name]})
		}
	}
	all := slices.Clone(differences)
	return slices.DeleteFunc(differences, func(d difference) bool {
		return slices.ContainsFunc(all, func(t difference) bool { return strings.HasPrefix(t.Test, d.Test+" ") })
	}), varying
}

// checkTraces checks that each trace below dir is valid.
func (b *suiteBench) checkTraces(dir string) {
	run.Check(filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && filepath.Ext(path) == ".trace" {
			b.Succeed(run.Command{Args: []string{b.Tool(), "trace", "check", path}})
		}
		return err
	}))
}

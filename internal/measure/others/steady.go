package others

import (
	"cmp"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
)

// A steadyForm is a form of a test: a correct one, or one with a bug.
type steadyForm struct {
	kind string // of the bug; "correct": there is none
	text string // of the test, whose name is TestNAME
}

// steadyForms are the forms in pages/steady.txt.
var steadyForms = readSteadyForms(run.ReadEmbedded(pages, "pages/steady.txt"))

// readSteadyForms reads forms: a line with the kind, then the text, up to the line with the next
// kind.
func readSteadyForms(text string) (forms []steadyForm) {
	isKind := func(line string) bool {
		return line == correctForm || slices.Contains(bug.Kinds(), bug.Kind(line))
	}
	for line := range strings.Lines(text) {
		if kind := strings.TrimSpace(line); isKind(kind) {
			forms = append(forms, steadyForm{kind: kind})
			continue
		}
		forms[len(forms)-1].text += line
	}
	return forms
}

const correctForm = "correct"

// steadyModules are public modules whose suites are run, too: such as take seconds, and whose
// tests do the same each time that they run.
var steadyModules = strings.Fields(run.ReadEmbedded(pages, "pages/steady-modules.txt"))

// The generated module.
const (
	steadyPackages = 60
	testsOfPackage = 10
)

// writeSteadyModule makes a module of many packages, each with many tests, and returns how many
// of these have a bug: one in every other package, each of another form.
func writeSteadyModule(dir string) (numBugs int) {
	var correct, bugs []steadyForm
	for _, f := range steadyForms {
		if f.kind == correctForm {
			correct = append(correct, f)
		} else {
			bugs = append(bugs, f)
		}
	}
	run.WriteMod(dir, "example.com/steady", "1.26")
	for pkg := range steadyPackages {
		var text strings.Builder
		for k := range testsOfPackage {
			f := correct[(pkg+k)%len(correct)]
			if pkg%2 == 0 && pkg/2 < len(bugs) && k == pkg/2%testsOfPackage {
				f = bugs[pkg/2]
				numBugs++
			}
			fmt.Fprintf(&text, "\n%s", strings.ReplaceAll(f.text, "NAME", fmt.Sprintf("T%02d", k)))
		}
		name := fmt.Sprintf("p%02d", pkg)
		source := "package " + name + "\n\nimport (\n" + importsOf(text.String()) + ")\n" + text.String()
		run.WriteFile(filepath.Join(dir, name, "steady_test.go"), string(run.Must(format.Source([]byte(source)))))
	}
	return numBugs
}

// importsOf returns the lines that import the packages that a text of tests uses.
func importsOf(text string) (lines string) {
	for _, path := range []string{"context", "fmt", "net/http", "net/http/httptest", "os", "path/filepath", "strings", "sync", "sync/atomic", "testing", "time"} {
		if name := path[strings.LastIndexByte(path, '/')+1:]; strings.Contains(text, name+".") {
			lines += fmt.Sprintf("\t%q\n", path)
		}
	}
	return lines
}

// steadyRuns is how often each set of tests is run in each way.
const steadyRuns = 3

// steadyWays are how the machine is used meanwhile.
var steadyWays = []struct {
	name, about string
	through     []string // what the command is run through
	loops       int      // processes that compute beside it
}{
	{"idle", "nothing beside it", nil, 0},
	{"loaded", "beside four busy loops", nil, 4},
	{"pinned", "on one processor", []string{"taskset", "-c", "0"}, 0},
}

// A steadyRow is one run.
type steadyRow struct {
	Findings           []string // id, kind, status and effect, sorted
	Confirmed          int
	Tests              int
	Elapsed, Processor float64 // seconds
	Recording, After   float64 // seconds: the recorded runs, and from their end to that of the command
}

// steady runs the same tests idle, under load and on one processor. All is as it must be if each
// run has the same findings.
func steady(j *run.Job) bool {
	times := j.Int("times", steadyRuns, "runs of each set in each way")
	j.Parse()
	rows := run.LoadRows[steadyRow](j)
	page := new(steadyPage)
	for k, name := range slices.Concat([]string{"generated"}, steadyModules) {
		set := &steadySet{job: j, name: name, isGenerated: k == 0}
		line := steadyLine{Name: name}
		for _, way := range steadyWays {
			for n := range *times {
				row := fmt.Sprintf("%s %s %d", name, way.name, n+1)
				rows.Measure(row, func() steadyRow { return set.run(way.through, way.loops) })
				if r, ok := rows.Get(row); ok {
					line.add(way.name, r)
				}
			}
		}
		if line.Runs > 0 {
			page.Lines = append(page.Lines, line)
		} else {
			page.Missing = append(page.Missing, name)
		}
		set.remove()
	}
	j.Write(pages, "steady.md", page)
	return !slices.ContainsFunc(page.Lines, func(l steadyLine) bool { return len(l.Differences) > 0 })
}

// A steadySet is the tests of one module, made when they are first run.
type steadySet struct {
	job         *run.Job
	name        string
	isGenerated bool
	dir         string // "": not made yet
}

// run runs the tests through a command, beside so many busy loops.
func (s *steadySet) run(through []string, loops int) (row steadyRow) {
	if s.dir == "" {
		s.dir = filepath.Join(run.Must(os.MkdirTemp(s.job.Dir, "steady-")), "module")
		if s.isGenerated {
			writeSteadyModule(s.dir)
		} else {
			s.job.Download(s.name, s.dir)
		}
		s.job.Predict(s.dir, "-count=1", "-run=^$", "./...") // builds
	}
	// Saved witnesses would be replayed by the next run.
	witnesses := run.Must(os.MkdirTemp(s.job.Dir, "witnesses-"))
	defer os.RemoveAll(witnesses)
	for range loops {
		busy := exec.CommandContext(s.job.Context(), "sh", "-c", "while :; do :; done")
		run.Check(busy.Start())
		defer func() {
			busy.Process.Kill()
			busy.Wait()
		}()
	}
	found, p := s.job.PredictWith(run.Command{
		Dir: s.dir, Through: through, Limit: moduleLimit, Args: []string{"-count=1", "-predict.witnesses=" + witnesses, "./..."},
	})
	return newSteadyRow(found, p)
}

// remove removes the files of the set.
func (s *steadySet) remove() {
	if s.dir != "" {
		run.Check(os.RemoveAll(filepath.Dir(s.dir)))
	}
}

// newSteadyRow returns what a run has found, and its time.
func newSteadyRow(found *report.Report, p run.Process) steadyRow {
	row := steadyRow{Elapsed: p.Elapsed.Seconds(), Processor: p.Processor.Seconds(), After: found.DurationS - found.TestedS}
	for _, pkg := range found.Packages {
		row.Recording += pkg.RecordS
		row.Tests += pkg.Tests
	}
	for _, f := range found.Findings {
		row.Findings = append(row.Findings, fmt.Sprintf("%s %s: %s %s, %s %s", f.Package, f.Test, f.ID, f.Kind, f.Status, f.Effect))
		if f.Status == bug.Confirmed {
			row.Confirmed++
		}
	}
	slices.Sort(row.Findings)
	return row
}

// A steadyPage is what the template of the page gets.
type steadyPage struct {
	Lines   []steadyLine
	Missing []string
}

// A steadyLine is the runs of one set.
type steadyLine struct {
	Name      string
	Runs      int
	Tests     int
	Findings  int // of the first run
	Confirmed int
	Times     []string // of each way, the elapsed times of its runs
	// Differences are findings that not all runs have, with the runs that have them.
	Differences []steadyDifference

	ways []string // of the runs
	rows []steadyRow
}

// A steadyDifference is a finding that some runs have and others have not.
type steadyDifference struct {
	Finding string
	In      string // the runs that have it
}

// add adds a run.
func (l *steadyLine) add(way string, r steadyRow) {
	if l.Runs == 0 {
		l.Tests, l.Findings, l.Confirmed = r.Tests, len(r.Findings), r.Confirmed
	}
	l.Runs++
	if len(l.ways) == 0 || l.ways[len(l.ways)-1] != way {
		l.Times = append(l.Times, "")
	}
	last := &l.Times[len(l.Times)-1]
	*last = strings.TrimPrefix(fmt.Sprintf("%s, %.0f", *last, r.Elapsed), ", ")
	l.ways, l.rows = append(l.ways, way), append(l.rows, r)
	l.Differences = l.compare()
}

// compare returns the findings that not all runs have.
func (l *steadyLine) compare() (all []steadyDifference) {
	runs := make(map[string][]string)
	for k, r := range l.rows {
		for _, f := range r.Findings {
			runs[f] = append(runs[f], fmt.Sprintf("%d %s", k+1, l.ways[k]))
		}
	}
	for f, in := range runs {
		if len(in) != len(l.rows) {
			all = append(all, steadyDifference{f, strings.Join(in, ", ")})
		}
	}
	slices.SortFunc(all, func(a, b steadyDifference) int { return cmp.Compare(a.Finding, b.Finding) })
	return all
}

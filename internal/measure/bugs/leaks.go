package bugs

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
)

// A leakCase is one function of the suite.
type leakCase struct {
	Name  string // of the function
	Set   string // the package that it is in
	Flaky bool   // the suite itself does not rely on finding its leaks
	Leaks []leak
}

// A leak is a goroutine that the suite expects to be left behind: the function that it was
// started with, and what it waits in.
type leak struct {
	text    string // as the page has it
	pattern *regexp.Regexp
}

// leakRow is what was measured of a case, by one outcome for each time it was run.
type leakRow struct {
	Blocked [][]string // the goroutines confirmed to be blocked for ever
	Runs    int64      // the most runs of the test after the recorded one
	Seconds float64    // the most processor time, with building
}

// leakSets are the packages of the suite, their folders, and the lists that have their cases.
var leakSets = []struct{ name, dir, lists string }{
	{"simple", "testgoroutineleakprofile", "microTests patternTestCases"},
	{"goker", "testgoroutineleakprofile/goker", "gokerTestCases"},
}

// neverLeaks are cases of which no run leaves a goroutine behind, and why. They were found by hand.
var neverLeaks = map[string]string{
	"Moby27782": "nothing can be left: the channel that would end the wait for the condition is closed only by who holds the mutex that the waiting goroutine has from its start to its end, and Go's own profile has none in 100 runs",
}

// originalKernels are blocking bugs of GoBench as its authors wrote them. Go's own test has changed
// these, so that the leaks come more reliably, or leaves them out.
var originalKernels = strings.Fields(`cockroach/9935 etcd/7443 grpc/862 kubernetes/5316 kubernetes/58107
	kubernetes/70277 moby/21233 moby/33293`)

// leaks runs gopredict on each case of the test of Go's goroutine-leak profile, and on the original
// kernels. All is as it must be if each leak is confirmed each time, and nothing is where there is
// none.
func leaks(j *run.Job) bool {
	count := j.Int("count", 1, "how many times gopredict runs on each case")
	gobench := j.String("gobench", "", "`FOLDER` of a clone of github.com/timmyyuan/gobench, whose kernels are measured; without it, they are not")
	j.Parse()
	cases, dir := copyLeaks(j)
	rows := run.LoadRows[leakRow](j)
	good := true
	for _, c := range cases {
		rows.Measure(c.Name, func() leakRow { return c.measure(j, dir, *count) })
		if row, ok := rows.Get(c.Name); ok && j.Matches(c.Name) {
			good = good && (neverLeaks[c.Name] != "" || c.confirmedLeaks(row) == len(c.Leaks)) && !c.hasFalseLeak(row)
		}
	}
	for _, kernel := range originalKernels {
		if *gobench != "" {
			rows.Measure(kernel, func() leakRow { return measureKernel(j, *gobench, kernel, *count) })
		}
		if row, ok := rows.Get(kernel); ok && j.Matches(kernel) {
			good = good && row.found() == len(row.Blocked)
		}
	}
	j.Write(pages, "leaks.md", newLeakPage(cases, rows.Get))
	return good
}

// measureKernel measures the test of an original kernel.
func measureKernel(j *run.Job, gobench, kernel string, count int) leakRow {
	dir, name := j.Sub("kernel"), strings.ReplaceAll(kernel, "/", "")
	_, _, language := j.Goroot()
	run.WriteMod(dir, "gobench", language)
	file := name + "_test.go"
	run.WriteFile(filepath.Join(dir, name, file), run.ReadFile(filepath.Join(gobench, "gobench/goker/blocking", kernel, file)))
	return measureLeaks(j, count, dir, name)
}

// copyLeaks copies the packages of the suite to a module, with a test for each case.
func copyLeaks(j *run.Job) (cases []leakCase, dir string) {
	dir = j.Sub("leaks")
	goroot, _, language := j.Goroot()
	cases = readLeaks(run.ReadFile(filepath.Join(goroot, "src/runtime/goroutineleakprofile_test.go")))
	// The suite asks for the runtime's own profile at the end of each function.
	ownProfile := strings.NewReplacer(`"runtime/pprof"`, ``, `pprof.Lookup("goroutineleak")`, `profile{}`)
	for _, set := range leakSets {
		files := run.Must(filepath.Glob(filepath.Join(goroot, "src/runtime/testdata", set.dir, "*.go")))
		for _, file := range files {
			run.WriteFile(filepath.Join(dir, set.name, filepath.Base(file)), ownProfile.Replace(run.ReadFile(file)))
		}
		tests := "package main\n\nimport \"testing\"\n"
		for _, c := range cases {
			if c.Set == set.name {
				tests += fmt.Sprintf("\nfunc Test%s(t *testing.T) { %[1]s() }\n", c.Name)
			}
		}
		run.WriteFile(filepath.Join(dir, set.name, "profile.go"), run.ReadEmbedded(pages, "pages/profile.go.txt"))
		run.WriteFile(filepath.Join(dir, set.name, "leaks_test.go"), tests)
	}
	run.WriteMod(dir, "leaks", language)
	return cases, dir
}

var (
	leakList = regexp.MustCompile(`^\t(\w+) := \[\]testCase{$`)
	leakName = regexp.MustCompile(`^make(Flaky)?Test\("(\w+)"`)
)

// readLeaks reads the cases from the test of the runtime, which lists them as calls of makeTest
// and makeFlakyTest with a line for each leak.
func readLeaks(text string) (cases []leakCase) {
	set := ""
	for line := range strings.Lines(text) {
		if m := leakList.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			set = ""
			for _, s := range leakSets {
				if slices.Contains(strings.Fields(s.lists), m[1]) {
					set = s.name
				}
			}
		}
		line = strings.TrimSpace(line)
		if m := leakName.FindStringSubmatch(line); m != nil && set != "" {
			cases = append(cases, leakCase{Name: m[2], Set: set, Flaky: m[1] != ""})
		} else if pattern, ok := strings.CutPrefix(line, "`"); ok && set != "" {
			pattern, _, _ = strings.Cut(pattern, "`")
			plain := strings.NewReplacer(`\(.*`, "", `.* \[`, " [", `\`, "").Replace(pattern)
			c := &cases[len(cases)-1]
			c.Leaks = append(c.Leaks, leak{plain, run.Must(regexp.Compile(pattern))})
		}
	}
	if len(cases) == 0 {
		run.Fail("expected lists of test cases in runtime's goroutineleakprofile_test.go, found none; this needs a complete GOROOT of Go 1.26 or newer")
	}
	return cases
}

// measure runs gopredict count times on the test of a case.
func (c leakCase) measure(j *run.Job, dir string, count int) leakRow {
	return measureLeaks(j, count, dir, c.Set, "-run=^Test"+c.Name+"$")
}

// measureLeaks runs gopredict count times on a package of the module in dir, with flags.
func measureLeaks(j *run.Job, count int, dir, pkg string, flags ...string) (row leakRow) {
	for range count {
		clearWitnesses(filepath.Join(dir, pkg))
		r, p := j.Predict(dir, slices.Concat([]string{"-count=1"}, flags, []string{"./" + pkg})...)
		runs := int64(0)
		for _, pkg := range r.Packages {
			runs += pkg.Runs
		}
		row.Runs, row.Seconds = max(row.Runs, runs), max(row.Seconds, p.Processor.Seconds())
		row.Blocked = append(row.Blocked, blocked(r.Findings))
	}
	return row
}

// found returns how many times a goroutine was confirmed to be blocked for ever.
func (r leakRow) found() (n int) {
	for _, blocked := range r.Blocked {
		if len(blocked) > 0 {
			n++
		}
	}
	return n
}

// blocked are the goroutines that are confirmed to be blocked for ever, as the suite writes them
// but for the operation, which is the report's.
func blocked(findings []report.Finding) (all []string) {
	for _, f := range confirmed(findings) {
		if f.Kind != bug.Leak && f.Kind != bug.Deadlock {
			continue
		}
		for _, a := range slices.Concat(f.Accesses, f.AlsoBlocked) {
			if n := len(a.Stack); n > 0 {
				all = append(all, strings.TrimSuffix(a.Stack[n-1].Func, "-fm")+"() ["+a.Op+"]")
			}
		}
	}
	return all
}

// waitReasons are the runtime's words for what a goroutine waits in, by the operation that the
// report has for it.
var waitReasons = map[string][]string{
	"acq":    {"sync.Mutex.Lock", "sync.RWMutex.Lock"},
	"racq":   {"sync.RWMutex.RLock"},
	"send":   {"chan send", "chan send (nil chan)"},
	"recv":   {"chan receive", "chan receive (nil chan)"},
	"select": {"select", "select (no cases)"},
	"wait":   {"sync.Cond.Wait"},
	"wgwait": {"sync.WaitGroup.Wait"},
}

// matchesOneOf reports whether a leak is one of the goroutines that are blocked.
func (l leak) matchesOneOf(blocked []string) bool {
	for _, b := range blocked {
		fn, op, _ := strings.Cut(strings.TrimSuffix(b, "]"), " [")
		for _, reason := range waitReasons[op] {
			if l.pattern.MatchString(fn + " [" + reason + "]") {
				return true
			}
		}
	}
	return false
}

// confirmations returns how many times a leak was confirmed.
func (r leakRow) confirmations(l leak) (n int) {
	for _, blocked := range r.Blocked {
		if l.matchesOneOf(blocked) {
			n++
		}
	}
	return n
}

// confirmedLeaks returns how many of the leaks are confirmed each time.
func (c leakCase) confirmedLeaks(row leakRow) (n int) {
	for _, l := range c.Leaks {
		if row.confirmations(l) == len(row.Blocked) {
			n++
		}
	}
	return n
}

// hasFalseLeak reports whether a goroutine is confirmed to be left behind where there is no leak.
func (c leakCase) hasFalseLeak(row leakRow) bool {
	return (len(c.Leaks) == 0 || neverLeaks[c.Name] != "") && len(slices.Concat(row.Blocked...)) > 0
}

// A leakPage is what the template of the page gets.
type leakPage struct {
	Whole, Cases, Confirmed, Leaks int
	NotRun                         []string
	Rows                           []leakLine
	Kernels                        []kernelLine
}

// A kernelLine is an original kernel on the page.
type kernelLine struct {
	leakRow
	Name  string
	Found int
}

// A leakLine is a case on the page.
type leakLine struct {
	leakCase
	leakRow
	Found   int
	Missing string // what is not confirmed each time
}

func newLeakPage(cases []leakCase, get func(string) (leakRow, bool)) (p leakPage) {
	for _, c := range cases {
		row, ok := get(c.Name)
		if !ok {
			p.NotRun = append(p.NotRun, c.Name)
			continue
		}
		line := leakLine{c, row, c.confirmedLeaks(row), neverLeaks[c.Name]}
		if line.Missing == "" {
			p.Cases++
			p.Leaks += len(c.Leaks)
			p.Confirmed += line.Found
			line.Missing = c.missingLeaks(row)
		}
		if c.hasFalseLeak(row) {
			line.Missing += "**a leak where there is none**"
		}
		if line.Missing == "" {
			p.Whole++
		}
		p.Rows = append(p.Rows, line)
	}
	for _, kernel := range originalKernels {
		if row, ok := get(kernel); ok {
			p.Kernels = append(p.Kernels, kernelLine{row, kernel, row.found()})
		} else {
			p.NotRun = append(p.NotRun, kernel)
		}
	}
	return p
}

// missingLeaks returns the leaks that are not confirmed each time, and how often they are.
func (c leakCase) missingLeaks(row leakRow) string {
	var all []string
	for _, l := range c.Leaks {
		if n := row.confirmations(l); n < len(row.Blocked) {
			all = append(all, fmt.Sprintf("%s (%d)", l.text, n))
		}
	}
	return strings.Join(all, ", ")
}

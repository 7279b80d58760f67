package bugs

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
)

// A raceTest is one function of the race detector's own suite. Its name says what is expected:
// TestRaceX has a race, TestNoRaceX has none.
type raceTest struct {
	Name, File      string
	Skipped         bool // by the suite itself
	RaceDetected    bool // by go test -race
	failedRecording bool // the test fails in the recorded run
	findings        []report.Finding
	Unexplored      bool // a bug is confirmed without exploring
}

func (t *raceTest) Racy() bool { return strings.HasPrefix(t.Name, "TestRace") }

// A raceBench runs the suite's copy.
type raceBench struct {
	*run.Job
	dir, Pkgs string
	Version   string // of Go
	Tests     []*raceTest
	Seconds   map[string]float64 // processor time of gopredict, by the value of -predict.explore
}

// raceSuite runs Go's own race-detector suite with go test -race and with gopredict. All is as it
// must be if each race that -race finds is predicted, and no race in a TestNoRace is confirmed.
func raceSuite(j *run.Job) bool {
	b := &raceBench{Job: j, Seconds: make(map[string]float64)}
	j.StringVar(&b.Pkgs, "pkgs", "work,bytes,hash/crc32,reflect", "packages to instrument, as for -predict.pkgs")
	j.Parse()
	b.copy()
	batches := b.batches()
	for _, tests := range batches {
		b.runWithRace(tests)
	}
	b.Predict(b.dir, b.args("^$", "")...) // builds what both of the following use
	for _, explore := range []string{"off", ""} {
		for _, tests := range batches {
			b.predict(tests, explore)
		}
	}
	j.Write(pages, "race-suite.md", b)
	return !slices.ContainsFunc(b.Tests, func(t *raceTest) bool { return !t.Skipped && !t.OK() })
}

var raceTestFunc = regexp.MustCompile(`(?m)^func (Test(?:No)?Race\w*)\(`)

// The suite belongs to std and uses two packages and a function that others may not or cannot
// use. Each has a public twin that does the same.
var publicTwins = strings.NewReplacer(
	`"internal/synctest"`, `"testing/synctest"`,
	"synctest.Run(func() {", "synctest.Test(t, func(t *testing.T) {",
	"runtime.RaceDisable()", "raceDisable()",
	// It ends the tests after it, where the suite runs all at once.
	`t.Skip("#72925: uncaught panic ends tests")`, "",
)

// copy copies the suite of the go command's GOROOT, and lists those of its tests that -run
// selects.
func (b *raceBench) copy() {
	b.dir = b.Sub("race_test")
	goroot, version, language := b.Goroot()
	b.Version = version
	for _, file := range run.Must(filepath.Glob(filepath.Join(goroot, "src/runtime/race/testdata/*_test.go"))) {
		base := filepath.Base(file)
		if base == "cgo_test.go" { // its one test runs another program with -race
			continue
		}
		text := run.ReadFile(file)
		for _, m := range raceTestFunc.FindAllStringSubmatch(text, -1) {
			if b.Matches(m[1]) {
				b.Tests = append(b.Tests, &raceTest{Name: m[1], File: base})
			}
		}
		run.WriteFile(filepath.Join(b.dir, base), publicTwins.Replace(text))
	}
	if len(b.Tests) == 0 {
		run.Fail("no tests in %s/src/runtime/race/testdata; this needs a complete GOROOT", goroot)
	}
	// runtime.RaceDisable exists under -race only.
	for _, name := range []string{"race_test.go", "norace_test.go"} {
		run.WriteFile(filepath.Join(b.dir, name), run.ReadEmbedded(pages, "pages/"+name+".txt"))
	}
	run.WriteMod(b.dir, "race_test", language)
}

// runAlone are tests that do not share a process with others.
var runAlone = map[string]bool{
	"TestNoRaceDeferAtomicStore": true, // lets the garbage collector give its memory to others
	"TestNoRaceTinyAlloc":        true, // 16 million events
	"TestRaceRangeFuncIterator":  true, // panics
}

// batches are the tests that run in one process: all but those that run alone.
func (b *raceBench) batches() [][]*raceTest {
	batches := make([][]*raceTest, 1)
	for _, t := range b.Tests {
		if runAlone[t.Name] {
			batches = append(batches, []*raceTest{t})
		} else {
			batches[0] = append(batches[0], t)
		}
	}
	return slices.DeleteFunc(batches, func(tests []*raceTest) bool { return len(tests) == 0 })
}

// pattern is the argument of -run for tests.
func pattern(tests []*raceTest) string {
	var names []string
	for _, t := range tests {
		names = append(names, t.Name)
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// runWithRace runs tests with go test -race, as GOROOT's race_test.go does: with one P, where the
// tests find the order that they rely on.
func (b *raceBench) runWithRace(tests []*raceTest) {
	b.Log("%d tests with -race", len(tests))
	p := b.Run(run.Command{
		Dir:  b.dir,
		Env:  []string{"GOMAXPROCS=1", "GODEBUG=", "GORACE=suppress_equal_stacks=0 suppress_equal_addresses=0"},
		Args: []string{"go", "test", "-race", "-json", "-count=1", "-run", pattern(tests), "."},
	})
	if len(tests) > 1 && !strings.Contains(p.Stdout, "ALL TESTS COMPLETE") {
		run.Fail("go test -race: not all tests ran: %s\n%s", p.State, p.Output)
	}
	byName := make(map[string]*raceTest)
	for _, t := range tests {
		byName[t.Name] = t
	}
	for line := range strings.Lines(p.Stdout) {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal([]byte(line), &event) != nil || byName[event.Test] == nil {
			continue
		}
		t := byName[event.Test]
		t.RaceDetected = t.RaceDetected || strings.Contains(event.Output, "DATA RACE")
		t.Skipped = t.Skipped || event.Action == "skip"
	}
}

// args are those of gopredict test for the tests that match; explore is the value of
// -predict.explore, "" for the default.
func (b *raceBench) args(match, explore string) []string {
	args := []string{"-v", "-count=1", "-predict.pkgs=" + b.Pkgs, "-run=" + match}
	if explore != "" {
		args = append(args, "-predict.explore="+explore)
	}
	return append(args, ".")
}

// predict runs gopredict on tests and keeps the findings. Without exploring it only keeps whether
// there is a confirmed one.
func (b *raceBench) predict(tests []*raceTest, explore string) {
	b.Log("%d tests with gopredict", len(tests))
	limit := 3*time.Minute + 3*time.Second*time.Duration(len(tests))
	r, p := b.PredictWith(run.Command{Dir: b.dir, Limit: limit, Args: b.args(pattern(tests), explore)})
	b.Seconds[explore] += p.Processor.Seconds()
	if p.Code > 1 {
		run.Fail("gopredict: %s\n%s", p.State, p.Output)
	}
	for _, t := range tests {
		own := slices.DeleteFunc(slices.Clone(r.Findings), func(f report.Finding) bool {
			// Some tests leave goroutines behind, which is not what the suite is about.
			return f.Test != t.Name || f.Kind == bug.Leak || f.Kind == bug.Deadlock
		})
		if explore == "off" {
			t.Unexplored = len(confirmed(own)) > 0
			continue
		}
		t.findings = own
		t.failedRecording = strings.Contains(p.Output, "--- FAIL: "+t.Name+" ")
	}
}

// Result returns "confirmed", "predicted" or "no".
func (t *raceTest) Result() string { result, _ := t.result(); return result }

// Reason returns why t is not confirmed.
func (t *raceTest) Reason() string { _, reason := t.result(); return reason }

func (t *raceTest) result() (result, reason string) {
	result = "no"
	if t.failedRecording {
		reason = "the recorded run failed"
	}
	for _, f := range t.findings {
		switch f.Status {
		case bug.Confirmed:
			return "confirmed", ""
		case bug.Unconfirmed:
			result, reason = "predicted", f.Reason
		}
	}
	return result, reason
}

// OK reports whether gopredict predicts the race of t if -race finds it, and confirms none in a
// test without a race.
func (t *raceTest) OK() bool {
	if t.Racy() {
		return t.Result() != "no" || !t.RaceDetected
	}
	return t.Result() != "confirmed"
}

// IsConfirmed and IsPredicted report what gopredict finds; IsMissed, that only -race finds the race.
func (t *raceTest) IsConfirmed() bool { return !t.Skipped && t.Result() == "confirmed" }
func (t *raceTest) IsPredicted() bool { return !t.Skipped && t.Result() != "no" }
func (t *raceTest) IsMissed() bool    { return !t.Skipped && t.Result() == "no" && t.RaceDetected }

// withExpectation returns the tests that have a race, or those that have none.
func (b *raceBench) withExpectation(racy bool) []*raceTest {
	return slices.DeleteFunc(slices.Clone(b.Tests), func(t *raceTest) bool { return t.Racy() != racy })
}

// notReplayable are races of which no run has both goroutines at their accesses at once, though
// nothing in the Go memory model orders these, and why.
var notReplayable = run.ReadKnown(pages, "pages/race-suite.txt")

// Racy and Clean are the tests that have a race, and those that have none.
func (b *raceBench) Racy() []*raceTest  { return b.withExpectation(true) }
func (b *raceBench) Clean() []*raceTest { return b.withExpectation(false) }

// WhyNotReplayable says why no replay can confirm the race of t; "" if it is confirmed, or that is not known.
func (t *raceTest) WhyNotReplayable() string {
	if t.IsConfirmed() {
		return ""
	}
	return notReplayable[t.Name]
}

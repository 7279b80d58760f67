package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/script"
)

// A finding is what the table needs of one finding of the JSON report.
type finding struct {
	Kind                 bug.Kind
	Status, Reason, Test string
}

// detect runs all tests with go test -race, as GOROOT's race_test.go does:
// with one P, where the tests find the order that they rely on.
func (s *suite) detect(ctx context.Context) error {
	for _, tests := range s.runs() {
		if err := s.detectThese(ctx, tests); err != nil {
			return err
		}
	}
	return nil
}

// detectThese runs tests with go test -race. One alone may panic.
func (s *suite) detectThese(ctx context.Context, tests []*test) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-race", "-v", "-count=1", "-run", s.pattern(tests), ".")
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=",
		"GORACE=suppress_equal_stacks=0 suppress_equal_addresses=0")
	out, err := cmd.CombinedOutput() // races make tests fail
	if len(tests) > 1 && !strings.Contains(string(out), "ALL TESTS COMPLETE") {
		return fmt.Errorf("go test -race: not all tests ran: %v\n%s", err, out)
	}
	byName := map[string]*test{}
	for _, t := range tests {
		byName[t.name] = t
	}
	current := &test{}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "=== RUN   "); ok {
			if t := byName[name]; t != nil {
				current = t
			}
		}
		switch {
		case strings.Contains(line, "DATA RACE"):
			current.detected = true
		case strings.HasPrefix(line, "--- SKIP:"):
			current.skipped = "skipped by the suite itself"
		}
	}
	return nil
}

// alone are tests that do not share a run with others.
var alone = map[string]bool{
	"TestNoRaceDeferAtomicStore": true, // lets the garbage collector give its memory to others
	"TestNoRaceTinyAlloc":        true, // 16 million events
	"TestRaceRangeFuncIterator":  true, // panics
}

// runs returns the tests that are run at once: all but those that are run alone.
func (s *suite) runs() [][]*test {
	runs := make([][]*test, 1)
	for _, t := range s.tests {
		if alone[t.name] {
			runs = append(runs, []*test{t})
		} else {
			runs[0] = append(runs[0], t)
		}
	}
	return slices.DeleteFunc(runs, func(tests []*test) bool { return len(tests) == 0 })
}

// predict runs gopredict on all tests, without exploring and with the default of it. What both
// build is built before, so that neither's time has it.
func (s *suite) predict(ctx context.Context) error {
	if _, _, err := script.Predict(ctx, s.tool, s.dir, new(struct{}), s.args("^$", "")...); err != nil {
		return err
	}
	for _, explore := range []string{off, ""} {
		for _, tests := range s.runs() {
			if err := s.predictThese(ctx, tests, explore); err != nil {
				return err
			}
		}
	}
	return nil
}

// off is the value of -predict.explore that keeps gopredict from it.
const off = "off"

// args are those of gopredict test for the tests that match; explore is the value of
// -predict.explore, "" for the default.
func (s *suite) args(run, explore string) []string {
	args := []string{"-v", "-count=1", "-predict.pkgs=" + s.pkgs, "-predict.timeout=" + s.timeout.String(), "-run=" + run}
	if explore != "" {
		args = append(args, "-predict.explore="+explore)
	}
	return append(args, ".")
}

// perTest bounds the time of one run of gopredict by the number of its tests.
const perTest = 3 * time.Second

// predictThese runs gopredict on tests. If that fails or takes too long, it
// runs each half of them.
func (s *suite) predictThese(ctx context.Context, tests []*test, explore string) error {
	start := time.Now()
	err := s.predictOnce(ctx, tests, explore)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		s.log("%s and %d more: %v", tests[0].name, len(tests)-1, time.Since(start))
		return nil
	}
	s.log("%s and %d more: after %v: %v", tests[0].name, len(tests)-1, time.Since(start), err)
	if len(tests) == 1 {
		tests[0].broken, _, _ = strings.Cut(err.Error(), "\n")
		return nil
	}
	half := len(tests) / 2
	return errors.Join(s.predictThese(ctx, tests[:half], explore), s.predictThese(ctx, tests[half:], explore))
}

// predictOnce runs gopredict on tests and keeps what it found, without exploring only what is
// confirmed, and the processor time that it took.
func (s *suite) predictOnce(ctx context.Context, tests []*test, explore string) error {
	bound := 3*time.Minute + perTest*time.Duration(len(tests))
	bounded, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	var r struct{ Findings []finding }
	state, out, err := script.Predict(bounded, s.tool, s.dir, &r, s.args(s.pattern(tests), explore)...)
	if state != nil {
		s.took[explore] += state.UserTime() + state.SystemTime()
	}
	switch {
	case bounded.Err() != nil:
		return fmt.Errorf("gopredict did not end in %v", bound)
	case err != nil:
		return err
	case state.ExitCode() > 1:
		return fmt.Errorf("gopredict: %v\n%s", state, out)
	}
	for _, t := range tests {
		if explore == off {
			t.unexplored = slices.ContainsFunc(r.Findings, func(f finding) bool { return t.has(f) && f.Status == string(bug.Confirmed) })
			continue
		}
		t.broken = ""
		t.failed = strings.Contains(string(out), "--- FAIL: "+t.name+" ")
		for _, f := range r.Findings {
			if t.has(f) {
				t.findings = append(t.findings, f)
			}
		}
	}
	return nil
}

// has reports whether f is of t. Some tests leave goroutines behind, which is not what the suite
// is about.
func (t *test) has(f finding) bool {
	return f.Test == t.name && f.Kind != bug.Leak && f.Kind != bug.Deadlock
}

// pattern is the argument of -run for tests.
func (s *suite) pattern(tests []*test) string {
	names := make([]string, len(tests))
	for i, t := range tests {
		names[i] = t.name
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

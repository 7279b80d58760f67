package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A suite is a copy of the race detector's tests, and what became of them.
type suite struct {
	dir     string // the copy, a module of its own
	tool    string // gopredict's binary
	pkgs    string // packages to instrument
	timeout time.Duration
	log     func(string, ...any)
	version string // of Go
	tests   []*test
	took    map[string]time.Duration // processor time of gopredict with tests, by the value of -predict.explore
}

// A test is one function of the suite.
type test struct {
	name, file string
	skipped    string // why the suite itself does not run it; "" if it does
	detected   bool   // by go test -race
	broken     string // why there is nothing of gopredict
	failed     bool   // in the recorded run, though not plainly
	findings   []finding
	unexplored bool // something is confirmed without exploring
}

// racy reports whether the suite says that the test has a race.
func (t *test) racy() bool { return strings.HasPrefix(t.name, "TestRace") }

var testFunc = regexp.MustCompile(`(?m)^func (Test(?:No)?Race\w*)\(`)

// release finds the language version in what go env calls GOVERSION.
var release = regexp.MustCompile(`\d+\.\d+`)

// The suite belongs to std and uses two packages and a function that others
// may not or cannot. Each has a public twin that does the same.
var publicTwins = strings.NewReplacer(
	`"internal/synctest"`, `"testing/synctest"`,
	"synctest.Run(func() {", "synctest.Test(t, func(t *testing.T) {",
	"runtime.RaceDisable()", "raceDisable()",
	// It ends the tests behind it, where the suite runs all at once.
	`t.Skip("#72925: uncaught panic ends tests")`, "",
)

// raceDisable is runtime.RaceDisable, which exists under -race only.
var raceDisable = map[string]string{
	"race.go":   "//go:build race\n\npackage race_test\n\nimport \"runtime\"\n\nfunc raceDisable() { runtime.RaceDisable() }\n",
	"norace.go": "//go:build !race\n\npackage race_test\n\nfunc raceDisable() {}\n",
}

// copy copies the suite of the go command's GOROOT, and lists those of its
// tests whose names match.
func (s *suite) copy(ctx context.Context, match *regexp.Regexp) error {
	env, err := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	goroot, version, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	s.version = version
	files, err := filepath.Glob(filepath.Join(goroot, "src/runtime/race/testdata/*_test.go"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no tests in %s/src/runtime/race/testdata; this needs a complete GOROOT", goroot)
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return err
	}
	for _, file := range files {
		if filepath.Base(file) == "cgo_test.go" { // its one test runs another program with -race
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range testFunc.FindAllSubmatch(text, -1) {
			if name := string(m[1]); match.MatchString(name) {
				s.tests = append(s.tests, &test{name: name, file: filepath.Base(file)})
			}
		}
		if err := s.write(filepath.Base(file), publicTwins.Replace(string(text))); err != nil {
			return err
		}
	}
	for name, text := range raceDisable {
		if err := s.write(strings.TrimSuffix(name, ".go")+"_test.go", text); err != nil {
			return err
		}
	}
	return s.write("go.mod", "module race_test\n\ngo "+release.FindString(s.version)+"\n")
}

func (s *suite) write(name, text string) error {
	return os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o666)
}

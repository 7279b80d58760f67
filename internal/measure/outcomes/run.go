package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/measure/script"
)

// bound is the time for one run of a suite; go test itself ends a test binary
// after ten minutes.
const bound = 30 * time.Minute

// runner runs suites.
type runner struct {
	tool   string // gopredict's binary
	work   string // folder for copies of the suites
	keep   string // folder for what the runs leave
	rounds int    // how often a suite is run as it is
	costs  bool   // what exploring costs is measured, too
}

// A process is what one command has left behind.
type process struct {
	exit    int
	seconds float64 // of processor time, with its children
	memory  float64 // resident, of the largest process, in MiB; 0: unknown
	outcomes
	output string
}

// command runs a command that prints the output of go test -json, and keeps
// what it printed in a file of that name.
func (r *runner) command(ctx context.Context, dir, file, name string, args ...string) (process, error) {
	bounded, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	cmd := exec.CommandContext(bounded, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its own children
	cmd.WaitDelay = time.Minute
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	state := cmd.ProcessState
	if state == nil { // it did not start
		return process{}, err
	}
	p := process{seconds: (state.UserTime() + state.SystemTime()).Seconds(), memory: script.Peak(state), outcomes: outcomes{}}
	p.output = stdout.String() + stderr.String()
	if err := os.WriteFile(file, []byte(p.output), 0o666); err != nil {
		return p, err
	}
	if bounded.Err() != nil {
		if ctx.Err() != nil {
			return p, context.Cause(ctx)
		}
		return p, fmt.Errorf("%s %s did not end within %v", filepath.Base(name), args[0], bound)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return p, err
	}
	p.exit = state.ExitCode()
	for line := range strings.Lines(stdout.String()) {
		p.add(line)
	}
	return p, nil
}

// outcomes are "pass", "fail" or "skip" by a test's package and name, and by
// the package for the package itself.
type outcomes map[string]string

// addresses, in the names of subtests, are others in each run.
var addresses = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// add takes one line of the output of go test -json. Of a test the first result is its own: a
// confirmed bug is told as another one, of the same name.
func (o outcomes) add(line string) {
	var event struct{ Action, Package, Test string }
	if json.Unmarshal([]byte(line), &event) != nil {
		return // what is printed besides
	}
	switch event.Action {
	case "pass", "fail", "skip":
		name := event.Package
		if event.Test != "" {
			name += " " + addresses.ReplaceAllString(event.Test, "0x")
		}
		if o[name] == "" {
			o[name] = event.Action
		}
	}
}

// count returns how many tests, not packages, came out so.
func (o outcomes) count(outcome string) int {
	n := 0
	for name, got := range o {
		if strings.Contains(name, " ") && got == outcome {
			n++
		}
	}
	return n
}

// A report is what is looked at of gopredict's JSON report.
type report struct {
	Packages []struct {
		Package    string
		Result     string
		Events     int
		TraceBytes int64 `json:"trace_bytes"`
		Lingering  []json.RawMessage
	}
	Findings []finding
	Totals   struct{ Candidates, Confirmed int }
	Warnings []string
}

// A finding is one of the report.
type finding struct {
	ID, Kind, Status, Effect, Test string
	Accesses                       []struct {
		Op, File string
		Line     int
	}
}

// places returns the finding's places, "read bank.go:31, write bank.go:40".
func (f finding) places() string {
	var places []string
	for _, a := range f.Accesses {
		places = append(places, fmt.Sprintf("%s %s:%d", a.Op, a.File, a.Line))
	}
	return strings.Join(places, ", ")
}

func readReport(file string) (report, error) {
	var r report
	text, err := os.ReadFile(file)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}

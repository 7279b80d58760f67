package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A cost is what it takes to replay the candidates of one test.
type cost struct {
	candidates int
	all        time.Duration // for confirming all candidates
	replay     time.Duration // for a single replay
}

// writeHundred makes a module with a test in which two goroutines race for n
// fields.
func writeHundred(dir string, n int) error {
	var code strings.Builder
	code.WriteString("package hundred\n\nimport (\n\t\"sync\"\n\t\"testing\"\n)\n\n")
	code.WriteString("func TestHundred(t *testing.T) {\n\tvar s struct {")
	for i := range n {
		fmt.Fprintf(&code, "\n\t\tf%d int", i)
	}
	code.WriteString("\n\t}\n\tvar both sync.WaitGroup\n\tboth.Go(func() {\n")
	for i := range n {
		fmt.Fprintf(&code, "\t\ts.f%d = 1\n", i)
	}
	code.WriteString("\t})\n\tboth.Go(func() {\n")
	for i := range n {
		fmt.Fprintf(&code, "\t\ts.f%d = 2\n", i)
	}
	code.WriteString("\t})\n\tboth.Wait()\n}\n")
	for name, text := range map[string]string{
		"go.mod":          "module example.com/hundred\n\ngo 1.26\n",
		"hundred_test.go": code.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// hundred measures what n candidates of one test cost. What the command does
// beside the replays is measured by a run whose time for these is over at once.
func hundred(ctx context.Context, tool, work string, n int) (cost, error) {
	dir := filepath.Join(work, "hundred")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return cost{}, err
	}
	if err := writeHundred(dir, n); err != nil {
		return cost{}, err
	}
	var without time.Duration
	for range 2 { // the first one builds
		var err error
		if without, err = timed(ctx, dir, 0, tool, "test", "-predict.timeout=1ns", "."); err != nil {
			return cost{}, err
		}
	}
	report := filepath.Join(dir, "report.json")
	with, err := timed(ctx, dir, 1, tool, "test", "-predict.json="+report, ".")
	if err != nil {
		return cost{}, err
	}
	if err := allConfirmed(report, n); err != nil {
		return cost{}, err
	}
	witnesses, err := filepath.Glob(filepath.Join(dir, "testdata", "predict", "*", "*"))
	if err != nil || len(witnesses) == 0 {
		return cost{}, fmt.Errorf("no witnesses in %s (%v)", dir, err)
	}
	const times = 40
	once, err := timed(ctx, dir, 1, tool, "replay", "-n", "1", witnesses[0])
	if err != nil {
		return cost{}, err
	}
	more, err := timed(ctx, dir, 1, tool, "replay", "-n", strconv.Itoa(times+1), witnesses[0])
	if err != nil {
		return cost{}, err
	}
	return cost{candidates: n, all: with - without, replay: (more - once) / times}, nil
}

// timed runs a command that must end with the exit code, and returns how long it
// took.
func timed(ctx context.Context, dir string, exit int, name string, args ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(start)
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exit {
		return 0, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return took, nil
}

// allConfirmed checks that a report has n confirmed findings.
func allConfirmed(report string, n int) error {
	text, err := os.ReadFile(report)
	if err != nil {
		return err
	}
	var r struct{ Totals struct{ Confirmed int } }
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	if r.Totals.Confirmed != n {
		return fmt.Errorf("%s: %d confirmed, want %d", report, r.Totals.Confirmed, n)
	}
	return nil
}

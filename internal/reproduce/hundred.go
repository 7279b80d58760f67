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

// A cost is what it takes to replay the candidates of one test, in processor time
// of gopredict and the tests together, which other work on the machine changes
// little. All are medians.
type cost struct {
	candidates int
	all        time.Duration // for confirming all candidates
	replay     time.Duration // for one replay of one of them
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

// measures is how often each is measured.
const measures = 9

// hundred measures what n candidates of one test cost.
func hundred(ctx context.Context, tool, work string, n int) (cost, error) {
	c := cost{candidates: n}
	dir := filepath.Join(work, "hundred")
	all, err := confirming(ctx, tool, dir, n)
	if err != nil {
		return c, err
	}
	c.all = all
	witnesses, err := filepath.Glob(filepath.Join(dir, "testdata", "predict", "*", "*"))
	if err != nil || len(witnesses) == 0 {
		return c, fmt.Errorf("no witnesses in %s (%v)", dir, err)
	}
	const times = 40
	var replays []time.Duration
	for range measures {
		once, err := used(ctx, dir, 1, tool, "replay", "-n", "1", witnesses[0])
		if err != nil {
			return c, err
		}
		more, err := used(ctx, dir, 1, tool, "replay", "-n", strconv.Itoa(times+1), witnesses[0])
		if err != nil {
			return c, err
		}
		replays = append(replays, (more-once)/times)
	}
	c.replay = median(replays)
	return c, nil
}

// confirming measures what it costs to confirm n candidates of one test, in a
// module that is made in dir. What the command does beside is measured by a run
// whose time for replays is over at once.
func confirming(ctx context.Context, tool, dir string, n int) (time.Duration, error) {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return 0, err
	}
	if err := writeHundred(dir, n); err != nil {
		return 0, err
	}
	if _, err := used(ctx, dir, 0, tool, "test", "-predict.timeout=1ns", "."); err != nil { // builds
		return 0, err
	}
	report := filepath.Join(dir, "report.json")
	var all []time.Duration
	for range measures {
		if err := os.RemoveAll(filepath.Join(dir, "testdata")); err != nil { // else its witnesses come first
			return 0, err
		}
		without, err := used(ctx, dir, 0, tool, "test", "-predict.timeout=1ns", ".")
		if err != nil {
			return 0, err
		}
		with, err := used(ctx, dir, 1, tool, "test", "-predict.json="+report, ".")
		if err != nil {
			return 0, err
		}
		if err := allConfirmed(report, n); err != nil {
			return 0, err
		}
		all = append(all, with-without)
	}
	return median(all), nil
}

// used runs a command that must end with the exit code, and returns the processor
// time that it and its children took.
func used(ctx context.Context, dir string, exit int, name string, args ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exit {
		return 0, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
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

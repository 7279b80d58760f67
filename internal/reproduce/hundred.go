package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A cost is what it takes to replay the candidates of one test. All are medians.
type cost struct {
	candidates int
	all        spent // for confirming all candidates
	replay     spent // for one replay of one of them
}

// A spent is the time that something takes.
type spent struct {
	wall time.Duration
	cpu  time.Duration // of all processes together, which other work on the machine changes little
}

func (s spent) minus(o spent) spent { return spent{s.wall - o.wall, s.cpu - o.cpu} }

func medians(all []spent) spent {
	var wall, cpu []time.Duration
	for _, s := range all {
		wall, cpu = append(wall, s.wall), append(cpu, s.cpu)
	}
	return spent{median(wall), median(cpu)}
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

// hundred measures what n candidates of one test cost, which it makes in a folder
// of work. What the command does beside is measured by a run whose time for replays
// is over at once.
func hundred(ctx context.Context, tool, work string, n int) (cost, error) {
	c := cost{candidates: n}
	dir := filepath.Join(work, "hundred")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return c, err
	}
	if err := writeHundred(dir, n); err != nil {
		return c, err
	}
	if _, err := used(ctx, dir, 0, tool, "test", "-predict.timeout=1ns", "."); err != nil { // builds
		return c, err
	}
	var all, replays []spent
	for range measures {
		with, err := confirming(ctx, tool, dir, n)
		if err != nil {
			return c, err
		}
		once, err := replaying(ctx, tool, dir)
		if err != nil {
			return c, err
		}
		all, replays = append(all, with), append(replays, once)
	}
	c.all, c.replay = medians(all), medians(replays)
	return c, nil
}

// confirming measures what it costs to confirm the n candidates in dir.
func confirming(ctx context.Context, tool, dir string, n int) (spent, error) {
	if err := putAway(filepath.Join(dir, "testdata")); err != nil { // else its witnesses come first
		return spent{}, err
	}
	without, err := used(ctx, dir, 0, tool, "test", "-predict.timeout=1ns", ".")
	if err != nil {
		return spent{}, err
	}
	report := filepath.Join(dir, "report.json")
	with, err := used(ctx, dir, 1, tool, "test", "-predict.json="+report, ".")
	if err != nil {
		return spent{}, err
	}
	return with.minus(without), allConfirmed(report, n)
}

// putAway renames a folder, if it is there. To remove it would make the file system
// slow to make files for some seconds.
func putAway(dir string) error {
	away, err := os.MkdirTemp(filepath.Dir(filepath.Dir(dir)), "away-")
	if err != nil {
		return err
	}
	if err := os.Rename(dir, filepath.Join(away, "x")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// replaying measures what it costs to replay one of the witnesses in dir.
func replaying(ctx context.Context, tool, dir string) (spent, error) {
	witnesses, err := filepath.Glob(filepath.Join(dir, "testdata", "predict", "*", "*"))
	if err != nil || len(witnesses) == 0 {
		return spent{}, fmt.Errorf("no witnesses in %s (%v)", dir, err)
	}
	once, err := used(ctx, dir, 1, tool, "replay", "-n", "1", witnesses[0])
	if err != nil {
		return spent{}, err
	}
	const times = 100
	more, err := used(ctx, dir, 1, tool, "replay", "-n", strconv.Itoa(times+1), witnesses[0])
	if err != nil {
		return spent{}, err
	}
	all := more.minus(once)
	return spent{all.wall / times, all.cpu / times}, nil
}

// used runs a command that must end with the exit code, and returns the time that
// it and its children took.
func used(ctx context.Context, dir string, exit int, name string, args ...string) (spent, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	start := time.Now()
	out, err := cmd.CombinedOutput()
	wall := time.Since(start)
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exit {
		return spent{}, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return spent{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
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

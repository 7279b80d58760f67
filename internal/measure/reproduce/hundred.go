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

// A cost is what it takes to confirm the candidates of one test. All are medians.
type cost struct {
	candidates int
	all        time.Duration // for all, as many at the same time as there are processors
	one        time.Duration // for the only one of a test that has no other
	times      float64       // how often one fits into all, in a run of each right after the other
	inTurn     time.Duration // for one of all, on one processor
	again      time.Duration // for one of many replays of one witness
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
const measures = 15

// hundred measures what n candidates of one test cost, and what the one of another
// does, which it makes in folders of work.
func hundred(ctx context.Context, tool, work string, n int) (cost, error) {
	c := cost{candidates: n}
	many, single := filepath.Join(work, "hundred"), filepath.Join(work, "single")
	for dir, fields := range map[string]int{many: n, single: 1} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			return c, err
		}
		if err := writeHundred(dir, fields); err != nil {
			return c, err
		}
		if _, err := confirming(ctx, tool, dir, fields); err != nil { // builds
			return c, err
		}
	}
	var all, one, inTurn, again []time.Duration
	var times []float64
	for range measures {
		together, err := confirming(ctx, tool, many, n)
		if err != nil {
			return c, err
		}
		alone, err := confirming(ctx, tool, single, 1)
		if err != nil {
			return c, err
		}
		sum, err := confirming(ctx, tool, many, n, "GOMAXPROCS=1")
		if err != nil {
			return c, err
		}
		repeated, err := repeating(ctx, tool, many)
		if err != nil {
			return c, err
		}
		all, one, inTurn, again = append(all, together), append(one, alone), append(inTurn, sum/time.Duration(n)), append(again, repeated)
		times = append(times, float64(together)/float64(alone))
	}
	c.all, c.one, c.times, c.inTurn, c.again = median(all), median(one), median(times), median(inTurn), median(again)
	return c, nil
}

// confirming returns how long gopredict takes, with env, from the first to the last
// replay of the n candidates in dir.
func confirming(ctx context.Context, tool, dir string, n int, env ...string) (time.Duration, error) {
	if err := putAway(filepath.Join(dir, "testdata")); err != nil { // else its witnesses come first
		return 0, err
	}
	report := filepath.Join(dir, "report.json")
	cmd := exec.CommandContext(ctx, tool, "test", "-predict.json="+report, ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if err := confirms(cmd); err != nil {
		return 0, err
	}
	return replayTime(report, n)
}

// repeating returns what one of many replays of a witness in dir takes.
func repeating(ctx context.Context, tool, dir string) (time.Duration, error) {
	witnesses, err := filepath.Glob(filepath.Join(dir, "testdata", "predict", "*", "*"))
	if err != nil || len(witnesses) == 0 {
		return 0, fmt.Errorf("no witnesses in %s (%v)", dir, err)
	}
	const times = 200
	var took [2]time.Duration
	for i, n := range []int{1, 1 + times} {
		cmd := exec.CommandContext(ctx, tool, "replay", "-n", strconv.Itoa(n), witnesses[0])
		cmd.Dir = dir
		start := time.Now()
		if err := confirms(cmd); err != nil {
			return 0, err
		}
		took[i] = time.Since(start)
	}
	return (took[1] - took[0]) / times, nil
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

// replayTime reads from a report, which must have n confirmed findings, how long the
// replays have taken.
func replayTime(report string, n int) (time.Duration, error) {
	text, err := os.ReadFile(report)
	if err != nil {
		return 0, err
	}
	var r struct {
		Packages []struct {
			ReplayS float64 `json:"replay_s"`
		}
		Totals struct{ Confirmed int }
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return 0, err
	}
	if r.Totals.Confirmed != n || len(r.Packages) != 1 {
		return 0, fmt.Errorf("%s: %d confirmed in %d packages, expected %d in one", report, r.Totals.Confirmed, len(r.Packages), n)
	}
	return time.Duration(r.Packages[0].ReplayS * float64(time.Second)), nil
}

// Modules runs the whole test suites of public modules plainly, under -race and through
// gopredict, and writes a table of what each takes and of what is left undecided, with why.
//
//	go run ./internal/measure/modules -rows=FILE -before=internal/measure/modules/before.json -o docs/measured/modules.md
//
// All is built before, so that no build is measured. What was measured is kept in FILE: a
// module that is there is not run again. It exits with 1 if a command did not end within half
// an hour.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/script"
)

// modules are those whose suites are run.
var modules = []string{
	"golang.org/x/sync@v0.24.0",
	"go.uber.org/zap@v1.28.0",
	"github.com/spf13/viper@v1.21.0",
	"github.com/gin-gonic/gin@v1.12.0",
	"github.com/jackc/puddle@v1.0.0",
	"github.com/jackc/puddle/v2@v2.1.0",
	"github.com/sasha-s/go-deadlock@v0.3.9",
	"go.etcd.io/raft/v3@v3.7.0",
	"github.com/prometheus/client_golang@v1.25.0",
	"github.com/ThreeDotsLabs/watermill@v1.5.1",
}

// bound is how long one command may take.
const bound = 30 * time.Minute

func main() {
	flags := flag.NewFlagSet("modules", flag.ExitOnError)
	kept := flags.String("rows", "", "`FILE` that keeps what was measured: a module that is there is not run again")
	earlier := flags.String("before", "", "`FILE` that -rows of an earlier gopredict has written, to compare with")
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "regular expression: only the modules that match")
	script.Compare(flags, func(ctx context.Context, j script.Job) (bool, error) {
		rows := make(map[string]row)
		_, err := script.LoadRows(*kept, "what was measured of modules, as -rows writes it", &rows)
		if err != nil {
			return false, err
		}
		before := make(map[string]row)
		if _, err := script.LoadRows(*earlier, "what was measured of modules, as -rows writes it", &before); err != nil {
			return false, err
		}
		for i, module := range modules {
			if _, ok := rows[module]; ok || !match.MatchString(module) {
				continue
			}
			r, err := measure(ctx, j.Tool, module, filepath.Join(j.Dir, fmt.Sprint(i)))
			if err != nil {
				return false, fmt.Errorf("%s: %w", module, err)
			}
			rows[module] = r
			fmt.Fprintf(os.Stderr, "modules: %s: %s\n", module, r.Predict)
			if err := script.SaveRows(*kept, rows); err != nil {
				return false, err
			}
		}
		return ended(rows), script.Write(j.Out, page(rows, before))
	})
}

// A row is what was measured of one module.
type row struct {
	Plain, Race, Predict cost
	Candidates, Pruned   int
	Confirmed, Undecided int
	Infeasible           int
	Recording            float64        // seconds of the recorded runs
	After                float64        // seconds from the end of these to that of the command: analysis and replays
	Events               int            // recorded in these
	Reasons              map[string]int // of what is undecided: how many
}

// A cost is of one command.
type cost struct {
	Processor, Elapsed float64 // seconds, of the processor with all children
	Memory             float64 // of the largest process, in MiB
	Ended              bool    // within the bound
}

func (c cost) String() string {
	if !c.Ended {
		return fmt.Sprintf("did not end in %v", bound)
	}
	return fmt.Sprintf("%.1f s, %.1f s elapsed, %.0f MB", c.Processor, c.Elapsed, c.Memory)
}

// measure runs the suite of one module in a copy below dir, which it removes.
func measure(ctx context.Context, tool, module, dir string) (r row, err error) {
	defer os.RemoveAll(dir)
	checkout := filepath.Join(dir, "module")
	if _, err := script.Download(ctx, module, checkout); err != nil {
		return r, err
	}
	report := filepath.Join(dir, "report.json")
	for _, way := range []struct {
		cost *cost
		args []string
	}{
		{&r.Plain, []string{"go", "test"}},
		{&r.Race, []string{"go", "test", "-race"}},
		{&r.Predict, []string{tool, "test", "-predict.json=" + report}},
	} {
		for _, only := range []string{"-run=^$", "-run=."} { // first what is to be built
			if *way.cost, err = command(ctx, checkout, append(way.args, "-count=1", only, "./...")...); err != nil {
				return r, err
			}
		}
	}
	return r, r.read(report)
}

// command runs a command in dir. That it fails is no error: suites do.
func command(ctx context.Context, dir string, args ...string) (c cost, err error) {
	bounded, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	cmd := exec.CommandContext(bounded, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its own children
	cmd.WaitDelay = time.Minute
	start := time.Now()
	err = cmd.Run()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed && bounded.Err() == nil {
		return c, err
	}
	if err := context.Cause(ctx); err != nil {
		return c, err
	}
	s := cmd.ProcessState
	return cost{(s.UserTime() + s.SystemTime()).Seconds(), time.Since(start).Seconds(), script.Peak(s), bounded.Err() == nil}, nil
}

// numbers, names and places in reasons differ where the cause is one.
var (
	numbers = regexp.MustCompile(`\d+(,\d{3})*`)
	named   = regexp.MustCompile(`but .* (may find something else|may choose another case|may come in another order|may come out otherwise).*`)
	because = regexp.MustCompile(`(: the orders that lead there would change|: each of these would have to come before|, and the last before the first: ).*`)
	at      = regexp.MustCompile(`( is at | waits for goroutine | has ended without ).*`)
)

// read takes the numbers from the command's report.
func (r *row) read(file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it did not come to that
	}
	if err != nil {
		return err
	}
	var report struct {
		Duration float64 `json:"duration_s"`
		Tested   float64 `json:"tested_s"`
		Packages []struct {
			Events  int
			Seconds float64 `json:"record_s"`
		}
		Findings []struct {
			Status bug.Status
			Reason string
		}
		Totals struct{ Candidates, Pruned, Infeasible int }
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	r.After = report.Duration - report.Tested
	r.Candidates, r.Pruned, r.Infeasible = report.Totals.Candidates, report.Totals.Pruned, report.Totals.Infeasible
	for _, p := range report.Packages {
		r.Events += p.Events
		r.Recording += p.Seconds
	}
	r.Reasons = make(map[string]int)
	for _, f := range report.Findings {
		switch f.Status {
		case bug.Confirmed:
			r.Confirmed++
		case bug.Infeasible:
		default:
			r.Undecided++
			why := named.ReplaceAllString(f.Reason, "but a read, a branch, a select or a message $1")
			r.Reasons[numbers.ReplaceAllString(at.ReplaceAllString(because.ReplaceAllString(why, ""), "$1…"), "N")]++
		}
	}
	return nil
}

// ended reports whether all commands came to their end.
func ended(rows map[string]row) bool {
	for _, r := range rows {
		if !r.Plain.Ended || !r.Race.Ended || !r.Predict.Ended {
			return false
		}
	}
	return true
}

// Command reproduce replays each witness of each subject under testdata many
// times, under conditions that could make a replay miss its bug, and writes a
// table of how often it stood there; what a replay costs beside a plain run of its
// test; what it takes to replay 100 candidates of one test ("hundred" for -run);
// and whether recordings and replays of a test that depends on chance are all the
// same ("chance").
//
//	go run ./internal/measure/reproduce [-n N] [-run REGEXP] [-o docs/measured/replay.md]
//
// It runs in the root of the repository, and exits with 1 if a replay missed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/internal/report"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "-timed" { // by gopredict, as -exec
		code, err := runTimed(os.Args[2:])
		if err != nil {
			fmt.Fprintln(os.Stderr, "reproduce:", err)
			code = 3
		}
		os.Exit(code)
	}
	script.Main("reproduce", run)
}

// run does all, and reports whether each replay reached its bug.
func run(ctx context.Context, args []string) (bool, error) {
	flags := flag.NewFlagSet("reproduce", flag.ExitOnError)
	n := flags.Int("n", 100, "replay each witness `N` times under each condition")
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "take the subjects whose names match `REGEXP`")
	out := flags.String("o", "", "`FILE` for the table; without it, it goes to the standard output")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	root, err := os.Getwd()
	if err != nil {
		return false, err
	}
	work, err := os.MkdirTemp("", "reproduce-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	tool, err := script.Build(ctx, ".", work)
	if err != nil {
		return false, err
	}
	names, err := subjectsIn(root)
	if err != nil {
		return false, err
	}
	var subjects []subject
	for _, name := range names {
		if match.MatchString(name) {
			subjects = append(subjects, subject{name: name, root: root, work: work, tool: tool})
		}
	}
	status := report.NewStatus(os.Stderr)
	defer status.Close()
	t := table{n: *n}
	if t.rows, err = reach(ctx, subjects, *n, status); err != nil {
		return false, err
	}
	for _, s := range subjects {
		if slices.Contains(sayThemselves, s.name) {
			continue // hundreds of replays, of tests like those of others
		}
		status.Set("timing", s.name)
		timings, err := s.timings(ctx)
		if err != nil {
			return false, fmt.Errorf("%s: %w", s.name, err)
		}
		t.timings = append(t.timings, timings...)
	}
	if match.MatchString("hundred") {
		status.Set("timing", "many candidates")
		c, err := hundred(ctx, tool, work, 100)
		if err != nil {
			return false, fmt.Errorf("hundred: %w", err)
		}
		t.cost = &c
	}
	if match.MatchString("chance") {
		status.Set("repeating", "what depends on chance")
		if err := chance(ctx, *n); err != nil {
			return false, err
		}
		t.chance = *n
	}
	status.Close()
	if err := script.Write(*out, t.text()); err != nil {
		return false, err
	}
	return t.good(), nil
}

// reach makes the witnesses of the subjects and replays each n times under each
// condition, as many at the same time as there are processors. The time goes less
// into the replays than into building, for each, the test anew.
func reach(ctx context.Context, subjects []subject, n int, status *report.Status) ([]row, error) {
	made := make([][]row, len(subjects))
	err := each(len(subjects), func(i int) (err error) {
		status.Set("making witnesses", subjects[i].name)
		if made[i], err = subjects[i].witnesses(ctx); err != nil {
			return fmt.Errorf("%s: %w", subjects[i].name, err)
		}
		return nil
	})
	rows := slices.Concat(made...)
	for c := range conditions {
		if err != nil {
			break
		}
		stop := func() {}
		if conditions[c].load {
			if stop, err = busy(ctx); err != nil {
				return nil, err
			}
		}
		err = each(len(rows), func(i int) error {
			status.Set("replaying", fmt.Sprintf("%s, %d of %d, %s", conditions[c].name, i+1, len(rows), rows[i].subject.name))
			return rows[i].replay(ctx, c, n)
		})
		stop()
	}
	return rows, err
}

// each calls f for 0 to n-1, on all processors, until there are errors, which it
// returns.
func each(n int, f func(i int) error) error {
	var next atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for w := range errs {
		all.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[w] = f(i)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

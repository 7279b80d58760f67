// Command reproduce replays each witness of each subject under testdata many
// times, under conditions that could make a replay miss its bug, and writes a
// table of how often it stood there; what a replay costs beside a plain run of its
// test; what it takes to replay 100 candidates of one test ("hundred" for -run);
// and whether recordings and replays of a test that depends on chance are all the
// same ("chance").
//
//	go run ./internal/reproduce [-n N] [-run REGEXP] [-o docs/replay.md]
//
// It runs in the root of the repository, and exits with 1 if a replay missed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/gopredict/gopredict/internal/script"
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
	t := table{n: *n}
	wants, err := filepath.Glob(filepath.Join(root, "testdata", "*", "want.json"))
	if err != nil {
		return false, err
	}
	for _, want := range wants {
		name := filepath.Base(filepath.Dir(want))
		if !match.MatchString(name) {
			continue
		}
		s := subject{name: name, root: root, work: work, tool: tool}
		rows, err := s.replay(ctx, *n)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		t.rows = append(t.rows, rows...)
		timings, err := s.timings(ctx)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		t.timings = append(t.timings, timings...)
	}
	if match.MatchString("hundred") {
		c, err := hundred(ctx, tool, work, 100)
		if err != nil {
			return false, fmt.Errorf("hundred: %w", err)
		}
		t.cost = &c
	}
	if match.MatchString("chance") {
		if err := chance(ctx, *n); err != nil {
			return false, err
		}
		t.chance = *n
	}
	if err := script.Write(*out, t.text()); err != nil {
		return false, err
	}
	return t.good(), nil
}

// Leaks runs the cases of Go's own test of its goroutine-leak profile, among them the
// blocking bugs of GoBench, through gopredict, and writes a table of the goroutines that
// are expected to be left behind and of those that are confirmed.
//
//	go run ./internal/measure/leaks -o docs/leaks.md
//
// Each case is one test, and recorded once: all that comes after are further runs and
// replays of gopredict's own. It exits with 1 if a leak is not confirmed in each
// repetition, or if a case without leaks has one.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/gopredict/gopredict/internal/measure/script"
)

func main() { script.Main("leaks", run) }

// run does all, and reports whether each case came out as it must.
func run(ctx context.Context, args []string) (bool, error) {
	flags := flag.NewFlagSet("leaks", flag.ExitOnError)
	out := flags.String("o", "", "file for the table; without it, the table goes to the standard output")
	tool := flags.String("tool", "", "gopredict's binary; without it, one is built of the module in this folder")
	count := flags.Int("count", 1, "how many times gopredict runs on each case")
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "regular expression: only the cases that match")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "leaks-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if *tool == "" {
		if *tool, err = script.Build(ctx, ".", dir); err != nil {
			return false, err
		}
	}
	s := &suite{dir: filepath.Join(dir, "leaks"), tool: *tool}
	if err := s.copy(ctx, &match); err != nil {
		return false, fmt.Errorf("copying the cases: %w", err)
	}
	cases := s.cases
	s.cases = nil
	for _, c := range cases {
		for range *count {
			if err := s.predict(ctx, c); err != nil {
				return false, err
			}
		}
		fmt.Fprintf(os.Stderr, "leaks: %s: %s\n", c.name, c.found())
		s.cases = append(s.cases, c)
		if *out != "" { // after each: all take long
			if err := script.Write(*out, s.table()); err != nil {
				return false, err
			}
		}
	}
	if *out == "" {
		return s.good(), script.Write("", s.table())
	}
	return s.good(), nil
}

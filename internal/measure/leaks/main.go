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

func main() {
	flags := flag.NewFlagSet("leaks", flag.ExitOnError)
	count := flags.Int("count", 1, "how many times gopredict runs on each case")
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "regular expression: only the cases that match")
	script.Compare(flags, func(ctx context.Context, j script.Job) (bool, error) {
		s := &suite{dir: filepath.Join(j.Dir, "leaks"), tool: j.Tool}
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
			if j.Out != "" { // after each: all take long
				if err := script.Write(j.Out, s.table()); err != nil {
					return false, err
				}
			}
		}
		return s.good(), script.Write(j.Out, s.table())
	})
}

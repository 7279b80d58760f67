// Leaks runs the cases of Go's own test of its goroutine-leak profile, among them the
// blocking bugs of GoBench, through gopredict, and writes a table of the goroutines that
// are expected to be left behind and of those that are confirmed.
//
//	go run ./internal/measure/leaks -o docs/measured/leaks.md
//
// Each case is one test, and recorded once: all that comes after are further runs and
// replays of gopredict's own. With -rows the table can be made in parts, as of other cases
// each time. It exits with 1 if a leak of a case that was run is not confirmed in each
// repetition, or if one without leaks has one.
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
	kept := flags.String("rows", "", "`FILE` that keeps what was measured: a case that has all its runs there is not run again, and the table has all cases that are there")
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "regular expression: only the cases that match")
	script.Compare(flags, func(ctx context.Context, j script.Job) (bool, error) {
		s := &suite{dir: filepath.Join(j.Dir, "leaks"), tool: j.Tool}
		if err := s.copy(ctx); err != nil {
			return false, fmt.Errorf("copying the cases: %w", err)
		}
		if err := s.load(*kept); err != nil {
			return false, err
		}
		for _, c := range s.cases {
			if !match.MatchString(c.name) {
				continue
			}
			for len(c.outcomes) < *count {
				if err := s.predict(ctx, c); err != nil {
					return false, err
				}
				if err := s.save(*kept); err != nil { // after each: all take long
					return false, err
				}
			}
			fmt.Fprintf(os.Stderr, "leaks: %s: %s\n", c.name, c.found())
			if j.Out != "" {
				if err := script.Write(j.Out, s.table()); err != nil {
					return false, err
				}
			}
		}
		return s.good(&match), script.Write(j.Out, s.table())
	})
}

// Command sliced measures sliced causality (Chen and Roşu, Predictive Runtime Analysis of
// Multithreaded Programs, 2005): their Figures 11 and 12 of the programs of testdata/papers/sliced and
// the suite of a router of HTTP requests, and the races that happens-before, sliced causality
// and gopredict predict, of all papers' programs and the suites of others.
//
//	go run ./internal/measure/sliced [-run REGEXP] [-rows FILE] [-o docs/measured/sliced.md]
//
// It runs in the root of the repository, and exits with 1 if sliced causality predicts a race
// that gopredict refutes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"

	"github.com/gopredict/gopredict/internal/measure/script"
)

func main() {
	flags := flag.NewFlagSet("sliced", flag.ExitOnError)
	kept := flags.String("rows", "", "`FILE` that keeps what was measured: what has its rows there is not measured again, and the tables have all rows that are there")
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "measure the modules whose names match `REGEXP`")
	script.Compare(flags, func(ctx context.Context, j script.Job) (bool, error) {
		rows := make(map[string][]row) // by module
		if _, err := script.LoadRows(*kept, "rows of this command", &rows); err != nil {
			return false, err
		}
		for _, s := range sources {
			if rows[s.name] != nil || !match.MatchString(s.name) {
				continue
			}
			rs, err := s.measure(ctx, j.Tool, j.Dir)
			if err != nil {
				return false, fmt.Errorf("%s: %w", s.name, err)
			}
			rows[s.name] = rs
			if err := script.SaveRows(*kept, rows); err != nil {
				return false, err
			}
		}
		good := true
		for name, rs := range rows {
			for _, r := range rs {
				for _, pair := range r.Refuted {
					fmt.Fprintf(os.Stderr, "sliced: %s: predicted by sliced causality, and refuted: %s\n", name, pair)
					good = false
				}
			}
		}
		return good, script.Write(j.Out, document(rows))
	})
}

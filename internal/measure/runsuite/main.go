// Runsuite runs the programs of Go's own test suite, those under GOROOT/test
// that are marked "// run", "// rundir", "// runindir" or "// runoutput",
// plainly and instrumented, and writes a table of what is different.
//
//	go run ./internal/measure/runsuite -o docs/measured/run-suite.md
//
// A program that does plainly what Go expects of it must do the same when it
// is recorded, must leave a trace that is whole and legal, and must do the same
// when its instrumented binary is run for nothing. The command exits with 1 if
// one does not.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/gopredict/gopredict/internal/measure/script"
)

func main() { script.Main("runsuite", runAll) }

// runAll does all, and reports whether the suite came out as it must.
func runAll(ctx context.Context, args []string) (bool, error) {
	flags := flag.NewFlagSet("runsuite", flag.ExitOnError)
	out := flags.String("o", "", "file for the table; without it, the table goes to the standard output")
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "regular expression: only the programs whose names match")
	limit := flags.Duration("timeout", 5*time.Minute, "for one run of one program")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "runsuite-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	s, err := newSuite(ctx, dir)
	if err != nil {
		return false, err
	}
	s.limit = *limit
	s.log = func(format string, args ...any) { fmt.Fprintf(os.Stderr, "runsuite: "+format+"\n", args...) }
	if s.programs, err = list(s.root, &match); err != nil {
		return false, err
	}
	if err := s.all(ctx); err != nil {
		return false, err
	}
	text := s.table()
	if err := script.Write(*out, text); err != nil {
		return false, err
	}
	return s.good(), nil
}

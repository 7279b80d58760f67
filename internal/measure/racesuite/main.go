// Racesuite runs the test suite of Go's own race detector,
// GOROOT/src/runtime/race/testdata, with go test -race and with gopredict, and
// writes a table of both. Names say what is expected: TestRaceX has a race,
// TestNoRaceX has none.
//
//	go run ./internal/measure/racesuite -o docs/measured/race-suite.md
//
// It exits with 1 if a race that -race finds is not predicted, or if gopredict
// confirms one in a TestNoRace.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/gopredict/gopredict/internal/measure/script"
)

func main() {
	flags := flag.NewFlagSet("racesuite", flag.ExitOnError)
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "regular expression: only the tests that match")
	timeout := flags.Duration("timeout", 10*time.Minute, "for all replays together")
	pkgs := flags.String("pkgs", "work,bytes,hash/crc32,reflect", "packages to instrument, as for -predict.pkgs")
	script.Compare(flags, func(ctx context.Context, j script.Job) (bool, error) {
		log := func(format string, args ...any) { fmt.Fprintf(os.Stderr, "racesuite: "+format+"\n", args...) }
		s := &suite{dir: filepath.Join(j.Dir, "race_test"), tool: j.Tool, pkgs: *pkgs, timeout: *timeout, log: log, took: make(map[string]time.Duration)}
		if err := s.copy(ctx, &match); err != nil {
			return false, fmt.Errorf("copying the suite: %w", err)
		}
		log("%d tests; go test -race", len(s.tests))
		if err := s.detect(ctx); err != nil {
			return false, err
		}
		if err := s.predict(ctx); err != nil {
			return false, err
		}
		text := s.table()
		if err := script.Write(j.Out, text); err != nil {
			return false, err
		}
		return s.good(), nil
	})
}

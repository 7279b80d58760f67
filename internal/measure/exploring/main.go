// Exploring counts how many runs it takes until the bugs of testdata/papers/sctbench and
// testdata/kinds/reach are seen: with the runs that gopredict makes, one after the other, to where
// no goroutine has been yet, beside random schedulers and plain runs; and how many runs it
// takes to see all that some tests of others can do, and random programs; and writes a page.
//
//	go run ./internal/measure/exploring -o docs/measured/exploring.md
//
// With -rows the table can be made in parts, as of other programs each time, or of other
// columns: those of a row whose commit is taken out of the file are measured anew. It exits with 1
// if a bug that is expected is not confirmed within as many runs as are made at most, or if
// something is confirmed in a program without a bug, or if a test of others is not explored
// completely.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/script"
)

// most is how many runs there are at most until a bug is taken for not found.
const most = 200

func main() {
	flags := flag.NewFlagSet("exploring", flag.ExitOnError)
	seeds := flags.Int("seeds", 20, "of how many seeds the medians are; 0: only gopredict is run")
	programs := flags.Int("programs", 5000, "how many random programs are explored completely")
	kept := flags.String("rows", "", "`FILE` that keeps what was measured: a program that is there is not run again, and the table has all that are there")
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "regular expression: only the tests that match")
	script.Compare(flags, func(ctx context.Context, j script.Job) (bool, error) {
		commit, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
		if err != nil {
			return false, fmt.Errorf("git rev-parse: %w", err)
		}
		b := &bench{dir: j.Dir, tool: j.Tool, seeds: *seeds, random: *programs, commit: strings.TrimSpace(string(commit))}
		for _, subject := range []string{"sctbench", "reach"} {
			if err := b.prepare(ctx, "testdata/"+subject); err != nil {
				return false, fmt.Errorf("preparing %s: %w", subject, err)
			}
		}
		if err := b.load(*kept); err != nil {
			return false, err
		}
		for _, p := range b.programs {
			if !match.MatchString(p.test) || b.measured(p) {
				continue
			}
			if err := b.measure(ctx, p); err != nil {
				return false, fmt.Errorf("%s: %w", p.test, err)
			}
			if err := b.save(*kept); err != nil { // after each: all take long
				return false, err
			}
			fmt.Fprintf(os.Stderr, "exploring: %s\n", p.line())
		}
		for _, s := range suites {
			if _, ok := b.suites[s.String()]; ok || !match.MatchString(s.test) {
				continue
			}
			if err := b.measureSuite(ctx, s); err != nil {
				return false, fmt.Errorf("%s: %w", s, err)
			}
			if err := b.save(*kept); err != nil {
				return false, err
			}
		}
		if b.oracle == "" {
			if err := b.explore(ctx); err != nil {
				return false, err
			}
			if err := b.save(*kept); err != nil {
				return false, err
			}
		}
		return b.good(), script.Write(j.Out, b.page())
	})
}

// Exploring counts how many runs it takes until the bugs of testdata/sctbench and
// testdata/reach are seen: with the runs that gopredict makes, one after the other, to where
// no goroutine has been yet, beside random schedulers and plain runs, and writes a page.
//
//	go run ./internal/measure/exploring -o docs/exploring.md
//
// It exits with 1 if a bug is not confirmed within as many runs as are made at most, or if
// something is confirmed in a program without a bug.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"

	"github.com/gopredict/gopredict/internal/measure/script"
)

// most is how many runs there are at most until a bug is taken for not found.
const most = 200

func main() {
	flags := flag.NewFlagSet("exploring", flag.ExitOnError)
	seeds := flags.Int("seeds", 20, "of how many seeds the medians are; 0: only gopredict is run")
	var match regexp.Regexp
	flags.TextVar(&match, "run", regexp.MustCompile(""), "regular expression: only the tests that match")
	script.Compare(flags, func(ctx context.Context, j script.Job) (bool, error) {
		b := &bench{dir: j.Dir, tool: j.Tool, seeds: *seeds}
		flags.Visit(func(f *flag.Flag) {
			if f.Name == "seeds" || f.Name == "run" {
				b.flags += fmt.Sprintf(" -%s='%s'", f.Name, f.Value)
			}
		})
		for _, subject := range []string{"sctbench", "reach"} {
			if err := b.prepare(ctx, "testdata/"+subject, &match); err != nil {
				return false, fmt.Errorf("preparing %s: %w", subject, err)
			}
		}
		for _, p := range b.programs {
			if err := b.measure(ctx, p); err != nil {
				return false, fmt.Errorf("%s: %w", p.test, err)
			}
			fmt.Fprintf(os.Stderr, "exploring: %s\n", p.row())
		}
		return b.good(), script.Write(j.Out, b.page())
	})
}

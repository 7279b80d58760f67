// Command speed measures what recording costs beside plain runs and the race
// detector, all in one run: the time and peak memory of the kernels in
// testdata/applications/kernels and of the test suites of public modules, and the time to
// build them. It prints markdown tables; docs/measured/speed.md holds them.
//
//	go run ./internal/measure/speed [-rounds N] [-time D] [-run REGEXP]
//
// It runs in the root of the repository. The rows are named kernel/NAME,
// suite/MODULE and build/MODULE; -run selects some of them. What is compared
// takes turns, so that what else happens on the machine meets all of it alike.
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

func main() {
	script.Main("speed", func(ctx context.Context, args []string) (bool, error) {
		flags := flag.NewFlagSet("speed", flag.ExitOnError)
		var b bench
		flags.IntVar(&b.rounds, "rounds", 5, "run each row up to `N` times in each way")
		flags.DurationVar(&b.time, "time", 20*time.Second, "begin no further round of a row after `D`")
		flags.TextVar(&b.rows, "run", regexp.MustCompile(""), "measure the rows whose names match `REGEXP`")
		if err := flags.Parse(args); err != nil {
			return false, err
		}
		return true, b.measure(ctx)
	})
}

// bench is one run of the command.
type bench struct {
	rounds int
	time   time.Duration
	rows   regexp.Regexp
	work   string // a folder that is removed at the end
}

func (b *bench) measure(ctx context.Context) (err error) {
	if b.work, err = os.MkdirTemp("", "speed"); err != nil {
		return err
	}
	defer os.RemoveAll(b.work)
	kernels, err := b.kernels(ctx)
	if err != nil {
		return err
	}
	suites, err := b.suites(ctx)
	if err != nil {
		return err
	}
	builds, err := b.builds(ctx)
	if err != nil {
		return err
	}
	printTable(os.Stdout, "kernel", runColumns, kernels)
	printTable(os.Stdout, "suite", runColumns, suites)
	printTable(os.Stdout, "build of", buildColumns, builds)
	return nil
}

// selected reports whether a row is to be measured, and says so.
func (b *bench) selected(name string) bool {
	if !b.rows.MatchString(name) {
		return false
	}
	fmt.Fprintln(os.Stderr, name)
	return true
}

// inTurns calls do for each way in turn, as often as there is time for. A cost
// is the least of its way, as what else happens on the machine only ever adds
// to it, with the greatest memory that was seen.
func (b *bench) inTurns(do func(way) (cost, error)) (costs [ways]cost, err error) {
	start := time.Now()
	for round := 0; round < b.rounds && (round == 0 || time.Since(start) < b.time); round++ {
		for w := range ways {
			c, err := do(w)
			if err != nil {
				return costs, fmt.Errorf("%s: %w", w, err)
			}
			if round > 0 {
				c.seconds, c.memory = min(c.seconds, costs[w].seconds), max(c.memory, costs[w].memory)
			}
			costs[w] = c
		}
	}
	return costs, nil
}

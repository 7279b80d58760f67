// Command growth measures what the search for candidates and making their
// schedules cost on generated traces of the shape of Derby's in PECAN's Table 1,
// from ten thousand events to ten million, what whole predictions cost, and deciding deadlocks on others,
// and writes tables and a plot.
//
//	go run ./internal/measure/growth [-o docs/measured/growth.md]
//
// It runs in the root of the repository. Each size is measured by a process of
// its own, which is also what its memory is told of.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/script"
)

// derby is how many events PECAN's trace of Derby has.
const derby = 447_392

var sizes = []int{10_000, 30_000, 100_000, 300_000, derby, 1_000_000, 3_000_000, 10_000_000}

func main() { script.Main("growth", run) }

func run(ctx context.Context, args []string) (bool, error) {
	flags := flag.NewFlagSet("growth", flag.ExitOnError)
	out := flags.String("o", "", "`FILE` for the table, with the plot beside it as .svg; without it, the table goes to the standard output")
	events := flags.Int("events", 0, "measure a trace of `N` events only, and print what comes out as JSON")
	goroutines := flags.Int("goroutines", 0, "with -events: the deadlocks of a trace of `N` goroutines")
	requests := flags.Int("requests", 0, "with -goroutines: the prediction from a trace of requests of `N` kinds")
	all := flags.Bool("all", false, "with -requests: of all kinds of bugs")
	turns := flags.Bool("turns", false, "with -goroutines: some locks are taken in another order")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	if *events > 0 {
		var c any
		var err error
		if *requests > 0 {
			c, err = measureLoad(load{*events, *goroutines, *requests, *all})
		} else if *goroutines > 0 {
			c, err = measureDeadlocks(shape{*events, *goroutines, *turns})
		} else {
			c, err = measure(*events)
		}
		if err != nil {
			return false, err
		}
		return true, json.NewEncoder(os.Stdout).Encode(c)
	}
	var single [][]string
	for _, n := range sizes {
		single = append(single, []string{fmt.Sprintf("-events=%d", n)})
	}
	costs, err := apart(ctx, single, func(c *cost) *int64 { return &c.Memory })
	if err != nil {
		return false, err
	}
	deadlocks, err := apart(ctx, commands(shapes()), func(c *deadlockCost) *int64 { return &c.Memory })
	if err != nil {
		return false, err
	}
	wholes, err := apart(ctx, commands(loads()), func(c *loadCost) *int64 { return &c.Memory })
	if err != nil {
		return false, err
	}
	if *out != "" {
		picture := strings.TrimSuffix(*out, ".md") + ".svg"
		if err := os.WriteFile(picture, []byte(plot(costs)), 0o666); err != nil {
			return false, err
		}
	}
	return true, script.Write(*out, table(costs)+loadTable(wholes)+deadlockTable(deadlocks))
}

// commands returns the arguments with which this command measures each of shapes.
func commands[S interface{ args() []string }](shapes []S) (all [][]string) {
	for _, s := range shapes {
		all = append(all, s.args())
	}
	return all
}

// apart measures traces, each in a process of its own with its arguments. The greatest resident
// size of that, in bytes, is put into what memory returns.
func apart[C any](ctx context.Context, commands [][]string, memory func(*C) *int64) (costs []C, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for _, args := range commands {
		cmd := exec.CommandContext(ctx, self, args...)
		cmd.Stderr = os.Stderr
		text, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
		var c C
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
		*memory(&c) = int64(script.Peak(cmd.ProcessState) * (1 << 20))
		costs = append(costs, c)
	}
	return costs, nil
}

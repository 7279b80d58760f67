// Command growth measures what the search for candidates and making their
// schedules cost on generated traces of the shape of Derby's in PECAN's Table 1,
// from ten thousand events to ten million, what whole predictions cost, and deciding deadlocks on others,
// and writes tables and a plot.
//
//	go run ./internal/measure/growth [-o docs/growth.md]
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
	var costs []cost
	for _, n := range sizes {
		var c cost
		memory, err := apart(ctx, &c, fmt.Sprintf("-events=%d", n))
		if err != nil {
			return false, err
		}
		c.Memory = memory
		costs = append(costs, c)
	}
	var deadlocks []deadlockCost
	for _, s := range shapes() {
		var c deadlockCost
		memory, err := apart(ctx, &c, s.args()...)
		if err != nil {
			return false, err
		}
		c.Memory = memory
		deadlocks = append(deadlocks, c)
	}
	var wholes []loadCost
	for _, l := range loads() {
		var c loadCost
		memory, err := apart(ctx, &c, l.args()...)
		if err != nil {
			return false, err
		}
		c.Memory = memory
		wholes = append(wholes, c)
	}
	if *out != "" {
		picture := strings.TrimSuffix(*out, ".md") + ".svg"
		if err := os.WriteFile(picture, []byte(plot(costs)), 0o666); err != nil {
			return false, err
		}
	}
	return true, script.Write(*out, table(costs)+loadTable(wholes)+deadlockTable(deadlocks))
}

// apart measures one trace in a process of its own, into cost. It returns the greatest
// resident size of that, in bytes.
func apart(ctx context.Context, cost any, args ...string) (memory int64, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	if err := json.Unmarshal(text, cost); err != nil {
		return 0, err
	}
	return int64(script.Peak(cmd.ProcessState) * (1 << 20)), nil
}

// Command rapid compares the racy events that gopredict finds in public traces with those
// that RAPID's sound engines report, and writes a table.
//
//	go run ./internal/measure/rapid FOLDER
//
// The folder has traces in RAPID's std format. Which events RAPID's engines
// report is not kept with them, only how many. So an SHB engine of our own,
// which shares no code with the analysis, reports them anew: where its numbers
// are those of RAPID's, its events are taken to be so too. It exits with 1 if one
// of them is not found, or one is left undecided.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/measure/script"
	"github.com/gopredict/gopredict/recorder/trace"
)

func main() {
	script.Main("rapid", func(ctx context.Context, args []string) (bool, error) {
		if len(args) != 1 {
			return false, errors.New("expected one folder of traces; usage: go run ./internal/measure/rapid FOLDER")
		}
		return run(ctx, args[0])
	})
}

// A number is of racy events, and of their distinct lines.
type number struct{ events, lines int }

func (n number) String() string { return fmt.Sprintf("%d/%d", n.events, n.lines) }

// reported is what RAPID's sound engines say of the traces that we know.
var reported = map[string]struct{ shb, syncp, osr number }{
	"account":    {number{3, 1}, number{3, 1}, number{3, 1}},
	"mergesort":  {number{1, 1}, number{1, 1}, number{5, 2}},
	"bubblesort": {number{269, 5}, number{269, 5}, number{476, 5}},
	"lang":       {number{400, 1}, number{400, 1}, number{400, 1}},
	"bufwriter":  {number{8, 4}, number{8, 4}, number{8, 4}},
}

// run writes the table, and reports whether each race is a candidate.
func run(ctx context.Context, folder string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.std"))
	if err != nil {
		return false, err
	}
	if len(files) == 0 {
		return false, fmt.Errorf("no *.std files in %s", folder)
	}
	good := true
	fmt.Println("| trace | events | RAPID: SHB | SyncP | OSR | our SHB | racy events | cannot race | undecided | processor time |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for _, file := range files {
		c, err := compare(ctx, file)
		if err != nil {
			return false, fmt.Errorf("%s: %w", file, err)
		}
		known := reported[c.name]
		fmt.Printf("| %s | %d | %s | %s | %s | %s | %s | %d | %d | %.3g ms |\n", c.name, c.events, known.shb, known.syncp, known.osr,
			c.shb, c.racy, c.impossible, c.undecided, c.time.Seconds()*1000)
		good = good && c.covers() && c.undecided == 0
	}
	return good, nil
}

// covers reports whether all races of the SHB engine are found.
func (c *comparison) covers() bool {
	for j := range c.shb.events {
		if !c.racy.events[j] {
			return false
		}
	}
	return true
}

// A comparison is of one trace.
type comparison struct {
	name                  string
	events                int
	shb, racy             races
	impossible, undecided int
	time                  time.Duration // of the processor, for reading and deciding
}

// compare reads a trace and compares.
func compare(ctx context.Context, file string) (*comparison, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	start := script.Processor()
	t, err := trace.ReadRAPID(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r, err := analysis.FindRacyEvents(ctx, t, analysis.Options{})
	if err != nil {
		return nil, err
	}
	c := &comparison{
		name: strings.TrimSuffix(filepath.Base(file), ".std"), events: bytes.Count(text, []byte("\n")),
		time: script.Processor() - start, shb: schedulable(t), racy: newRaces(),
		impossible: r.Impossible, undecided: r.Undecided,
	}
	for _, e := range r.Events {
		c.racy.found(t, e.With, e.Event)
	}
	return c, nil
}

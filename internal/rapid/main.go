// Command rapid compares what gopredict predicts from public traces with what
// RAPID's sound engines report on them, by the lines of the racy events, and
// writes a table.
//
//	go run ./internal/rapid FOLDER
//
// The folder has traces in RAPID's std format. Which lines RAPID's engines
// report is not kept with them, only how many. So an SHB engine of our own,
// which shares no code with the analysis, reports them anew: where its numbers
// are those of RAPID's, its lines are taken to be so too. It exits with 1 if a
// race of that engine is no candidate.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/script"
	"github.com/gopredict/gopredict/recorder/trace"
)

func main() {
	script.Main("rapid", func(ctx context.Context, args []string) (bool, error) {
		if len(args) != 1 {
			return false, errors.New("expected one folder of traces; usage: go run ./internal/rapid FOLDER")
		}
		return run(ctx, args[0])
	})
}

// reported is what RAPID's engines say of the traces that we know: racy events,
// and their distinct lines.
var reported = map[string]struct{ shb, syncp, osr string }{
	"account":    {"3/1", "3/1", "3/1"},
	"mergesort":  {"1/1", "1/1", "5/2"},
	"bubblesort": {"269/5", "269/5", "476/5"},
	"lang":       {"400/1", "400/1", "400/1"},
	"bufwriter":  {"8/4", "8/4", "8/4"},
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
	fmt.Println("| trace | events | RAPID: SHB | SyncP | OSR | our SHB | its pairs of lines | of these candidates | predicted | all pairs predicted |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for _, file := range files {
		c, err := compare(ctx, file)
		if err != nil {
			return false, fmt.Errorf("%s: %w", file, err)
		}
		known := reported[c.name]
		fmt.Printf("| %s | %d | %s | %s | %s | %d/%d | %d | %d | %d | %d |\n", c.name, c.events, known.shb, known.syncp, known.osr,
			c.shb.events, len(c.shb.lines), len(c.shb.pairs), c.candidates, c.predicted, len(c.pairs))
		good = good && c.candidates == len(c.shb.pairs)
	}
	return good, nil
}

// A comparison is of one trace.
type comparison struct {
	name                  string
	events                int
	shb                   races
	candidates, predicted int           // of the pairs of shb
	pairs                 map[pair]bool // predicted
}

// compare reads a trace and compares.
func compare(ctx context.Context, file string) (*comparison, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t, err := trace.ReadRAPID(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r, err := analysis.Predict(ctx, t, analysis.Options{Kinds: []string{"race"}})
	if err != nil {
		return nil, err
	}
	c := &comparison{
		name: strings.TrimSuffix(filepath.Base(file), ".std"), events: bytes.Count(text, []byte("\n")), shb: schedulable(t),
		pairs: make(map[pair]bool),
	}
	possible := make(map[pair]bool)
	for _, f := range r.Findings {
		if f.Kind != "race" {
			continue
		}
		p := newPair(t, f.Accesses[0], f.Accesses[1])
		possible[p] = possible[p] || f.Status != analysis.Infeasible
		if f.Status == analysis.Predicted {
			c.pairs[p] = true
		}
	}
	for p := range c.shb.pairs {
		if possible[p] {
			c.candidates++
		}
		if c.pairs[p] {
			c.predicted++
		}
	}
	return c, nil
}

// Package theory has the suites of traces, and of what the papers' algorithms find in them beside
// the papers' own numbers.
package theory

import (
	"embed"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/recorder/trace"
)

//go:embed pages
var pages embed.FS

// Suites are those of this package.
var Suites = []run.Suite{
	{Name: "growth", About: "what the search and schedules cost on generated traces of up to ten million events", Run: growth, Rooms: []string{"analysis"}},
	{Name: "papers", About: "the papers' programs beside the papers' tables", Run: papers, Rooms: run.WholeCommand("testdata/papers/programs")},
	{Name: "sliced", About: "races by happens-before, by sliced causality and by gopredict", Run: slicedCausality, Rooms: run.WholeCommand("testdata/papers/programs", "testdata/papers/sliced")},
	{Name: "solving", About: "what deciding by solving costs, beside Z3 and the papers", Run: solving, Rooms: []string{"analysis", "testdata/papers/fusion"}},
	{Name: "oracles", About: "the analysis beside all that random traces and programs can do", Run: compareWithAll, Rooms: []string{"analysis"}},
	{Name: "rapid", About: "traces of other tools: the races that RAPID's engines report", Run: rapid},
}

// readTable reads an embedded table of cells between bars, a line a row.
func readTable(name string) (rows [][]string) {
	for line := range strings.Lines(run.ReadEmbedded(pages, "pages/"+name)) {
		var cells []string
		for cell := range strings.SplitSeq(strings.TrimSpace(line), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		rows = append(rows, cells)
	}
	return rows
}

// number reads a cell that has one.
func number(cell string) float64 { return run.Must(strconv.ParseFloat(cell, 64)) }

// An extent is how much the tests of a recorded run have done, as papers have it of their
// programs.
type extent struct {
	Goroutines int // of tests
	Events     int // of these
	Shared     int // locations that plain accesses of more than one of them touch
}

// extentOf returns the extent of t, whose order is o.
func extentOf(t *trace.Trace, o *order.Order) (x extent) {
	for _, g := range t.Goroutines {
		if g.Test != "" {
			x.Goroutines++
		}
	}
	for _, e := range t.Events {
		if t.Goroutines[e.G].Test != "" {
			x.Events++
		}
	}
	for _, g := range o.Groups() {
		goroutines := make([]map[trace.GID]bool, len(g.Locations)) // by location
		for k, i := range g.Events {
			at, e := g.LocationOf[k], &t.Events[i]
			if !e.Kind.IsPlain() || t.Goroutines[e.G].Test == "" {
				continue
			}
			if goroutines[at] == nil {
				goroutines[at] = make(map[trace.GID]bool)
			}
			goroutines[at][e.G] = true
		}
		for _, gs := range goroutines {
			if len(gs) > 1 {
				x.Shared++
			}
		}
	}
	return x
}

// rapid runs the test that compares with RAPID's engines, on the traces of the folder that is its
// argument.
func rapid(j *run.Job) bool {
	j.Parse()
	if j.NArg() != 1 {
		run.Fail("expected one folder of traces in RAPID's std format; usage: go run ./internal/measure rapid FOLDER")
	}
	return j.Test("./internal/measure/theory", "^TestRAPID$", "-rapid="+run.Must(filepath.Abs(j.Arg(0))))
}

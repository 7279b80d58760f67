package theory

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/recorder/trace"
)

// reportedByRAPID is how many racy events, and distinct lines of these, RAPID's sound engines
// report of the traces that are known: SHB, SyncP and OSR.
var reportedByRAPID = map[string][3]string{
	"account":    {"3/1", "3/1", "3/1"},
	"mergesort":  {"1/1", "1/1", "5/2"},
	"bubblesort": {"269/5", "269/5", "476/5"},
	"lang":       {"400/1", "400/1", "400/1"},
	"bufwriter":  {"8/4", "8/4", "8/4"},
}

// rapid compares the racy events that gopredict finds in traces in RAPID's std format, of the
// folder that is its argument, with those that RAPID's sound engines report. Which events these
// report is not kept with the traces, only how many. So an SHB engine of our own, which shares no
// code with the analysis, reports them anew: where its numbers are those of RAPID's, its events
// are taken to be so too. All is as it must be if each of them is found, and none is undecided.
func rapid(j *run.Job) bool {
	j.Parse()
	if j.NArg() != 1 {
		run.Fail("expected one folder of traces; usage: go run ./internal/measure rapid FOLDER")
	}
	files := run.Must(filepath.Glob(filepath.Join(j.Arg(0), "*.std")))
	if len(files) == 0 {
		run.Fail("no *.std files in %s", j.Arg(0))
	}
	good := true
	text := "| trace | events | RAPID: SHB | SyncP | OSR | our SHB | racy events | cannot race | undecided | processor time |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
	for _, file := range files {
		run.In(file, func() {
			c := compareRaces(j, file)
			known := reportedByRAPID[c.name]
			text += fmt.Sprintf("| %s | %d | %s | %s | %s | %s | %s | %d | %d | %.3g ms |\n", c.name, c.events, known[0], known[1], known[2],
				c.shb, c.racy, c.impossible, c.undecided, c.time.Seconds()*1000)
			good = good && c.covers() && c.undecided == 0
		})
	}
	j.WriteText(text)
	return good
}

// A raceComparison is of one trace.
type raceComparison struct {
	name                  string
	events                int
	shb, racy             races
	impossible, undecided int
	time                  time.Duration // of the processor, for reading and deciding
}

// covers reports whether all races of the SHB engine are found.
func (c *raceComparison) covers() bool {
	for j := range c.shb.events {
		if !c.racy.events[j] {
			return false
		}
	}
	return true
}

// compareRaces reads a trace and compares.
func compareRaces(j *run.Job, file string) *raceComparison {
	text := []byte(run.ReadFile(file))
	watch := run.Start()
	t := run.Must(trace.ReadRAPID(bytes.NewReader(text)))
	r := run.Must(analysis.FindRacyEvents(j.Context(), t, analysis.Options{}))
	c := &raceComparison{
		name: strings.TrimSuffix(filepath.Base(file), ".std"), events: bytes.Count(text, []byte("\n")),
		time: watch.Lap(), shb: schedulable(t), racy: newRaces(),
		impossible: r.Impossible, undecided: r.Undecided,
	}
	for _, e := range r.Events {
		c.racy.found(t, e.With, e.Event)
	}
	return c
}

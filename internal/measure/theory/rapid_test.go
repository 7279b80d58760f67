package theory

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/recorder/trace"
)

// The traces in testdata were written for this project, with known answers:
// pairs of lines that race, and lines of atomicity violations.
func TestKnownAnswers(t *testing.T) {
	j := run.New(t.Context(), "rapid", t.TempDir())
	for name, want := range map[string]struct {
		races []pair
		atoms [][]int
	}{
		"race_syncp":       {races: []pair{{10, 23}}},
		"race_reversal":    {races: []pair{{14, 21}}},
		"atom_observed":    {atoms: [][]int{{12, 22, 15}}},
		"atom_predictable": {atoms: [][]int{{12, 22, 15}}},
		"dl_classic":       {},
		"dl_forkorder":     {},
		"dl_guarded":       {},
	} {
		file := filepath.Join("testdata", name+".std")
		c := compareRaces(j, file)
		require.ElementsMatch(t, want.races, slices.Collect(maps.Keys(c.racy.pairs)), name)
		require.Zero(t, c.undecided, name)
		require.True(t, c.covers(), name)

		text, err := os.ReadFile(file)
		require.NoError(t, err)
		tr, err := trace.ReadRAPID(bytes.NewReader(text))
		require.NoError(t, err)
		matches, err := analysis.Predict(t.Context(), tr, analysis.Options{Kinds: []bug.Kind{bug.Atomicity, bug.AtomicSet}})
		require.NoError(t, err)
		var atoms [][]int
		for _, f := range matches.Findings {
			require.Equal(t, bug.Predicted, f.Status, name)
			var lines []int
			for _, i := range f.Accesses {
				lines = append(lines, line(tr, i))
			}
			atoms = append(atoms, lines)
		}
		require.Equal(t, want.atoms, atoms, name)
	}
}

var rapidTraces = flag.String("rapid", "", "folder of traces in RAPID's std format")

// reportedByRAPID is how many racy events, and distinct lines of these, RAPID's sound engines
// report of the traces that are known: SHB, SyncP and OSR.
var reportedByRAPID = map[string][3]string{
	"account":    {"3/1", "3/1", "3/1"},
	"mergesort":  {"1/1", "1/1", "5/2"},
	"bubblesort": {"269/5", "269/5", "476/5"},
	"lang":       {"400/1", "400/1", "400/1"},
	"bufwriter":  {"8/4", "8/4", "8/4"},
}

// TestRAPID compares the racy events that gopredict finds in traces of -rapid with those that
// RAPID's sound engines report. Which events these report is not kept with the traces, only how
// many. So an SHB engine of our own, which shares no code with the analysis, reports them anew:
// where its numbers are those of RAPID's, its events are taken to be so too. Each of them must be
// found, and none may be undecided.
func TestRAPID(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(*rapidTraces, "*.std"))
	require.NoError(t, err)
	text := "| trace | events | RAPID: SHB | SyncP | OSR | our SHB | racy events | cannot race | undecided | processor time |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
	for _, file := range files {
		c := compareRaces(run.New(t.Context(), "rapid", t.TempDir()), file)
		known := reportedByRAPID[c.name]
		text += fmt.Sprintf("| %s | %d | %s | %s | %s | %s | %s | %d | %d | %.3g ms |\n", c.name, c.events, known[0], known[1], known[2],
			c.shb, c.racy, c.impossible, c.undecided, c.time.Seconds()*1000)
		require.True(t, c.covers(), c.name)
		require.Zero(t, c.undecided, c.name)
	}
	t.Log("\n" + text)
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
		impossible: r.Infeasible, undecided: r.Undecided,
	}
	for _, e := range r.Events {
		c.racy.found(t, e.Earlier, e.Event)
	}
	return c
}

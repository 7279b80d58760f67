package detect_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// input is what detectors look at in the trace of a text.
func input(t *testing.T, text string) *detect.Input {
	t.Helper()
	tr := tracetest.Parse(t, text)
	o, err := order.New(tr)
	require.NoError(t, err)
	return &detect.Input{
		Trace: tr, Order: o, Flow: dataflow.New(tr), Tests: detect.NewTestIndex(tr, o),
		IsKnownRace: func(string) bool { return false }, LooksLeft: math.MaxInt,
	}
}

// There is a detector for each kind that is looked for, and each finds what it is for.
func TestKinds(t *testing.T) {
	kinds := make(map[bug.Kind]bool)
	for _, d := range detect.All {
		for _, k := range d.Kinds {
			kinds[k] = true
		}
	}
	inRuns := []bug.Kind{bug.Leak} // a run itself shows these
	assert.ElementsMatch(t, bug.Kinds(), slices.AppendSeq(inRuns, maps.Keys(kinds)))

	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n" // positions 0 to 3
	for _, test := range []struct {
		kind bug.Kind
		text string
		want [][]int
	}{
		{bug.Race, "1 w x\n2 r x", [][]int{{4, 5}}},
		{bug.Channel, "1 close c\n2 close c", [][]int{{4, 5}, {4}, {5}}},
		{bug.WaitGroup, "1 add g#1\n2 wgwait g", [][]int{{4, 5}}},
		{bug.WaitGroup, "1 add g#1\n2 add g#-1", [][]int{{5}}},
		{bug.Atomicity, "1 acq l\n1 acq m\n1 r x\n1 rel m\n1 acq m\n1 w x\n1 rel m\n1 rel l\n2 acq m\n2 w x\n2 rel m", [][]int{{6, 13, 9}}},
		{bug.LockMisuse, "1 acq l\n2 rel l", [][]int{{5}}},
		{bug.Deadlock, "1 acq l\n1 acq m\n1 rel m\n1 rel l\n2 acq m\n2 acq l\n2 rel l\n2 rel m", [][]int{{5, 9}}},
		{bug.Property, "1 call o#1\n2 call o#2", [][]int{{5, 4}}},
	} {
		in := input(t, forks+test.text)
		in.Properties = []property.Property{noUseAfterClose(t)}
		in.Kinds = []bug.Kind{test.kind}
		var got [][]int
		for _, d := range detect.All {
			cs, _ := d.Candidates(in)
			for _, c := range cs {
				assert.Equal(t, test.kind, c.Kind)
				assert.NotEmpty(t, c.Name)
				got = append(got, c.Instances[0].Accesses)
			}
		}
		assert.Equal(t, test.want, got, test.kind)
	}
}

// A match that contains a race is none of its own.
func TestKnownRaces(t *testing.T) {
	in := input(t, "0 fork 1\n1 begin\n0 acq l\n0 r x\n0 w x\n0 rel l\n1 w x")
	races, _ := detect.Conflicts.Candidates(in)
	require.NotEmpty(t, races)
	matches, counts := detect.Patterns.Candidates(in)
	assert.NotEmpty(t, matches)
	assert.Zero(t, counts.PartOfRace)

	in.IsKnownRace = func(name string) bool { return name == races[0].Name }
	fewer, counts := detect.Patterns.Candidates(in)
	assert.Less(t, len(fewer), len(matches))
	assert.Positive(t, counts.PartOfRace)
}

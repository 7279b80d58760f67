package symbolic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Which reads find the same in each run is the same as where each is compared with all writes.
func TestOrderedReadsByPairs(t *testing.T) {
	same, reads := 0, 0
	for seed := range uint64(3 * *traces) {
		tr := tracetest.Random(seed, tracetest.Config{Goroutines: 3, Events: 30, Sync: tracetest.Channels | tracetest.Posts, Locations: 2})
		o, err := order.New(tr)
		require.NoError(t, err)
		d := symbolic.NewControl(tr, o).Departures(nil, trace.NewLayout(tr))
		for i := range tr.Events {
			if k := tr.Events[i].Kind; k != trace.Read && k != trace.AtomicLoad {
				continue
			}
			found := d.Finds(i)
			assert.Equal(t, d.FindsByPairs(i), found, "seed %d: read at %d", seed, i)
			if reads++; found {
				same++
			}
		}
	}
	t.Logf("%d of %d reads", same, reads)
	assert.NotZero(t, same)
	assert.NotEqual(t, same, reads)
}

// However many reads there are between as many writes that come one after another, each is known.
func TestManyOrderedReads(t *testing.T) {
	const rounds = 1 << 12
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{ID: 0, Path: "0"}, {ID: 1, Path: "0.1"}}, Sites: map[trace.SiteID]trace.Site{1: {ID: 1}}, Complete: true}
	add := func(g trace.GID, k trace.Kind, obj uint64) {
		tr.Events = append(tr.Events, trace.Event{G: g, Kind: k, Obj: obj, Size: 8, Site: 1})
	}
	add(0, trace.Fork, 1)
	add(1, trace.Begin, 0)
	for n := range uint64(rounds) {
		by := trace.GID(n % 2)
		add(by, trace.Write, 1000)
		add(by, trace.Read, 1000)
		add(by, trace.Post, 2000+n)
		add(1-by, trace.Await, 2000+n)
	}
	o, err := order.New(tr)
	require.NoError(t, err)
	d := symbolic.NewControl(tr, o).Departures(nil, trace.NewLayout(tr))
	for i := range tr.Events {
		require.True(t, tr.Events[i].Kind != trace.Read || d.Finds(i), i)
	}
}

// What a section has done before another one of its lock reads it comes before all that follows there, with what else was
// done in it: two sections exclude each other.
func TestMustClockOfSections(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       bool // the write of y comes before who reads it is there
	}{
		{"a mutex", "1 acq l, 1 w x=1, 1 w y=1, 1 rel l, 2 acq l, 2 r x=1, 2 rel l, 2 r y=1", true},
		{"an inner lock", "1 acq m, 1 acq l, 1 w x=1, 1 rel l, 1 w y=1, 1 rel m, 2 acq m, 2 acq l, 2 r x=1, 2 rel l, 2 rel m, 2 r y=1", true},
		{"a reader after a writer", "1 acq l, 1 w x=1, 1 w y=1, 1 rel l, 2 racq l, 2 r x=1, 2 rrel l, 2 r y=1", true},
		{"a writer after a reader", "1 racq l, 1 w x=1, 1 w y=1, 1 rrel l, 2 acq l, 2 r x=1, 2 rel l, 2 r y=1", true},
		{"two readers", "1 racq l, 1 w x=1, 1 w y=1, 1 rrel l, 2 racq l, 2 r x=1, 2 rrel l, 2 r y=1", false},
		{"two locks", "1 acq l, 1 w x=1, 1 w y=1, 1 rel l, 2 acq m, 2 r x=1, 2 rel m, 2 r y=1", false},
		{"one of two who give the lock back", "1 acq l, 1 w x=1, 3 w y=1, 3 rel l, 1 acq l, 4 rel l, 2 acq l, 2 r x=1, 2 rel l, 2 r y=1", false},
		{"after the section", "1 acq l, 1 w x=1, 1 rel l, 1 w y=1, 2 acq l, 2 r x=1, 2 rel l, 2 r y=1", false},
		{"a read that matters to nobody", "1 acq l, 1 w x=1, 1 w y=1, 1 rel l, 2 acq l, 2 r x=1 data, 2 rel l, 2 r y=1", false},
		{"two writers of what is read", "1 acq l, 1 w x=1, 1 w y=1, 1 rel l, 3 w x=1, 2 acq l, 2 r x=1, 2 rel l, 2 r y=1", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := tracetest.Parse(t, strings.ReplaceAll(tc.text, ", ", "\n"))
			o, err := order.New(tr)
			require.NoError(t, err)
			write := slices.IndexFunc(tr.Events, func(e trace.Event) bool { return e.Kind == trace.Write && e.Obj == tr.Events[len(tr.Events)-1].Obj })
			assert.Equal(t, tc.want, symbolic.New(tr, o).Must().BeforeReached(write, len(tr.Events)-1))
			assert.Equal(t, tc.want, !slices.Contains(feasible.Races(tr), [2]int{write, len(tr.Events) - 1}))
		})
	}
}

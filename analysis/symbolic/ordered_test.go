package symbolic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

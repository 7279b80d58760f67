package blocked_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/blocked"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// stuck is what goroutine g is blocked in, of an object of the trace.
func stuck(t *trace.Trace, g trace.GID, op trace.Kind, like int) trace.Stuck {
	return trace.Stuck{G: g, Proof: trace.ProofDeadlock, Op: op, Obj: t.Events[like].Obj, Site: 7}
}

// Two goroutines that hold what the other one wants are the bug; who waits for one of them
// is not.
func TestCircle(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n0 fork 2\n1 begin\n2 begin\n1 acq a\n1 acq c\n1 rel c\n2 acq b")
	const a, b = 4, 7
	tr.Stuck = []trace.Stuck{stuck(tr, 0, trace.Acquire, a), stuck(tr, 1, trace.Acquire, b), stuck(tr, 2, trace.Acquire, a)}
	ws, with := blocked.Of(tr, trace.ProofDeadlock)
	circles, others := blocked.Bugs(ws)
	assert.Equal(t, [][]int{{1, 2}}, circles)
	assert.Empty(t, others)
	assert.Equal(t, []blocked.Holder{{G: 2, At: b}}, ws[1].Holders)
	assert.Equal(t, []blocked.Holder{{G: 1, At: a}}, ws[2].Holders)
	assert.Len(t, with.Events, len(tr.Events)+3)
	assert.Equal(t, trace.Event{Kind: trace.Acquire, G: 2, Site: 7, Obj: tr.Events[a].Obj}, with.Events[ws[2].At])

	none, _ := blocked.Of(tr, trace.ProofLeak)
	assert.Empty(t, none)
}

// A reader waits for a writer that waits for another reader.
func TestWriterShutsOutReaders(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n1 begin\n0 racq a")
	tr.Stuck = []trace.Stuck{stuck(tr, 1, trace.Acquire, 2), stuck(tr, 0, trace.RAcquire, 2)}
	ws, _ := blocked.Of(tr, trace.ProofDeadlock)
	circles, others := blocked.Bugs(ws)
	assert.Equal(t, [][]int{{0, 1}}, circles)
	assert.Empty(t, others)
}

// Who has released a lock does not hold it, whoever took it before.
func TestReleased(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n1 begin\n0 acq a\n0 rel a\n1 acq a")
	tr.Stuck = []trace.Stuck{stuck(tr, 0, trace.Acquire, 2)}
	ws, _ := blocked.Of(tr, trace.ProofDeadlock)
	assert.Equal(t, []blocked.Holder{{G: 1, At: 4}}, ws[0].Holders)
}

// Without a circle those are the bug that wait for something else.
func TestNoCircle(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n1 begin\n0 acq a\n0 make c\n0 recv c")
	tr.Stuck = []trace.Stuck{stuck(tr, 1, trace.Acquire, 2), stuck(tr, 0, trace.Recv, 4)}
	tr.Stuck[1].Site = tr.Events[4].Site
	ws, with := blocked.Of(tr, trace.ProofDeadlock)
	circles, others := blocked.Bugs(ws)
	assert.Empty(t, circles)
	assert.Equal(t, []int{1}, others)
	assert.Equal(t, 4, ws[1].At, "the receive has begun")
	assert.Len(t, with.Events, len(tr.Events)+1)
}

package explore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// waits is a confirmation of a package that was recorded in so many seconds, with tests that have waited for
// nearly all of that.
func waits(seconds int, tests ...string) *confirmation {
	x := &inPackage{setting: new(setting), waited: make(map[string]time.Duration), patience: newPatience(time.Duration(seconds) * time.Second)}
	for _, test := range tests {
		x.waited[test] = time.Duration(seconds) * time.Second
	}
	x.Report.Packages = []report.Package{{Package: "p"}}
	return &confirmation{inPackage: x, run: recorder.Run{Seconds: float64(seconds)}}
}

// ran is what came of replays that have taken so long.
func ran(took ...time.Duration) (r replayer.Result) {
	for _, d := range took {
		r.Verdicts = append(r.Verdicts, replayer.Verdict{Elapsed: d})
	}
	return r
}

// Of a test of which a replay has waited, no other one is made that would wait longer than what is left.
func TestPatience(t *testing.T) {
	c := waits(48, "TestWaits", "TestSleeps", "TestBusy")
	waits, sleeps := c.inChain([]string{"TestWaits"}), c.inChain([]string{"TestSleeps"})
	assert.False(t, waits.chain.tooLong(), "nobody knows")
	waits.chain.replayed(ran(30*time.Second, 31*time.Second))
	assert.True(t, waits.chain.tooLong())
	sleeps.chain.replayed(ran(time.Second/10, time.Second/10))
	assert.False(t, sleeps.chain.tooLong(), "timers pass at once")
	c.charge(8, waits.chain, sleeps.chain)
	assert.Equal(t, 17*time.Second, c.patience.left, "they ran beside each other")
	assert.True(t, c.inChain([]string{"TestWaits"}).chain.tooLong())
	assert.False(t, c.inChain([]string{"TestSleeps"}).chain.tooLong())
	r, _, err := c.inChain([]string{"TestWaits"}).replay(t.Context(), &witness.Witness{Tests: []string{"TestWaits"}}, nil, false)
	assert.NoError(t, err)
	assert.Equal(t, "not replayed: TestWaits waits longer "+mayWait, r.Reason)

	short := c.inChain([]string{"TestShort"})
	short.chain.replayed(ran(time.Hour))
	assert.Zero(t, short.chain.took, "the machine is busy")

	c.opts.Runs = 3
	assert.False(t, c.inChain([]string{"TestWaits"}).chain.tooLong(), "it was asked for")
}

// What so many chains wait that not all run beside each other comes after one another, and each package may wait for
// ten seconds.
func TestPatienceOfMany(t *testing.T) {
	c := waits(4, "TestWaits")
	var all []*chain
	for range 16 {
		h := c.inChain([]string{"TestWaits"}).chain
		h.replayed(ran(4 * time.Second))
		assert.False(t, h.tooLong())
		all = append(all, h)
	}
	c.charge(8, all...)
	assert.Equal(t, leastPatience-8*time.Second, c.patience.left)
}

// Other witnesses of a bug are not tried once replays have waited long, though they may.
func TestChainOver(t *testing.T) {
	h := waits(600, "TestWaits").inChain([]string{"TestWaits"}).chain
	h.replayed(ran(mostWaited/2, mostWaited/2))
	assert.False(t, h.over())
	h.replayed(ran(mostWaited/2, mostWaited/2))
	assert.True(t, h.over())
	assert.False(t, h.tooLong())
}

// A test that waits longer than it may is not run without a schedule: that it fails is not said of the bug then.
func TestControlTooLong(t *testing.T) {
	c := waits(48, "TestWaits")
	at := c.inChain([]string{"TestWaits"})
	at.chain.replayed(ran(30 * time.Second))
	confirmed := func(kind bug.Kind) replayer.Result {
		r, err := at.withControl(t.Context(), &witness.Witness{Kind: kind, Tests: []string{"TestWaits"}, Violation: make([]witness.Step, 1)},
			replayer.Result{Status: bug.Confirmed, Effect: bug.TestFailure})
		assert.NoError(t, err)
		return r
	}
	r := confirmed(bug.Property)
	assert.Equal(t, bug.Confirmed, r.Status)
	assert.Equal(t, bug.NoEffect, r.Effect)
	r = confirmed(bug.Assertion)
	assert.Equal(t, bug.Unconfirmed, r.Status)
	assert.Contains(t, r.Reason, unknownWhy)
	c.charge(8, at.chain, at.chain)
	assert.Equal(t, []string{"p: TestWaits fails in replays; " + unknownWhy}, c.Report.Warnings)

	// What was run once need not be run again.
	c = waits(48, "TestWaits")
	first := c.inChain([]string{"TestWaits"}).chain
	for range 2 {
		assert.True(t, first.plainly())
	}
	assert.Equal(t, 48*time.Second, first.took)
	c.charge(1, first)
	assert.True(t, c.inChain([]string{"TestWaits"}).chain.plainly())
}

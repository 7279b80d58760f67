package explore

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/recorder"
)

// A bound that many packages reach is told in one line, with what was not done in all of them.
func TestBoundsInOneLine(t *testing.T) {
	b := make(bounds)
	for n := range maxListedPackages + 2 {
		l := ledger.New(recorder.Run{Package: recorder.Package{Path: fmt.Sprint("p", n)}}, ledger.Paths{}, nil)
		if n > 0 {
			l.NoteBound(ledger.ReplaysUsedUp, n)
		}
		if n < 2 {
			l.NoteBound(ledger.TimeOver, 1)
			l.NoteBound(ledger.TimeOver, 2)
		}
		if n == 3 {
			l.NoteBound(ledger.LongTests, 1)
		}
		b.add(l)
	}
	all := b.warnings(budget.NewClock(time.Minute))
	assert.Len(t, all, 3)
	assert.Contains(t, all[0], "4 packages (p1, p2, p3, …): 10 predicted bugs were not replayed, as the replays of their tests")
	assert.Contains(t, all[1], "2 packages (p0, p1): 6 predicted bugs were not replayed, as the time for replays, -predict.timeout=1m0s, was over")
	assert.Contains(t, all[2], "p3: failing assertions were not predicted")
}

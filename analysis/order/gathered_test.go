package order_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// However many updates there are, each comes before who learns of them, and before nobody else.
func TestManyUpdates(t *testing.T) {
	const updates, goroutines = 500, 40
	for _, does := range []struct{ op, learns string }{{"armw a=1 update", "aload a=1"}, {"post p", "await p"}} {
		var text strings.Builder
		for g := range goroutines + 2 {
			fmt.Fprintf(&text, "0 fork %d\n%d begin\n", g+1, g+1)
		}
		first := 2 * (goroutines + 2)
		for i := range updates {
			fmt.Fprintf(&text, "%d %s\n", 1+i*7%goroutines, does.op)
		}
		fmt.Fprintf(&text, "%d %s\n%d w x\n", goroutines+1, does.learns, goroutines+2)
		tr := tracetest.Parse(t, text.String())
		o, err := order.New(tr)
		require.NoError(t, err)
		for i := range updates {
			assert.True(t, o.Before(first+i, first+updates), "%s: %d", does.op, i)
			assert.False(t, o.Before(first+i, first+updates+1), "%s: %d", does.op, i)
		}
	}
}

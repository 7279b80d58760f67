package witness

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

func TestStepString(t *testing.T) {
	for want, kind := range map[string]trace.Kind{
		"read of x":         trace.Read,
		"atomic store to x": trace.AtomicStore,
		"lock x":            trace.Acquire,
		"wait for x":        trace.CondWait,
		"receive from x":    trace.Recv,
		"send to x":         trace.SelectSend,
		"go x":              trace.Fork,
	} {
		assert.Equal(t, want, Step{Op: kind, Expr: "x"}.String())
	}
	assert.Equal(t, "wait for x", Step{Op: trace.WaitGroupWait, Expr: "x"}.String())
	assert.Equal(t, "case of x", Step{Op: trace.Call, SiteOp: "case", Expr: "x"}.String()) // a word of the rewriter's own
	assert.Equal(t, "read unlock", Step{Op: trace.RRelease}.String())
}

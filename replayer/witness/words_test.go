package witness

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

func TestPhrase(t *testing.T) {
	for want, kind := range map[string]trace.Kind{
		"read of x":         trace.Read,
		"atomic store to x": trace.AtomicStore,
		"lock x":            trace.Acquire,
		"wait for x":        trace.CondWait,
		"receive from x":    trace.Recv,
		"send to x":         trace.SelectSend,
		"go x":              trace.Fork,
	} {
		assert.Equal(t, want, Phrase(kind.String(), "x"))
	}
	assert.Equal(t, "wait for x", Phrase(trace.WaitGroupWait.String(), "x"))
	assert.Equal(t, "case of x", Phrase("case", "x")) // a word of the rewriter's own
	assert.Equal(t, "read unlock", Phrase(trace.RRelease.String(), ""))
}

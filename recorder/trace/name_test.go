package trace

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGoroutineName(t *testing.T) {
	for want, g := range map[string]Goroutine{"main.1": {Path: "main.1"}, "TestTransfer:0.1": {Test: "TestTransfer", Path: "0.1"}} {
		assert.Equal(t, want, g.Name())
		assert.Equal(t, "it is "+want, string(g.AppendName([]byte("it is "))))
	}
}

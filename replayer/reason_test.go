package replayer

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Reasons have no words of the trace's format, and no numbers of steps.
func TestExplain(t *testing.T) {
	plan := &Plan{Steps: []witness.Step{{Op: trace.RAcquire, Expr: "a.mu", Func: "m.f", File: "m.go", Line: 3}}}
	for reason, want := range map[string]string{
		"T:0.1 is at racq m.go:12 (2nd time), the schedule expects it at step 1": "T:0.1 is at read lock m.go:12 (2nd time), the schedule expects it at read lock a.mu in m.f (m.go:3)",
		"T:0.1 could not do step 1 at its recvd":                                 "T:0.1 could not do read lock a.mu in m.f (m.go:3) at its received",
		"T:0.1 cannot wait for its turn here":                                    "T:0.1 cannot wait for its turn here",
	} {
		assert.Equal(t, want, explainReason(reason, plan))
	}
}

package selftest

import (
	"bytes"
	"runtime/trace"
	"testing"
)

func TestRuntimeReadTrace(t *testing.T) {
	var all bytes.Buffer
	if err := trace.Start(&all); err != nil {
		t.Fatal(err)
	}
	trace.Stop()
	if all.Len() == 0 {
		t.Fatal("nothing was traced")
	}
}

func TestRuntimeTraceAdvance(t *testing.T) { TestRuntimeReadTrace(t) }

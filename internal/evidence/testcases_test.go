package evidence

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

func TestCases(t *testing.T) {
	tr := tracetest.Parse(t, "0 w x")
	tr.TestNames = []string{"TestA", "TestA/sub", "TestB", "TestC"}
	began := func(name uint64) trace.Event { return trace.Event{Kind: trace.TestBegin, Obj: name} }
	tr.Events = []trace.Event{began(0), began(1), began(2), began(3), began(3)}
	said := func(test, line string) trace.TestEvent {
		return trace.TestEvent{Action: "output", Test: test, Output: line}
	}
	tr.TestEvents = []trace.TestEvent{
		said("TestA", "a"), said("TestA/sub", "sub"), {Action: "fail", Test: "TestA/sub", Elapsed: time.Second}, {Action: "fail", Test: "TestA"},
		said("TestB", "b"), {Action: "pass", Test: "TestC"}, said("TestC", "second"), {Action: "skip", Test: "TestC"}, {Action: "pass", Test: "ExampleE"},
	}
	want := []report.TestCase{
		{Test: "TestA", Failed: true, Output: []string{"a"}}, {Test: "TestA/sub", Failed: true, ElapsedS: 1, Output: []string{"sub"}},
		{Test: "TestB", Failed: true, Output: []string{"b", "it has come to no end: what the run has printed says why"}}, {Test: "TestC"}, {Test: "TestC", Skipped: true, Output: []string{"second"}},
		{Test: "ExampleE"},
	}
	assert.Equal(t, want, RecordedTestCases(tr))
	tr.Meta.Limit = 1
	want[2] = report.TestCase{Test: "TestB"}
	assert.Equal(t, want, RecordedTestCases(tr))
}

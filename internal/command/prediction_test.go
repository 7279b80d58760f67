package command

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

func TestCutText(t *testing.T) {
	tr := &trace.Trace{
		Goroutines: []trace.Goroutine{{}, {Test: "TestA"}, {Test: "TestB"}, {Test: "TestA"}},
		Events:     []trace.Event{{G: 0}, {G: 1}, {G: 2}, {G: 3}, {G: 3}, {G: 2}},
		Cuts:       []trace.Cut{{Test: "TestB"}, {Test: "TestA"}, {Test: "TestA", Sync: true}},
	}
	assert.Equal(t, "TestA (3 recorded), TestB (2 recorded)", cutText(tr))
	for _, test := range []string{"TestE", "TestD", "TestC"} {
		tr.Cuts = append(tr.Cuts, trace.Cut{Test: test})
	}
	assert.Equal(t, "TestA (3 recorded), TestB (2 recorded), TestC (0 recorded) and 2 more tests", cutText(tr))
	tr.Cuts = []trace.Cut{{}}
	assert.Equal(t, "what runs outside of tests (1 recorded)", cutText(tr))
}

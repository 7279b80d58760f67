package theory

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// The tables have what was measured, beside the paper's numbers, and say what was not.
func TestSlicedPage(t *testing.T) {
	p := slicedPage{Missing: []string{"httpserver", "daisy"}}
	p.add("banking", []slicedRow{{
		Name: "banking", Lines: 128, extent: extent{Goroutines: 11, Shared: 9, Events: 932}, Slices: 2, Relevant: 61, Kept: 686,
		Candidates: 3, HappensBefore: 1, Sliced: 2, Predicted: 2, Confirmed: 2, SlicedAndConfirmed: 1, OnlySliced: []string{"a b"},
		Seconds: [run.Ways]float64{1, 4, 2},
	}})
	text := run.Render(pages, "sliced.md", p)
	assert.Contains(t, text, "| banking | gopredict | 128 | 11 | 9 | 2.0 | 4.0 | 932 | 2 | 30 | 343 | 0 ms | 0 ms | 0 ms | 1 of 2 | 0 |\n| | Chen, Roşu | 150 | 11 |")
	assert.Contains(t, text, "| banking | 932 | 3 | 1 | 2 | 2 | 2 | 1 | 1 | 0 ms | 0 ms |\n")
	assert.Contains(t, text, "\nNot measured yet: httpserver, daisy.")
}

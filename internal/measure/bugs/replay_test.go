package bugs

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// The costs are medians by subject, and of replays that confirm nothing by subject and test.
func TestReplayCosts(t *testing.T) {
	of := func(subject, test string, n int, confirmed bool) timing {
		d := time.Duration(n) * time.Millisecond
		return timing{subject, test, d, 2 * d, 3 * d, confirmed, "why"}
	}
	costs, unconfirmed := replayCosts([]timing{of("a", "TestA", 1, true), of("a", "TestA", 9, false), of("a", "TestB", 3, true), of("a", "TestA", 2, true), of("b", "TestC", 5, true)})
	assert.Equal(t, []replayCost{{"a", "", "why", 3, 2, 4, 6}, {"b", "", "why", 1, 5, 10, 15}, {"median", "", "", 2, 5, 10, 15}}, costs)
	assert.Equal(t, []replayCost{{"a", "TestA", "why", 1, 9, 18, 27}}, unconfirmed)
	many := &manyCost{100, 2, 15, 500, 10, 50, 5, 4}
	text := run.Render(pages, "replay.md", replayPage{Costs: costs, Unconfirmed: unconfirmed, Many: many,
		Witnesses: []*replayWitness{{"a", filepath.Join("testdata", "w"), []int{2}, []string{"it went elsewhere"}}}, N: 3})
	assert.Contains(t, text, "| b | 1 | 5.0 | 10.0 | 15.0 | 57.5 |\n")
	assert.Contains(t, text, "- a, w, as it is: it went elsewhere\n")
}

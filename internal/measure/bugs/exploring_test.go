package bugs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// The median is that of all seeds, though not each is run until it fails.
func TestMedianUntil(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		all := make([]int, 1+r.IntN(20)) // the run that fails, by seed
		for seed := range all {
			all[seed] = min(1+r.IntN(300), mostRuns+1)
		}
		got := medianUntil(len(all), func(seed, n int) bool { return n+1 == all[seed] })
		slices.Sort(all)
		require.Equal(t, all[(len(all)-1)/2], got, all)
	}
}

func TestExplorePage(t *testing.T) {
	b := &exploreBench{Job: run.New(t.Context(), "exploring", t.TempDir()), seeds: 20, programs: 5, all: []*exploreProgram{{test: "TestA", buggy: true}, {test: "TestB"}, {test: "TestC"}}}
	b.rows = run.LoadRows[exploreRow](b.Job)
	b.rows.Put("TestA", exploreRow{Explored: exploration{2, 3, true, 7}, Random: [4]int{2, 3, 4, 201}, Plain: 9})
	b.rows.Put("TestB", exploreRow{Explored: exploration{Runs: 5, Known: 5}})
	b.rows.Put("oracle", exploreRow{Table: "| 1 |\n"})
	page := run.Render(pages, "exploring.md", b.page())
	assert.Contains(t, page, "| A | 2 | 2 | 3 | 4 | > 200 | 9 | no | 7 | 3 |\n| B |  |  |  |  |  |  | no | more than 5 | 5 |\n\n## Tests of others")
	assert.Contains(t, page, "1 of 1 bugs are seen by exploring, 1 of them in no more runs")
	assert.Contains(t, page, "\n\n| 1 |\n")
}

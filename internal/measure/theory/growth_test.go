package theory

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// A sample: the whole takes some minutes.
func TestMeasureGrowth(t *testing.T) {
	search := growthTrace{Kind: "search", Events: 20_000}.measure()
	require.NotZero(t, search.Races)
	require.NotZero(t, search.Patterns)
	require.NotZero(t, search.Steps)
	require.NotZero(t, search.SearchTime())
	deadlocks := growthTrace{Kind: "deadlocks", Events: 20_000, Goroutines: 2, Reversed: true}.measure()
	require.NotZero(t, deadlocks.Candidates)
	require.Zero(t, deadlocks.Undecided)
	load := growthTrace{"load", 5_000, 8, 4, true, false}.measure()
	require.NotZero(t, load.Predicted)
	text := run.Render(pages, "growth.md", growthPageOf(search, deadlocks, load))
	require.Contains(t, text, "| all | 8 | ")
	require.Contains(t, text, "| 20,0")
}

func TestGrowthPage(t *testing.T) {
	rows := []growthRow{
		{growthTrace: growthTrace{Kind: "search", Events: 10_000}, Length: 10_000, Order: time.Millisecond, Race: 2 * time.Millisecond, Pattern: time.Millisecond},
		{growthTrace: growthTrace{Kind: "search", Events: derbyEvents}, Length: derbyEvents + 5, Order: 100 * time.Millisecond, Race: time.Second, Pattern: time.Millisecond, Races: 1, Mean: 1500 * time.Microsecond, Memory: 5 << 20},
	}
	text := run.Render(pages, "growth.md", growthPageOf(rows...))
	require.Contains(t, text, "| 447,397 | 100 ms | 1.00 s | 1 ms | 1.10 s | 2460 | 1.5 ms | 5 MB | 11 |\n")
	require.Contains(t, text, "| search for all patterns, the order of events included | 6.184 s | 1.10 s |\n")
	d := xml.NewDecoder(strings.NewReader(run.Render(pages, "growth.svg", newPlot(rows))))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
	}
}

// growthPageOf is the page of rows, with another one missing.
func growthPageOf(rows ...growthRow) growthPage {
	names := []string{"missing"}
	for k := range rows {
		names = append(names, strconv.Itoa(k))
	}
	return newGrowthPage(func(name string) (r growthRow, ok bool) {
		k, err := strconv.Atoi(name)
		if err != nil {
			return r, false
		}
		return rows[k], true
	}, names)
}

package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A sample: the whole takes half a minute.
func TestMeasure(t *testing.T) {
	c, err := measure(20_000)
	require.NoError(t, err)
	require.NotZero(t, c.Races)
	require.NotZero(t, c.Patterns)
	require.NotZero(t, c.Steps)
	require.NotZero(t, c.search())
}

func TestMeasureDeadlocks(t *testing.T) {
	c, err := measureDeadlocks(shape{20_000, 2, true})
	require.NoError(t, err)
	require.NotZero(t, c.Found)
	require.Zero(t, c.Undecided)
	require.Contains(t, deadlockTable([]deadlockCost{c}), "| 20,0")
}

func TestMeasureLoad(t *testing.T) {
	c, err := measureLoad(load{5_000, 8, 4, true})
	require.NoError(t, err)
	require.NotZero(t, c.Predicted)
	require.Contains(t, loadTable([]loadCost{c}), "| all | 8 | ")
}

func TestTableAndPlot(t *testing.T) {
	cs := []cost{
		{Events: 10_000, Order: time.Millisecond, Race: 2 * time.Millisecond, Pattern: time.Millisecond},
		{Events: derby + 5, Order: 100 * time.Millisecond, Race: time.Second, Pattern: time.Millisecond, Races: 1, Mean: 1500 * time.Microsecond, Memory: 5 << 20},
	}
	text := table(cs)
	require.Contains(t, text, "| 447,397 | 100 ms | 1.00 s | 1 ms | 1.10 s | 2460 | 1.5 ms | 5 MB | 11 |\n")
	require.Contains(t, text, "| search for all patterns, the order of events included | 6.184 s | 1.10 s |\n")
	d := xml.NewDecoder(strings.NewReader(plot(cs)))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
	}
}

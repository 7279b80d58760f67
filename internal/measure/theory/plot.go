package theory

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// The plot's axes: powers of ten of events and of seconds, in units of scale.
const (
	fromEvents, toEvents   = 4, 7
	fromSeconds, toSeconds = -3, 1.5
	scale, margin          = 110, 60
)

func x(events int) float64 { return margin + scale*(math.Log10(float64(events))-fromEvents) }

func y(d time.Duration) float64 {
	return margin + scale*(toSeconds-math.Log10(d.Seconds()))
}

// A plotLine is a line of the plot.
type plotLine struct {
	Name, Color, Points string
	Y                   int // of the name
}

// newPlot places time over events, both by powers of ten: the search, its parts, and a line of the
// slope of linear growth.
func newPlot(rows []growthRow) (p struct {
	Events, Seconds map[int]float64 // where the powers of ten are
	Lines           []plotLine
	Linear          [4]float64
}) {
	p.Events, p.Seconds = make(map[int]float64), make(map[int]float64)
	for e := fromEvents; e <= toEvents; e++ {
		p.Events[e] = x(int(math.Pow10(e)))
	}
	for s := fromSeconds; float64(s) <= toSeconds; s++ {
		p.Seconds[s] = y(time.Duration(math.Pow10(s + 9)))
	}
	first, last := rows[0], rows[len(rows)-1]
	linear := last.SearchTime() * time.Duration(first.Length) / time.Duration(last.Length)
	p.Linear = [4]float64{x(first.Length), y(linear), x(last.Length), y(last.SearchTime())}
	for n, line := range []struct {
		name, color string
		of          func(growthRow) time.Duration
	}{
		{"all of the search", "#000", growthRow.SearchTime},
		{"order", "#1f77b4", func(r growthRow) time.Duration { return r.Order }},
		{"races", "#d62728", func(r growthRow) time.Duration { return r.Race }},
		{"other patterns", "#2ca02c", func(r growthRow) time.Duration { return r.Pattern }},
	} {
		var points []string
		for _, r := range rows {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(r.Length), y(line.of(r))))
		}
		p.Lines = append(p.Lines, plotLine{line.name, line.color, strings.Join(points, " "), margin + 16 + 15*n})
	}
	return p
}

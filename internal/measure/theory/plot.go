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

// plot draws time over events, both by powers of ten, as an SVG: the search, its
// parts, and a line of the slope of linear growth.
func plot(cs []growthRow) string {
	var b strings.Builder
	width, height := 2.0*margin+scale*(toEvents-fromEvents)+90, 2*margin+scale*(toSeconds-fromSeconds)
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\">\n", width, height)
	fmt.Fprintf(&b, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"white\"/>\n", width, height)
	for e := fromEvents; e <= toEvents; e++ {
		at := x(int(math.Pow10(e)))
		fmt.Fprintf(&b, "<path d=\"M%.1f %d V%.1f\" stroke=\"#ddd\"/>\n", at, margin, height-margin)
		fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">10<tspan dy=\"-4\" font-size=\"9\">%d</tspan></text>\n", at, height-margin+18, e)
	}
	for s := fromSeconds; float64(s) <= toSeconds; s++ {
		at := y(time.Duration(math.Pow10(s + 9)))
		fmt.Fprintf(&b, "<path d=\"M%d %.1f H%.1f\" stroke=\"#ddd\"/>\n", margin, at, width-margin-90)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g s</text>\n", margin-6, at+4, math.Pow10(s))
	}
	fmt.Fprintf(&b, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">events</text>\n", (width-90)/2, height-margin+38)
	first, last := cs[0], cs[len(cs)-1]
	linear := last.Together() * time.Duration(first.Length) / time.Duration(last.Length)
	fmt.Fprintf(&b, "<path d=\"M%.1f %.1f L%.1f %.1f\" stroke=\"#999\" stroke-dasharray=\"4 4\"/>\n", x(first.Length), y(linear), x(last.Length), y(last.Together()))
	for n, line := range []struct {
		name, color string
		of          func(growthRow) time.Duration
	}{
		{"all of the search", "#000", growthRow.Together},
		{"order", "#1f77b4", func(c growthRow) time.Duration { return c.Order }},
		{"races", "#d62728", func(c growthRow) time.Duration { return c.Race }},
		{"other patterns", "#2ca02c", func(c growthRow) time.Duration { return c.Pattern }},
	} {
		var points []string
		for _, c := range cs {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(c.Length), y(line.of(c))))
		}
		fmt.Fprintf(&b, "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", strings.Join(points, " "), line.color)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", margin+10, margin+16+15*n, line.color, line.name)
	}
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" fill=\"#999\">dashed: linear</text>\n", margin+10, margin+16+15*4)
	b.WriteString("</svg>\n")
	return b.String()
}

package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// A load is a trace of requests that is analyzed whole, for races or for all kinds of bugs.
type load struct {
	Events, Goroutines int
	Requests           int // kinds of them, each at about seven places
	All                bool
}

// few and many are how many kinds of requests there are. Of many, the pairs of places that
// race are some 30 in ten thousand events, 260, 930, and 2,450 in ten million, and each place is
// come to tens of times or more. dense is so many kinds that in ten thousand events hardly any
// place is come to twice.
const few, dense = 4, 400

var many = map[int]int{10_000: 40, 100_000: 140, 1_000_000: 250, 10_000_000: 400}

// loads are those that are measured.
func loads() (all []load) {
	for _, kinds := range []bool{false, true} {
		for _, crowded := range []bool{false, true} {
			for _, goroutines := range []int{2, 8, 64} {
				for _, events := range []int{10_000, 100_000, 1_000_000, 10_000_000} {
					l := load{events, goroutines, few, kinds}
					if crowded {
						l.Requests = many[events]
					}
					all = append(all, l)
				}
			}
		}
	}
	return append(all, alone)
}

// alone is of no series.
var alone = load{10_000, 8, dense, false}

// args makes this command measure l.
func (l load) args() []string {
	return []string{fmt.Sprintf("-events=%d", l.Events), fmt.Sprintf("-goroutines=%d", l.Goroutines), fmt.Sprintf("-requests=%d", l.Requests), fmt.Sprintf("-all=%t", l.All)}
}

// A loadCost is what a prediction took, from the order of events to schedules.
type loadCost struct {
	load
	Time                                    time.Duration
	Sites, Candidates, Predicted, Undecided int
	Memory                                  int64 // as in cost
}

// steady is how many events are looked at, at least: of shorter traces the mean of several
// predictions is told, as a process takes longer for its first ones. A dense one takes long enough.
const steady = 1_000_000

// measureLoad predicts from a trace like l.
func measureLoad(l load) (c loadCost, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // about as often as the command has garbage looked for
	defer runtime.KeepAlive(ballast())
	t := tracetest.Servers(l.Events, l.Goroutines, l.Requests)
	c.load, c.Sites = l, len(t.Sites)
	c.Events = len(t.Events)
	kinds := []bug.Kind{bug.Race}
	if l.All {
		kinds = nil
	}
	var r *analysis.Result
	n := 1
	if l.Requests != dense {
		n = max(1, steady/c.Events)
	}
	watch := start()
	for range n {
		if r, err = analysis.Predict(context.Background(), t, analysis.Options{Kinds: kinds}); err != nil {
			return c, err
		}
	}
	c.Time, c.Candidates = watch.lap()/time.Duration(n), r.Candidates
	for _, f := range r.Findings {
		switch f.Status {
		case bug.Predicted:
			c.Predicted++
		case bug.Undecided:
			c.Undecided++
		}
	}
	return c, nil
}

// ballast is memory that is never touched, so that garbage is not looked for all
// the time while there is little of it.
func ballast() []byte { return make([]byte, 256<<20) }

// loadTable is the part of docs/measured/growth.md about whole predictions.
func loadTable(cs []loadCost) string {
	var b strings.Builder
	b.WriteString(`
## Whole predictions

From the order of events to schedules that the judge has accepted, and proofs: of traces like those of
the first table, of more goroutines and with few or many places. Time of traces of fewer than a million events is the mean of
as many predictions as have a million together, but in the last row, where hardly any place is come to twice: what is left undecided there has
no schedule near to the recorded run, and no proof. Findings are what is predicted and undecided: candidates that
locks and must-order leave.

| kinds | goroutines | places | events | candidates | predicted | undecided | time | ns an event | µs a finding | memory |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`)
	each := func(c loadCost) int64 { return c.Time.Nanoseconds() / int64(c.Events) }
	for _, c := range cs {
		kinds := "race"
		if c.All {
			kinds = "all"
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %d | %d | %d | %s | %d | %d | %d MB |\n", kinds, c.Goroutines, c.Sites, thousands(c.Events),
			c.Candidates, c.Predicted, c.Undecided, text(c.Time), each(c), c.Time.Microseconds()/int64(max(1, c.Predicted+c.Undecided)), c.Memory>>20)
	}
	if len(cs) > 0 {
		by := func(a, b loadCost) int { return int(each(a) - each(b)) }
		fmt.Fprintf(&b, "\nLeast %d ns an event, most %d. In each series, the most over the least:\n\n%s", each(slices.MinFunc(cs, by)), each(slices.MaxFunc(cs, by)), series(cs))
	}
	return b.String()
}

// series is a table of how time per event grows in each series of traces that differ in their length only.
func series(cs []loadCost) string {
	var b strings.Builder
	b.WriteString("| kinds | places | 2 goroutines | 8 | 64 |\n|---|---|--:|--:|--:|\n")
	for _, all := range []bool{false, true} {
		for _, places := range []string{"few", "many"} {
			fmt.Fprintf(&b, "| %s | %s |", map[bool]string{false: "race", true: "all"}[all], places)
			for _, g := range []int{2, 8, 64} {
				var least, most float64
				for _, c := range cs {
					if c.All != all || c.Goroutines != g || c.load == alone || (c.Requests == few) != (places == "few") {
						continue
					}
					each := float64(c.Time) / float64(c.Events)
					if most = max(most, each); least == 0 || each < least {
						least = each
					}
				}
				fmt.Fprintf(&b, " %.1f |", most/least)
			}
			b.WriteString("\n")
		}
	}
	b.WriteString(`
Where a series differs most, the small traces are the ones that take longer: a finding takes a
fifth of a millisecond or more, as it has schedules made and judged, those for patterns several, and there are more of them an event, 184
in 10,000, 1,443 in a million and some 2,960 in ten million. That is bounded by the budget of a trace ([analysis.md](../analysis.md)), three seconds'
worth and half a microsecond's an event.
`)
	return b.String()
}

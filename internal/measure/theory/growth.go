package theory

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// derbyEvents is how many events PECAN's trace of Derby has.
const derbyEvents = 447_392

// A growthTrace is a generated trace, and what is measured with it.
type growthTrace struct {
	Kind               string // "search", "load" or "deadlocks"
	Events, Goroutines int
	Requests           int  // of a load: kinds of requests, each at about seven places
	AllKinds           bool // of a load: all kinds of bugs are looked for, and not races alone
	Reversed           bool // of deadlocks: some locks are taken in another order
}

func (g growthTrace) name() string { return string(run.Must(json.Marshal(g))) }

// fewRequests and manyRequests are how many kinds of requests there are. Of many, the pairs of
// places that race are some 30 in ten thousand events, 260, 930, and 2,450 in ten million, and
// each place is reached tens of times or more. denseRequests is so many kinds that in ten
// thousand events hardly any place is reached twice.
const fewRequests, denseRequests = 4, 400

var manyRequests = map[int]int{10_000: 40, 100_000: 140, 1_000_000: 250, 10_000_000: 400}

// denseLoad belongs to no series.
var denseLoad = growthTrace{"load", 10_000, 8, denseRequests, false, false}

// growthTraces are those that are measured.
func growthTraces() (all []growthTrace) {
	for _, n := range []int{10_000, 30_000, 100_000, 300_000, derbyEvents, 1_000_000, 3_000_000, 10_000_000} {
		all = append(all, growthTrace{Kind: "search", Events: n})
	}
	for _, kinds := range []bool{false, true} {
		for _, many := range []bool{false, true} {
			for _, goroutines := range []int{2, 8, 64} {
				for _, events := range []int{10_000, 100_000, 1_000_000, 10_000_000} {
					g := growthTrace{"load", events, goroutines, fewRequests, kinds, false}
					if many {
						g.Requests = manyRequests[events]
					}
					all = append(all, g)
				}
			}
		}
	}
	all = append(all, denseLoad)
	for _, turns := range []bool{false, true} {
		for _, goroutines := range []int{2, 8, 64} {
			for _, events := range []int{100_000, 1_000_000, 10_000_000} {
				all = append(all, growthTrace{Kind: "deadlocks", Events: events, Goroutines: goroutines, Reversed: turns})
			}
		}
	}
	return all
}

// A growthRow is what a trace took. Times are of the processor.
type growthRow struct {
	growthTrace
	Length               int           // in events
	Memory               int64         // greatest resident size of the process, in bytes
	Order, Race, Pattern time.Duration // finding the order, races, other patterns
	Races, Patterns      int
	Mean, Worst          time.Duration // of a candidate: the causality graph, and the first schedule
	// ShortSchedule and FullSchedule are the time to schedule an anomaly at the end of the trace:
	// with the events that it needs, and with all events before it.
	ShortSchedule, FullSchedule             time.Duration
	Steps                                   int           // of the short schedule
	Time                                    time.Duration // of a whole prediction
	Sites, Candidates, Predicted, Undecided int
}

// growth measures generated traces of the shape of Derby's in PECAN's Table 1, and others with
// deadlocks, each in a process of its own.
func growth(j *run.Job) bool {
	only := j.String("trace", "", "measure only this trace, given as `JSON`, and print the row as JSON")
	j.Parse()
	if *only != "" {
		var g growthTrace
		run.Check(json.Unmarshal([]byte(*only), &g))
		run.Check(json.NewEncoder(os.Stdout).Encode(g.measure()))
		return true
	}
	rows := run.LoadRows[growthRow](j)
	var names []string
	for _, g := range growthTraces() {
		names = append(names, g.name())
		rows.Measure(g.name(), func() (r growthRow) {
			p := j.Succeed(run.Command{Args: []string{run.Must(os.Executable()), "growth", "-trace=" + g.name()}})
			run.Check(json.Unmarshal([]byte(p.Stdout), &r))
			r.Memory = int64(p.Memory * (1 << 20))
			return r
		})
	}
	page := newGrowthPage(rows.Get, names)
	if file := j.Output(); file != "" && len(page.Search) > 0 {
		run.WriteFile(strings.TrimSuffix(file, ".md")+".svg", run.Render(pages, "growth.svg", newPlot(page.Search)))
	}
	j.Write(pages, "growth.md", page)
	return true
}

// measure measures what g is for.
func (g growthTrace) measure() (r growthRow) {
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // collects garbage about as often as the command
	r.growthTrace = g
	switch g.Kind {
	case "search":
		r.search()
	case "deadlocks":
		r.predict(func() *trace.Trace { return tracetest.NestedLocks(g.Events, g.Goroutines, g.Reversed) }, 1, bug.Deadlock)
	default:
		// Memory that is never touched keeps the collector from running all the time while there
		// is little of it.
		defer runtime.KeepAlive(make([]byte, 256<<20))
		rounds := 1
		if g.Requests != denseRequests {
			// Of short traces the mean of several predictions counts: a process takes longer for
			// its first ones.
			rounds = max(1, 1_000_000/g.Events)
		}
		kinds := []bug.Kind{bug.Race}
		if g.AllKinds {
			kinds = nil
		}
		r.predict(func() *trace.Trace { return tracetest.ServerTraceOf(g.Events, g.Goroutines, g.Requests) }, rounds, kinds...)
	}
	return r
}

// predict measures a whole prediction, from the order of events to schedules.
func (r *growthRow) predict(generate func() *trace.Trace, rounds int, kinds ...bug.Kind) {
	t := generate()
	r.Length, r.Sites = len(t.Events), len(t.Sites)
	watch := run.Start()
	var found *analysis.Result
	for range rounds {
		found = run.Must(analysis.Predict(context.Background(), t, analysis.Options{Kinds: kinds}))
	}
	r.Time, r.Candidates = watch.Lap()/time.Duration(rounds), found.Candidates
	for _, f := range found.Findings {
		switch f.Status {
		case bug.Predicted:
			r.Predicted++
		case bug.Undecided:
			r.Undecided++
		}
	}
	if r.Kind == "deadlocks" {
		r.Candidates = len(found.Findings)
	}
}

// search measures the search for candidates, and making their schedules.
func (r *growthRow) search() {
	t := tracetest.ServerTrace(r.Events)
	last := tracetest.AnomalyAtEnd(t)
	r.Length = len(t.Events)
	watch := run.Start()
	o := run.Must(order.New(t))
	r.Order = watch.Lap()
	races := anomaly.FindRaces(t, o)
	r.Race = watch.Lap()
	found := anomaly.Search(t, o, anomaly.FindRegions(t, o), anomaly.Builtin(), anomaly.MaxCombinations)
	r.Pattern = watch.Lap()
	graphs := causality.New(t, o)
	planner := schedule.NewPlanner(t, o, graphs)
	judge := feasible.New(t)
	r.Races, r.Patterns = len(races.Candidates), len(found.Found)
	r.schedules(graphs, planner, races, found)
	runtime.KeepAlive(judge) // it would look at the schedules

	guide := graphs.Chopped(graphs.Sequence(last...)).Edges(0)
	watch.Lap()
	k := 0
	for s := range planner.Sequence(last, guide, math.MaxInt).All() {
		switch k++; k {
		case 1:
			r.ShortSchedule, r.Steps = watch.Lap(), len(s.Steps)
		case 2:
			r.FullSchedule = watch.Lap()
		}
	}
}

// schedules makes the first schedule of each candidate that its graph leaves.
func (r *growthRow) schedules(graphs *causality.Model, planner *schedule.Planner, races *anomaly.Races, found *anomaly.Anomalies) {
	var all time.Duration
	watch := run.Start()
	lap := func() {
		d := watch.Lap()
		r.Worst, all = max(r.Worst, d), all+d
	}
	watch.Lap()
	for _, c := range races.Candidates {
		pair := c.Pairs[0]
		if g := graphs.Chopped(graphs.Meeting(pair[0], pair[1])); g.Cyclic() == 0 {
			for range planner.Race(pair[0], pair[1], g.Edges(0), math.MaxInt).All() {
				break
			}
		}
		lap()
	}
	for _, a := range found.Found {
		events := a.Matches[0]
		if g := graphs.Chopped(graphs.Sequence(events...)); g.Cyclic() == 0 {
			for range planner.Sequence(events, g.Edges(0), math.MaxInt).All() {
				break
			}
		}
		lap()
	}
	r.Mean = all / time.Duration(max(1, r.Found()))
}

// Found is the number of candidates.
func (r growthRow) Found() int { return r.Races + r.Patterns }

// SearchTime is the time of all steps before schedules.
func (r growthRow) SearchTime() time.Duration { return r.Order + r.Race + r.Pattern }

// Nanoseconds is the time for each event.
func (r growthRow) Nanoseconds() int64 {
	return (r.Time + r.SearchTime()).Nanoseconds() / int64(r.Length)
}

// PerFinding is the time for each finding of a prediction, in microseconds.
func (r growthRow) PerFinding() int64 {
	return r.Time.Microseconds() / int64(max(1, r.Predicted+r.Undecided))
}

// MB is the memory in 2^20 bytes, and Bytes that for each event.
func (r growthRow) MB() int64    { return r.Memory >> 20 }
func (r growthRow) Bytes() int64 { return r.Memory / int64(r.Length) }

// A growthPage is what the template of the page gets.
type growthPage struct {
	Search, Loads, Deadlocks []growthRow
	Missing                  int
}

func newGrowthPage(get func(string) (growthRow, bool), names []string) (p growthPage) {
	for _, name := range names {
		r, ok := get(name)
		if !ok {
			p.Missing++
			continue
		}
		kind := map[string]*[]growthRow{"search": &p.Search, "load": &p.Loads, "deadlocks": &p.Deadlocks}[r.Kind]
		*kind = append(*kind, r)
	}
	return p
}

// Derby returns the rows with as many events as PECAN's trace of Derby.
func (p growthPage) Derby() []growthRow {
	return slices.DeleteFunc(slices.Clone(p.Search), func(r growthRow) bool { return r.Events != derbyEvents })
}

// Least and Most are the least and the most time per event of a load, in nanoseconds.
func (p growthPage) Least() int64 { return slices.MinFunc(p.Loads, byNanoseconds).Nanoseconds() }
func (p growthPage) Most() int64  { return slices.MaxFunc(p.Loads, byNanoseconds).Nanoseconds() }

func byNanoseconds(a, b growthRow) int { return int(a.Nanoseconds() - b.Nanoseconds()) }

// Series are the lines of a table of how time per event grows in each series of loads that differ
// in their length only: the most over the least.
func (p growthPage) Series() (lines []string) {
	for _, all := range []bool{false, true} {
		for _, places := range []string{"few", "many"} {
			line := fmt.Sprintf("| %s | %s |", map[bool]string{false: "race", true: "all"}[all], places)
			for _, g := range []int{2, 8, 64} {
				var times []float64
				for _, r := range p.Loads {
					if r.AllKinds == all && r.Goroutines == g && r.growthTrace != denseLoad && (r.Requests == fewRequests) == (places == "few") {
						times = append(times, float64(r.Time)/float64(r.Length))
					}
				}
				if len(times) > 0 {
					line += fmt.Sprintf(" %.1f |", slices.Max(times)/slices.Min(times))
				}
			}
			lines = append(lines, line)
		}
	}
	return lines
}

package command

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
)

// This file records the tests of a package again. One recording shows one order, and
// keeps what that chose: which of two goroutines took a channel that is used as a mutex,
// what a queue held, which branch was taken. So the same binary is recorded in other
// orders too. And a test that was recorded after others may have found what these left
// behind, in caches, pools and variables of the package, where a replay, which runs it
// alone, does not: it is recorded alone.

// furtherRuns are how many further recordings there are, by what the first one costs, in
// seconds: its tests, and the analysis of those with several goroutines.
var furtherRuns = []struct {
	cost float64 // at most
	n    int
}{{0.25, 6}, {1, 3}, {10, 1}}

const (
	// eventsASecond is about how many are analyzed in a second.
	eventsASecond = 400_000
	// againEvents is how many events the tests have at most that are recorded again: those
	// with the fewest.
	againEvents = 2_000_000
	// furtherSolving is the solver's budget, in steps, for each candidate of a further
	// recording, or of a run that departed from one: what is easily decided. All of one
	// trace together may take six times as many.
	furtherSolving = solver.Second / 2
	// probes is how many candidates of a test that was recorded alone are replayed to
	// see whether that helps, and maxAlone how many tests are.
	probes, maxAlone = 3, 32
)

// others are the orders of further recordings, the n-th by n from 0.
func others(n int) recorder.Order {
	switch n {
	case 0:
		return recorder.OldestFirst
	case 1:
		return recorder.ChildFirst
	}
	return recorder.Seed(n - 1)
}

// A tally is what is known of the candidates of one package, by their names
// (analysis.Finding.Name), from all recordings so far.
type tally struct {
	ids        map[string]string // of witnesses; the values are names
	tried      map[string]bool
	settled    map[string]bool // replayed, or confirmed before
	told       map[string]int  // by report.Finding.Sites: index in report.Report.Findings
	stray      []stray
	seen       map[uint64]bool // fingerprints of tests
	recordings int
	strayed    []strayed
	taken      []string         // files of committed witnesses
	saved      map[string]saved // by the sites of the confirmed bug
}

// A stray is a candidate whose replays have left their schedules.
type stray struct {
	test, name string
	order      recorder.Order
}

func newTally() *tally {
	return &tally{
		ids: make(map[string]string), tried: make(map[string]bool), settled: make(map[string]bool),
		told: make(map[string]int), seen: make(map[uint64]bool), saved: make(map[string]saved),
	}
}

// of says what is known of a candidate, for the analysis of a further trace.
func (y *tally) of(name string) analysis.Known {
	switch {
	case y.settled[name]:
		return analysis.Settled
	case y.tried[name]:
		return analysis.Tried
	}
	return analysis.Unknown
}

// id returns the ID of a witness for the candidate of that name: id, or with a number
// if a candidate of another name has that.
func (y *tally) id(id, name string) string {
	free := id
	for n := 2; y.ids[free] != "" && y.ids[free] != name; n++ {
		free = fmt.Sprintf("%s-%d", id, n)
	}
	y.ids[free] = name
	return free
}

// take takes over what was predicted from a recording.
func (y *tally) take(r *analysis.Result) {
	for _, f := range r.Findings {
		y.tried[f.Name] = true
	}
}

// note takes over what the replays of a suspect have shown, as c has recorded it.
func (y *tally) note(s suspect, f report.Finding, c *confirmation) {
	if f.Replays == 0 {
		return
	}
	y.settled[s.Name] = true
	if f.Status == bug.Confirmed || c.alone || c.tests == 1 {
		return
	}
	for _, test := range s.Tests {
		y.stray = append(y.stray, stray{test, s.Name, c.run.Order})
	}
}

// news reports whether t shows another run of some test than those before, and notes
// all of them.
func (y *tally) news(t *trace.Trace) bool {
	fresh := false
	for _, sum := range fingerprints(t) {
		fresh = fresh || !y.seen[sum]
		y.seen[sum] = true
	}
	return fresh
}

// A server tells which tests the events of a trace are for, in their order.
type server struct {
	t    *trace.Trace
	last string          // the test that began last
	over map[string]bool // tests
}

func newServer(t *trace.Trace) *server { return &server{t: t, over: make(map[string]bool)} }

// of returns the test that the next event is for: that of its goroutine, or, if that is
// over or there is none, the one that began last, as of workers that serve all tests. It
// is "" for what runs the tests.
func (s *server) of(e *trace.Event) string {
	g := &s.t.Goroutines[e.G]
	switch {
	case g.Test == "" && g.Path == "main":
		return ""
	case g.Test == "" || s.over[g.Test]:
		return s.last
	case g.Path == "0" && e.Kind == trace.TestBegin:
		s.last = g.Test
	case g.Path == "0" && e.Kind == trace.End:
		s.over[g.Test] = true
	}
	return g.Test
}

// fingerprints returns for each test of t a number that is equal for runs of it in
// which the same events came in the same order.
func fingerprints(t *trace.Trace) map[string]uint64 {
	sums := make(map[string]uint64)
	names := make([]uint64, len(t.Goroutines))
	for i, g := range t.Goroutines {
		h := fnv.New64a()
		io.WriteString(h, g.Name())
		names[i] = h.Sum64()
	}
	const prime = 1099511628211 // FNV-1a, a word at a time
	tests := newServer(t)
	done := make([]uint64, len(t.Goroutines))
	for i := range t.Events {
		e := &t.Events[i]
		done[e.G]++
		test := tests.of(e)
		if test == "" {
			continue
		}
		at := names[e.G]
		if test != t.Goroutines[e.G].Test {
			at += done[e.G] // what it has done for other tests counts in a schedule
		}
		sum := sums[test]
		for _, w := range [...]uint64{at, uint64(e.Kind), t.Sites[e.Site].Key} {
			sum = (sum ^ w) * prime
		}
		sums[test] = sum
	}
	return sums
}

// concurrent returns the tests of t that are worth other recordings, those that have
// several goroutines, in their order, and how many events these have.
func concurrent(t *trace.Trace) (tests []string, events int) {
	size, several := make(map[string]int), make(map[string]bool)
	var all []string
	serving := newServer(t)
	for i := range t.Events {
		e := &t.Events[i]
		test, _, _ := strings.Cut(serving.of(e), "#")
		if test == "" {
			continue
		}
		if size[test] == 0 {
			all = append(all, test)
		}
		size[test]++
		several[test] = several[test] || t.Goroutines[e.G].Path != "0"
	}
	bySize := slices.DeleteFunc(slices.Clone(all), func(test string) bool { return !several[test] })
	slices.SortStableFunc(bySize, func(a, b string) int { return cmp.Compare(size[a], size[b]) })
	for k, test := range bySize {
		if events += size[test]; events > againEvents {
			events -= size[test]
			bySize = bySize[:k]
			break
		}
	}
	return slices.DeleteFunc(all, func(test string) bool { return !slices.Contains(bySize, test) }), events
}

// orders returns in how many other orders a package is recorded.
func (p *prediction) orders(run recorder.Run, events int) int {
	if p.opts.runs > 0 {
		return p.opts.runs - 1
	}
	cost := run.Seconds + float64(events)/eventsASecond
	for _, f := range furtherRuns {
		if cost <= f.cost {
			return f.n
		}
	}
	return 0
}

// further records the tests of a package again, whose first recording was predicted from
// and replayed, in n other orders, and deals with what that shows.
func (p *prediction) further(ctx context.Context, run recorder.Run, tests []string, n int, y *tally) error {
	for k := 0; k < n && len(tests) > 0 && p.left > 0; k++ {
		c, suspects, err := p.recordAgain(ctx, run, others(k), tests, y)
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		if err := c.confirm(ctx, suspects); err != nil {
			return err
		}
		if c.slowly {
			break
		}
	}
	return p.alone(ctx, run, y)
}

// A recording is one of a package's, with what was predicted from it.
type recording struct {
	*confirmation
	suspects []suspect
}

// passing records those tests again that have failed while the run of c was recorded, in
// n other orders at most, until they pass. It returns these recordings, the one to judge
// by first: beside a run that has failed itself, a bug that makes the tests fail would
// have no effect. Passed are the tests that have passed in one of them.
func (c *confirmation) passing(ctx context.Context, n int) (all []recording, passed []string, err error) {
	several, _ := concurrent(c.trace)
	tests := slices.DeleteFunc(failing(c.trace), func(test string) bool { return !slices.Contains(several, test) })
	for k := 0; k < n && len(passed) < len(tests); k++ {
		again, suspects, err := c.recordAgain(ctx, c.run, others(k), tests, c.tally)
		if err != nil {
			return nil, nil, err
		}
		if again == nil {
			continue
		}
		all = slices.Insert(all, 0, recording{again, suspects})
		for _, test := range tests {
			if !slices.Contains(passed, test) && began(again.trace, test) && !slices.Contains(failing(again.trace), test) {
				passed = append(passed, test)
			}
		}
	}
	never := slices.DeleteFunc(tests, func(test string) bool { return slices.Contains(passed, test) })
	if n > 0 && len(never) > 0 {
		c.warn("%s: failed in each order of goroutines that was recorded: %s; a bug that makes a test fail in the way in which it fails anyway is told as without effect",
			c.run.Package.Path, strings.Join(never, ", "))
	}
	return all, passed, nil
}

// failing returns the tests of t that have failed, or not ended.
func failing(t *trace.Trace) []string {
	ended := make(map[string]bool)
	for _, e := range t.Events {
		if test := t.Goroutines[e.G].Test; e.Kind == trace.TestEnd && e.Val == 0 && t.Names[e.Obj] == test {
			ended[test] = true
		}
	}
	var tests []string
	for _, g := range t.Goroutines {
		if name, _, _ := strings.Cut(g.Test, "#"); name != "" && !ended[g.Test] && !slices.Contains(tests, name) {
			tests = append(tests, name)
		}
	}
	return tests
}

// began reports whether t has something of a test.
func began(t *trace.Trace, test string) bool {
	return slices.ContainsFunc(t.Goroutines, func(g trace.Goroutine) bool { return g.Test == test })
}

// alone records those tests alone of which candidates left their schedules, and replays
// these as that shows them.
func (p *prediction) alone(ctx context.Context, run recorder.Run, y *tally) error {
	type which struct {
		test  string
		order recorder.Order
	}
	var all []which
	names := make(map[which][]string)
	for _, s := range y.stray {
		w := which{s.test, s.order}
		if names[w] == nil {
			all = append(all, w)
		}
		names[w] = append(names[w], s.name)
	}
	y.stray = nil
	for _, w := range all[:min(len(all), maxAlone)] {
		if p.left == 0 {
			break
		}
		for _, name := range names[w] {
			delete(y.settled, name)
		}
		c, suspects, err := p.recordAgain(ctx, run, w.order, []string{w.test}, y)
		if err != nil {
			return err
		}
		if c != nil {
			c.alone = true
			first := min(probes, len(suspects))
			before := c.confirmed.Load()
			if err := c.confirm(ctx, suspects[:first]); err != nil {
				return err
			}
			if c.confirmed.Load() > before {
				if err := c.confirm(ctx, suspects[first:]); err != nil {
					return err
				}
			}
		}
		for _, name := range names[w] {
			y.settled[name] = true
		}
	}
	return nil
}

// recordAgain records some tests of a package again and predicts from that. There is no
// confirmation if the tests ran as before, or nothing came of them: that they fail, or
// cannot run now, was not asked for and is not told.
func (p *prediction) recordAgain(ctx context.Context, run recorder.Run, o recorder.Order, tests []string, y *tally) (*confirmation, []suspect, error) {
	y.recordings++
	p.status.Set("recording", fmt.Sprintf("%s, time %d", run.Package.Path, y.recordings+1))
	limit := recordTime(run.Seconds)
	args := replayer.ArgsOf(run.Args, tests, replayer.SubtestFilter(run.Args), limit)
	again, err := run.Again(ctx, o, args, fmt.Sprintf("%s-%d", run.Trace, y.recordings), limit+time.Second)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil || again.Trace == "" {
		return nil, nil, nil
	}
	t, _ := p.read(again, func(string, ...any) {})
	if t == nil || !y.news(t) {
		return nil, nil, nil
	}
	p.status.Set("predicting", fmt.Sprintf("%s, %d events", run.Package.Path, len(t.Events)))
	opts := p.opts.analysis()
	opts.Known = y.of
	opts.Solving.Budget.Steps = furtherSolving
	result, err := predict(ctx, t, opts)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, nil
	}
	slowly := again.Seconds >= limit.Seconds()
	again.Args, again.Seconds = run.Args, run.Seconds // of replays
	c := p.confirmation(again, t, y)
	c.slowly = slowly
	y.take(result)
	suspects, impossible, err := c.suspects(result)
	if err == nil {
		c.ruleOut(impossible)
	}
	return c, suspects, err
}

// recordTime is the time that a further recording may take, of a run that took so many
// seconds.
func recordTime(seconds float64) time.Duration {
	return 10*time.Second + time.Duration(2*seconds*float64(time.Second))
}

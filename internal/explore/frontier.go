package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
)

// This file runs tests on beyond what was recorded: each run begins as a schedule says and
// goes on freely, and what it shows is looked at like a recording. Which runs there are to
// make is for proposers, a file each. An ordinary run makes a few flips of each test
// (flips.go). One that is to explore asks first for what no goroutine has come to yet
// (values.go), and last for orders of chance (chance.go).

// A Budget says how far tests are explored.
type Budget struct {
	Off  bool          // not beyond what is recorded
	All  bool          // until nothing is left
	Runs int           // of each test, at most; 0: no bound
	Time time.Duration // for all tests together; 0: no bound
}

// explores reports whether more is asked for than a few flips.
func (b Budget) explores() bool { return b.All || b.Runs > 0 || b.Time > 0 }

const (
	// kindExplored is the kind of the witnesses that begin such runs. They are in no report.
	kindExplored = "explored"
	// tierExplore is the tier of what such a run has shown.
	tierExplore = "explore"
)

// A proposer knows which runs of one test are worth making.
type proposer interface {
	// next returns up to n runs to make, none if it has nothing to try by now. It is told
	// the runs of the test so far that have shown anything new, in the order in which they
	// were made.
	next(ctx context.Context, runs []*confirmation, n int) ([]*attempt, error)
}

// An attempt is a run to be made.
type attempt struct {
	of   *confirmation // of the run from which it departs
	what string        // leads there, for readers
	// parents are the numbers of the runs from which it is known what leads there, 0 of
	// recordings; nil: that of the run from which it departs. Runs by chance have none.
	parents []int
	// run makes it, and returns what was recorded; nil if it did not come where it should.
	run func(ctx context.Context) (*confirmation, replayer.Result, error)

	number int // among the runs of its test, from 1

	// What came of it, once it has ended:
	next *confirmation
	replayer.Result
	err     error
	ended   chan struct{} // closed then
	awaited bool          // that is known
}

// endless reports whether its time was over before it had ended.
func (a *attempt) endless() bool { return timedOut(a.Result) }

// A frontier is what is known of one test while it is run on.
type frontier struct {
	*explored
	test      string
	proposers []proposer
	runs      []*confirmation // that have shown anything new
	made      int             // runs
	more      func() bool     // the budget is not used up
	fails     bool            // the test has failed in its first recording
	known     func() string   // what the runs have shown so far, for the status; nil: nobody counts that
}

// beyond runs tests on: last those that are too long to be recorded again, and before them those
// whose runs take long, or of which no order decides what they do. Those that have started processes are
// run on only where that was asked for.
func beyond(ctx context.Context, e *explored) error {
	if e.opts.Explore.Off {
		return nil
	}
	tests := slices.Clone(e.tests)
	for _, r := range e.firsts {
		several, _ := r.sized()
		for _, test := range several {
			if !slices.Contains(tests, test) {
				tests = append(tests, test)
			}
		}
	}
	if !e.opts.Explore.explores() {
		tests = e.withoutProcesses(tests)
	}
	if e.opts.Explore.All {
		e.sequential(tests)
	}
	if len(tests) == 0 {
		return nil
	}
	tests = e.lateLast(tests)
	all := newFlipper(e, tests)
	for _, test := range tests {
		x := &frontier{explored: e, test: test}
		listed := make(map[*confirmation]bool)
		x.fails = slices.ContainsFunc(e.firsts, func(r recording) bool { return slices.Contains(r.failed, test) })
		for _, r := range slices.Concat(e.firsts, e.recordings) { // these have the first ones too
			if began(r.trace, test) && !listed[r.confirmation] {
				listed[r.confirmation] = true
				x.runs = append(x.runs, r.confirmation)
			}
		}
		flips := all.of(x)
		x.proposers, x.more = []proposer{flips}, flips.more
		if e.opts.Explore.explores() {
			if err := x.explore(ctx, flips); err != nil {
				return err
			}
			continue
		}
		if err := x.loop(ctx); err != nil {
			return err
		}
	}
	return e.confirmSuspects(ctx)
}

// withoutProcesses returns those of tests that have started no process in the first recording: a run of
// one that has costs what these compute, and does what they make of it.
func (e *explored) withoutProcesses(tests []string) []string {
	return slices.DeleteFunc(slices.Clone(tests), func(test string) bool {
		return slices.ContainsFunc(e.firsts, func(r recording) bool { return slices.Contains(r.looks(test), "processes") })
	})
}

// lateTest is the time from which on a test is run on only after the others.
const lateTest = time.Second

// lateLast returns tests in the order in which they are run on: those last that took long in
// the first recording, or that have looked at what is outside of the program.
func (e *explored) lateLast(tests []string) []string {
	late := make(map[string]bool)
	for _, r := range e.firsts {
		for _, its := range r.trace.Tested {
			late[its.Test] = late[its.Test] || its.Elapsed >= lateTest
		}
		for _, test := range tests {
			late[test] = late[test] || len(r.looks(test)) > 0
		}
	}
	return slices.Concat(
		slices.DeleteFunc(slices.Clone(tests), func(test string) bool { return late[test] }),
		slices.DeleteFunc(slices.Clone(tests), func(test string) bool { return !late[test] }),
	)
}

// sequential tells of the tests that are not among the concurrent ones what the recording has
// shown of them: all that they can do, if nothing else than order could change that.
func (e *explored) sequential(concurrent []string) {
	pkg := &e.Report.Packages[len(e.Report.Packages)-1]
	for _, r := range e.firsts {
		for _, test := range testsIn(r.trace) {
			if slices.Contains(concurrent, test) {
				continue
			}
			v := newValues(&frontier{explored: e, test: test})
			if v.add(r.confirmation); !v.tooLong {
				v.result = v.program.Search(maxStates)
			}
			pkg.Explored = append(pkg.Explored, report.Explored{
				Test: test, Runs: 1, Behaviours: v.result.Behaviours, Complete: !v.tooLong && v.result.Complete(),
				Left: len(v.result.Next), Open: v.result.Open,
			})
		}
	}
}

// explore runs a test on until nothing is left, or the budget is used up, and tells how far
// that was.
func (x *frontier) explore(ctx context.Context, flips *flipping) error {
	b := x.opts.Explore
	values := newValues(x)
	x.proposers = []proposer{values, flips}
	chance := &byChance{frontier: x}
	if !b.All {
		x.proposers = append(x.proposers, chance)
	}
	x.more = func() bool {
		return x.left() > 0 && (b.Runs == 0 || x.made < b.Runs) && (b.Time == 0 || x.exploring > 0) && !values.complete()
	}
	x.known = values.known
	start := time.Now()
	err := x.loop(ctx)
	x.exploring -= time.Since(start)
	if err != nil {
		return err
	}
	pkg := &x.Report.Packages[len(x.Report.Packages)-1]
	its := report.Explored{
		Test: x.test, Runs: x.made + len(x.firsts), Behaviours: values.result.Behaviours, Complete: values.complete(),
		Left: len(values.result.Next) + len(flips.queue), Open: values.result.Open,
	}
	if chance.made > 0 {
		its.ByChance, its.Seed = chance.made, x.opts.Seed
	}
	pkg.Explored = append(pkg.Explored, its)
	return nil
}

// attemptsAtOnce is how many runs are made beside each other: the same number on each machine, as
// what comes of a run may lead to others; and fewer of long tests, as their traces take memory.
const attemptsAtOnce = 8

// togetherEvents is how many events these runs may have together, by the longest one before.
const togetherEvents = againEvents / 4

// loop makes runs as long as there are any, and the budget is not used up. They are looked at in the
// order in which they were asked for, while those after them go on: which one is next follows
// from all up to the last that was looked at, however long each of them took. Where the test is
// explored those that were asked for together have all ended before.
func (x *frontier) loop(ctx context.Context) error {
	if err := x.ready(); err != nil {
		return err
	}
	atOnce := max(1, min(attemptsAtOnce, togetherEvents/max(1, x.size[x.test])))
	running, stop := context.WithCancel(ctx)
	var begun []*attempt
	defer func() {
		stop()
		for _, a := range begun {
			<-a.ended
		}
	}()
	together := x.opts.Explore.explores()
	for {
		if !together || len(begun) == 0 {
			next, err := x.ask(ctx, atOnce-len(begun))
			if err != nil {
				return err
			}
			x.begin(running, next)
			begun = append(begun, next...)
		}
		if len(begun) == 0 {
			return nil
		}
		now := begun[:1]
		if together {
			now = begun
		}
		begun = begun[len(now):]
		if err := x.await(ctx, now); err != nil {
			return err
		}
		for _, a := range now {
			if a.endless() {
				return nil // the next may take as long
			}
			if err := x.take(ctx, a); err != nil {
				return err
			}
		}
	}
}

// ask returns up to n runs to make, none if the budget is used up.
func (x *frontier) ask(ctx context.Context, n int) (now []*attempt, err error) {
	if most := x.opts.Explore.Runs; most > 0 {
		n = min(n, most-x.made)
	}
	for _, p := range x.proposers {
		if n <= 0 || x.left() == 0 || !x.more() {
			return nil, nil
		}
		if now, err = p.next(ctx, x.runs, n); err != nil || len(now) > 0 {
			break
		}
	}
	if len(now) == 0 {
		return nil, err
	}
	for _, a := range now {
		x.made++
		a.number = x.made
	}
	known := ""
	if x.known != nil {
		known = x.known()
	}
	x.status.Count("exploring", x.test+", "+x.run.Package.Path, x.made, x.opts.Explore.Runs, known)
	return now, err
}

// begin begins to make runs, in the time that is left for replays.
func (x *frontier) begin(ctx context.Context, all []*attempt) {
	for _, a := range all {
		limit, cancel := x.limited(ctx)
		a.ended = make(chan struct{})
		go func() {
			defer cancel()
			defer close(a.ended)
			a.next, a.Result, a.err = a.run(limit)
		}()
	}
}

// await waits for runs.
func (x *frontier) await(ctx context.Context, all []*attempt) error {
	err := all[0].of.inTime(ctx, func(context.Context) error {
		var errs []error
		for _, a := range all {
			<-a.ended
			errs = append(errs, a.err)
		}
		return errors.Join(errs...)
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !errors.Is(err, errTimeOver):
		x.Failed = true
		x.warn("%s: %v", x.run.Package.Path, err)
	}
	for _, a := range all {
		a.awaited = true
		x.inPackage.runs.Add(int64(len(a.Verdicts)))
		if a.next == nil {
			continue
		}
		if a.next.parents = a.parents; a.parents == nil {
			a.next.parents = []int{a.of.number}
		}
		a.next.tally, a.next.tests, a.next.number = x.tally, countTests(a.next.trace), a.number
	}
	return nil
}

// take looks at a run that has ended, if it has shown anything new.
func (x *frontier) take(ctx context.Context, a *attempt) error {
	if x.fails && a.next != nil && x.passing(x.test) == nil && !slices.Contains(failing(a.next.trace), x.test) {
		x.passes[x.test] = a
	}
	if a.next == nil || !x.tally.news(a.next.trace) {
		return nil
	}
	x.runs = append(x.runs, a.next)
	if x.opts.Tell != nil && x.opts.Explore.explores() {
		x.opts.Tell(fmt.Sprintf("explore: %s, %s: run %d%s: new from %s", x.test, x.run.Package.Path, a.next.number, after(a.parents), a.what))
	}
	return x.look(ctx, a)
}

// after says which runs a run is known by, where these are others than recordings.
func after(parents []int) string {
	var all []string
	for _, n := range parents {
		if n > 0 {
			all = append(all, fmt.Sprint(n))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ", after " + strings.Join(all, ", ")
}

// look confirms what a run has shown, and what is predicted from it. That it has
// failed comes last: a bug that makes it do so tells more.
func (x *frontier) look(ctx context.Context, a *attempt) error {
	c := a.next
	if err := x.besidePassing(ctx, c); err != nil {
		return err
	}
	if err := c.stuck(ctx); err != nil {
		return err
	}
	if kinds, some := x.kinds(); some && len(c.trace.Events) <= againEvents {
		findings, err := c.predictMore(ctx, kinds)
		if err != nil {
			return err
		}
		if err := c.confirm(ctx, findings); err != nil {
			return err
		}
	}
	x.suspect(a)
	if x.opts.Explore.explores() || x.suspected() > againEvents {
		return x.confirmSuspects(ctx)
	}
	return nil
}

// maxPatterns is how many patterns of accesses are confirmed of a test, when runs of it beyond its
// recordings are not searched for more: each such run may show hundreds, and all are to be replayed.
const maxPatterns = 16

// kinds are those that are looked for in further runs of the test, or none, which are all; some is
// not set if nothing is looked for.
func (x *frontier) kinds() (kinds []bug.Kind, some bool) {
	kinds = x.opts.Analysis.Kinds
	confirmed := 0
	for _, f := range x.Report.Findings {
		if isPattern(f.Kind) && f.Status == bug.Confirmed && f.Test == x.test && f.Package == x.run.Package.Path {
			confirmed++
		}
	}
	if confirmed < maxPatterns || x.opts.Explore.explores() {
		return kinds, true
	}
	kinds = withoutPatterns(kinds)
	return kinds, len(kinds) > 0
}

// withoutPatterns returns those of the kinds, of which none are all, that are no patterns of accesses.
func withoutPatterns(kinds []bug.Kind) []bug.Kind {
	if len(kinds) == 0 {
		kinds = bug.Kinds()
	}
	return slices.DeleteFunc(slices.Clone(kinds), isPattern)
}

// isPattern reports whether bugs of a kind are patterns of accesses.
func isPattern(kind bug.Kind) bool { return kind == bug.Atomicity || kind == bug.AtomicSet }

// place describes an event of a trace.
func (e *explored) place(t *trace.Trace, at *trace.Event) string {
	s := t.Sites[at.Site]
	return fmt.Sprintf("%s by goroutine %s (%s:%d)", strings.TrimSpace(at.Kind.String()+" "+s.Expr), t.Goroutines[at.G].Path, e.files.Name(s.File), s.Line)
}

package explore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis/flips"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file runs tests on where one choice is made otherwise: an operation is put off
// (analysis/flips), so that the program does what no recording shows. What blocks for ever
// at the end of such a run is confirmed like that of the recorded one, and other bugs are
// predicted from its trace. It has choices of its own, which are flipped in turn.

const (
	// maxFlipped is how many flips of one test are run, and maxFlippedPackage of all tests of
	// a package that has several.
	maxFlipped, maxFlippedPackage = 40, 256
	// maxPlain is how many of those of one test put off operations on locks and their like.
	maxPlain = 8
	// maxAtomic is how many of those of one test put off atomic operations: their turn comes last, and
	// what they leave is for other tests.
	maxAtomic = 8
	// maxFruitless is how many flips of one test follow the last one after which the test has
	// come to flips that are like no other, or a bug was confirmed, where several tests have flips.
	maxFruitless = 16
	// maxRuns is how many runs of one test there may have been, of any sort, when another
	// flip is run: on average of the tests, or since the test's first flip, so that what many
	// replays of one test confirm takes no flips from the others.
	maxRuns = 56
	// flippedTime is the time that the flips of a package may take in any case. Beyond that they may take
	// as long as its other runs, so that the whole takes twice as long as
	// without, and no longer than what the package is allowed (allowance).
	flippedTime = 3 * time.Second
	// maxForeign is of how many tests of a package the same choice of the standard library is
	// flipped, in goroutines that were started at the same places.
	maxForeign = 2
	// longTest is from which time on what a test waits counts, too: the part of it that a run costs
	// which waits beside others.
	longTest, waitShare = 250 * time.Millisecond, 4
)

// kindFlipped is the kind of the witnesses that lead to flips. They are in no report.
const kindFlipped = "flipped"

// tierFlip is the tier of what a run has shown in which a choice was made otherwise.
const tierFlip = "flip"

// A flip is one of a trace.
type flip struct {
	flips.Flip
	of    *confirmation // of the trace
	delay replayer.Delay
	upTo  uint64 // fingerprint of the test up to what is put off; 0: unknown
}

// A way is equal for flips that lead to the same run.
type way struct {
	upTo  uint64
	taken int // the case that is asked for
}

// A flipper is the state of the flips of a package's tests.
type flipper struct {
	*explored
	most   int                                 // flips yet, of all tests
	open   map[string]bool                     // tests that have flips, of which none was asked for yet
	atMost int64                               // runs of the package, when another flip is run
	vain   int                                 // how many of a test may come to nothing new, one after the other
	listed map[*confirmation]map[string][]flip // of recordings, by test
	// Ran are the keys of the flips that were run of the test by now, and elsewhere says of how
	// many tests before they were.
	ran       map[string]bool
	elsewhere map[string]int
}

// newFlipper prepares for the flips of tests.
func newFlipper(e *explored, tests []string) *flipper {
	x := &flipper{
		explored: e, listed: make(map[*confirmation]map[string][]flip), elsewhere: make(map[string]int),
		most: maxFlippedPackage, open: make(map[string]bool), atMost: maxRuns * int64(len(tests)),
	}
	// The runs so far are taken to be of the middle test: few are of one that is much longer
	// than all others.
	var costs []time.Duration
	var all time.Duration
	for _, test := range tests {
		costs = append(costs, x.cost(test))
		all += x.cost(test)
	}
	slices.Sort(costs)
	for _, r := range slices.Concat(e.firsts, e.recordings) {
		for _, test := range tests {
			if len(x.list(r.confirmation, test)) > 0 && x.cost(test) <= e.further.left {
				x.open[test] = true
			}
		}
	}
	if x.vain = maxFruitless; len(x.open) <= 1 {
		x.vain = maxFlipped
	}
	e.flips = flippedTime + all + costs[(len(costs)-1)/2]*time.Duration(e.inPackage.runs.Load())
	return x
}

// cost is what a run of a test takes, by its size and by what it waited in the first recording.
func (x *flipper) cost(test string) time.Duration {
	return x.further.cost(x.size[test]) + coarse(x.waited[test])/waitShare
}

// coarse is the greatest of longTest, twice as much, and so on that is no longer than d, for what moves the
// clock of the recorded program beside its waits; 0 if d is shorter than all of them.
func coarse(d time.Duration) time.Duration {
	if d < longTest {
		return 0
	}
	at := longTest
	for 2*at <= d {
		at *= 2
	}
	return at
}

// A flipping proposes the flips of one test: those of the recordings first, then those of
// the runs that came of flips, then those that wait for timers, then those of atomic operations, and
// last those that are alike others but in another run; none that leads to a run that was.
type flipping struct {
	*flipper
	test     string
	share    time.Duration // what its flips may take
	own      int           // flips that it may have
	queue    []flip
	late     []flip // that wait for timers
	atomics  []flip // of atomic operations
	again    []flip
	known    map[string]bool
	been     map[way]bool
	seen     int   // of the runs
	recorded int   // how many of these are recordings
	kept     int   // events of the others, of which flips are listed
	plain    int   // that were listed
	atomic   int   // likewise
	atMost   int64 // runs of the package, when another flip of the test is run
	made     int
	fruitful int // of these, up to the last one that has shown anything but orders, and those beside it
	done     int // bugs that were shown by then
	asked    []asked
}

// An asked flip is one that a run was asked for.
type asked struct {
	*attempt
	flip flip
}

// of begins with the flips of a test. It has an equal share of what all may take, with those
// that are still to come and have any: what it leaves is for these.
func (x *flipper) of(f *frontier) *flipping {
	left := max(1, len(x.open))
	delete(x.open, f.test)
	for key := range x.ran {
		x.elsewhere[key]++
	}
	x.ran = make(map[string]bool)
	return &flipping{
		flipper: x, test: f.test, share: min(x.flips, x.further.left) / time.Duration(left), own: min(maxFlipped, max(1, x.most/left)),
		known: make(map[string]bool), been: make(map[way]bool), recorded: len(f.runs),
		atMost: max(x.atMost, x.explored.inPackage.runs.Load()+maxRuns),
	}
}

// more reports whether an ordinary run may make another flip.
func (x *flipping) more() bool {
	return x.made < x.own && x.explored.inPackage.runs.Load() < x.atMost && 2*x.share > x.cost(x.test)
}

func (x *flipping) next(_ context.Context, runs []*confirmation, n int) (all []*attempt, err error) {
	x.asked = slices.DeleteFunc(x.asked, func(a asked) bool {
		if f := a.flip; a.awaited && a.due() && f.delay == replayer.Last {
			f.delay = replayer.Overdue
			x.late = append(x.late, f)
		}
		return a.awaited
	})
	by := x.made - len(x.asked) // so many were looked at
	if by > 0 {
		by += attemptsAtOnce - 1 // as if all that may be beside the last one had been made
	}
	for _, c := range runs[x.seen:] {
		if x.seen++; x.seen > x.recorded {
			if x.kept += len(c.trace.Events); x.kept > againEvents {
				continue
			}
		}
		if x.collect(c) {
			x.fruitful = by
		}
	}
	if shown := x.shown(); shown > x.done {
		x.done, x.fruitful = shown, by
	}
	if len(x.queue) == 0 && len(x.asked) > 0 {
		return nil, nil // the runs that go on may have others
	}
	if len(x.queue) == 0 {
		x.queue, x.late = x.late, nil
	}
	if len(x.queue) == 0 {
		x.queue, x.atomics = x.atomics, nil
	}
	if len(x.queue) == 0 {
		x.queue, x.again = x.again, nil
	}
	for len(all) < n && len(x.queue) > 0 && (x.opts.Explore.explores() || x.more() && x.made < x.fruitful+x.vain) {
		all = append(all, x.ask(x.queue[0]))
		x.queue = x.queue[1:]
	}
	return all, nil
}

// ask asks for a run to a flip, and takes what that costs.
func (x *flipping) ask(f flip) *attempt {
	x.made++
	x.most--
	took := x.cost(x.test)
	x.flips, x.share, x.further.left = x.flips-took, x.share-took, x.further.left-took
	x.ran[f.Key] = true
	a := &attempt{of: f.of, run: f.run, what: x.place(f.of.trace, &f.of.trace.Events[f.At]) + " put off"}
	x.asked = append(x.asked, asked{a, f})
	return a
}

// collect lists the flips of the run of c, but for those that are alike others only once
// there are no others, and reports whether there are any that are not.
func (x *flipping) collect(c *confirmation) (fresh bool) {
	for _, f := range x.list(c, x.test) {
		if x.foreign(f) {
			continue
		}
		if f.upTo != 0 {
			way := way{f.upTo, f.Case}
			if x.been[way] {
				continue
			}
			x.been[way] = true
		}
		if f.Plain() {
			if x.plain++; x.plain > maxPlain {
				continue
			}
		}
		if f.Atomic() {
			if x.atomic++; x.atomic > maxAtomic && !x.opts.Explore.explores() {
				continue
			}
		}
		switch {
		case x.known[f.Key]:
			x.again = append(x.again, f)
			continue
		case f.Atomic():
			x.atomics = append(x.atomics, f)
		default:
			x.queue = append(x.queue, f)
			fresh = true
		}
		x.known[f.Key] = true
	}
	return fresh
}

// foreign reports whether f is a choice of the standard library that others have shown enough of.
// Those of package testing, as which subtest begins first, are tried once in a package: recordings
// in other orders make them otherwise, too.
func (x *flipping) foreign(f flip) bool {
	site := f.of.trace.Sites[f.of.trace.Events[f.At].Site]
	switch {
	case x.opts.Explore.explores():
		return false
	case trace.OfTesting(site.Func):
		return x.known[f.Key] || x.elsewhere[f.Key] > 0
	case strings.HasPrefix(x.files.Name(site.File), "std/"):
		return x.elsewhere[f.Key] >= maxForeign
	}
	return false
}

// due reports whether a timer could have fired before what was put off.
func (a *attempt) due() bool {
	return slices.ContainsFunc(a.Verdicts, func(v replayer.Verdict) bool { return v.Due })
}

// list returns the flips of a test in the trace of c.
func (x *flipper) list(c *confirmation, test string) []flip {
	all, ok := x.listed[c]
	if !ok {
		if all = listed(c); c.toward == nil { // all tests ask for it
			x.listed[c] = all
		}
	}
	return all[test]
}

// listed returns the flips in the trace of c, by test; none of a trace that contradicts itself.
func listed(c *confirmation) map[string][]flip {
	first := *c.trace
	first.Events = first.Events[:min(len(first.Events), flips.Within)]
	o, err := order.New(&first)
	if err != nil {
		return nil
	}
	all := make(map[string][]flip)
	at := make(map[int][]*flip)
	for test, its := range flips.Of(c.trace, o) {
		for _, f := range its {
			all[test] = append(all[test], flip{Flip: f, of: c, delay: replayer.Last})
		}
		for k := range all[test] {
			f := &all[test][k]
			at[f.At] = append(at[f.At], f)
		}
	}
	printed(&first, func(i int, test string, sum uint64) {
		for _, f := range at[i] {
			if funcOf(c.trace.Goroutines[c.trace.Events[i].G].Test) == test {
				f.upTo = sum
			}
		}
	})
	return all
}

// run runs to a flip and on from there.
func (f flip) run(ctx context.Context) (*confirmation, replayer.Result, error) {
	c := f.of
	steps, hold := c.upTo(f.At)
	w, err := witness.FromSchedule(c.trace, steps, []int{f.At}, hold, witness.Meta{
		Kind: kindFlipped, Package: c.run.Package.Path, Files: c.files, Source: c.source, Extent: witness.Whole, Index: c.index,
	})
	if err != nil {
		return nil, replayer.Result{}, err
	}
	w.Violation[0].Case = f.Case
	return c.goOn(ctx, w, c.ifWorth, func(bin replayer.Binary, opts replayer.Options) (replayer.Result, error) {
		return replayer.PutOff(ctx, bin, w, c.code, f.delay, opts)
	})
}

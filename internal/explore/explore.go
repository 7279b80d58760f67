// Package explore is the loop over runs and traces: each package's tests are recorded,
// bugs are predicted from the trace, and these are replayed until they are confirmed.
// What that shows says what to run next.
//
// It stands between the rooms that each do a part of this, recorder, analysis and
// replayer, and internal/command, which has the flags, the status line and the exit
// codes. An [Exploration] is fed the first recordings of packages ([Exploration.Explore]), which it
// explores beside each other, each by itself, and fills a report. Which further runs there are is for strategies, each in a file of
// its own: other orders of goroutines (orders.go), tests that behave differently alone
// (alone.go), runs beyond what was recorded (frontier.go), runs that depart from the
// recorded one (departures.go), and recorded runs that have failed by themselves (failed.go).
// What the end of a run has kept from running is recorded first of all (rest.go). All draw on one time (bound.go).
//
// # Words
//
// What becomes of one bug on its way has these names, here and in the rooms around:
//
//   - A candidate is a kind of bug at some places of the program, of which a trace has
//     events that may be it in another order. It has instances: each is one choice of
//     such events (analysis/detect).
//   - A finding is a candidate that the tiers of package analysis have looked at:
//     predicted, with schedules; undecided; or infeasible. The report's findings are
//     these with what replays have shown of them.
//   - A witness is a schedule in a form that outlives the trace, as it names goroutines
//     and places of the sources and no events: what a replay is given, and what is saved
//     beside the test (replayer/witness).
//   - A verdict is what one replay of a witness has shown (replayer). Only that confirms
//     a finding.
//
// The evidence for a finding of the report is its witness, the verdicts on it, and the
// recordings that tell the values (internal/report).
//
// # One package
//
//	recording ── Predict ──> candidates ──> findings ── witnesses ──> replays ──> report
//	    ^                                      |                         |
//	    └── strategies: other orders, alone ───┴── departures: the run ──┘
//	                                               of a replay is a trace, too
//
// What is known after each recording is in a tally, so that no candidate is replayed
// twice for nothing, and no further trace is searched for what is confirmed.
package explore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Options say what to look for, and how far to go.
type Options struct {
	Analysis  analysis.Options  // of each trace
	Methods   bool              // methods of structs that hold a mutex are atomic regions
	Witnesses string            // folder for witnesses, below that of each package; if absolute, one for all, with a folder for each package
	Artifacts string            // folder for those that cannot be saved there; "" if there is none
	Keep      bool              // the files of the runs stay
	Timeout   time.Duration     // for all replays together; 0: what follows the recording takes about as long as that
	Beside    int               // how many packages are explored beside each other at most; 0: as many as is sensible
	Runs      int               // how often tests are recorded; 0: as often as is cheap
	Tell      func(line string) // of each run beyond those that shows something new; nil: nobody asks
	Note      func(line string) // of each bug as soon as it is confirmed; nil: nobody asks
	Explore   Budget            // how far tests are run on beyond that
	Seed      int               // of the first order of chance, from 1
}

// An Exploration turns the recorded runs of packages into the report.
type Exploration struct {
	Report report.Report
	Failed bool // some package could not be analyzed

	*setting
	told map[string]bool // the sites of the confirmed findings in the report
}

// A setting is what the packages of an exploration have in common. They are explored beside each other.
type setting struct {
	opts   Options
	build  *recorder.Build  // the instrumented packages, and where their binaries are
	root   string           // folder that witnesses and files are named relative to
	files  witness.Files    // how files are named: the same on each machine
	work   string           // folder for traces and the files of replays
	status *report.Status   // what the user sees meanwhile
	source *witness.Sources // lines of the sources, read once
	code   replayer.Code    // what witnesses are matched with

	noted     noted                 // the confirmed bugs that Note was told of
	controls  controls              // of the tests that replays make fail
	slots     *replayer.Slots       // for the replays that run at the same time
	steps     *semaphore.Weighted   // those of the witnesses of these, see stepsAtOnce
	folders   chan *replayer.Folder // for the files of replays; those that no replay uses now
	ready     func() error          // has made the folders, once for all packages
	workers   int                   // how many findings of a package are dealt with meanwhile, so that no slot stays free
	timeout   countdown             // of replays, or of all
	kept      atomic.Int64          // what of that is for packages that are not analyzed yet, a time.Duration
	exploring time.Duration         // the time that is left for exploring, if that has a bound: one package is explored at a time then
	making    sync.WaitGroup        // what records early
	begun     atomic.Int32          // packages
}

// An inPackage explores one package, and has its part of the report.
type inPackage struct {
	*setting
	Report report.Report
	Failed bool

	prefix       string                   // of the files that it keeps in the folder for work
	done         map[string]bool          // the sites of the confirmed findings
	runs         atomic.Int64             // after the recorded one
	waited       map[string]time.Duration // by test, in the first recording
	endless      map[string]bool          // by tests: one of their departures has not ended
	further      *allowance               // beyond the first recording
	reserved     time.Duration            // is kept of the time for all until it is analyzed
	uncontrolled uncontrolled
	flips        time.Duration // what flips may take yet
	early        *early        // recordings that are made before they are asked for
	drafted      *confirmation // has the witnesses that are to be published; nil: none
}

// New begins an exploration of what was built for the go command's environment env. It
// keeps its files in the folder work, and shows on status what it is at.
func New(build *recorder.Build, env gotool.Env, work string, status *report.Status, opts Options) *Exploration {
	procs, files, source := runtime.GOMAXPROCS(0), Files(env).Cached(), new(witness.Sources)
	workers := procs + (procs+1)/2
	x := &setting{
		opts: opts, build: build, root: env.Root(), files: files, work: work, status: status, source: source,
		code:    replayer.Code{Sites: replayer.ByFunc(build.Sites), Files: files, Source: source, Properties: opts.Analysis.Properties},
		timeout: countdown{rest: cmp.Or(opts.Timeout, allReplays)}, exploring: opts.Explore.Time, workers: workers, slots: replayer.NewSlots(procs),
		steps:   semaphore.NewWeighted(stepsAtOnce),
		folders: make(chan *replayer.Folder, max(workers, attemptsAtOnce)),
	}
	x.ready = sync.OnceValue(x.makeFolders)
	return &Exploration{Report: report.Report{Go: env.GOVERSION}, setting: x, told: make(map[string]bool)}
}

// in begins with a package.
func (x *setting) in() *inPackage {
	prefix := filepath.Join(x.work, fmt.Sprintf("package-%d-", x.begun.Add(1)))
	return &inPackage{setting: x, prefix: prefix, done: make(map[string]bool), endless: make(map[string]bool)}
}

// warn adds a warning to the report.
func (x *inPackage) warn(format string, args ...any) {
	x.Report.Warnings = append(x.Report.Warnings, fmt.Sprintf(format, args...))
}

// Cut notes that the run ends early: err, which Explore has returned, is why. What is in the report stays as it is.
func (x *Exploration) Cut(err error) {
	x.making.Wait()
	incomplete(&x.Report, err.Error())
}

// incomplete notes why not all was done that was to be done, each reason once.
func (x *inPackage) incomplete(why string) { incomplete(&x.Report, why) }

func incomplete(r *report.Report, why string) {
	if !slices.Contains(r.Incomplete, why) {
		r.Incomplete = append(r.Incomplete, why)
	}
}

// ran adds to the report what it has of a package whose tests were run, before anything is analyzed.
func (x *inPackage) ran(run recorder.Run) *report.Package {
	x.Report.Packages = append(x.Report.Packages, report.Package{Package: run.Package.Path, Result: string(run.Result), RecordS: run.Seconds})
	return &x.Report.Packages[len(x.Report.Packages)-1]
}

// add confirms what was predicted from the recorded run of the package, p; nil if it has no trace.
// What goes wrong with this package only is told as a warning; the error is
// for what concerns the whole run.
func (x *inPackage) add(ctx context.Context, run recorder.Run, p *prediction) error {
	pkg := x.ran(run)
	if !run.Started.IsZero() {
		pkg.Started = run.Started.Format(time.RFC3339)
	}
	for _, s := range x.build.SkippedIn(run.Package) {
		pkg.Skipped = append(pkg.Skipped, x.files.Name(s.File)+": "+s.Reason)
	}
	if p == nil {
		return nil
	}
	// The trace is written: what goes wrong from here on leaves the package in the
	// report, with what the plain run has shown.
	if info, err := os.Stat(run.Trace); err == nil {
		pkg.TraceBytes = info.Size()
	}
	x.early = p.early
	defer p.early.end()
	x.note(p.notes)
	t := p.trace
	x.Failed = x.Failed || !p.whole
	if t != nil {
		pkg.Events = t.Logged()
		pkg.Tests, pkg.Cases = countTests(t), evidence.CasesIn(t)
		pkg.Lingering = evidence.LingeringIn(t, run.Package.Path, x.files, x.source.Line)
	}
	defer func() { x.Report.Packages[0].Runs = x.runs.Load() }()
	switch {
	case p.err != nil && ctx.Err() != nil:
		return ctx.Err()
	case p.err != nil:
		x.Failed = true
		x.warn("%s: %v", run.Package.Path, p.err)
		return nil
	case t == nil:
		return nil
	}
	x.Report.Totals.Pruned += p.result.Pruned()
	if p.result.Cut {
		x.warn("%s: %s", run.Package.Path, CutSearch)
	}
	if p.result.TooLong {
		x.warn("%s: %s", run.Package.Path, TooLong)
	}
	p.early.wait()
	return x.explore(ctx, run, p)
}

// explore confirms what was predicted from the first recording of a package, and runs the
// strategies.
func (x *inPackage) explore(ctx context.Context, run recorder.Run, p *prediction) error {
	// All of these are made before the first replay: witnesses that are committed beside
	// the tests are told apart by what was predicted at their places, and what is
	// infeasible needs no replay.
	y := newTally()
	y.news(p.trace)
	y.take(p.result)
	c := x.confirmation(run, p.trace, y)
	c.sized = p.sized
	findings, impossible, err := c.findings(p.result)
	if err != nil {
		return err
	}
	c.ruleOut(impossible)
	return c.explore(ctx, findings)
}

// explore confirms what was predicted from the first recording of a package, c, and then
// that of the further runs that its outcome and the strategies ask for.
func (c *confirmation) explore(ctx context.Context, findings []finding) error {
	c.drafted = &confirmation{inPackage: c.inPackage, run: c.run, tally: c.tally} // no trace is kept until it is published
	defer func() { c.tally.unreached = nil }()
	firsts, err := c.rest(ctx)
	if err != nil {
		return err
	}
	if timeOver(c.trace) {
		c.run.Seconds = min(c.run.Seconds, hungSeconds)
	}
	firsts = append([]recording{{c, findings}}, firsts...)
	e := &explored{
		inPackage: c.inPackage, run: c.run, firsts: firsts, tally: c.tally,
		tried: make(map[string]int), passes: make(map[string]*attempt), strays: make(map[string]string),
		size: make(map[string]int),
	}
	c.waited = make(map[string]time.Duration)
	events, ran := 0, []string(nil) // ran are the tests that were recorded
	for _, r := range firsts {
		ran = append(ran, testsIn(r.trace)...)
		several, size := r.sized()
		maps.Copy(e.size, size)
		maps.Copy(c.waited, waited(r.trace))
		tests, its := fewest(several, size, againEvents)
		e.tests, events = append(e.tests, tests...), events+its
	}
	c.further = newAllowance(c.trace)
	e.orders = c.orders(c.run, events)
	var passing []string
	for _, r := range firsts {
		again, passed, tried, err := r.passing(ctx, e.orders)
		if err != nil {
			return err
		}
		e.recordings, passing = append(e.recordings, again...), append(passing, passed...)
		maps.Copy(e.tried, tried)
	}
	lay, err := c.witnesses()
	if err != nil {
		return err
	}
	for _, r := range slices.Concat(firsts, e.recordings) {
		if err := r.stuck(ctx); err != nil {
			return err
		}
	}
	e.recordings = append(e.recordings, firsts...)
	// The committed witnesses go first: a bug that one of them shows is confirmed then,
	// with a file that is there already. They are judged beside a run in which the tests
	// passed, if there is one: else a failure would be nothing new.
	own := c.recorded
	if len(passing) > 0 {
		c.recorded = own.Without(passing)
	}
	if err := c.inTime(ctx, func(limit context.Context) error { return c.committed(limit, lay, findings, ran) }); err != nil {
		return err
	}
	c.recorded = own
	for _, r := range e.recordings {
		if err := r.confirm(ctx, r.findings); err != nil {
			return err
		}
	}
	// Only now other runs are recorded: they cost the most, and are searched only for what
	// the first has left open.
	for _, s := range strategies {
		if err := s(ctx, e); err != nil {
			return err
		}
	}
	if err := c.inTime(ctx, func(limit context.Context) error { return c.settle(ctx, limit) }); err != nil {
		return err
	}
	e.dropExplained()
	c.tellUncontrolled()
	return nil
}

// An explored is a package whose first recording was dealt with.
type explored struct {
	*inPackage
	run    recorder.Run
	firsts []recording    // the first one, and those of what its end has kept from running
	tests  []string       // those that are worth other recordings
	orders int            // how many these are
	size   map[string]int // events, by test, in the first recordings
	tally  *tally
	// recordings are those so far that have shown something new.
	recordings []recording
	tried      map[string]int      // in how many other orders tests were recorded that had failed
	passes     map[string]*attempt // a run beyond the recordings in which such a test passes, if one does
	suspects   suspects            // runs beyond the recordings in which tests have failed, to be replayed
	strays     map[string]string   // why the replay of a run in which a test has failed has not shown that
}

// A strategy records tests of a package again and deals with what that shows. It ends
// when it has nothing to try, and when no time is left (setting.left);
// an error is for what concerns the whole run. A new strategy is a file, and a place in
// the list below.
type strategy func(ctx context.Context, e *explored) error

// strategies run one after the other. Runs that depart from a recorded one follow each
// recording at once: see departures.go.
var strategies = []strategy{inOrders, alone, beyond, mixed, failed}

// confirmation is what deals with t, which was recorded of run.
func (x *inPackage) confirmation(run recorder.Run, t *trace.Trace, y *tally) *confirmation {
	return &confirmation{
		inPackage: x, run: run, trace: t, index: witness.NewIndex(t), recorded: replayer.Recorded(t), failed: failing(t),
		tally: y, tests: countTests(t), progress: new(progress), sized: sizesOnce(t),
	}
}

// analysis returns the options for the analysis of traces of run: the properties are those
// of its package and the built-in ones.
func (x *setting) analysis(run recorder.Run) analysis.Options {
	opts := x.opts.Analysis
	opts.Properties = slices.DeleteFunc(slices.Clone(opts.Properties), func(p property.Property) bool { return !p.IsFor(run.Package.Path) })
	return opts
}

// Predict is [analysis.Predict], which it does not wait for once ctx is done. The events of a long trace are not
// all in memory meanwhile.
func Predict(ctx context.Context, t *trace.Trace, opts analysis.Options) (*analysis.Result, error) {
	d := analysis.Divide(t, opts.Properties)
	predict := func() (*analysis.Result, error) { return d.Predict(ctx, opts) }
	if !d.Drop() {
		return unlessDone(ctx, predict)
	}
	t.Events = nil
	runtime.GC() // before what comes in their place
	r, err := unlessDone(ctx, predict)
	runtime.GC()
	return r, cmp.Or(err, t.ReadEvents())
}

// RacyEvents is [analysis.FindRacyEvents], and ends with ctx.
func RacyEvents(ctx context.Context, t *trace.Trace, opts analysis.Options) (*analysis.RacyEvents, error) {
	return unlessDone(ctx, func() (*analysis.RacyEvents, error) { return analysis.FindRacyEvents(ctx, t, opts) })
}

// unlessDone calls f and returns what that does, but does not wait for it once ctx is done:
// what is done with long traces can take minutes, and parts of it do not look at ctx. f
// goes on then until the command ends, and may not write to what others use.
func unlessDone[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := f()
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// CutSearch says that not all patterns were found.
const CutSearch = "the search for atomicity violations ended early, as there are too many ways to choose accesses: there may be more of them; -run=NAME selects fewer tests"

// TooLong says that assertions of some tests were not predicted.
var TooLong = fmt.Sprintf("failing assertions were not predicted for tests that have more than %d events, with those of tests that ran at the same time: -run=NAME selects fewer tests", trace.MaxFlow)

// Files returns how files of the module or workspace of env are named.
func Files(env gotool.Env) witness.Files {
	return witness.Files{Root: env.Root(), GOROOT: env.GOROOT, ModCache: env.GOMODCACHE}
}

// rel names a file relative to the root, with forward slashes; one elsewhere by its path.
func (x *setting) rel(file string) string {
	if r, err := filepath.Rel(x.root, file); err == nil && filepath.IsLocal(r) {
		return filepath.ToSlash(r)
	}
	return file
}

// path is the file that rel has named.
func (x *setting) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(x.root, name)
}

// makeFolders makes the folders for the files of replays.
func (x *setting) makeFolders() error {
	for i := range cap(x.folders) {
		folder := filepath.Join(x.work, fmt.Sprintf("replay-%d", i))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		x.folders <- replayer.NewFolder(folder)
	}
	return nil
}

package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A prediction turns the recorded runs of packages into the report.
type prediction struct {
	opts   options
	build  *recorder.Build
	env    gotool.Env
	root   string // folder that witnesses and files are named relative to
	files  witness.Files
	work   string
	status *report.Status
	source *witness.Sources
	code   replayer.Code // what witnesses are matched with
	report report.Report
	done   map[string]bool // the sites of the confirmed findings in the report
	failed bool            // some package could not be analyzed

	slots   *replayer.Slots       // for the replays that run at the same time
	folders chan *replayer.Folder // for the files of replays; those that no replay uses now
	workers int                   // how many suspects are dealt with meanwhile, so that no slot stays free
	left    time.Duration         // the time that is left for replays
}

func (p *prediction) warn(format string, args ...any) {
	p.report.Warnings = append(p.report.Warnings, fmt.Sprintf(format, args...))
}

// ballast is memory in bytes that is never touched, so that it takes none, but counts
// as used where the heap may grow by a part of what is used before garbage is looked
// for. What takes the most memory holds few pointers, so that looking often costs
// little; in a small heap that would be done all the time.
const ballast = 256 << 20

// add analyzes the recorded run of one package and confirms what is found.
// What goes wrong with this package only is told as a warning; the error is
// for what concerns the whole run.
func (p *prediction) add(ctx context.Context, run recorder.Run) error {
	pkg := report.Package{Package: run.Package.Path, Result: string(run.Result), RecordS: run.Seconds}
	for _, s := range p.build.SkippedIn(run.Package) {
		pkg.Skipped = append(pkg.Skipped, p.files.Name(s.File)+": "+s.Reason)
	}
	if run.Trace == "" {
		p.report.Packages = append(p.report.Packages, pkg)
		return nil
	}
	if info, err := os.Stat(run.Trace); err == nil {
		pkg.TraceBytes = info.Size()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	defer runtime.KeepAlive(make([]byte, ballast))
	t, whole := p.read(run, p.warn)
	p.failed = p.failed || !whole
	if t != nil {
		pkg.Events = len(t.Events)
		pkg.Tests = countTests(t)
	}
	p.report.Packages = append(p.report.Packages, pkg)
	if t == nil {
		return nil
	}
	p.status.Set("predicting", fmt.Sprintf("%s, %d events", run.Package.Path, len(t.Events)))
	result, err := predict(ctx, t, p.opts.analysis())
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.failed = true
		p.warn("%s: %v", run.Package.Path, err)
		return nil
	}
	p.report.Totals.Pruned += result.Pruned()
	if result.Cut {
		p.warn("%s: %s", run.Package.Path, cutSearch)
	}
	if result.TooLong {
		p.warn("%s: %s", run.Package.Path, tooLong)
	}
	y := newTally()
	y.news(t)
	y.take(result)
	c := p.confirmation(run, t, y)
	suspects, impossible, err := c.suspects(result)
	if err != nil {
		return err
	}
	c.ruleOut(impossible)
	tests, events := concurrent(t)
	n := p.orders(run, events)
	first, passing, err := c.passing(ctx, n)
	if err != nil {
		return err
	}
	own := c.recorded
	if len(passing) > 0 {
		c.recorded = own.Without(passing)
	}
	if err := c.inTime(ctx, func(limit context.Context) error { return c.committed(limit, suspects) }); err != nil {
		return err
	}
	c.recorded = own
	for _, r := range append(first, recording{c, suspects}) {
		if err := r.confirm(ctx, r.suspects); err != nil {
			return err
		}
	}
	if err := p.further(ctx, run, tests, n, y); err != nil {
		return err
	}
	return c.inTime(ctx, func(limit context.Context) error { return c.settle(ctx, limit) })
}

func (p *prediction) confirmation(run recorder.Run, t *trace.Trace, y *tally) *confirmation {
	return &confirmation{
		prediction: p, run: run, trace: t, index: witness.NewIndex(t), recorded: replayer.Recorded(t),
		tally: y, tests: countTests(t), progress: new(progress),
	}
}

// predict is analysis.Predict, which it does not wait for once ctx is done: parts of
// it take minutes on long traces and do not look at ctx. The command ends then.
func predict(ctx context.Context, t *trace.Trace, opts analysis.Options) (*analysis.Result, error) {
	type outcome struct {
		result *analysis.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := analysis.Predict(ctx, t, opts)
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// cutSearch says that not all patterns were found.
const cutSearch = "the search for patterns ended early, as there are too many ways to choose accesses; -predict.kinds=race leaves it out"

// tooLong says that no assertions were predicted.
var tooLong = fmt.Sprintf("failing assertions were not looked for, as there are more than %d events: -run=NAME selects fewer tests", trace.MaxFlow)

// finish puts the report in order: each bug once, also where several packages
// have shown it, and not among the unconfirmed if it was confirmed elsewhere.
func (p *prediction) finish() {
	p.report.Sort() // confirmed ones first
	seen := make(map[string]bool)
	p.report.Findings = slices.DeleteFunc(p.report.Findings, func(f report.Finding) bool {
		again := seen[f.Sites()]
		seen[f.Sites()] = true
		return again
	})
	t := &p.report.Totals
	for _, f := range p.report.Findings {
		switch f.Status {
		case bug.Confirmed:
			t.Confirmed++
		case bug.Unconfirmed:
			t.Unconfirmed++
			if f.Undecided {
				t.Undecided++
			}
		case bug.Infeasible:
			t.Infeasible++
		}
	}
	t.Candidates = t.Pruned + t.Infeasible + t.Unconfirmed + t.Confirmed
}

// read reads the trace of a run, as far as it is whole, and adds the
// rewriter's sites. It returns nil if there is nothing to analyze. It warns of what
// it leaves out; whole is not set if the trace is damaged.
func (p *prediction) read(run recorder.Run, warn func(format string, args ...any)) (t *trace.Trace, whole bool) {
	t, err := trace.ReadFile(run.Trace)
	name := run.Package.Path
	damage, damaged := errors.AsType[*trace.FormatError](err)
	if t == nil || err != nil && !damaged {
		warn("%s: %v", name, err)
		return nil, false
	}
	switch {
	case damaged:
		warn("%s: %v; the %d events before that are used", name, damage, len(t.Events))
	case t.Meta.Limit > 0:
		warn("%s: recording stopped in %s after %d MiB of events, which are %d; what its tests did from then on is not analyzed: -run selects fewer of them", name, lastTest(t), t.Meta.Limit>>20, len(t.Events))
	case !t.Complete:
		warn("%s: the test binary did not end in an orderly way; its %d events up to then are used", name, len(t.Events))
	}
	if len(t.Cuts) > 0 {
		warn("%s: only a part of the events is analyzed of %s: -run=NAME gives a test the room of the others", name, cutText(t))
	}
	p.build.AddSites(t)
	if !damaged {
		// So that the file can be analyzed on its own, if it is kept.
		if err := trace.AppendSites(run.Trace, p.build.Sites); err != nil {
			warn("%s: %v", name, err)
			return nil, false
		}
	}
	if err := trace.Validate(t); err != nil {
		warn("%s: %v", name, err)
		return nil, false
	}
	return t, !damaged
}

// cutText names the tests that the trace has only a part of, or those of them
// with most events.
func cutText(t *trace.Trace) string {
	events := make([]int, len(t.Goroutines))
	for i := range t.Events {
		events[t.Events[i].G]++
	}
	recorded := make(map[string]int)
	for _, c := range t.Cuts {
		recorded[c.Test] = 0
	}
	for i, g := range t.Goroutines {
		if n, cut := recorded[g.Test]; cut {
			recorded[g.Test] = n + events[i]
		}
	}
	tests := slices.SortedFunc(maps.Keys(recorded), func(a, b string) int {
		return cmp.Or(cmp.Compare(recorded[b], recorded[a]), strings.Compare(a, b))
	})
	var text strings.Builder
	for i, test := range tests {
		if i == 3 && len(tests) > 4 {
			fmt.Fprintf(&text, " and %d more tests", len(tests)-i)
			break
		}
		if i > 0 {
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "%s (%d recorded)", cmp.Or(test, "what runs outside of tests"), recorded[test])
	}
	return text.String()
}

// lastTest is the top-level test that began last.
func lastTest(t *trace.Trace) string {
	for _, e := range slices.Backward(t.Events) {
		if e.Kind == trace.TestBegin && !strings.Contains(t.Names[e.Obj], "/") {
			return t.Names[e.Obj]
		}
	}
	return "what runs outside of tests"
}

// countTests returns how many top-level tests the trace holds.
func countTests(t *trace.Trace) int {
	tests := make(map[string]bool)
	for _, g := range t.Goroutines {
		if g.Test != "" {
			tests[g.Test] = true
		}
	}
	return len(tests)
}

// filesOf returns how files of the module or workspace of env are named.
func filesOf(env gotool.Env) witness.Files {
	return witness.Files{Root: env.Root(), GOROOT: env.GOROOT, ModCache: env.GOMODCACHE}
}

// rel names a file relative to the root, with forward slashes.
func (p *prediction) rel(file string) string {
	if r, err := filepath.Rel(p.root, file); err == nil {
		return filepath.ToSlash(r)
	}
	return file
}

// makeFolders makes the folders for the files of replays, once for all packages.
func (p *prediction) makeFolders() error {
	if p.folders != nil {
		return nil
	}
	p.folders = make(chan *replayer.Folder, p.workers)
	for i := range p.workers {
		folder := filepath.Join(p.work, fmt.Sprintf("replay-%d", i))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		p.folders <- replayer.NewFolder(folder)
	}
	return nil
}

package explore

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Instrument returns the patterns of the packages to instrument: those that
// were asked for, or else what the accesses of the witness are in, and the main
// module.
func Instrument(asked []string, w *witness.Witness) []string {
	if len(asked) > 0 {
		return asked
	}
	patterns := []string{"work"}
	for _, steps := range [][]witness.Step{w.Steps, w.Hold, w.Violation} {
		for _, s := range steps {
			p := packageOf(s.Func)
			if s.Nth > 0 && p != "" && !slices.Contains(patterns, p) { // not a call site
				patterns = append(patterns, p)
			}
		}
	}
	return patterns
}

// packageOf returns the import path of a function by its symbol's name, in
// which the linker has escaped the dots of the path's last element.
func packageOf(fn string) string {
	slash := strings.LastIndexByte(fn, '/') + 1
	name, _, _ := strings.Cut(fn[slash:], ".")
	path, err := url.PathUnescape(fn[:slash] + name)
	if err != nil {
		return ""
	}
	return path
}

// ReadReplay reads the recording of a replay; nil if there is none, and the
// values of the recorded run have to do.
func ReadReplay(file string, b *recorder.Build) *trace.Trace {
	t, err := trace.ReadFile(file)
	if err != nil {
		return nil
	}
	b.AddSites(t)
	return t
}

// ReadShown reads as much of the recording of a replay of the witnesses, which are the same one, as is told of it; nil
// as [ReadReplay]. Once it is at the end of its schedule a program may do a lot.
func ReadShown(file string, b *recorder.Build, ws ...*witness.Witness) *trace.Trace {
	t, err := trace.ReadPart(file, func(t *trace.Trace) (is func(*trace.Event) bool, decide int) {
		b.AddSites(t)
		return witness.Needed(t, ws...)
	})
	if err != nil {
		return nil
	}
	b.AddSites(t)
	return t
}

// shortBytes is the greatest length of the file of a short trace, about a quarter of a million events.
const shortBytes = 1 << 19

// ReadRecorded reads the trace of a run, a long one without what does not matter to predictions: see
// [trace.ReadConcurrent]. Short ones are whole, so that what a goroutine has left behind that nobody waited for meets
// later tests. What sites are, build tells, if it is not nil, beside the trace.
func ReadRecorded(file string, build *trace.SiteTable) (*trace.Trace, error) {
	if info, err := os.Stat(file); err == nil && info.Size() > shortBytes {
		return trace.ReadConcurrent(file, build)
	}
	return trace.ReadFile(file)
}

// read reads the trace of a run, as far as it is whole, and adds the
// rewriter's sites. It returns nil if there is nothing to analyze. It notes what
// it leaves out; whole is not set if the trace is damaged, or could not be written.
func (x *setting) read(run recorder.Run, n *notes) (t *trace.Trace, whole bool) {
	warn := n.warn
	t, err := ReadRecorded(run.Trace, x.build.SiteTable())
	name := run.Package.Path
	damage, damaged := errors.AsType[*trace.FormatError](err)
	if t == nil || err != nil && !damaged {
		warn("%s: %v", name, err)
		return nil, false
	}
	whole = !damaged
	// A run that was cut off has shown what it has shown: predictions from its beginning
	// are as good as any. Only the user must know that there was more.
	switch {
	case damaged:
		warn("%s: %v; the %d events before that are used", name, damage, t.Logged())
	case t.Meta.Limit > 0:
		warn("%s: recording stopped in %s after %d MiB of events, which are %d; what its tests did from then on is not analyzed: -run selects fewer of them", name, lastTest(t), t.Meta.Limit>>20, t.Logged())
	case run.Unwritten:
		whole = false
		n.incomplete = append(n.incomplete, fmt.Sprintf("the trace of %s could not be written to its end: is the disk of %s full?", name, filepath.Dir(run.Trace)))
	case !t.Complete && !deadlocked(t):
		warn("%s: the test binary did not end in an orderly way; its %d events up to then are used", name, t.Logged())
	}
	if len(t.Cuts) > 0 {
		warn("%s: only a part of the events is analyzed of %s%s", name, CutText(t), roomFor(t))
	}
	x.build.AddSites(t)
	if whole && x.opts.Keep {
		// So that the file can be analyzed on its own.
		if err := trace.AppendSites(run.Trace, x.build.Sites); err != nil {
			warn("%s: %v", name, err)
			whole = false
		}
	}
	// What has gone wrong in recording did so before the first event that shows it, maybe
	// in another test: no part is known to be good.
	if err := trace.Validate(t); err != nil {
		warn("%s: nothing is analyzed, for no program can have run as it was recorded: a defect of gopredict, please report it: %v", name, err)
		n.incomplete = append(n.incomplete, fmt.Sprintf("nothing was analyzed of %s, as it was not recorded as it ran", name))
		return nil, false
	}
	analysis.Gather(t)
	return t, whole
}

// CutText names the tests that the trace has only a part of, or those of them
// with most events.
func CutText(t *trace.Trace) string {
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

// roomFor says what to do about tests of which t has only a part, to be put after these; "" if
// there is nothing: a test that is alone by now has no more room, its subtests may have.
func roomFor(t *trace.Trace) string {
	if countTests(t) > 1 {
		return ": -run=NAME records a test alone, with more room"
	}
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind == trace.TestBegin && strings.Contains(t.Names[e.Obj], "/") {
			return ": -run=NAME/SUBTEST gives a subtest the room of the others"
		}
	}
	return ""
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

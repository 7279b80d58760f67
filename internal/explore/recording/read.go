package recording

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/reduce"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// This file reads the traces of recorded runs and of replays. A trace that is damaged, or was
// cut short by a crash, a limit or a full disk, is used as far as it goes: a prediction from
// the beginning of a run is as good as any. The report says what is missing.

// ReadReplay reads the recording of a replay; nil if there is none. The values in a report are
// those of this run.
func ReadReplay(file string, b *recorder.Build) *trace.Trace {
	t, err := trace.ReadFile(file)
	if err != nil {
		return nil
	}
	b.AddSites(t)
	return t
}

// ReadRun reads the trace of a run, a long one without the events that cannot matter to
// predictions: see [reduce.ReadConcurrent]. A short one is read whole, because goroutines
// that one test left running may meet later tests. The table describes the sites of the
// build, if it is not nil, besides those in the trace.
func ReadRun(file string, table *trace.SiteTable) (*trace.Trace, error) {
	var t *trace.Trace
	var err error
	if info, statErr := os.Stat(file); statErr == nil && info.Size() > ShortTrace {
		t, err = reduce.ReadConcurrent(file, table)
	} else {
		t, err = trace.ReadFile(file)
	}
	if t != nil {
		t.NoteEarlierTests()
	}
	return t, err
}

// TraceNotes are what the report says about the trace of a package.
type TraceNotes struct{ Warnings, Incomplete []string }

// Warn adds a warning.
func (n *TraceNotes) Warn(format string, args ...any) {
	n.Warnings = append(n.Warnings, fmt.Sprintf(format, args...))
}

// ReadRecording reads the trace of a run, as far as it is whole, and adds the sites of the build. It
// returns nil if there is nothing to analyze, and notes what it leaves out. Whole is false
// if the trace is damaged or could not be written. If the user keeps the trace, its sites
// are added to the file, so that the file can be analyzed on its own.
func ReadRecording(run recorder.Run, b *recorder.Build, keep bool, n *TraceNotes) (t *trace.Trace, whole bool) {
	t, err := ReadRun(run.Trace, b.SiteTable())
	name := run.Package.Path
	damage, damaged := errors.AsType[*trace.FormatError](err)
	if t == nil || err != nil && !damaged {
		n.Warn("%s: %v", name, err)
		return nil, false
	}
	whole = !damaged
	// The analysis uses a beginning of a run like a whole one. Only the user must know that
	// there was more.
	switch {
	case damaged:
		n.Warn("%s: %v; the %d events before that are used", name, damage, t.LoggedEvents())
	case t.Meta.Limit > 0:
		n.Warn("%s: recording stopped in %s after %d MiB of events, which are %d; what its tests did from then on is not analyzed: -run selects fewer of them", name, lastTest(t), t.Meta.Limit>>20, t.LoggedEvents())
	case run.TraceIncomplete:
		whole = false
		n.Incomplete = append(n.Incomplete, fmt.Sprintf("the trace of %s could not be written to its end: is the disk of %s full?", name, filepath.Dir(run.Trace)))
	case !t.Complete && !EndedByDeadlock(t):
		n.Warn("%s: the test binary did not end in an orderly way; its %d events up to then are used", name, t.LoggedEvents())
	}
	if len(t.Cuts) > 0 {
		n.Warn("%s: only a part of the events is analyzed of %s%s", name, ListCutTests(t), adviceForMoreRoom(t))
	}
	b.AddSites(t)
	t.NoteHiddenState()
	if whole && keep {
		if err := trace.AppendSites(run.Trace, b.Sites); err != nil {
			n.Warn("%s: %v", name, err)
			whole = false
		}
	}
	// A fault of recording may lie long before the first event that shows it, perhaps in
	// another test: no part of such a trace is reliable.
	if err := trace.Validate(t); err != nil {
		n.Warn("%s: nothing is analyzed, for no program can have run as it was recorded: a defect of gopredict, please report it: %v", name, err)
		n.Incomplete = append(n.Incomplete, fmt.Sprintf("nothing was analyzed of %s, as it was not recorded as it ran", name))
		return nil, false
	}
	if keep && whole { // a damaged trace may not fit
		if err := facts.New(t).Check(); err != nil {
			n.Warn("%s: what follows from its trace does not fit it: a defect of gopredict, please report it: %v", name, err)
		}
	}
	reduce.Gather(t)
	return t, whole
}

// ListCutTests names the tests of which the trace has only a part, or those of them with the
// most events.
func ListCutTests(t *trace.Trace) string {
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
	for k, test := range tests {
		tests[k] = fmt.Sprintf("%s (%d recorded)", cmp.Or(test, outsideTests), recorded[test])
	}
	return ListTests(tests, maxCutListed)
}

// adviceForMoreRoom says how to record more of the tests that were recorded in part, to be
// appended to their names; "" if that is impossible. A single test has all the room already,
// but a subtest of it may have more.
func adviceForMoreRoom(t *trace.Trace) string {
	if CountTests(t) > 1 {
		return ": -run=NAME records a test alone, with more room"
	}
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind == trace.TestBegin && strings.Contains(t.TestNames[e.Obj], "/") {
			return ": -run=NAME/SUBTEST gives a subtest the room of the others"
		}
	}
	return ""
}

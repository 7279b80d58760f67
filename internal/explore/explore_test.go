package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// written writes a trace to a file and returns its name.
func written(t *testing.T, tr *trace.Trace) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "m.trace")
	f, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, trace.Encode(f, tr))
	require.NoError(t, f.Close())
	return file
}

// TestReadDamagedTrace: what is before the damage is used, as the warning says.
func TestReadDamagedTrace(t *testing.T) {
	const events = 100_000
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "0"}}}
	for i := range events {
		tr.Events = append(tr.Events, trace.Event{Kind: trace.Write, Obj: 8, Size: 8, Val: uint64(i * i)})
	}
	file := written(t, tr)

	x := &setting{build: &recorder.Build{}}
	var n notes
	run := recorder.Run{Package: recorder.Package{Path: "example.com/m"}, Trace: file}
	read, whole := x.read(run, &n)
	require.NotNil(t, read)
	assert.True(t, whole)
	assert.Len(t, read.Events, events)

	data, err := os.ReadFile(file)
	require.NoError(t, err)
	data[len(data)/2] ^= 0xff
	require.NoError(t, os.WriteFile(file, data, 0o666))
	n = notes{}
	read, whole = x.read(run, &n)
	require.NotNil(t, read)
	assert.False(t, whole)
	assert.Greater(t, len(read.Events), events/4)
	assert.Less(t, len(read.Events), events*3/4)
	require.Len(t, n.warnings, 1)
	assert.Contains(t, n.warnings[0], fmt.Sprintf("the %d events before that are used", len(read.Events)))
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, data, after, "the file is left as it is")
}

// What could not be written may have been what matters: the run is not called whole.
func TestReadUnwrittenTrace(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "0"}}, Events: []trace.Event{{Kind: trace.Write, Obj: 8, Size: 8}}}
	file := written(t, tr)

	x := &setting{build: &recorder.Build{}}
	var n notes
	read, whole := x.read(recorder.Run{Package: recorder.Package{Path: "example.com/m"}, Trace: file, Unwritten: true}, &n)
	require.NotNil(t, read)
	assert.False(t, whole)
	assert.Empty(t, n.warnings)
	require.Len(t, n.incomplete, 1)
	assert.Contains(t, n.incomplete[0], "the trace of example.com/m could not be written to its end: is the disk of ")
}

func TestReadImpossibleTrace(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "0"}}, Events: []trace.Event{{Kind: trace.End}, {Kind: trace.Acquire, Obj: 8}}, Complete: true}
	file := written(t, tr)

	x := &setting{build: &recorder.Build{}}
	var n notes
	read, whole := x.read(recorder.Run{Package: recorder.Package{Path: "example.com/m"}, Trace: file}, &n)
	assert.Nil(t, read)
	assert.False(t, whole)
	require.Len(t, n.warnings, 1)
	assert.Contains(t, n.warnings[0], "a defect of gopredict")
	assert.Contains(t, n.warnings[0], "expected no event after the goroutine's end, found acq")
	assert.Equal(t, []string{"nothing was analyzed of example.com/m, as it was not recorded as it ran"}, n.incomplete)
}

// Of a long recording of a replay nothing is read but what is told of the witness, by the sites of the build.
func TestReadShown(t *testing.T) {
	site := trace.Site{ID: trace.SiteRewritten | 1, Key: uint64(trace.SiteRewritten | 1), Func: "p.f", File: "a.go", Line: 3, Col: 4, Op: "write", Expr: "x"}
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Test: "TestX", Path: "0"}}, Names: []string{"TestX"}, Events: []trace.Event{{Kind: trace.TestBegin}}}
	chance := rand.New(rand.NewPCG(1, 1))
	for range 1_000_000 {
		tr.Events = append(tr.Events, trace.Event{Kind: trace.Write, Site: site.ID, Obj: chance.Uint64(), Size: 8, Flags: trace.FlagValue, Val: chance.Uint64()})
	}
	tr.Events[3].Val = 42
	w := &witness.Witness{Tests: []string{"TestX"}, Violation: []witness.Step{
		{Goroutine: "TestX:0", Op: trace.Write, Func: "p.f", Line: 3, Col: 4, Expr: "x", Nth: 1, Occ: 3},
	}}
	read := ReadShown(written(t, tr), &recorder.Build{Sites: []trace.Site{site}}, w)
	require.NotNil(t, read)
	assert.Len(t, read.Events, 1+3)
	assert.Less(t, cap(read.Events), 1000)
	assert.Equal(t, "42", w.Observe(read).Violation[0].Value)
	assert.Nil(t, ReadShown(filepath.Join(t.TempDir(), "none"), &recorder.Build{}, w))
}

func TestCountTests(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "main"}, {Test: "TestA", Path: "0"}, {Test: "TestA", Path: "0.1"}, {Test: "TestB", Path: "0"}}}
	assert.Equal(t, 2, countTests(tr))
}

// Who has selected one test already is not told to do so.
func TestRoomFor(t *testing.T) {
	begins := func(names ...string) *trace.Trace {
		tr := &trace.Trace{Names: names}
		for i, name := range names {
			top, _, _ := strings.Cut(name, "/")
			tr.Goroutines = append(tr.Goroutines, trace.Goroutine{Test: top})
			tr.Events = append(tr.Events, trace.Event{Kind: trace.TestBegin, Obj: uint64(i)})
		}
		return tr
	}
	assert.Equal(t, ": -run=NAME records a test alone, with more room", roomFor(begins("TestA", "TestA/x", "TestB")))
	assert.Equal(t, ": -run=NAME/SUBTEST gives a subtest the room of the others", roomFor(begins("TestA", "TestA/x")))
	assert.Empty(t, roomFor(begins("TestA")))
}

func TestUnlessDone(t *testing.T) {
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(context.Background())
	n, err := unlessDone(ctx, func() (int, error) { return 7, nil })
	require.NoError(t, err)
	assert.Equal(t, 7, n)
	_, err = unlessDone(ctx, func() (int, error) { cancel(over); select {} })
	assert.ErrorIs(t, err, over)
}

// How often tests are recorded again rests on their events, unless they take long.
func TestOrders(t *testing.T) {
	x := new(setting)
	for _, test := range []struct {
		seconds float64
		events  int
		want    int
	}{
		{0.001, 1000, 6}, {0.9, 1000, 6}, {0.9, 200_000, 3}, {0.001, 2_000_000, 1}, {1.1, 1000, 1}, {11, 1000, 0},
	} {
		assert.Equal(t, test.want, x.orders(recorder.Run{Seconds: test.seconds}, test.events), "%v seconds, %d events", test.seconds, test.events)
	}
}

// The status tells what exploring knows, as soon as it has looked for what is left.
func TestKnown(t *testing.T) {
	v := newValues(&frontier{test: "TestX"})
	require.Empty(t, v.known())
	v.result, v.searched = v.program.Search(maxStates), true
	require.Regexp(t, `^behaviours: \d+, to try: \d+$`, v.known())
}

// TestLateLast: what takes long, or looks at the outside, is run on after the others.
func TestLateLast(t *testing.T) {
	its := &confirmation{trace: &trace.Trace{
		Tested: []trace.TestEvent{{Action: "pass", Test: "TestA", Elapsed: time.Second}, {Action: "pass", Test: "TestB", Elapsed: time.Millisecond}},
		Unseen: []trace.Unseen{{Test: "TestC", What: "network"}, {Test: "TestD", What: "length"}},
	}}
	e := &explored{firsts: []recording{{confirmation: its}}}
	assert.Equal(t, []string{"TestB", "TestD", "TestA", "TestC"}, e.lateLast([]string{"TestA", "TestB", "TestC", "TestD"}))
}

// TestWithoutProcesses: what starts processes costs what these compute.
func TestWithoutProcesses(t *testing.T) {
	its := &confirmation{trace: &trace.Trace{
		Unseen: []trace.Unseen{{Test: "TestA", What: "network"}, {Test: "TestB#2", What: "processes"}},
	}}
	e := &explored{firsts: []recording{{confirmation: its}}}
	assert.Equal(t, []string{"TestA", "TestC"}, e.withoutProcesses([]string{"TestA", "TestB", "TestC"}))
}

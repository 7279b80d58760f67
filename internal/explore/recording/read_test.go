package recording

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

	var n TraceNotes
	run := recorder.Run{Package: recorder.Package{Path: "example.com/m"}, Trace: file}
	read, whole := ReadRecording(run, new(recorder.Build), false, &n)
	require.NotNil(t, read)
	assert.True(t, whole)
	assert.Len(t, read.Events, events)

	data, err := os.ReadFile(file)
	require.NoError(t, err)
	data[len(data)/2] ^= 0xff
	require.NoError(t, os.WriteFile(file, data, 0o666))
	n = TraceNotes{}
	read, whole = ReadRecording(run, new(recorder.Build), false, &n)
	require.NotNil(t, read)
	assert.False(t, whole)
	assert.Greater(t, len(read.Events), events/4)
	assert.Less(t, len(read.Events), events*3/4)
	require.Len(t, n.Warnings, 1)
	assert.Contains(t, n.Warnings[0], fmt.Sprintf("the %d events before that are used", len(read.Events)))
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, data, after, "the file is left as it is")
}

// What could not be written may have been what matters: the run is not called whole.
func TestReadUnwrittenTrace(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "0"}}, Events: []trace.Event{{Kind: trace.Write, Obj: 8, Size: 8}}}
	file := written(t, tr)

	var n TraceNotes
	read, whole := ReadRecording(recorder.Run{Package: recorder.Package{Path: "example.com/m"}, Trace: file, TraceIncomplete: true}, new(recorder.Build), false, &n)
	require.NotNil(t, read)
	assert.False(t, whole)
	assert.Empty(t, n.Warnings)
	require.Len(t, n.Incomplete, 1)
	assert.Contains(t, n.Incomplete[0], "the trace of example.com/m could not be written to its end: is the disk of ")
}

func TestReadImpossibleTrace(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "0"}}, Events: []trace.Event{{Kind: trace.End}, {Kind: trace.Acquire, Obj: 8}}, Complete: true}
	file := written(t, tr)

	var n TraceNotes
	read, whole := ReadRecording(recorder.Run{Package: recorder.Package{Path: "example.com/m"}, Trace: file}, new(recorder.Build), false, &n)
	assert.Nil(t, read)
	assert.False(t, whole)
	require.Len(t, n.Warnings, 1)
	assert.Contains(t, n.Warnings[0], "a defect of gopredict")
	assert.Contains(t, n.Warnings[0], "expected no event after the goroutine's end, found acq")
	assert.Equal(t, []string{"nothing was analyzed of example.com/m, as it was not recorded as it ran"}, n.Incomplete)
}

// The recording of a replay has the sites of the build, and shows the values of a witness.
func TestReadReplay(t *testing.T) {
	site := trace.Site{ID: trace.SiteRewritten | 1, Key: uint64(trace.SiteRewritten | 1), Func: "p.f", File: "a.go", Line: 3, Col: 4, Op: "write", Expr: "x"}
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Test: "TestX", Path: "0"}}, TestNames: []string{"TestX"}, Events: []trace.Event{{Kind: trace.TestBegin}}}
	for val := range uint64(5) {
		tr.Events = append(tr.Events, trace.Event{Kind: trace.Write, Site: site.ID, Obj: 8, Size: 8, Flags: trace.FlagValue, Val: 40 + val})
	}
	w := &witness.Witness{Tests: []string{"TestX"}, Violation: []witness.Step{
		{Goroutine: "TestX:0", Op: trace.Write, Func: "p.f", Line: 3, Col: 4, Expr: "x", SiteNumber: 1, Occurrence: 3},
	}}
	read := ReadReplay(written(t, tr), &recorder.Build{Sites: []trace.Site{site}})
	require.NotNil(t, read)
	assert.Equal(t, "42", w.Observe(read).Violation[0].Value)
	assert.Nil(t, ReadReplay(filepath.Join(t.TempDir(), "none"), &recorder.Build{}))
}

func TestCountTests(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "main"}, {Test: "TestA", Path: "0"}, {Test: "TestA", Path: "0.1"}, {Test: "TestB", Path: "0"}}}
	assert.Equal(t, 2, CountTests(tr))
}

// Who has selected one test already is not told to do so.
func TestMoreRoom(t *testing.T) {
	begins := func(names ...string) *trace.Trace {
		tr := &trace.Trace{TestNames: names}
		for i, name := range names {
			top, _, _ := strings.Cut(name, "/")
			tr.Goroutines = append(tr.Goroutines, trace.Goroutine{Test: top})
			tr.Events = append(tr.Events, trace.Event{Kind: trace.TestBegin, Obj: uint64(i)})
		}
		return tr
	}
	assert.Equal(t, ": -run=NAME records a test alone, with more room", adviceForMoreRoom(begins("TestA", "TestA/x", "TestB")))
	assert.Equal(t, ": -run=NAME/SUBTEST gives a subtest the room of the others", adviceForMoreRoom(begins("TestA", "TestA/x")))
	assert.Empty(t, adviceForMoreRoom(begins("TestA")))
}

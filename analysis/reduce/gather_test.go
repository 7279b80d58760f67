package reduce_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/reduce"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// What goroutine 2 does last comes after the first thing that 4 does.
func TestGather(t *testing.T) {
	for _, test := range []struct {
		name, late, other string
		moved             bool
	}{
		{"the end", "2 end", "4 w y", true},
		{"a lock", "2 acq l\n2 r x\n2 rel l", "4 acq k\n4 w y", true},
		{"a lock that the other test uses", "2 acq l\n2 rel l", "4 acq l\n4 rel l", false},
		{"memory that the other test uses", "2 w x\n2 end", "4 r x", false},
		{"memory beside", "2 w x", "4 w x +8", true},
		{"memory that overlaps", "2 w x/4", "4 w x/2 +2", false},
		{"a message", "2 send c/1\n2 sent c#1/1", "4 w y", false},
		{"a goroutine", "2 fork 5\n5 begin", "4 w y", false},
	} {
		begin := "0 fork 1\n1 begin\n1 fork 2\n2 begin\n1 end\n"
		tr := twoTests(t, begin+"0 fork 3\n3 begin\n3 fork 4\n4 begin\n"+test.other+"\n"+test.late+"\n3 end\n4 end")
		from := slices.IndexFunc(tr.Events, func(e trace.Event) bool { return e.Kind == trace.Fork && e.Obj == 3 })
		late := slices.IndexFunc(tr.Events[from:], func(e trace.Event) bool { return e.G == 2 }) + from
		tr.Freed = []trace.FreedObjects{{Position: int32(from) + 1, FirstAddr: 1 << 40, Size: 8, Mask: 1}, {Position: int32(late), FirstAddr: 1 << 40, Size: 8, Mask: 1}}
		isLate := func(e trace.Event) bool { return e.G == 2 || e.G == 5 }
		want := slices.Clone(tr.Events)
		if test.moved {
			want = slices.Clone(tr.Events[:from])
			rest := slices.Clone(tr.Events[from:])
			for _, e := range rest {
				if isLate(e) {
					want = append(want, e)
				}
			}
			want = append(want, slices.DeleteFunc(rest, isLate)...)
		}
		reduce.GatherAll(tr)
		assert.Equal(t, want, tr.Events, test.name)
		if test.moved { // before the same events of the other test
			next := slices.IndexFunc(want, func(e trace.Event) bool { return e.G == 3 })
			assert.Equal(t, int32(next), tr.Freed[0].Position, test.name)
			assert.Equal(t, trace.GID(3), tr.Events[tr.Freed[1].Position].G, test.name)
		}
	}
}

// Memory that was freed before is other memory.
func TestGatherFreed(t *testing.T) {
	tr := twoTests(t, "0 fork 1\n1 begin\n1 fork 2\n2 begin\n1 end\n0 fork 3\n3 begin\n2 w x\n3 end")
	tr.Freed = []trace.FreedObjects{{Position: 6, FirstAddr: tr.Events[7].Obj, Size: 8, Mask: 1}}
	was := slices.Clone(tr.Events)
	reduce.GatherAll(tr)
	assert.Equal(t, was, tr.Events)
}

// delay puts the last events of the tests of tr, but for those of their own goroutines, to
// within the tests after them. It returns how many it has put there.
func delay(tr *trace.Trace) (n int) {
	var events, late []trace.Event
	room := 0
	for _, e := range tr.Events {
		g := tr.Goroutines[e.G]
		if e.Kind == trace.End && g.Path == "0" {
			k := len(events)
			for k > 0 && events[k-1].G != e.G && (events[k-1].Kind.IsAccess() || events[k-1].Kind.Class() == trace.ClassLock || events[k-1].Kind == trace.End) {
				k--
			}
			late = append(late, events[k:]...)
			events = events[:k]
			room = 10
		}
		events = append(events, e)
		if room--; room == 0 {
			events, n, late = append(events, late...), n+len(late), nil
		}
	}
	tr.Events = append(events, late...)
	return n
}

// In windows of what was gathered is found what is found in the whole trace as it was.
func TestGatheredWindows(t *testing.T) {
	shape := tracetest.Config{Goroutines: 4, Events: 25, Sync: tracetest.All, Locks: 2, Locations: 3, Overlap: true, HandOver: true, Counters: true}
	windows, moved, read := 0, 0, 0
	for seed := range uint64(12) {
		var tests []*trace.Trace
		for k := range uint64(3) {
			tests = append(tests, tracetest.Random(3*seed+k, shape))
		}
		tr := inTurn(tests, false, false)
		for g := range tr.Goroutines {
			if p := &tr.Goroutines[g]; p.Test != "" && p.Path != "0" {
				p.Path = "0." + p.Path
			}
		}
		delayed := delay(tr)
		before := len(reduce.Cuts(tr, 1, nil))
		whole := predict(t, tr)
		file := filepath.Join(t.TempDir(), "trace")
		var b bytes.Buffer
		require.NoError(t, trace.Encode(&b, tr))
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o666))
		reduce.GatherAll(tr)
		if now := len(reduce.Cuts(tr, 1, nil)); now > before {
			windows, moved = windows+now-before, moved+delayed
		}
		got, err := predictInWindows(context.Background(), tr, 1, analysis.Options{})
		require.NoError(t, err)
		its, err := reduce.ReadConcurrent(file, nil)
		require.NoError(t, err)
		if its.OmittedEvents == 0 { // each window that is read is what it is in memory
			reduce.GatherAll(its)
			require.Equal(t, tr.Events, its.Events)
			again, ok, err := predictReading(context.Background(), its, 1, analysis.Options{})
			require.NoError(t, err)
			if ok {
				assert.Equal(t, told(got), told(again))
				read++
			}
		}
		status := make(map[string]bug.Status)
		for _, f := range got.Findings {
			status[f.Name] = f.Status
		}
		for _, f := range whole.Findings {
			assert.Equal(t, f.Status, status[f.Name], "seed %d: %s", seed, f.Name)
		}
		assert.Len(t, got.Findings, len(whole.Findings), "seed %d", seed)
	}
	assert.Greater(t, windows, 5, "few windows: nothing is tested")
	assert.Greater(t, moved, 10, "little is moved: nothing is tested")
	assert.Greater(t, read, 5, "few windows are read: nothing is tested")
}

// Windows at whose end goroutines are blocked are read again one by one, and are what they were in memory.
func TestBlocked(t *testing.T) {
	shape := tracetest.Config{Goroutines: 4, Events: 25, Sync: tracetest.All, Locks: 2, Locations: 3, Overlap: true, HandOver: true, Counters: true}
	leak := func(s trace.BlockedGoroutine) bool { return s.Proof == trace.ProofLeak }
	read := 0
	for seed := range uint64(12) {
		var tests []*trace.Trace
		for k := range uint64(4) {
			tests = append(tests, tracetest.Random(4*seed+k, shape))
		}
		tr := inTurn(tests, false, false)
		var b bytes.Buffer
		require.NoError(t, trace.Encode(&b, tr))
		file := filepath.Join(t.TempDir(), "trace")
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o666))
		its, err := reduce.ReadConcurrent(file, nil)
		require.NoError(t, err)
		tr.Events, tr.PriorValues, tr.Freed = slices.Clone(its.Events), its.PriorValues, its.Freed
		for g, proof := range map[string]trace.Proof{"TestB": trace.ProofLeak, "TestC": trace.ProofLingering, "TestD": trace.ProofLeak} {
			at := slices.IndexFunc(tr.Goroutines, func(of trace.Goroutine) bool { return of.Test == g })
			tr.Blocked = append(tr.Blocked, trace.BlockedGoroutine{G: trace.GID(at), Op: trace.Acquire, Proof: proof})
		}
		its.Blocked = tr.Blocked
		var want []*trace.Trace
		for w, err := range reduce.BlockedIn(tr, 1, leak) {
			require.NoError(t, err)
			require.NotNil(t, tr.Events, "they are in memory, and cannot be read again")
			want = append(want, w)
		}
		if len(reduce.Cuts(tr, 1, nil)) == 0 {
			continue
		}
		n := 0
		for w, err := range reduce.BlockedIn(its, 1, leak) {
			require.NoError(t, err)
			assert.Nil(t, its.Events)
			assert.Equal(t, want[n].Events, w.Events, "seed %d", seed)
			assert.Equal(t, want[n].Blocked, w.Blocked)
			assert.LessOrEqual(t, len(w.Blocked), cap(w.Events)-len(w.Events))
			n++
		}
		assert.Len(t, want, n)
		assert.Equal(t, tr.Events, its.Events)
		for range reduce.BlockedIn(its, 1, leak) {
			break
		}
		assert.Equal(t, tr.Events, its.Events)
		none := func(trace.BlockedGoroutine) bool { return false }
		for range reduce.BlockedIn(its, 1, none) {
			assert.Fail(t, "nobody is blocked so")
		}
		assert.Equal(t, tr.Events, its.Events)
		require.NoError(t, os.Truncate(file, int64(b.Len()/2)))
		for _, last := range reduce.BlockedIn(its, 1, leak) {
			err = last
		}
		require.ErrorContains(t, err, "has changed")
		read += n
	}
	assert.Greater(t, read, 5, "few windows are read: nothing is tested")
}

// told is what r tells, with its schedules.
func told(r *analysis.Result) (all []string) {
	for _, f := range r.Findings {
		text := fmt.Sprint(f.Name, f.Status, f.Accesses, f.Reason)
		for _, recipe := range f.Schedules {
			text += fmt.Sprint(recipe.Schedule())
		}
		for _, d := range f.Departures {
			text += fmt.Sprint(d.Schedule())
		}
		all = append(all, text)
	}
	return append(all, fmt.Sprint(r.Candidates, r.Counts))
}

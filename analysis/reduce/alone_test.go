package reduce_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/reduce"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// Goroutine 1 is TestA's, 2 is started there, 3 is TestB's, and 4 that of a subtest of it.
func TestDropAlone(t *testing.T) {
	const (
		inTesting = trace.SiteID(1)
		x, y      = uint64(0x1000), uint64(0x2000)
	)
	fork := func(g, child trace.GID, site trace.SiteID) trace.Event {
		return trace.Event{Kind: trace.Fork, G: g, Obj: uint64(child), Site: site}
	}
	of := func(g trace.GID, kind trace.Kind) trace.Event { return trace.Event{Kind: kind, G: g} }
	at := func(g trace.GID, kind trace.Kind, obj, val uint64) trace.Event {
		return trace.Event{Kind: kind, G: g, Obj: obj, Val: val, Size: 8, Flags: trace.FlagValue}
	}
	ends := func(g trace.GID, name, failed uint64) []trace.Event {
		return []trace.Event{{Kind: trace.TestEnd, G: g, Obj: name, Val: failed}, of(g, trace.End)}
	}
	const long, flow = 10, 40                           // events
	does := func(events ...trace.Event) []trace.Event { // TestB, for long
		return append(events, slices.Repeat([]trace.Event{at(3, trace.Read, y, 0)}, 20)...)
	}
	several := []trace.Event{fork(0, 1, inTesting), of(1, trace.Begin), fork(1, 2, 0), of(2, trace.Begin), at(2, trace.Write, x, 1)}
	several = append(several, ends(1, 0, 0)...)
	for _, test := range []struct {
		name   string
		before []trace.Event // TestB
		its    []trace.Event // what TestB does
		failed uint64
		after  []trace.Event
		want   int // events that are left out
	}{
		{"what it does", append(several, of(2, trace.End)), []trace.Event{at(3, trace.Read, y, 0), at(3, trace.Acquire, 9, 0), of(3, trace.Branch), at(3, trace.Release, 9, 0), at(3, trace.Write, y, 1)}, 0, nil, 2},
		{"but for the last write", append(several, of(2, trace.End)), []trace.Event{at(3, trace.Write, x, 2), at(3, trace.Write, x, 3), at(3, trace.Read, x, 3)}, 0, nil, 2},
		{"but for the last write of each size", append(several, of(2, trace.End)), []trace.Event{at(3, trace.Write, x, 2), {Kind: trace.Write, G: 3, Obj: x, Size: 4}, at(3, trace.Write, x, 3)}, 0, nil, 1},
		{"where it has failed", append(several, of(2, trace.End)), []trace.Event{at(3, trace.Read, y, 0)}, 1, nil, 0},
		{"where it starts others", append(several, of(2, trace.End)), []trace.Event{fork(3, 4, 0), at(3, trace.Read, y, 0)}, 0, nil, 0},
		{"where it selects", append(several, of(2, trace.End)), []trace.Event{of(3, trace.Select), of(3, trace.SelectDone), at(3, trace.Read, y, 0)}, 0, nil, 0},
		{"of a subtest", append(several, of(2, trace.End)), []trace.Event{fork(3, 4, inTesting), of(4, trace.Begin), at(4, trace.Read, y, 0), of(4, trace.End), at(3, trace.Read, y, 0)}, 0, nil, 2},
		{"of a subtest that goes on", append(several, of(2, trace.End)), []trace.Event{fork(3, 4, inTesting), of(4, trace.Begin), at(3, trace.Read, y, 0), at(4, trace.Read, y, 0)}, 0, nil, 0},
		{"beside one who does nothing more", several, does(), 0, nil, 20},
		{"beside one who does something", several, []trace.Event{at(3, trace.Read, y, 0), at(2, trace.Read, x, 0)}, 0, nil, 0},
		{"beside one who does something later", several, []trace.Event{at(3, trace.Read, y, 0)}, 0, []trace.Event{at(2, trace.Read, x, 0)}, 0},
		{"for long beside one who does something else", several, does(at(2, trace.Read, x, 0)), 0, nil, 20},
		{"for long beside one who does something else later", several, does(), 0, []trace.Event{at(2, trace.Read, x, 0)}, 20},
		{"for long beside one who reads what it has written", several, does(at(3, trace.Write, x, 1)), 0, []trace.Event{at(2, trace.Read, x+7, 1)}, 0},
		{"for long beside one who has accessed what it does", several, does(at(3, trace.Write, x, 1)), 0, []trace.Event{at(2, trace.Read, 0x3000, 1)}, 0},
		{"for long beside one who has its lock", several, does(at(3, trace.Acquire, 9, 0), at(3, trace.Release, 9, 0)), 0, []trace.Event{at(2, trace.Acquire, 9, 0), at(2, trace.Release, 9, 0)}, 0},
		{"for long beside one who has its channel", several, does(at(3, trace.Close, 9, 0)), 0, []trace.Event{at(2, trace.Recv, 9, 0), at(2, trace.RecvDone, 9, 0)}, 0},
		{"for long beside one who has its pool", several, does(at(3, trace.Await, 8, x)), 0, []trace.Event{at(2, trace.Post, 9, x)}, 0},
		{"for long beside one who starts another", several, does(), 0, []trace.Event{fork(2, 5, 0), of(5, trace.Begin), at(5, trace.Read, x, 0)}, 20},
		{"for long beside one who starts another that does something", several, does(), 0, []trace.Event{fork(2, 5, 0), of(5, trace.Begin), at(5, trace.Read, y, 0)}, 0},
		{"for long beside one who starts another that is there", several, does(fork(2, 5, 0), of(5, trace.Begin)), 0, nil, 20},
		{"but for operands", several, slices.Concat([]trace.Event{fork(3, 4, 0), of(4, trace.Begin), of(4, trace.Operand)}, slices.Repeat(does(of(3, trace.Operand)), 2)), 0, nil, 3 + 40},
		{"but for operands, of few others", several, slices.Concat([]trace.Event{fork(3, 4, 0), of(4, trace.Begin)}, slices.Repeat([]trace.Event{of(3, trace.Operand)}, 40)), 0, nil, 0},
		{"but for operands, where it was found not to be alone", several, slices.Repeat(does(of(3, trace.Operand)), 2), 0, []trace.Event{at(2, trace.Write, y, 0)}, 3},
		{"for long beside another one that it has started", several, does(fork(3, 5, 0), of(5, trace.Begin)), 0, nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := &trace.Trace{
				Goroutines: []trace.Goroutine{
					{Path: "main"}, {ID: 1, Test: "TestA", Path: "0"}, {ID: 2, Parent: 1, Test: "TestA", Path: "0.1"},
					{ID: 3, Test: "TestB", Path: "0"}, {ID: 4, Parent: 3, Test: "TestB", Path: "0.1"},
					{ID: 5, Parent: 2, Test: "TestA", Path: "0.1.1"},
				},
				Sites:     map[trace.SiteID]trace.Site{inTesting: {ID: inTesting, Func: "testing.(*T).Run"}},
				TestNames: []string{"TestA", "TestB"}, Complete: true,
			}
			tr.Events = append(tr.Events, test.before...)
			tr.Events = append(tr.Events, fork(0, 3, inTesting), of(3, trace.Begin))
			tr.Events = append(tr.Events, test.its...)
			tr.Events = append(tr.Events, ends(3, 1, test.failed)...)
			tr.Events = append(tr.Events, test.after...)
			for i, e := range tr.Events {
				if e.Kind == trace.Write {
					tr.PriorValues = append(tr.PriorValues, trace.PriorValue{Position: i, Val: 7})
				}
				if e.Kind == trace.Begin {
					tr.Freed = append(tr.Freed, trace.FreedObjects{Position: int32(i), FirstAddr: 0x5000, Size: 8, Mask: 1})
				}
			}
			file := filepath.Join(t.TempDir(), "trace")
			var b bytes.Buffer
			require.NoError(t, trace.Encode(&b, tr))
			require.NoError(t, os.WriteFile(file, b.Bytes(), 0o666))

			all := len(tr.Events)
			read, err := reduce.ReadConcurrentOf(file, long, flow)
			require.NoError(t, err)
			reduce.DropAlone(tr, long, flow)
			assert.Equal(t, test.want, tr.OmittedEvents)
			assert.Len(t, tr.Events, all-test.want)
			assert.Equal(t, tr.Events, read.Events)
			assert.Equal(t, tr.PriorValues, read.PriorValues)
			assert.Equal(t, tr.OmittedEvents, read.OmittedEvents)
			assert.Equal(t, read.Events, again(t, read))
			last := len(read.Events) - 1
			reduce.Rearrange(read, []reduce.Move{reduce.MoveOf(last-1, 3, read), reduce.MoveOf(last, 2, read), reduce.MoveOf(last-3, 3, read)})
			require.Len(t, read.Events, last+1)
			assert.Equal(t, read.Events, again(t, read))
			moved := read.Events
			read.Events = nil
			require.NoError(t, reduce.ReadEvents(read))
			assert.Equal(t, moved, read.Events)
			for _, h := range tr.PriorValues {
				assert.Equal(t, trace.Write, tr.Events[h.Position].Kind)
			}
			for _, f := range tr.Freed {
				assert.Equal(t, trace.Begin, tr.Events[f.Position].Kind)
			}
		})
	}
}

// again reads the events of tr once more: one, two, and so on at a time.
func again(t *testing.T, tr *trace.Trace) []trace.Event {
	require.True(t, reduce.CanReread(tr, len(tr.Events)))
	a, err := reduce.NewRereader(tr)
	require.NoError(t, err)
	defer a.Close()
	all := make([]trace.Event, len(tr.Events))
	for at, n := 0, 1; at < len(all); at, n = at+n, n+1 {
		require.NoError(t, a.Next(all[at:min(at+n, len(all))]))
	}
	return all
}

// A file that has lost what there was is told.
func TestAgainShorter(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "main"}}, Events: slices.Repeat([]trace.Event{{Kind: trace.Branch}}, 9)}
	var b bytes.Buffer
	require.NoError(t, trace.Encode(&b, tr))
	file := filepath.Join(t.TempDir(), "trace")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o666))
	read, err := reduce.ReadConcurrent(file, nil)
	require.NoError(t, err)
	require.Equal(t, tr.Events, read.Events)
	read.Events = nil
	require.NoError(t, reduce.ReadEvents(read))
	require.Equal(t, tr.Events, read.Events)
	require.NoError(t, os.Truncate(file, int64(b.Len())-20))
	read.Events = nil
	assert.ErrorContains(t, reduce.ReadEvents(read), "expected 9 further events, found its end")
	require.NoError(t, os.Remove(file))
	assert.Error(t, reduce.ReadEvents(read))
}

// What a goroutine is may be known only after it was started: a test whose go statement comes before
// that stays whole, and so does what is beside it.
func TestConcurrentOfLateTest(t *testing.T) {
	goroutines := []trace.Goroutine{{Path: "main"}, {ID: 1, Test: "TestA", Path: "0"}, {ID: 2, Test: "TestB", Path: "0"}}
	late := slices.Clone(goroutines)
	late[2].Test = ""
	of := func(g trace.GID) []trace.Event {
		return []trace.Event{
			{Kind: trace.Begin, G: g}, {Kind: trace.Branch, G: g}, {Kind: trace.TestEnd, G: g, Obj: uint64(g) - 1}, {Kind: trace.End, G: g},
		}
	}
	started := func(g trace.GID) trace.Event { return trace.Event{Kind: trace.Fork, Obj: uint64(g)} }
	first := &trace.Trace{Goroutines: late, TestNames: []string{"TestA", "TestB"}, Complete: true}
	first.Events = append(append([]trace.Event{started(1)}, of(1)...), started(2))
	rest := &trace.Trace{Goroutines: goroutines, TestNames: first.TestNames, Events: of(2), Complete: true}
	var before, after bytes.Buffer
	require.NoError(t, trace.Encode(&before, first))
	require.NoError(t, trace.Encode(&after, rest))

	const magic, end = 8, 16 // bytes of the file's first word, and of what ends it
	file := filepath.Join(t.TempDir(), "trace")
	require.NoError(t, os.WriteFile(file, append(before.Bytes()[:before.Len()-end], after.Bytes()[magic:]...), 0o666))
	read, err := reduce.ReadConcurrent(file, nil)
	require.NoError(t, err)
	assert.True(t, read.Complete)
	assert.Equal(t, append(first.Events, rest.Events...), read.Events)
}

// Of a test that is too long for a flow, accesses are left out that conflict with none. Goroutine 1 is the test's, 2 is started there.
func TestReadConcurrentConflicts(t *testing.T) {
	const (
		x, y, big    = uint64(0x10000), uint64(0x20008), uint64(0x40000)
		one, another = trace.SiteID(5), trace.SiteID(6)
	)
	at := func(g trace.GID, kind trace.Kind, site trace.SiteID, obj uint64, size uint32) trace.Event {
		return trace.Event{Kind: kind, G: g, Site: site, Obj: obj, Size: size}
	}
	of := func(g trace.GID, kind trace.Kind) trace.Event { return trace.Event{Kind: kind, G: g} }
	read := func(g trace.GID) trace.Event { return at(g, trace.Read, one, x, 8) }
	for _, test := range []struct {
		name  string
		its   []trace.Event
		freed []trace.FreedObjects // by position in its
		want  int                  // events that are left out
	}{
		{name: "alone", its: []trace.Event{read(1), read(1), at(1, trace.Write, another, x, 8)}, want: 3},
		{name: "each alone", its: []trace.Event{read(1), at(2, trace.Read, one, y, 8), read(1), at(2, trace.Read, one, y, 8)}, want: 4},
		{name: "after something else", its: []trace.Event{read(1), read(1), of(1, trace.OnceBegin), read(1), read(1)}, want: 4},
		{name: "with conditions", its: []trace.Event{of(1, trace.Branch), read(1), of(1, trace.Branch), read(1), read(1)}, want: 5},
		{name: "read by several", its: []trace.Event{read(1), read(1), at(2, trace.Read, another, x, 8)}, want: 3},
		{name: "read by several, and written by one of them", its: []trace.Event{at(1, trace.Write, another, x, 8), read(1), at(2, trace.Read, another, x, 8)}},
		{name: "shared", its: []trace.Event{read(1), read(1), at(2, trace.Write, another, x, 8)}},
		{name: "shared at a part of it", its: []trace.Event{read(1), read(1), at(2, trace.Write, another, x+7, 1)}},
		{name: "shared by what is large", its: []trace.Event{read(1), read(1), at(2, trace.Write, another, x-0x8000, 0x10000)}},
		{name: "large", its: []trace.Event{at(1, trace.Read, one, big, 0x10000), at(1, trace.Read, one, big+0x8000, 8), read(2)}, want: 3},
		{name: "large, and shared at a part of it", its: []trace.Event{at(1, trace.Read, one, big, 0x10000), at(1, trace.Read, one, big, 0x10000), at(2, trace.Write, one, big+0x8000, 8)}},
		{name: "shared by the goroutine that runs the tests, at no site", its: []trace.Event{read(1), read(1), read(1), {Kind: trace.Write, Obj: x, Size: 8}}},
		{name: "of a lock of another one", its: []trace.Event{read(1), read(1), at(2, trace.Acquire, another, x, 0), at(2, trace.Release, another, x, 0)}},
		{name: "at a site that accesses what others do", its: []trace.Event{read(1), read(1), at(1, trace.Read, one, y, 8), at(2, trace.Write, another, y, 8)}, want: 2},
		{name: "at a site that has a Put", its: []trace.Event{read(1), read(1), {Kind: trace.Read, G: 1, Site: one, Obj: x, Size: 8, Flags: trace.FlagPut}}, want: 2},
		{name: "atomic", its: []trace.Event{at(1, trace.AtomicLoad, one, x, 8), at(1, trace.AtomicLoad, one, x, 8)}},
		{name: "freed", its: []trace.Event{read(1), read(1), at(2, trace.Write, another, x, 8), at(2, trace.Read, another, x, 8)}, freed: []trace.FreedObjects{{FirstAddr: x, Mask: 1, Size: 8, Position: 2}}, want: 4},
		{name: "with a page that is freed", its: []trace.Event{read(1), read(1), at(2, trace.Write, another, x, 8), at(2, trace.Read, another, x, 8)}, freed: []trace.FreedObjects{{FirstAddr: x, Mask: 1, Size: 8192, Position: 2}}, want: 4},
		{name: "where something else is freed", its: []trace.Event{read(1), read(1), at(2, trace.Write, another, x, 8)}, freed: []trace.FreedObjects{{FirstAddr: x, Mask: 2, Size: 8, Position: 2}}},
		{name: "of a page", its: []trace.Event{at(1, trace.Write, one, big, 0x2000), at(1, trace.Read, another, big, 8), at(2, trace.Read, another, big+0x1000, 0x1000)}, want: 0},
		{name: "beside a part of a page", its: []trace.Event{at(1, trace.Write, one, big, 0x100), at(2, trace.Write, another, big+0x100, 8)}, want: 2},
		{name: "beside a part of what is accessed at once", its: []trace.Event{at(1, trace.Write, one, big, 0x400), at(1, trace.Read, another, big, 8), at(2, trace.Write, another, big+0x10, 8)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := &trace.Trace{
				Goroutines: []trace.Goroutine{{Path: "main"}, {ID: 1, Test: "TestA", Path: "0"}, {ID: 2, Parent: 1, Test: "TestA", Path: "0.1"}},
				Sites:      map[trace.SiteID]trace.Site{}, TestNames: []string{"TestA"}, Complete: true,
			}
			tr.Events = []trace.Event{{Kind: trace.Fork, Obj: 1}, of(1, trace.Begin), {Kind: trace.Fork, G: 1, Obj: 2}, of(2, trace.Begin)}
			for _, f := range test.freed {
				f.Position += int32(len(tr.Events))
				tr.Freed = append(tr.Freed, f)
			}
			tr.Events = append(append(tr.Events, test.its...), of(2, trace.End), of(1, trace.End))
			all := len(tr.Events)
			file := filepath.Join(t.TempDir(), "trace")
			var b bytes.Buffer
			require.NoError(t, trace.Encode(&b, tr))
			require.NoError(t, os.WriteFile(file, b.Bytes(), 0o666))
			read, err := reduce.ReadConcurrentOf(file, all, 1)
			require.NoError(t, err)
			assert.Equal(t, test.want, read.OmittedEvents)
			assert.Len(t, read.Events, all-test.want)
			assert.True(t, dataflow.TooLong(read))
			assert.Equal(t, read.Events, again(t, read))
			reduce.DropAlone(tr, all, 1)
			assert.Equal(t, read.Events, tr.Events)
			whole, err := reduce.ReadConcurrentOf(file, all, all)
			require.NoError(t, err)
			assert.Zero(t, whole.OmittedEvents)
			assert.False(t, dataflow.TooLong(whole))
		})
	}
}

// What is left out is counted by what stays of its goroutine, kind and site, from where its test begins.
func TestReadConcurrentSkipped(t *testing.T) {
	const x, y = uint64(0x10000), uint64(0x20008)
	at := func(g trace.GID, kind trace.Kind, site trace.SiteID, obj uint64) trace.Event {
		return trace.Event{Kind: kind, G: g, Site: site, Obj: obj, Size: 8}
	}
	free, meets := at(1, trace.Read, 5, x), at(1, trace.Read, 5, y)
	begins := trace.Event{Kind: trace.TestBegin, G: 1}
	for _, test := range []struct {
		name string
		its  []trace.Event
		want []uint16 // of what stays of goroutine 1
	}{
		{"two", []trace.Event{free, free, meets, meets, free, meets}, []uint16{2, 0, 1}},
		{"of another kind", []trace.Event{free, at(1, trace.Write, 5, y), meets}, []uint16{0, 1}},
		{"of another site", []trace.Event{free, at(1, trace.Read, 6, y), meets}, []uint16{0, 1}},
		{"of another goroutine", []trace.Event{at(2, trace.Read, 5, x+8), meets}, []uint16{0}},
		{"before the test begins", []trace.Event{free, begins, free, meets}, []uint16{0, 1}},
		{"before it begins again", []trace.Event{begins, free, begins, free, meets}, []uint16{0, 0, 2}},
		{"more than can be counted", append(slices.Repeat([]trace.Event{free}, 1<<16+1), meets), []uint16{1<<16 - 1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := &trace.Trace{
				Goroutines: []trace.Goroutine{{Path: "main"}, {ID: 1, Test: "TestA", Path: "0"}, {ID: 2, Parent: 1, Test: "TestA", Path: "0.1"}},
				TestNames:  []string{"TestA"}, Complete: true,
			}
			tr.Events = append([]trace.Event{{Kind: trace.Fork, Obj: 1}, {Kind: trace.Fork, G: 1, Obj: 2}}, test.its...)
			tr.Events = append(tr.Events, at(2, trace.Write, 9, y))
			reduce.DropAlone(tr, len(tr.Events), 1)
			var got []uint16
			for _, e := range tr.Events {
				if e.G == 1 && e.Kind != trace.Fork {
					got = append(got, e.Skipped)
				}
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// Of a test that is too long for a flow conditions are left out, and what their goroutine does next is marked. One that
// may come out either way, as nothing was done within its scope, is nothing.
func TestReadConcurrentBranched(t *testing.T) {
	const plain, scoped, calling, failing, within, behind, elsewhere = 10, 11, 12, 13, 20, 21, 22
	site := func(id trace.SiteID, f string, line int) trace.Site {
		return trace.Site{ID: id, Func: f, File: "f.go", Line: line}
	}
	sites := make(map[trace.SiteID]trace.Site)
	for _, s := range []trace.Site{site(plain, "f", 1), site(scoped, "f", 2), site(calling, "f", 2), site(failing, "f", 1), site(within, "f", 3), site(behind, "f", 5), site(elsewhere, "g", 9)} {
		switch s.ID {
		case scoped, calling:
			s.Scope = trace.Scope{LastLine: 4, HarmlessIfFalse: true, HasCalls: s.ID == calling}
		case failing:
			s.FailsIf = trace.IfTrue
		}
		sites[s.ID] = s
	}
	if_ := func(site trace.SiteID) trace.Event { return trace.Event{Kind: trace.Branch, G: 1, Site: site, Val: 1} }
	other := if_(plain)
	other.G = 2
	once := func(site trace.SiteID) trace.Event { return trace.Event{Kind: trace.OnceBegin, G: 1, Site: site} }
	operand := trace.Event{Kind: trace.Operand, G: 1, Site: within}
	for _, test := range []struct {
		name string
		its  []trace.Event
		stay []trace.SiteID // of what stays
		of   []trace.SiteID // of what is marked
	}{
		{"a condition", []trace.Event{if_(plain), once(behind), once(behind)}, []trace.SiteID{behind, behind}, []trace.SiteID{behind}},
		{"several", []trace.Event{if_(plain), operand, if_(plain), once(behind), if_(plain), once(within)}, []trace.SiteID{behind, within}, []trace.SiteID{behind, within}},
		{"of another goroutine", []trace.Event{other, once(behind)}, []trace.SiteID{behind}, nil},
		{"one that fails the test", []trace.Event{if_(failing), once(behind)}, []trace.SiteID{failing, behind}, nil},
		{"one before", []trace.Event{if_(plain), if_(failing), once(behind)}, []trace.SiteID{failing, behind}, []trace.SiteID{failing}},
		{"something in its scope", []trace.Event{if_(scoped), once(within)}, []trace.SiteID{within}, []trace.SiteID{within}},
		{"nothing in its scope", []trace.Event{if_(scoped), once(behind)}, []trace.SiteID{behind}, nil},
		{"nothing in its scope, again", []trace.Event{if_(scoped), if_(scoped), once(behind)}, []trace.SiteID{behind}, nil},
		{"an operand in its scope", []trace.Event{if_(scoped), operand, once(behind)}, []trace.SiteID{behind}, nil},
		{"a condition in its scope", []trace.Event{if_(scoped), {Kind: trace.Branch, G: 1, Site: within}, once(behind)}, []trace.SiteID{behind}, []trace.SiteID{behind}},
		{"its other way does something", []trace.Event{{Kind: trace.Branch, G: 1, Site: scoped}, once(behind)}, []trace.SiteID{behind}, []trace.SiteID{behind}},
		{"another function behind it", []trace.Event{if_(scoped), once(elsewhere)}, []trace.SiteID{elsewhere}, nil},
		{"a function that it may call", []trace.Event{if_(calling), once(elsewhere)}, []trace.SiteID{elsewhere}, []trace.SiteID{elsewhere}},
		{"an access that conflicts with none", []trace.Event{{Kind: trace.Read, G: 1, Site: within, Obj: 0x1000, Size: 8}, once(behind)}, []trace.SiteID{behind}, []trace.SiteID{behind}},
		{"another goroutine meanwhile", []trace.Event{if_(scoped), other, once(behind)}, []trace.SiteID{behind}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			begin := func(g trace.GID) trace.Event { return trace.Event{Kind: trace.Begin, G: g} }
			tr := &trace.Trace{
				Goroutines: []trace.Goroutine{{Path: "main"}, {ID: 1, Test: "TestA", Path: "0"}, {ID: 2, Parent: 1, Test: "TestA", Path: "0.1"}},
				Events:     []trace.Event{{Kind: trace.Fork, Obj: 1}, begin(1), {Kind: trace.Fork, G: 1, Obj: 2}, begin(2)}, Complete: true,
			}
			tr.Events = append(tr.Events, test.its...)
			known := *tr
			known.Sites = sites
			reduce.DropAlone(&known, 100, 1)
			var stay, of []trace.SiteID
			for _, e := range known.Events {
				if e.Site != 0 {
					stay = append(stay, e.Site)
				}
				if e.Flags&trace.FlagBranchOmitted != 0 {
					of = append(of, e.Site)
				}
			}
			assert.Equal(t, test.stay, stay)
			assert.Equal(t, test.of, of)

			var b bytes.Buffer
			require.NoError(t, trace.Encode(&b, tr))
			file := filepath.Join(t.TempDir(), "trace")
			require.NoError(t, os.WriteFile(file, b.Bytes(), 0o666))
			read, err := reduce.ReadConcurrentOf(file, 100, 1, slices.Collect(maps.Values(sites))...)
			require.NoError(t, err)
			assert.Equal(t, known.Events, read.Events, "by the sites of the build, too")
			assert.Equal(t, read.Events, again(t, read))
		})
	}
}

// What follows from values is not looked at in tests that run beside each other and are too long together, as these
// are analyzed as one; of others one by one.
func TestReadConcurrentBeside(t *testing.T) {
	of := func(g trace.GID, kind trace.Kind) trace.Event { return trace.Event{Kind: kind, G: g} }
	start := func(g trace.GID) []trace.Event {
		return []trace.Event{{Kind: trace.Fork, Obj: uint64(g)}, of(g, trace.Begin)}
	}
	does := func(g trace.GID) []trace.Event { // five that stay, two operands, and an end
		return []trace.Event{of(g, trace.OnceBegin), of(g, trace.Operand), of(g, trace.OnceEnd), of(g, trace.OnceDone), of(g, trace.Operand), of(g, trace.Panic), of(g, trace.Recover), of(g, trace.End)}
	}
	const flow = 10
	for _, test := range []struct {
		name   string
		events [][]trace.Event
		want   int // operands that are left out
	}{
		{"one after the other", [][]trace.Event{start(1), does(1), start(2), does(2)}, 0},
		{"beside each other", [][]trace.Event{start(1), start(2), does(1), does(2)}, 4},
		{"two of three beside each other", [][]trace.Event{start(1), start(2), does(1), does(2), start(3), does(3)}, 4},
		{"over another one", [][]trace.Event{start(1), start(2), does(2), start(3), does(3), does(1)}, 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := &trace.Trace{
				Goroutines: []trace.Goroutine{{Path: "main"}, {ID: 1, Test: "TestA", Path: "0"}, {ID: 2, Test: "TestB", Path: "0"}, {ID: 3, Test: "TestC", Path: "0"}},
				Complete:   true,
			}
			tr.Events = slices.Concat(test.events...)
			file := filepath.Join(t.TempDir(), "trace")
			var b bytes.Buffer
			require.NoError(t, trace.Encode(&b, tr))
			require.NoError(t, os.WriteFile(file, b.Bytes(), 0o666))
			read, err := reduce.ReadConcurrentOf(file, len(tr.Events), flow)
			require.NoError(t, err)
			assert.Equal(t, test.want, read.OmittedEvents)
			assert.Equal(t, test.want > 0, dataflow.TooLong(read))
		})
	}
}

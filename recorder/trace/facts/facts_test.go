package facts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// table makes the facts of a trace, and checks them.
func table(t *testing.T, text string) (*trace.Trace, *facts.Facts) {
	tr := tracetest.Parse(t, text)
	f := facts.New(tr)
	require.NoError(t, f.Check())
	return tr, f
}

// sections lists acquires and releases.
func sections(f *facts.Facts) (all [][2]int32) {
	for _, s := range f.Sections() {
		all = append(all, [2]int32{s.Acquire, s.Release})
	}
	return all
}

func TestSections(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       [][2]int32
		open       []int32
		handedOver bool
	}{
		{"nested", "0 acq a\n0 acq b\n0 rel b\n0 rel a", [][2]int32{{0, 3}, {1, 2}}, nil, false},
		{"the inner one of two read locks ends first", "0 racq a\n0 racq a\n0 rrel a\n0 write x", [][2]int32{{0, -1}, {1, 2}}, []int32{0}, false},
		{"readers of two goroutines", "0 racq a\n1 racq a\n0 rrel a\n1 rrel a", [][2]int32{{0, 2}, {1, 3}}, nil, false},
		{"handed over", "0 acq a\n1 rel a\n1 acq a", [][2]int32{{0, 1}, {2, -1}}, []int32{1}, true},
		{"a read lock handed over is the oldest one", "1 racq a\n0 racq a\n2 rrel a", [][2]int32{{0, 2}, {1, -1}}, []int32{1}, true},
		{"abandoned", "0 acq a\n1 acq a\n1 rel a", [][2]int32{{0, -1}, {1, 2}}, nil, false},
		{"readers abandoned", "0 racq a\n0 racq a\n1 acq a", [][2]int32{{0, -1}, {1, -1}, {2, -1}}, []int32{2}, false},
		{"a release alone", "0 rel a\n0 acq a", [][2]int32{{1, -1}}, []int32{0}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr, f := table(t, test.text)
			assert.Equal(t, test.want, sections(f))
			assert.ElementsMatch(t, test.open, f.Open(len(tr.Events)))
			assert.Equal(t, test.handedOver, f.HandedOver(0))
		})
	}
}

func TestChannels(t *testing.T) {
	type want struct {
		begin, done, element, rank int32
		outcome                    facts.Outcome
	}
	for _, test := range []struct {
		name, text string
		want       []want
		enablers   map[int]int32
	}{
		{"a message", "0 send c\n1 recv c\n0 sent c#1\n1 recvd c#1",
			[]want{{0, 2, 1, 1, facts.Passed}, {1, 3, 1, 1, facts.Passed}}, map[int]int32{2: 1, 3: 0}},
		{"a buffer of one", "0 send c/1\n0 sent c#1/1\n0 send c/1\n1 recv c/1\n1 recvd c#1/1\n0 sent c#2/1",
			[]want{{0, 1, 1, 1, facts.Passed}, {2, 5, 2, 2, facts.Passed}, {3, 4, 1, 1, facts.Passed}}, map[int]int32{1: -1, 4: 0, 5: 3}},
		{"a receive after the close", "1 recv c\n0 close c\n1 recvd c#0",
			[]want{{0, 2, 0, 0, facts.FoundClosed}}, map[int]int32{2: 1}},
		{"a send that panics", "0 close c\n1 send c\n1 panic", []want{{1, 2, 0, 0, facts.Panicked}}, nil},
		{"a send that never completes", "0 send c", []want{{0, -1, 0, 1, facts.Pending}}, nil},
		{"a select that receives", "0 select #1\n1 send c\n0 selected #1\n0 recvd c#1\n1 sent c#1",
			[]want{{0, 3, 1, 1, facts.Passed}, {1, 4, 1, 1, facts.Passed}}, map[int]int32{3: 1, 4: 0}},
		{"a select that takes its default", "0 select #1 default\n0 selected #0\n0 write x", []want{{0, 1, 0, 0, facts.Defaulted}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, f := table(t, test.text)
			var got []want
			for _, o := range f.Operations() {
				got = append(got, want{o.Begin, o.Done, o.Element, o.Rank(), o.Outcome})
			}
			assert.Equal(t, test.want, got)
			for i, want := range test.enablers {
				assert.Equal(t, want, f.Enabler(i), "what lets event %d happen", i)
			}
		})
	}
}

// A channel of a timer has elements that nobody has sent.
func TestExternal(t *testing.T) {
	_, f := table(t, "0 recv c\n0 recvd c#1")
	assert.True(t, f.Channel(0).External)
	_, f = table(t, "0 recv c\n0 recvd c#0")
	assert.True(t, f.Channel(0).ClosedBefore)
	_, f = table(t, "0 make c\n0 close c\n0 recv c\n0 recvd c#0\n0 close c")
	assert.False(t, f.Channel(0).ClosedBefore)
	assert.Equal(t, []int32{1, 4}, f.Closes(0))
	assert.EqualValues(t, 0, f.Channel(0).Made)
	assert.EqualValues(t, 1, f.Channel(0).Closed)
}

func TestTickets(t *testing.T) {
	_, f := table(t, "0 wait c#0\n1 wait c#1\n2 wait c#2\n3 signal c#1\n3 broadcast c#1/2\n1 wake c#1\n0 wake c#0\n0 signal c")
	assert.Equal(t, []facts.Ticket{{0, 3, 6}, {1, 4, 5}, {2, 4, -1}}, f.Tickets())
	assert.Equal(t, []int32{1, 2}, f.Woken(4))
	assert.Empty(t, f.Woken(7), "nobody waited")
	assert.EqualValues(t, 4, f.Enabler(5))
}

// Another condition at the same address begins with the first ticket.
func TestTicketsBeginAnew(t *testing.T) {
	_, f := table(t, "0 wait c#0\n1 signal c#1\n0 wake c#0\n0 wait c#0\n0 write x")
	assert.Equal(t, []facts.Ticket{{0, 1, 2}, {3, -1, -1}}, f.Tickets())
}

func TestRounds(t *testing.T) {
	_, f := table(t, "0 add w#1\n0 add w#1\n1 add w#-1\n2 wgwait w\n1 add w#-1\n0 add w#1\n2 wgwaited w\n1 add w#1\n1 add w#-1\n3 wgwait w")
	assert.Equal(t, []facts.Round{{0, 4, 1, 0}, {0, -1, 7, -1}}, f.Rounds())
	assert.Equal(t, []int32{0, 1, 2, 4}, f.Adds(0))
	assert.Equal(t, []facts.GroupWait{{3, 6, 0}, {9, -1, -1}}, f.GroupWaits())
	var dones []int32
	for i := range f.Dones(0) {
		dones = append(dones, i)
	}
	assert.Equal(t, []int32{2, 4}, dones)
}

// Two Onces lie at one address in turn; the function of the first one has panicked.
func TestOnces(t *testing.T) {
	_, f := table(t, "0 oncebegin o\n1 oncedone o\n0 oncebegin o\n0 onceend o\n1 oncedone o")
	assert.Equal(t, []facts.Once{{0, -1}, {2, 3}}, f.Onces())
	assert.EqualValues(t, facts.None, f.Enabler(1))
	assert.EqualValues(t, 3, f.Enabler(4))
}

func TestPosts(t *testing.T) {
	_, f := table(t, "0 post p\n1 post q\n1 post p\n2 await p\n0 post p\n2 await q\n2 await r")
	assert.Equal(t, []int32{0, 2}, f.Posts(3))
	assert.Equal(t, []int32{1}, f.Posts(5))
	assert.Empty(t, f.Posts(6))
}

// A damaged trace makes no table that is larger than its events allow for.
func TestDamage(t *testing.T) {
	tr := &trace.Trace{Goroutines: make([]trace.Goroutine, 1), Events: []trace.Event{
		{Kind: trace.Recv, Obj: 1}, {Kind: trace.RecvDone, Obj: 1, Val: 1 << 60},
		{Kind: trace.CondBroadcast, Obj: 2, Size: 1 << 31}, {Kind: trace.Fork, Obj: 1 << 40},
		{Kind: trace.SendDone, Obj: 3, Val: 5}, {Kind: trace.OnceEnd, Obj: 4}, {Kind: trace.WaitGroupWaited, Obj: 5},
		{Kind: trace.SelectDone, Val: 1}, {Kind: trace.WaitGroupAdd, Obj: 5, Val: ^uint64(0)}, {Kind: trace.RRelease, Obj: 6},
	}}
	f := facts.New(tr)
	assert.LessOrEqual(t, len(f.Elements(0)), 2)
	assert.Len(t, f.Woken(2), 1)
}

func BenchmarkNew(b *testing.B) {
	tr := tracetest.NestedLocks(1e7, 64, false)
	for b.Loop() {
		facts.New(tr)
	}
}

package waits_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/waits"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// stuck is what goroutine g is blocked in, of an object of the trace.
func stuck(t *trace.Trace, g trace.GID, op trace.Kind, like int) trace.BlockedGoroutine {
	return trace.BlockedGoroutine{G: g, Proof: trace.ProofDeadlock, Op: op, Obj: t.Events[like].Obj, Site: 7}
}

// Two goroutines that hold what the other one wants are the bug; who waits for one of them
// is not.
func TestBugIsTheCycle(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n0 fork 2\n1 begin\n2 begin\n1 acq a\n1 acq c\n1 rel c\n2 acq b")
	const a, b = 4, 7
	tr.Blocked = []trace.BlockedGoroutine{stuck(tr, 0, trace.Acquire, a), stuck(tr, 1, trace.Acquire, b), stuck(tr, 2, trace.Acquire, a)}
	ws, with := waits.Blocked(tr, trace.ProofDeadlock)
	cycles, others := waits.Bugs(ws)
	assert.Equal(t, [][]int{{1, 2}}, cycles)
	assert.Empty(t, others)
	assert.Equal(t, []waits.Holder{{G: 2, Position: b}}, ws[1].Holders)
	assert.Equal(t, []waits.Holder{{G: 1, Position: a}}, ws[2].Holders)
	assert.Len(t, with.Events, len(tr.Events)+3)
	assert.Equal(t, trace.Event{Kind: trace.Acquire, G: 2, Site: 7, Obj: tr.Events[a].Obj}, with.Events[ws[2].Position])

	none, _ := waits.Blocked(tr, trace.ProofLeak)
	assert.Empty(t, none)
}

// A reader waits for a writer that waits for another reader.
func TestWriterShutsOutReaders(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n1 begin\n0 racq a")
	tr.Blocked = []trace.BlockedGoroutine{stuck(tr, 1, trace.Acquire, 2), stuck(tr, 0, trace.RAcquire, 2)}
	ws, _ := waits.Blocked(tr, trace.ProofDeadlock)
	cycles, others := waits.Bugs(ws)
	assert.Equal(t, [][]int{{0, 1}}, cycles)
	assert.Empty(t, others)
}

// Who has released a lock does not hold it, whoever took it before.
func TestReleased(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n1 begin\n0 acq a\n0 rel a\n1 acq a")
	tr.Blocked = []trace.BlockedGoroutine{stuck(tr, 0, trace.Acquire, 2)}
	ws, _ := waits.Blocked(tr, trace.ProofDeadlock)
	assert.Equal(t, []waits.Holder{{G: 1, Position: 4}}, ws[0].Holders)
}

// Without a cycle those are the bug that wait for something else.
func TestNoCycle(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n1 begin\n0 acq a\n0 make c\n0 recv c")
	tr.Blocked = []trace.BlockedGoroutine{stuck(tr, 1, trace.Acquire, 2), stuck(tr, 0, trace.Recv, 4)}
	tr.Blocked[1].Site = tr.Events[4].Site
	ws, with := waits.Blocked(tr, trace.ProofDeadlock)
	cycles, others := waits.Bugs(ws)
	assert.Empty(t, cycles)
	assert.Equal(t, []int{1}, others)
	assert.Equal(t, 4, ws[1].Position, "the receive has begun")
	assert.Len(t, with.Events, len(tr.Events)+1)
}

// Of two read locks of one goroutine, a release ends the inner one, as package order has it: the
// lock of line 10 keeps the writer waiting.
func TestOuterReadLockIsHeld(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n1 begin\n0 racq m @10\n0 racq m @11\n0 rrel m @12\n0 w x @13")
	tr.Blocked = []trace.BlockedGoroutine{stuck(tr, 1, trace.Acquire, 2)}
	ws, _ := waits.Blocked(tr, trace.ProofDeadlock)
	require.Len(t, ws[0].Holders, 1)
	held := ws[0].Holders[0].Position
	assert.Equal(t, 10, tr.Sites[tr.Events[held].Site].Line)
	o, err := order.New(tr)
	require.NoError(t, err)
	assert.Equal(t, []int32{int32(held)}, o.Held(5), "package order says the same")
}

// A Once is held by whoever runs its function, and by nobody after that.
func TestOnceHolders(t *testing.T) {
	for _, test := range []struct {
		text string
		want []waits.Holder
	}{
		{"1 begin\n0 oncebegin o", []waits.Holder{{G: 0, Position: 1}}},
		{"1 begin\n0 oncebegin o\n0 onceend o\n0 oncedone o", nil},
		{"1 begin\n0 oncebegin o\n2 oncebegin o // another Once at the address of one that has panicked", []waits.Holder{{G: 2, Position: 2}}},
	} {
		tr := tracetest.Parse(t, test.text)
		tr.Blocked = []trace.BlockedGoroutine{stuck(tr, 1, trace.OnceBegin, 1)}
		ws, _ := waits.Blocked(tr, trace.ProofDeadlock)
		assert.Equal(t, test.want, ws[0].Holders, test.text)
	}
}

// Partners are the last operations of other goroutines that could have ended the wait.
func TestPartners(t *testing.T) {
	for _, test := range []struct {
		name, text string
		op         trace.Kind // in which goroutine 1 waits, on what the first event is on
		want       []waits.Partner
	}{
		{"a send waits for receivers", "0 recv c\n0 recvd c#1\n2 recv c\n2 end\n3 send c\n3 close c", trace.Send,
			[]waits.Partner{{G: 0, Position: 1}, {G: 2, Position: 2, HasEnded: true}}},
		{"a receive waits for senders and closers", "0 send c\n2 close c\n3 recv c\n0 sent c#1", trace.Recv,
			[]waits.Partner{{G: 2, Position: 1}, {G: 0, Position: 3}}},
		{"what it has done itself does not count", "1 send c\n1 sent c#1", trace.Recv, nil},
		{"a wait for a WaitGroup waits for Dones", "0 add w#2\n2 add w#-1\n0 wgwait w", trace.WaitGroupWait,
			[]waits.Partner{{G: 2, Position: 1}}},
		{"a wait for a condition waits for signals", "0 signal c\n2 broadcast c\n3 wait c#0", trace.CondWait,
			[]waits.Partner{{G: 0, Position: 0}, {G: 2, Position: 1}}},
		{"another channel", "0 make c\n2 send d", trace.Recv, nil},
		{"a case that was not chosen", "0 selsend c\n0 select #1", trace.Recv, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := tracetest.Parse(t, test.text)
			for len(tr.Goroutines) < 4 {
				tr.Goroutines = append(tr.Goroutines, trace.Goroutine{ID: trace.GID(len(tr.Goroutines))})
			}
			tr.Blocked = []trace.BlockedGoroutine{stuck(tr, 1, test.op, 0)}
			ws, _ := waits.Blocked(tr, trace.ProofDeadlock)
			assert.Equal(t, test.want, ws[0].Partners)
		})
	}
}

// The operation in which a goroutine is blocked has not happened: who asks again about the trace
// with its event finds the same, and the lock is not held.
func TestPendingOperations(t *testing.T) {
	for _, test := range []struct {
		text string
		op   trace.Kind
	}{
		{"0 fork 1\n1 begin\n0 racq a", trace.Acquire},
		{"0 fork 1\n1 begin\n0 acq a", trace.RAcquire},
		{"0 fork 1\n1 begin\n0 oncebegin o", trace.OnceBegin},
	} {
		tr := tracetest.Parse(t, test.text)
		tr.Blocked = []trace.BlockedGoroutine{stuck(tr, 1, test.op, 2)}
		ws, with := waits.Blocked(tr, trace.ProofDeadlock)
		assert.Equal(t, []waits.Holder{{G: 0, Position: 2}}, ws[0].Holders, test.text)
		assert.Equal(t, 1, with.PendingEvents)
		again, same := waits.Blocked(with, trace.ProofDeadlock)
		assert.Equal(t, ws, again, test.text)
		assert.Equal(t, with, same)
		for _, row := range facts.New(with).Open(len(with.Events)) {
			assert.NotEqual(t, int32(ws[0].Position), facts.New(with).Sections()[row].Acquire, "it holds the lock")
		}
	}
}

// A goroutine waits for a message of those that have received, sent or signalled before, or have
// offered to in a select. One that only waits for another one's end is in no cycle.
func TestMessageCycles(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n" // positions 0 to 3
	for _, test := range []struct {
		name, text string
		stuck      map[trace.GID]int // the events that those that are blocked wait in, or like which
		want       [][]int
	}{
		{"a sender under a lock that the receiver wants", "2 acq a\n1 selrecv c\n1 select #1\n0 make d\n0 recv d\n2 send c\n1 acq b",
			map[trace.GID]int{0: 8, 1: 4, 2: 9}, [][]int{{1, 2}}},
		{"two selects", "1 selsend c\n1 select #1\n2 selrecv c\n2 select #1\n0 make d\n0 recv d",
			map[trace.GID]int{0: 9, 1: 5, 2: 7}, [][]int{{1, 2}}},
		{"requests and answers", "1 send c\n2 recv c\n1 sent c#1\n2 recvd c#1\n2 send d\n1 recv d\n2 sent d#1\n1 recvd d#1\n1 send c\n2 send d",
			map[trace.GID]int{1: 12, 2: 13}, [][]int{{0, 1}}},
		{"rounds of a group", "0 add w#1\n2 add w#-1\n0 send c\n2 recv c\n0 sent c#1\n2 recvd c#1\n0 wgwait w\n2 recv c",
			map[trace.GID]int{0: 10, 2: 11}, [][]int{{0, 1}}},
		{"nobody has received", "0 make d\n0 recv d\n1 send c",
			map[trace.GID]int{0: 5, 1: 6}, nil},
		{"who has received is gone", "2 recv c\n2 end\n0 make d\n0 recv d\n1 send c",
			map[trace.GID]int{0: 7, 1: 8}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := tracetest.Parse(t, forks+test.text)
			for g := range trace.GID(3) {
				if like, ok := test.stuck[g]; ok {
					e := tr.Events[like]
					tr.Blocked = append(tr.Blocked, trace.BlockedGoroutine{G: g, Proof: trace.ProofDeadlock, Op: e.Kind, Obj: e.Obj, Site: e.Site})
				}
			}
			ws, _ := waits.Blocked(tr, trace.ProofDeadlock)
			cycles, _ := waits.Bugs(ws)
			assert.Empty(t, cycles, "no locks alone")
			assert.Equal(t, test.want, waits.MessageCycles(ws))
		})
	}
}

// A goroutine that timers wake for ever, whatever it does in its rounds, is blocked from the first one
// after the end of its test on.
func TestEndlessRounds(t *testing.T) {
	tr := tracetest.Parse(t, `0 fork 1
1 begin
1 select @5
1 selected #1 @5
1 w n=1 @6
0 testend
1 select @5
1 selected #1 @5
1 w n=2 @6
1 select @5`)
	tr.TestNames = []string{"TestX"}
	for g := range tr.Goroutines {
		tr.Goroutines[g].Test = "TestX"
	}
	k := slices.IndexFunc(tr.Events, func(e trace.Event) bool { return e.Kind == trace.Select })
	for turns, want := range map[bool]int{true: 6, false: 9} {
		tr.Blocked = []trace.BlockedGoroutine{{G: 1, Proof: trace.ProofLeak, Op: trace.Select, Site: tr.Events[k].Site, Turns: turns}}
		ws, _ := waits.Blocked(tr, trace.ProofLeak)
		assert.Equal(t, want, ws[0].Position)
	}
}

// A worker that its ticker wakes, and that looks and waits again, has waited since it found for the
// first time what it finds each time.
func TestRounds(t *testing.T) {
	tr := tracetest.Parse(t, `0 fork 1
1 begin
1 selrecv c @5
1 select @5
1 selected #1 @5
1 recvd c#1 @5
1 r done=1 @4
0 w done=0
0 wgwait g
1 selrecv c @5
1 select @5
1 selected #1 @5
1 recvd c#2 @5
1 await c @5
1 r done=0 @4
1 selrecv c @5
1 select @5
1 selected #1 @5
1 recvd c#3 @5
1 await c @5
1 r done=0 @4
1 selrecv c @5
1 select @5
1 selected #1 @5
1 recvd c#4 @5
1 await c @5
1 r done=0 @4
1 selrecv c @5
1 select @5`)
	tr.Blocked = []trace.BlockedGoroutine{
		{G: 0, Proof: trace.ProofDeadlock, Op: trace.WaitGroupWait, Site: tr.Events[8].Site, Obj: tr.Events[8].Obj},
		{G: 1, Proof: trace.ProofDeadlock, Op: trace.Select, Site: tr.Events[10].Site},
	}
	events := slices.Clone(tr.Events)
	ws, with := waits.Blocked(tr, trace.ProofDeadlock)
	assert.Equal(t, 8, ws[0].Position)
	assert.Equal(t, 10, ws[1].Position)
	assert.Equal(t, events[:11], with.Events, "without the equal rounds")
	assert.Equal(t, events, tr.Events)

	// To receive what somebody has sent is no round without effect.
	tr.Events = slices.DeleteFunc(slices.Clone(events), func(e trace.Event) bool { return e.Kind == trace.Await })
	ws, _ = waits.Blocked(tr, trace.ProofDeadlock)
	assert.Equal(t, len(tr.Events)-1, ws[1].Position)

	// What others do meanwhile stays.
	tr.Events = append(tr.Events, trace.Event{Kind: trace.Write, G: 2, Obj: 8})
	_, with = waits.Blocked(tr, trace.ProofDeadlock)
	assert.Len(t, with.Events, len(tr.Events))
}

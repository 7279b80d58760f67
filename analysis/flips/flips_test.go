package flips_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/flips"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// of returns the flips of a trace as text: the position, and the case that is asked for.
func of(t *testing.T, text string) (out []string) {
	t.Helper()
	return listed(t, parse(t, text))
}

// parse makes a trace of text, in which "~p" is the token of a piece of what is written to a connection.
func parse(t *testing.T, text string) *trace.Trace {
	t.Helper()
	return tracetest.Parse(t, regexp.MustCompile(`~(\w)`).ReplaceAllString(text, "${1}+4611686018427387904"))
}

func listed(t *testing.T, tr *trace.Trace) (out []string) {
	t.Helper()
	o, err := order.New(tr)
	require.NoError(t, err)
	for _, f := range flips.List(tr, o)["TestX"] {
		at := fmt.Sprint(f.Position)
		if f.Case > 0 {
			at += fmt.Sprintf(" case %d", f.Case)
		}
		out = append(out, at)
	}
	return out
}

func TestOf(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n" // positions 0 to 3
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"a lock of two", "1 acq a\n1 rel a\n2 acq a\n2 rel a", []string{"4"}},
		{"locks of one each", "1 acq a\n1 rel a\n2 acq b\n2 rel b", nil},
		{"two readers", "1 racq a\n1 rrel a\n2 racq a\n2 rrel a", nil},
		{"a reader and a writer", "1 racq a\n1 rrel a\n2 acq a\n2 rel a", []string{"4"}},
		{"a lock handed on by a message", "1 acq a\n1 rel a\n1 post ~p\n2 await ~p\n2 acq a\n2 rel a", nil},
		{"two senders", "0 recv c\n1 send c\n1 sent c#1\n0 recvd c#1\n2 send c", []string{"5"}},
		{"a sender and its receiver", "0 recv c\n1 send c\n1 sent c#1\n0 recvd c#1", nil},
		{"a send and a close", "1 send c/1\n1 sent c#1/1\n2 close c/1", []string{"4"}},
		{"a receive and a close", "1 recv c\n2 close c\n1 recvd c", nil},
		{"a wait and its signal", "1 wait d#0\n2 signal d#1\n1 wake d#0", []string{"4"}},
		{"a signal before a wait", "2 signal d#0\n1 wait d#0", []string{"4"}},
		{"two signals", "1 signal d#0\n2 signal d#0", nil},
		{"an add and a wait", "1 add w#1\n1 add w#-1\n2 wgwait w\n2 wgwaited w", []string{"4"}},
		{"a Once", "1 oncebegin o\n1 onceend o\n1 oncedone o\n2 oncedone o", []string{"4"}},
		{"a select of three", "1 select #3\n1 selected #2\n1 recvd c#1", []string{"4 case 1", "4 case 3"}},
		{"a select that took its default", "1 select #1\n1 selected #0\n2 send c", []string{"4 case 1"}},
		{"a select with a default, before another receiver", "1 select #1\n1 selected #1\n1 recvd c#1\n2 recv c", []string{"4"}},
		{"a select that has waited for ever", "1 select #2\n2 send c", nil},
		{"waits before selects before messages before locks", "1 acq a\n1 rel a\n1 send c/1\n1 sent c#1/1\n1 select #2\n1 selected #1\n1 recvd e#1\n2 send c/1\n2 acq a\n2 rel a", []string{"8 case 2", "6", "4"}},
		{"a close that ends what another one does", "2 read x\n1 post p\n2 await p", []string{"5"}},
		{"what a goroutine begins with", "1 fork 3\n1 post p\n3 begin\n3 await p", nil},
		{"what both have done", "2 post p\n1 post p\n2 await p", nil},
		{"a flag that is looked at after it is set", "1 astore a\n2 aload a", []string{"4"}},
		{"a flag that is looked at before it is set", "1 aload a\n2 astore a", []string{"4"}},
		{"two looks at a flag", "1 aload a\n2 aload a", nil},
		{"locks before atomic operations", "1 aload b\n1 acq a\n1 rel a\n2 acq a\n2 rel a\n2 armw b", []string{"5", "4"}},
		{"two writes that are read at once", "1 post ~p\n1 post ~q\n2 await ~p @9\n2 await ~q @9", []string{"5"}},
		{"two writes that are read one by one", "1 post ~p\n1 post ~q\n2 await ~p @9\n2 read x\n2 await ~q @9", nil},
		{"two writes of two goroutines", "0 post ~p\n1 post ~q\n2 await ~p @9\n2 await ~q @9", nil},
		{"after the test", "0 testend\n1 acq a\n1 rel a\n2 acq a\n2 rel a", nil},
		{"before what comes after the test", "1 acq a\n1 rel a\n0 testend\n2 acq a\n2 rel a", []string{"4"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, of(t, forks+test.text))
		})
	}
}

// Functions of timers may begin before the timers are stopped, and before the end of a test that has
// stopped none of them.
func TestTimers(t *testing.T) {
	const text = "0 post p @1\n0 read x\n" // the begin of the timer
	for _, test := range []struct {
		name, further string
		stops         []int // the events that stop a timer
		want          []string
	}{
		{"the end comes first", "0 testend\n0 read y", nil, []string{"2"}},
		{"the timer fires", "1 await p\n0 testend", nil, nil},
		{"the end of a subtest comes first", "1 fork 2\n2 testend\n1 await p\n0 testend", nil, nil},
		{"it is stopped", "0 await q\n0 testend", []int{2}, []string{"2"}},
		{"one of two is stopped", "0 post r @2\n0 await q\n0 testend", []int{3}, []string{"3", "4"}},
		{"it is stopped when all is over", "0 testend\n0 await q", []int{3}, []string{"2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := parse(t, text+test.further)
			for i := range tr.Events {
				if e := &tr.Events[i]; e.Kind == trace.Post || slices.Contains(test.stops, i) {
					e.Flags |= trace.FlagTry
				}
			}
			assert.Equal(t, test.want, listed(t, tr))
		})
	}
}

// Who is blocked before a lock at the end could have come to it before its holder, unless
// that has let it come there.
func TestBlockedInTheEnd(t *testing.T) {
	const text = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n1 acq a\n2 acq b\n2 rel b" // the acquires: 4 and 5
	for _, test := range []struct {
		name, further string
		op            trace.Kind
		want          []string
	}{
		{"a lock that is held", "", trace.Acquire, []string{"4"}},
		{"to read", "", trace.RAcquire, []string{"4"}},
		{"a lock whose holder has let the other one go on", "\n1 post ~p\n2 await ~p", trace.Acquire, nil},
		{"a receive", "", trace.Recv, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := parse(t, text+test.further)
			tr.Blocked = []trace.BlockedGoroutine{{G: 2, Proof: trace.ProofLeak, Op: test.op, Obj: tr.Events[4].Obj}}
			assert.Equal(t, test.want, listed(t, tr))
		})
	}
}

// However often a goroutine comes to a lock, what another one does with it later could have
// come before.
func TestLoopBefore(t *testing.T) {
	text := "0 fork 1 @1\n0 fork 2 @2\n1 begin\n2 begin\n"
	for range 100 {
		text += "1 acq a @3\n1 rel a @4\n"
	}
	assert.Equal(t, []string{"4", "202"}, of(t, text+"2 acq a @5\n2 rel a @6"))
}

// Of flips that are alike there are the first one and, last of all, the last one: goroutines
// that were started at one place are alike.
func TestAlike(t *testing.T) {
	const text = "0 fork 1 @1\n0 fork 2 @1\n0 fork 3 @1\n1 begin @2\n2 begin @2\n3 begin @2\n"
	loop := text
	for n := range 9 {
		loop += fmt.Sprintf("%d acq a @3\n%[1]d rel a @4\n", n%3+1)
	}
	assert.Equal(t, []string{"6", "22"}, of(t, loop+"0 acq a @5\n0 rel a @6"))
}

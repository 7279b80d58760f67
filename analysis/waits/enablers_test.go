package waits_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/waits"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// Who ended a wait in one run may end that of the same goroutine at the same place in another.
func TestEnablers(t *testing.T) {
	const begin = "0 fork 1\n0 fork 2\n0 fork 3\n1 begin\n2 begin\n3 begin\n"
	for _, test := range []struct {
		name, passing, blocked string
		op                     trace.Kind // in which goroutine 1 is blocked at line 10
		want                   []trace.GID
	}{
		{"a send", "2 send c\n1 recv c @10\n2 sent c#1\n1 recvd c#1 @10", "", trace.Recv, []trace.GID{2}},
		{"a close", "2 close c\n1 recv c @10\n1 recvd c @10", "", trace.Recv, []trace.GID{2}},
		{"each Done", "1 add w#2\n1 wgwait w @10\n2 add w#-1\n3 add w#-1\n1 wgwaited w @10", "", trace.WaitGroupWait, []trace.GID{2, 3}},
		{"a signal", "1 acq m\n1 wait c#0 @10\n1 rel m\n2 signal c#1\n1 wake c#0 @10\n1 acq m\n1 rel m", "", trace.CondWait, []trace.GID{2}},
		{"a case of a select", "1 selrecv c\n1 select #1 @10\n2 send c\n2 sent c#1\n1 selected #1 @10\n1 recvd c#1", "", trace.Select, []trace.GID{2}},
		{"another place", "2 send c\n1 recv c @11\n2 sent c#1\n1 recvd c#1 @11", "", trace.Recv, nil},
		{"another operation", "2 send c\n1 recv c @10\n2 sent c#1\n1 recvd c#1 @10", "", trace.Send, nil},
		{"one that has ended by now", "2 send c\n1 recv c @10\n2 sent c#1\n1 recvd c#1 @10", "2 end", trace.Recv, nil},
		{"itself", "1 send c\n1 sent c#1\n1 recv c @10\n1 recvd c#1 @10", "", trace.Recv, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			passing := tracetest.Parse(t, begin+test.passing)
			all := make(waits.Enablers)
			all.Add(passing, facts.New(passing))
			// The operation of another trace: sites are compared by their keys.
			tr := tracetest.Parse(t, begin+"0 make d\n1 recv d @10\n"+test.blocked)
			site := tr.Events[7].Site
			var ws []waits.Wait
			for g := range trace.GID(4) {
				if g != 2 || test.blocked == "" {
					ws = append(ws, waits.Wait{BlockedGoroutine: trace.BlockedGoroutine{G: g, Op: trace.Acquire}})
				}
			}
			ws[1].Op, ws[1].Site = test.op, site
			all.Complete(tr, ws)
			assert.Equal(t, test.want, ws[1].MayEnd)
		})
	}
}

// A test that waits for the end of what it has started is no part of a deadlock.
func TestWithoutOnlookers(t *testing.T) {
	wait := func(g trace.GID, mayEnd ...trace.GID) waits.Wait {
		return waits.Wait{BlockedGoroutine: trace.BlockedGoroutine{G: g}, MayEnd: mayEnd}
	}
	for _, test := range []struct {
		name string
		ws   []waits.Wait
		want []int
	}{
		{"who waits for another one", []waits.Wait{wait(0, 1), wait(1)}, []int{1}},
		{"who is waited for as well", []waits.Wait{wait(0, 1), wait(1, 2), wait(2)}, []int{1, 2}},
		{"nothing is known", []waits.Wait{wait(0), wait(1)}, []int{0, 1}},
		{"what it waits for is not blocked", []waits.Wait{wait(0, 7), wait(1)}, []int{0, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := make([]int, len(test.ws))
			for k := range all {
				all[k] = k
			}
			assert.Equal(t, test.want, waits.WithoutOnlookers(test.ws, all))
		})
	}
	holder := waits.Wait{BlockedGoroutine: trace.BlockedGoroutine{G: 0}, Holders: []waits.Holder{{G: 1}}}
	assert.Equal(t, []int{0}, waits.WithoutOnlookers([]waits.Wait{holder, wait(1)}, []int{0}), "all are onlookers")
}

package feasible_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// The judge says whether goroutines that stand at operations keep each other from going
// on.
func TestStuck(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n" // positions 0 to 3
	const both = "1 acq a\n1 acq b\n1 rel b\n1 rel a\n"    // positions 4 to 7
	for _, test := range []struct {
		name, text        string
		steps, operations []int // steps after the forks
		err               string
	}{
		{"two locks", both + "2 acq b\n2 acq a", []int{4, 8}, []int{5, 9}, ""},
		{"one of them only", both + "2 acq b\n2 acq a", []int{4, 8}, []int{5}, "expected the lock to be kept by one that waits in turn"},
		{"one of them not yet", both + "2 acq b\n2 acq a", []int{4}, []int{5, 8}, "expected the lock to be kept by one that waits in turn"},
		{"released in between", "1 acq a\n1 rel a\n1 acq b\n2 acq b\n2 acq a", []int{4, 5, 7}, []int{6, 8}, "expected the lock to be kept by one that waits in turn"},
		{"not there yet", both + "2 acq b\n2 acq a", []int{4}, []int{5, 9}, "next event"},
		{"not to be had", both + "2 acq b\n2 acq a", []int{4, 5, 8}, []int{6, 9}, "expected the lock to be free"},
		{"no lock", both + "2 acq b\n2 w x", []int{4, 8}, []int{5, 9}, "expected an operation that can block for ever"},
		{"a reader that a writer shuts out", "1 racq a\n1 racq a\n1 rrel a\n1 rrel a\n2 acq a", []int{4}, []int{8, 5}, ""},
		{"two readers", "1 racq a\n1 racq b\n1 rrel b\n1 rrel a\n2 racq b\n2 racq a", []int{4, 8}, []int{5, 9}, "expected the lock to be kept by one that waits in turn"},
		{"a reader and a writer", "1 racq a\n1 acq b\n1 rel b\n1 rrel a\n2 racq b\n2 acq a", []int{4, 8}, []int{5, 9}, ""},
		{"a send under a lock", "1 acq a\n1 send c\n1 sent c#1\n2 acq a\n2 rel a\n2 recv c\n2 recvd c#1", []int{4}, []int{5, 7}, ""},
		{"a send that another one receives", "1 acq a\n1 send c\n1 sent c#1\n2 acq a\n2 rel a\n2 recv c\n2 recvd c#1\n0 recv c", []int{4}, []int{5, 7}, "could come to the channel's other side"},
		{"a send that another one, who waits for them, receives", "1 acq a\n1 send c\n1 sent c#1\n2 acq a\n2 post p\n2 rel a\n2 recv c\n2 recvd c#1\n0 await p\n0 recv c", []int{4}, []int{5, 7}, ""},
		{"a send that another one, who waits for what they send, receives", "1 acq a\n1 send c\n1 sent c#1\n2 acq a\n2 rel a\n2 send d\n0 recv d\n0 recvd d#1\n2 sent d#1\n0 recv c", []int{4}, []int{5, 7}, ""},
		{"a send that another one, who sends what they receive, receives", "1 acq a\n1 send c\n1 sent c#1\n2 acq a\n2 rel a\n2 recv d\n0 send d\n0 sent d#1\n2 recvd d#1\n0 recv c", []int{4}, []int{5, 7}, ""},
		{"a send that another one, who has sent what they receive, receives", "1 acq a\n1 send c\n1 sent c#1\n2 acq a\n2 rel a\n0 send d/1\n0 sent d#1/1\n2 recv d/1\n2 recvd d#1/1\n0 recv c", []int{4}, []int{5, 7}, "could come to the channel's other side"},
		{"a send that has room", "1 acq a\n1 send c/1\n1 sent c#1/1\n2 acq a\n2 rel a\n2 recv c/1\n2 recvd c#1/1", []int{4}, []int{5, 7}, "has to wait"},
		{"a send that will be closed", "1 acq a\n1 send c\n1 sent c#1\n2 acq a\n2 rel a\n2 recv c\n2 recvd c#1\n0 close c", []int{4}, []int{5, 7}, "stays open"},
		{"a send and its receive", "1 send c\n1 sent c#1\n2 recv c\n2 recvd c#1", []int{}, []int{4, 6}, "could come to the channel's other side"},
		{"a WaitGroup under a lock", "0 add w#1\n1 acq a\n1 wgwait w\n1 wgwaited w\n1 rel a\n2 acq a\n2 rel a\n2 add w#-1", []int{4, 5}, []int{6, 9}, ""},
		{"a WaitGroup that others are done with", "0 add w#1\n1 acq a\n1 wgwait w\n1 wgwaited w\n1 rel a\n2 acq a\n2 rel a\n0 add w#-1", []int{4, 5}, []int{6, 9}, "have Dones left"},
		{"a signal that is lost", "1 acq l\n1 wait c\n1 rel l\n2 signal c#1\n1 wake c\n1 acq l", []int{7, 4, 5, 6}, []int{8}, ""},
		{"a signal to come", "1 acq l\n1 wait c\n1 rel l\n2 signal c#1\n1 wake c\n1 acq l", []int{4, 5, 6}, []int{8}, "expected no signals to come"},
		{"a signal that has come", "1 acq l\n1 wait c\n1 rel l\n2 signal c#1\n1 wake c\n1 acq l", []int{4, 5, 6, 7}, []int{8}, "found that it was woken"},
		{"a signal for who waits before", "0 wait c\n1 wait c#1\n2 signal c#1\n2 broadcast c#1/1\n0 wake c\n1 wake c#1", []int{4, 5}, []int{9}, "expected no signals to come but for the 1"},
		{"a broadcast that is too early", "0 wait c\n1 wait c#1\n2 signal c#1\n2 broadcast c#1/1\n0 wake c\n1 wake c#1", []int{6, 7, 4, 5}, []int{9}, ""},
		{"a signal under a lock that who waits has", "1 acq a\n1 wait c\n2 acq a\n2 rel a\n2 signal c#1\n1 wake c\n1 rel a", []int{4, 5}, []int{6, 9}, ""},
		{"a Once under the lock that its function needs", "1 oncebegin o\n1 acq a\n1 rel a\n1 onceend o\n1 oncedone o\n2 acq a\n2 oncedone o\n2 rel a", []int{4, 9}, []int{5, 10}, ""},
		{"a Once that nobody runs yet", "1 acq a\n1 oncebegin o\n1 onceend o\n1 rel a\n2 acq a\n2 oncedone o\n2 rel a", []int{8}, []int{4, 9}, "expected a Once of which the function is running"},
		{"a Once that comes to its end", "1 oncebegin o\n1 onceend o\n1 acq a\n1 rel a\n2 acq a\n2 oncedone o\n2 rel a", []int{4, 8}, []int{9}, "found that it does"},
		{"a select under a lock", "1 acq a\n1 selsend c\n1 select #2\n1 selected #1\n1 sent c#1\n2 acq a\n2 rel a\n2 recv c\n2 recvd c#1", []int{4, 5}, []int{6, 9}, ""},
		{"a select with a default", "1 acq a\n1 selsend c\n1 select #1 default\n1 selected #1\n1 sent c#1\n2 acq a\n2 rel a\n2 recv c\n2 recvd c#1", []int{4, 5}, []int{6, 9}, "found one with a default"},
		{"a select of which another case goes", "1 acq a\n1 selsend c\n1 selsend d/1\n1 select #2\n1 selected #1\n1 sent c#1\n2 acq a\n2 rel a\n2 recv c\n2 recvd c#1", []int{4, 5, 6}, []int{7, 10}, "has to wait"},
		{"a reader that is out", "1 racq a\n1 rrel a\n1 acq b\n1 rel b\n2 racq b\n2 acq a", []int{4, 5, 8}, []int{6, 9}, "expected the lock to be kept by one that waits in turn"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := tracetest.Parse(t, forks+test.text)
			err := feasible.New(tr).StuckFrom(4, test.steps, test.operations)
			if test.err == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, test.err)
			}
		})
	}
}

// The enumeration finds the goroutines that are stuck, and no more.
func TestDeadlocks(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n0 fork 3\n1 begin\n2 begin\n3 begin\n"        // positions 0 to 5
	const others = "3 acq c\n3 rel c\n1 acq a\n1 acq b\n1 rel b\n1 rel a\n2 acq b\n" // positions 6 to 12
	for text, want := range map[string][][]int{
		others + "2 acq a": {{9, 13}},
		others + "2 acq c": nil,
	} {
		assert.Equal(t, want, feasible.Deadlocks(tracetest.Parse(t, forks+text)), text)
	}
}

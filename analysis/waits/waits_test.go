package waits_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/waits"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

func find(t testing.TB, tr *trace.Trace) waits.Found {
	t.Helper()
	o, err := order.New(tr)
	require.NoError(t, err)
	return waits.Find(tr, o, math.MaxInt)
}

func TestFind(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n"
	const both = "1 acq a\n1 acq b :1b\n1 rel b\n1 rel a\n"
	const turned = "2 acq b\n2 acq a :2a\n2 rel a\n2 rel b\n"
	for _, test := range []struct {
		name, text      string
		sets            string // names of the operations of each set
		locked, ordered int
	}{
		{"two locks in two orders", both + turned, "1b 2a", 0, 0},
		{"each twice", both + turned + both, "1b 2a, 2a 1b2", 0, 0},
		{"in one order", both + "2 acq a\n2 acq b\n2 rel b\n2 rel a", "", 0, 0},
		{"by one goroutine", both + "1 acq b\n1 acq a\n1 rel a\n1 rel b", "", 0, 0},
		{"under a gate lock", "1 acq g\n" + both + "1 rel g\n2 acq g\n" + turned + "2 rel g", "", 1, 0},
		{"for one under it", "1 acq g\n" + both + "1 rel g\n" + turned, "1b 2a", 0, 0},
		{"after a message", both + "1 post p\n2 await p\n" + turned, "", 0, 1},
		{"before a message", turned + "2 post p\n1 await p\n" + both, "", 0, 1},
		{"after one of two messages", both + "1 post p\n" + both + "2 await p\n" + turned, "1b2 2a", 0, 0},
		{"three locks", both + "2 acq b\n2 acq c :2c\n2 rel c\n2 rel b\n0 acq c\n0 acq a :0a\n0 rel a\n0 rel c", "1b 2c 0a", 0, 0},
		{"three locks of two goroutines", both + "2 acq b\n2 acq c\n2 rel c\n2 rel b\n2 acq c\n2 acq a\n2 rel a\n2 rel c", "", 0, 0},
		{"readers", "1 racq a\n1 racq b\n1 rrel b\n1 rrel a\n2 racq b\n2 racq a\n2 rrel a\n2 rrel b", "", 0, 0},
		{"a reader who comes back", "1 racq a\n1 racq a :1a\n1 rrel a\n1 rrel a\n2 acq a :2a\n2 rel a", "1a 2a", 0, 0},
		{"a reader who comes back to a mutex's user", "1 racq a\n1 racq a\n1 rrel a\n1 rrel a\n2 acq b\n2 rel b", "", 0, 0},
		{"a writer in between", "1 racq a\n1 acq b :1b\n1 rel b\n1 rrel a\n2 acq b\n2 racq a :2a\n2 rrel a\n2 rel b\n0 acq a :0a\n0 rel a", "1b 2a 0a", 0, 0},
		{"a send under the lock that its receiver needs", "2 acq a :2a\n2 rel a\n2 recv c\n1 acq a\n1 send c :1c\n1 sent c#1\n1 rel a\n2 recvd c#1", "2a 1c", 0, 0},
		{"and that somebody else may receive", "2 acq a\n2 rel a\n2 recv c\n1 acq a\n1 send c\n1 sent c#1\n1 rel a\n2 recvd c#1\n0 recv c", "", 0, 0},
		{"a send that its receiver is ready for", "2 recv c\n1 acq a\n1 send c\n1 sent c#1\n1 rel a\n2 recvd c#1\n2 acq a\n2 rel a", "", 0, 0},
		{"a send that has room", "2 acq a\n2 rel a\n2 recv c/1\n2 recvd c#1/1\n1 acq a\n1 send c/1\n1 sent c#1/1\n1 rel a", "", 0, 0},
		{"a receive under the lock that the close needs", "1 acq a :1a\n1 rel a\n1 close c\n2 acq a\n2 recv c :2c\n2 recvd c\n2 rel a", "1a 2c", 0, 0},
		{"both slots of a semaphore", "1 send s/2\n1 sent s#1/2\n0 send s/2\n0 sent s#2/2\n0 acq a :0a\n0 rel a\n0 recv s/2\n0 recvd s#1/2\n1 acq a :1a\n1 rel a\n1 recv s/2\n1 recvd s#2/2\n2 acq a\n2 send s/2 :2s\n2 sent s#3/2\n2 recv s/2\n2 recvd s#3/2\n2 rel a", "0a 2s 1a", 0, 0},
		{"a WaitGroup", "0 add w#1\n1 acq a :1a\n1 rel a\n1 add w#-1\n0 acq a\n0 wgwait w :0w\n0 wgwaited w\n0 rel a", "1a 0w", 0, 0},
		{"messages in a gate", "2 acq g :2g\n2 acq a\n2 rel a\n2 rel g\n2 recv c\n1 acq g\n1 acq a\n1 send c :1c\n1 sent c#1\n1 rel a\n1 rel g\n2 recvd c#1", "2g 1c", 0, 0},
		{"a signal that may be lost", "1 acq l\n1 wait c\n1 rel l\n2 signal c#1\n1 wake c :1c\n1 acq l\n1 rel l", "1c", 0, 0},
		{"a signal that is asked for", "1 wait c\n1 post p\n2 await p\n2 signal c#1\n1 wake c", "", 0, 0},
		{"a signal under a lock", "1 post p\n1 acq a\n1 wait c\n1 post q\n2 await q\n2 acq a\n2 rel a\n2 signal c#1\n1 wake c\n1 rel a", "", 0, 0},
		{"a signal that is asked for under its lock", "1 acq l\n1 post p\n1 wait c\n1 rel l\n2 await p\n2 acq l\n2 rel l\n2 signal c#1\n1 wake c\n1 acq l\n1 rel l", "", 0, 0},
		{"and before that", "1 acq l\n1 post p\n1 rel l\n1 acq l\n1 wait c\n1 rel l\n2 await p\n2 acq l\n2 rel l\n2 signal c#1\n1 wake c :1c\n1 acq l\n1 rel l", "1c", 0, 0},
		{"by somebody else", "1 acq l\n1 post p\n1 wait c\n1 rel l\n0 await p\n0 acq l\n0 rel l\n2 acq l\n2 rel l\n2 signal c#1\n1 wake c :1c\n1 acq l\n1 rel l", "1c", 0, 0},
		{"under another lock", "1 acq l\n1 post p\n1 wait c\n1 rel l\n2 await p\n2 acq m\n2 rel m\n2 signal c#1\n1 wake c :1c\n1 acq l\n1 rel l", "1c", 0, 0},
		{"under a lock that is handed over", "0 acq l\n2 rel l\n1 acq l\n1 post p\n1 wait c\n1 rel l\n2 await p\n2 acq l\n2 rel l\n2 signal c#1\n1 wake c :1c\n1 acq l\n1 rel l", "1c", 0, 0},
		{"by readers of it", "1 racq l\n1 post p\n1 wait c\n1 rrel l\n2 await p\n2 racq l\n2 rrel l\n2 signal c#1\n1 wake c :1c\n1 racq l\n1 rrel l", "1c", 0, 0},
		{"a Once under the lock that its function needs", "1 oncebegin o\n1 acq a :1a\n1 rel a\n1 onceend o\n1 oncedone o\n2 acq a\n2 oncedone o :2o\n2 rel a", "1a 2o", 0, 0},
		{"a Once under the lock that is needed before its function", "1 acq a\n1 rel a\n1 oncebegin o\n1 onceend o\n1 oncedone o\n2 acq a\n2 oncedone o\n2 rel a", "", 0, 0},
		{"and that is needed in it and before", "1 acq a\n1 rel a\n1 oncebegin o\n1 acq a :1a\n1 rel a\n1 onceend o\n1 oncedone o\n2 acq a\n2 oncedone o :2o\n2 rel a", "1a 2o", 0, 0},
		{"a Once under the lock that a message needs before its function", "0 acq a\n0 rel a\n2 recv c\n0 send c\n0 sent c#1\n2 recvd c#1\n2 oncebegin o\n2 onceend o\n2 oncedone o\n1 acq a\n1 oncedone o\n1 rel a", "", 0, 0},
		{"a select under the lock that the receiver needs", "2 acq a :2a\n2 rel a\n2 recv c\n1 acq a\n1 selsend c\n1 select #1 :1select\n1 selected #1\n1 sent c#1\n1 rel a\n2 recvd c#1", "2a 1select", 0, 0},
		{"a receiver that has offered to send before", "2 acq a :2a\n2 rel a\n2 send c/1\n2 sent c#1/1\n1 acq a\n1 selsend c/1\n1 select #2\n1 selected #1\n1 recvd d#1/1\n1 recv c/1 :1c\n1 recvd c#1/1\n1 rel a", "2a 1c", 0, 0},
		{"a writer between a message's sides", "2 racq a :2a\n2 recv c :2c\n1 racq a :1a\n1 send c :1c\n1 sent c#1\n1 rrel a\n2 recvd c#1\n2 rrel a\n0 acq a :0a\n0 rel a", "2a 1c 0a, 2c 1a 0a", 0, 0},
		{"handed over", "1 acq a\n1 acq b\n2 rel a\n1 rel b\n2 acq b\n2 acq a\n2 rel a\n2 rel b", "", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr, names := tracetest.ParseNamed(t, forks+test.text)
			found := find(t, tr)
			var sets []string
			for _, c := range found.Cycles {
				for _, set := range c.Sets {
					sets = append(sets, names.Of(set))
				}
				assert.True(t, c.Exhaustive)
			}
			assert.Equal(t, test.sets, strings.Join(sets, ", "))
			assert.Equal(t, test.locked, found.GatedPairs, "pairs under a gate lock")
			assert.Equal(t, test.ordered, found.OrderedCycles, "circles in order")
			assert.False(t, found.Incomplete)
		})
	}
}

// Of messages at one place, only some are looked at: other circles are known all the same.
func TestExhaustive(t *testing.T) {
	var text strings.Builder
	text.WriteString("0 fork 1\n0 fork 2\n1 begin\n2 begin\n")
	text.WriteString("0 add w#1\n1 acq a\n1 rel a\n1 add w#-1\n0 acq a\n0 wgwait w\n0 wgwaited w\n0 rel a\n")
	const wait = "1 acq l\n1 wait c#%d\n1 rel l\n2 signal c#%d @100\n1 wake c#%d @101\n1 acq l\n1 rel l\n"
	for n := range 9 {
		fmt.Fprintf(&text, wait, n, n+1, n)
	}
	found := find(t, tracetest.Parse(t, text.String()))
	exhaustive := make(map[int]bool) // by how many wait in the circle
	for _, c := range found.Cycles {
		exhaustive[len(c.Sets[0])] = c.Exhaustive
	}
	assert.Equal(t, map[int]bool{1: false, 2: true}, exhaustive)
}

// Whoever tries, and does not get the lock, goes on.
func TestTries(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n1 begin\n0 acq a\n0 acq b\n0 rel b\n0 rel a\n1 acq b\n1 acq a\n1 rel a\n1 rel b")
	assert.Len(t, find(t, tr).Cycles, 1)
	tr.Events[7].Flags |= trace.FlagTry
	assert.Empty(t, find(t, tr).Cycles)
}

// Philosophers at a round table: the circle has as many goroutines as there are.
func TestPhilosophers(t *testing.T) {
	const n = 40
	text := ""
	for g := 1; g < n; g++ {
		text += fmt.Sprintf("0 fork %d\n%d begin\n", g, g)
	}
	for g := range n {
		text += fmt.Sprintf("%d acq f%d\n%[1]d acq f%[3]d\n%[1]d rel f%[3]d\n%[1]d rel f%[2]d\n", g, g, (g+1)%n)
	}
	found := find(t, tracetest.Parse(t, text))
	require.Len(t, found.Cycles, 1)
	assert.Len(t, found.Cycles[0].Sets[0], n)
}

func BenchmarkFind(b *testing.B) {
	for _, events := range []int{1e5, 1e6, 1e7} {
		for _, goroutines := range []int{2, 64} {
			for _, turns := range []bool{false, true} {
				b.Run(fmt.Sprintf("events=%.0e/goroutines=%d/circles=%t", float64(events), goroutines, turns), func(b *testing.B) {
					tr := tracetest.NestedLocks(events, goroutines, turns)
					o, err := order.New(tr)
					require.NoError(b, err)
					for b.Loop() {
						found := waits.Find(tr, o, math.MaxInt)
						assert.Equal(b, turns, len(found.Cycles) > 0)
					}
				})
			}
		}
	}
}

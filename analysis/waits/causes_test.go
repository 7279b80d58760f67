package waits_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/waits"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

func TestCauses(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n" // positions 0 to 3
	for _, test := range []struct {
		name, text         string
		stuck              map[trace.GID]int // the events that those that are blocked wait in, or like which
		of                 trace.GID
		standing, done     []int
		wider, doneByWider []int
	}{
		{
			"a lock, of one who is gone", "2 acq a\n2 acq b\n2 rel b\n1 acq c\n1 rel c\n2 end",
			map[trace.GID]int{1: 4}, 1, []int{10}, []int{4, 9}, []int{10}, []int{4, 9},
		},
		{
			"a lock, of one who waits for another one", "2 acq a\n1 acq b\n0 acq c",
			map[trace.GID]int{1: 4, 2: 6}, 1, []int{7, 8}, []int{4, 6}, []int{7, 8}, []int{4, 6},
		},
		{
			"a channel that another one had a turn at", "1 send c\n2 recv c\n1 sent c#1\n2 recvd c#1\n2 acq a\n2 rel a\n1 send c",
			map[trace.GID]int{1: 10}, 1, nil, []int{7, 10}, nil, []int{7, 9, 10},
		},
		{
			"a channel that has the number of a goroutine", "1 make 2\n1 send 2",
			map[trace.GID]int{1: 5}, 1, nil, []int{5}, nil, []int{5},
		},
		{
			"a group", "1 wgwait w\n2 add w#-1\n0 acq a",
			map[trace.GID]int{1: 4}, 1, nil, []int{4, 5}, nil, []int{4, 5},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := tracetest.Parse(t, forks+test.text)
			for g := range trace.GID(3) {
				if like, ok := test.stuck[g]; ok {
					e := tr.Events[like]
					tr.Blocked = append(tr.Blocked, trace.BlockedGoroutine{G: g, Proof: trace.ProofLeak, Op: e.Kind, Obj: e.Obj, Site: e.Site})
				}
			}
			ws, with := waits.Blocked(tr, trace.ProofLeak)
			c := waits.NewCauses(with, ws)
			var members []waits.Wait
			for _, w := range ws {
				if w.G == test.of {
					members = append(members, w)
				}
			}
			standing, done := c.Find(members, false)
			assert.Equal(t, test.standing, standing)
			assert.Equal(t, test.done, done)
			standing, done = c.Find(members, true)
			assert.Equal(t, test.wider, standing)
			assert.Equal(t, test.doneByWider, done)
		})
	}
}

package detect

import (
	"strings"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// meetings returns the candidates for accesses that may meet.
func meetings(in *Input, counts *Counts) []Candidate {
	found := anomaly.FindRaces(in.Trace, in.Order)
	counts.Locked, counts.Ordered = found.Locked, found.Ordered
	var cs []Candidate
	for _, c := range found.Candidates {
		var instances []Instance
		for _, pair := range c.Pairs {
			instances = append(instances, Instance{Accesses: pair[:]})
		}
		for _, pair := range c.Again {
			instances = append(instances, Instance{Accesses: pair[:], again: true})
		}
		if kind := in.meeting(c.Pairs[0]); in.wants(kind) {
			cs = append(cs, Candidate{Kind: kind, Instances: instances, Exhaustive: c.Exhaustive})
		}
	}
	return cs
}

// meeting is the kind of bug of two accesses that meet. It is a race, or else channel:
// a close of a channel that meets a send to it or another close, which panics if the
// close goes first; or waitgroup: an Add that takes the counter from zero and meets a
// Wait, which may not wait for it; or failure: a test's end that meets what uses the
// test, which panics behind it or is told of another test.
func (in *Input) meeting(pair [2]int) bug.Kind {
	for k, i := range pair {
		switch {
		case in.Trace.Events[i].Kind == trace.Close:
			return bug.Channel
		case in.Trace.Events[i].Kind == trace.WaitGroupWait && in.Trace.Events[pair[1-k]].Kind == trace.WaitGroupAdd:
			return bug.WaitGroup
		case in.endsTest(i):
			return bug.Failure
		}
	}
	return bug.Race
}

// endsTest reports whether event i is what package testing does last when a test has
// ended: it writes that down, under no lock.
func (in *Input) endsTest(i int) bool {
	e := &in.Trace.Events[i]
	return e.Kind == trace.Write && strings.HasPrefix(in.Trace.Sites[e.Site].Func, "testing.tRunner")
}

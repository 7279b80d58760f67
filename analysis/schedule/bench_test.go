package schedule

import (
	"testing"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// BenchmarkSequence makes the schedule of an atomicity violation at the very
// end of a trace of the size and shape of Derby's in PECAN's Table 1: with few
// steps, and with all that happened.
func BenchmarkSequence(b *testing.B) {
	tr := tracetest.Server(447_392)
	const outer, inner, x = 0x900, 0x901, 0x9000
	tr.Events = append(tr.Events,
		trace.Event{Kind: trace.Acquire, G: 1, Obj: outer},
		trace.Event{Kind: trace.Acquire, G: 1, Obj: inner},
		trace.Event{Kind: trace.Read, G: 1, Obj: x, Size: 8},
		trace.Event{Kind: trace.Release, G: 1, Obj: inner},
		trace.Event{Kind: trace.Acquire, G: 1, Obj: inner},
		trace.Event{Kind: trace.Write, G: 1, Obj: x, Size: 8},
		trace.Event{Kind: trace.Release, G: 1, Obj: inner},
		trace.Event{Kind: trace.Release, G: 1, Obj: outer},
		trace.Event{Kind: trace.Acquire, G: 2, Obj: inner},
		trace.Event{Kind: trace.Write, G: 2, Obj: x, Size: 8},
		trace.Event{Kind: trace.Release, G: 2, Obj: inner},
	)
	n := len(tr.Events)
	accesses := []int{n - 9, n - 2, n - 6}
	p := plan(b, tr)
	guide := p.graphs.Chopped(p.graphs.Sequence(accesses...)).Edges(0)
	for _, bench := range []struct {
		name string
		method
	}{{"few steps", sequenceAll}, {"all", sequenceRecorded}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			var begin *base
			var steps []int
			for b.Loop() {
				var ok bool
				if begin, steps, ok = p.sequence(target{accesses: accesses, guide: guide}, bench.method); !ok {
					b.Fatal("no schedule")
				}
			}
			b.ReportMetric(float64(len(steps)), "steps")
			if err := feasible.New(tr).CheckFrom(int(begin.at), steps, accesses[2:]); err != nil {
				b.Fatal(err)
			}
		})
	}
	b.Run("graph", func(b *testing.B) {
		for b.Loop() {
			p.graphs.Chopped(p.graphs.Sequence(accesses...))
		}
	})
}

package schedule

import (
	"testing"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// BenchmarkSequence makes the schedule of an atomicity violation at the very
// end of a trace of the size and shape of Derby's in PECAN's Table 1: with few
// steps, and with all that happened.
func BenchmarkSequence(b *testing.B) {
	tr := tracetest.ServerTrace(447_392)
	accesses := tracetest.AnomalyAtEnd(tr)
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
				v := target{accesses: accesses, guide: guide}
				begin = p.start(bench.method, v)
				if steps, ok = p.sequenceSteps(begin, v, bench.method); !ok {
					b.Fatal("no schedule")
				}
			}
			b.ReportMetric(float64(len(steps)), "steps")
			if err := feasible.New(tr).CheckFrom(int(begin.position), steps, accesses[2:]); err != nil {
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

package anomaly_test

import (
	"testing"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// BenchmarkSearch searches for all patterns beyond races: in a trace of the
// size and shape of Derby's in PECAN's Table 1, and in one where accesses and
// locks have nothing to do with each other.
func BenchmarkSearch(b *testing.B) {
	for _, bench := range []struct {
		name string
		make func() *trace.Trace
	}{
		{"server", func() *trace.Trace { return tracetest.ServerTrace(447_392) }},
		{"random", func() *trace.Trace {
			return tracetest.Random(1, tracetest.Config{Goroutines: 4, Events: 100_000, Sync: tracetest.Mutexes, Locks: 8, Locations: 99})
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			tr := bench.make()
			o, err := order.New(tr)
			if err != nil {
				b.Fatal(err)
			}
			patterns := anomaly.Builtin()
			b.ReportAllocs()
			for b.Loop() {
				r := anomaly.Search(tr, o, anomaly.FindRegions(tr, o), patterns, anomaly.MaxCombinations)
				b.ReportMetric(float64(len(r.Found)), "found")
			}
		})
	}
}

package detect_test

import (
	"math"
	"testing"

	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A million calls of a thousand objects, each of which three goroutines use, against ten
// properties.
func BenchmarkProperties(b *testing.B) {
	tr := &trace.Trace{Sites: map[trace.SiteID]trace.Site{}}
	for g := range trace.GID(4) {
		tr.Goroutines = append(tr.Goroutines, trace.Goroutine{ID: g, Test: "TestX", Path: []string{"0", "0.1", "0.2", "0.3"}[g]})
	}
	add := func(g trace.GID, k trace.Kind, obj, val uint64) {
		tr.Events = append(tr.Events, trace.Event{G: g, Kind: k, Obj: obj, Val: val, Site: 1})
	}
	for g := trace.GID(1); g < 4; g++ {
		add(0, trace.Fork, uint64(g), 0)
		add(g, trace.Begin, 0, 0)
	}
	const calls, objects = 1_000_000, 1000
	for i := range uint64(calls) {
		add(trace.GID(1+i/objects%3), trace.Call, 1<<20+64*(i%objects), 1)
	}
	for i := range uint64(objects) {
		add(0, trace.Call, 1<<20+64*i, 2)
	}
	o, err := order.New(tr)
	if err != nil {
		b.Fatal(err)
	}
	m, err := property.Compile(property.ERE, "use* close?", []string{"use", "close"})
	if err != nil {
		b.Fatal(err)
	}
	in := &detect.Input{Trace: tr, Order: o, Tests: detect.NewTestIndex(tr, o), IsKnownRace: func(string) bool { return false }, LooksLeft: math.MaxInt}
	for range 10 {
		in.Properties = append(in.Properties, property.Property{Name: "p", Calls: map[uint64]int{1: 0, 2: 1}, Monitor: m})
	}
	for b.Loop() {
		cs, counts := detect.Properties.Candidates(in)
		if len(cs) == 0 || counts.Truncated {
			b.Fatalf("found %d candidates, cut is %t", len(cs), counts.Truncated)
		}
	}
}

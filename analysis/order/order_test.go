package order_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

func TestEdges(t *testing.T) {
	for _, test := range []struct {
		name, text string
		i, j       int
		want       bool
	}{
		{"unbuffered send before receive", "0 w x\n0 send c\n1 recv c\n0 sent c#1\n1 recvd c#1\n1 r x", 0, 5, true},
		{"unbuffered receive before end of send", "1 w x\n1 recv c\n0 send c\n1 recvd c#1\n0 sent c#1\n0 r x", 0, 5, true},
		{"buffered receive not before its send", "1 w x\n0 send c/1\n0 sent c#1/1\n1 recv c/1\n1 recvd c#1/1\n0 r x", 0, 5, false},
		{"first receive before the send that needs its slot", "0 send c/1\n0 sent c#1/1\n1 w x\n1 recv c/1\n1 recvd c#1/1\n0 send c/1\n0 sent c#2/1\n0 r x", 2, 7, true},
		{"completion of a send is not before the receive", "0 send c/1\n0 sent c#1/1\n0 w x\n1 recv c/1\n1 recvd c#1/1\n1 r x", 2, 5, false},
		{"send in a select", "0 w x\n0 select #2\n0 selected #1\n0 sent c#1\n1 recv c\n1 recvd c#1\n1 r x", 0, 6, true},
		{"critical sections may swap", "0 acq m\n0 w x\n0 rel m\n1 acq m\n1 r x\n1 rel m", 1, 4, false},
		{"every Done before Wait", "0 add g#2\n1 w x\n1 add g#-1\n2 add g#-1\n0 wgwait g\n0 wgwaited g\n0 r x", 1, 6, true},
		{"Done of a later round", "0 add g#1\n2 add g#-1\n0 add g#1\n1 w x\n1 add g#-1\n3 wgwaited g\n3 r x", 1, 6, false},
		{"Done of an earlier round before Wait", "0 add g#1\n2 add g#-1\n0 add g#1\n1 w x\n1 add g#-1\n0 wgwaited g\n0 r x", 1, 6, true},
		{"Done of an earlier round that another began", "3 add g#1\n2 add g#-1\n0 add g#1\n1 w x\n1 add g#-1\n0 wgwaited g\n0 r x", 1, 6, false},
		{"wake after its signal", "0 wait c#0\n1 w x\n1 signal c#1\n0 wake c#0\n0 r x", 1, 4, true},
		{"wake after another's signal", "0 wait c#0\n1 w x\n1 signal c#2\n0 wake c#0\n0 r x", 1, 4, false},
		{"broadcast", "0 wait c#3\n1 w x\n1 broadcast c#2/2\n0 wake c#3\n0 r x", 1, 4, true},
		{"a wake after a broadcast to those before", "0 wait c#4\n1 w x\n1 broadcast c#2/2\n0 wake c#4\n0 r x", 1, 4, false},
		{"failed compare-and-swap publishes nothing", "0 w x\n0 astore a=1\n2 w x\n1 aload a=1\n1 r x", 2, 4, false},
		{"counters may swap", "0 w x\n0 armw a=1 update\n1 armw a=2 update\n1 r x", 0, 3, false},
		{"a counter that is read", "0 w x\n0 armw a=1 update\n2 armw a=2 update\n1 aload a=2\n1 r x", 0, 4, true},
		{"a counter whose new value is used", "0 w x\n0 armw a=1 update\n2 armw a=2 update\n1 armw a=3\n1 r x", 0, 4, true},
		{"a counter after one whose new value is used", "0 w x\n0 armw a=1\n2 armw a=2 update\n1 armw a=3 update\n1 r x", 0, 4, true},
		{"a counter after it was set", "0 w x\n0 astore a=1\n2 w x\n2 armw a=2 update\n1 armw a=3 update\n1 r x", 2, 5, false},
		{"post before await", "0 w x\n0 post p\n1 await p\n1 r x", 0, 3, true},
		{"close before receive of nothing", "0 w x\n0 close c\n1 recv c\n1 recvd c#0\n1 r x", 0, 4, true},
	} {
		o, err := order.New(tracetest.Parse(t, test.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Before(test.i, test.j); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestThousandsOfGoroutines(t *testing.T) {
	const n = 5000
	tr := &trace.Trace{Goroutines: make([]trace.Goroutine, n)}
	add := func(g int, k trace.Kind, obj uint64) int {
		tr.Events = append(tr.Events, trace.Event{Kind: k, G: trace.GID(g), Obj: obj})
		return len(tr.Events) - 1
	}
	// A chain of forks: each goroutine is before all its descendants only.
	var at, side [n]int
	for g := range n {
		add(g, trace.Begin, 0)
		at[g] = add(g, trace.Post, 1<<40|uint64(g))
		if g+1 < n {
			add(g, trace.Fork, uint64(g+1))
		}
		side[g] = add(g, trace.Post, 1<<41|uint64(g))
	}
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	for g := 0; g < n; g += 37 {
		for h := 0; h < n; h += 41 {
			if got := o.Before(at[g], at[h]); got != (g < h) {
				t.Fatalf("Before(%d, %d) = %v", g, h, got)
			}
			if g != h && o.Before(side[g], at[h]) {
				t.Fatalf("%d is before %d", g, h)
			}
		}
	}
}

func TestDamage(t *testing.T) {
	tr := &trace.Trace{Goroutines: make([]trace.Goroutine, 1), Events: []trace.Event{{Kind: trace.Begin, G: 7}}}
	if _, err := order.New(tr); err == nil || !strings.Contains(err.Error(), "goroutine 7") {
		t.Errorf("got %v", err)
	}
	// Events that name what is not there must do no harm.
	tr = &trace.Trace{Goroutines: make([]trace.Goroutine, 2)}
	for k := trace.None; k <= trace.NumKinds; k++ {
		for _, v := range []uint64{0, 1, math.MaxUint64} {
			tr.Events = append(tr.Events, trace.Event{Kind: k, G: trace.GID(v & 1), Obj: v, Val: v, Size: uint32(v)})
		}
	}
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tr.Events {
		if o.Before(i, i) {
			t.Errorf("event %d is before itself", i)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for _, shape := range []struct {
		name       string
		goroutines int
		sync       tracetest.Sync
	}{
		{"locks", 4, tracetest.Mutexes},
		{"channels", 16, tracetest.Channels},
		{"atomics", 16, tracetest.Atomics},
		{"goroutines", 1000, tracetest.Mutexes | tracetest.Atomics | tracetest.Posts},
	} {
		tr := tracetest.Random(1, tracetest.Config{
			Goroutines: shape.goroutines, Events: 1_000_000 / shape.goroutines, Sync: shape.sync, Locks: 4, Locations: 99,
		})
		b.Run(shape.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := order.New(tr); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(tr.Events)), "ns/event")
			b.ReportMetric(float64(len(tr.Events)), "events")
		})
	}
}

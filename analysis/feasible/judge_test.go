package feasible_test

import (
	"strings"
	"testing"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Whatever the readers let through, the judge gives an answer, and one of its
// own orders it accepts.
func FuzzCheck(f *testing.F) {
	const head = "gopredict trace 1\ngoroutine path=\"main\"\ngoroutine id=1 path=\"main.1\"\ngoroutine id=2 path=\"main.2\"\n"
	f.Add(head + "0 make obj=1 size=1\n0 fork obj=1\n1 begin\n1 send obj=1 size=1\n1 sent obj=1 val=1 size=1\n0 recv obj=1\n0 recvd obj=1 val=1")
	f.Add(head + "0 acq obj=1\n1 wait obj=2\n0 signal obj=2 val=1\n1 wake obj=2\n0 add obj=3 val=1\n1 wgwait obj=3\n1 wgwaited obj=3")
	f.Add(head + "0 select val=1\n0 selected val=1\n0 sent obj=4 val=1\n1 post obj=1\n0 await obj=1\n0 oncebegin obj=1\n1 oncedone obj=1")
	f.Add(head + "0 read obj=0xfffffffffffffff0 size=4294967295\n1 write obj=0xfffffffffffffff8 size=8 value\n0 armw obj=1 value size=9\n1 close obj=9\n0 panic")
	f.Fuzz(func(t *testing.T, in string) {
		tr, _ := trace.ReadText(strings.NewReader(in))
		if len(tr.Events) > 12 || len(tr.Goroutines) > 100 {
			return
		}
		judge := feasible.New(tr)
		_ = judge.Check(recorded(tr), []int{0, 1})
		n := 0
		feasible.Interleavings(tr, func(order []int) bool {
			if err := judge.Check(order, nil); err != nil {
				t.Fatalf("%v: %v", order, err)
			}
			n++
			return n < 20
		})
		if err := trace.Validate(tr); err == nil && len(tr.Events) < 8 {
			feasible.Races(tr)
		}
	})
}

// contended is a trace of a million events of goroutines that count under a
// lock, each with accesses of its own in between.
func contended() *trace.Trace {
	t := &trace.Trace{Sites: map[trace.SiteID]trace.Site{}}
	const n = 8
	for g := range trace.GID(n) {
		t.Goroutines = append(t.Goroutines, trace.Goroutine{ID: g, Parent: g, Path: "main"})
	}
	for i := uint64(0); len(t.Events) < 1_000_000; i++ {
		g := trace.GID(i % n)
		own := 1<<20 + uint64(g)<<16 + i%4096*8
		t.Events = append(t.Events,
			trace.Event{Kind: trace.Acquire, G: g, Obj: 8},
			trace.Event{Kind: trace.Read, G: g, Obj: 16, Size: 8, Val: i, Flags: trace.FlagValue},
			trace.Event{Kind: trace.Branch, G: g},
			trace.Event{Kind: trace.Write, G: g, Obj: 16, Size: 8, Val: i + 1, Flags: trace.FlagValue},
			trace.Event{Kind: trace.Release, G: g, Obj: 8},
			trace.Event{Kind: trace.Write, G: g, Obj: own, Size: 8, Val: i, Flags: trace.FlagValue},
			trace.Event{Kind: trace.Read, G: g, Obj: own, Size: 8, Val: i, Flags: trace.FlagValue})
	}
	return t
}

func BenchmarkNew(b *testing.B) {
	t := contended()
	for b.Loop() {
		feasible.New(t)
	}
}

func BenchmarkCheck(b *testing.B) {
	t := contended()
	judge, steps := feasible.New(t), recorded(t)
	for b.Loop() {
		if err := judge.Check(steps, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// What the last access of a goroutine reads, of those of a violation that have
// happened, need not be as recorded.
func TestLastReadOfViolation(t *testing.T) {
	tr := tracetest.Parse(t, `
		0 fork 1
		0 fork 2
		1 begin
		2 begin
		1 w x=1
		1 w y=1
		2 r x=1
		2 branch #1
		2 r y=1
		2 branch #1`)
	for _, test := range []struct {
		steps, violation []int
		ok               bool
	}{
		{[]int{0, 1, 2, 3, 4, 6, 7, 8}, []int{4, 6, 8, 5}, true},
		{[]int{0, 1, 2, 3, 4, 6, 7, 8}, []int{5}, false},
		{[]int{0, 1, 2, 3, 4, 6, 7, 8, 9}, []int{4, 6, 8, 5}, false},
		{[]int{0, 1, 2, 3, 6, 7, 8}, []int{6, 8, 4}, false},
		{[]int{0, 1, 2, 3, 4, 6, 7, 8}, []int{8, 9}, false},
	} {
		if err := feasible.Check(tr, test.steps, test.violation); (err == nil) != test.ok {
			t.Errorf("%v to %v: %v", test.steps, test.violation, err)
		}
	}
}

package hooks

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// chanceRuns is how often each is compared; internal/measure replay does so 100 times.
var chanceRuns = flag.Int("chance", 3, "record and replay what depends on chance `N` times")

// history is what a trace says of the tests, in words that hold for any
// process: objects are numbered as they come, and values that look like
// addresses are left out.
func history(tr *trace.Trace) []string {
	objects := map[uint64]int{}
	pointer := uint64(1 << 32) // what is less is no address, in 64 bits
	if narrow(tr) {
		pointer = 1 << 16
	}
	var lines []string
	for _, e := range tr.Events {
		g := tr.Goroutines[e.G]
		if g.Test == "" {
			continue
		}
		site := tr.Sites[e.Site]
		if _, ok := objects[e.Obj]; !ok {
			objects[e.Obj] = len(objects)
		}
		val := e.Val
		if atomic := e.Kind == trace.AtomicLoad || e.Kind == trace.AtomicStore || e.Kind == trace.AtomicRMW; val >= 1<<32 || atomic && val >= pointer {
			val = 0
		}
		lines = append(lines, fmt.Sprintf("%s %v %s:%d %d %d %d", g.Name(), e.Kind, site.Func, site.Line, objects[e.Obj], val, e.Size))
	}
	return lines
}

// narrow reports whether addresses have 32 bits in the program that tr is of.
func narrow(tr *trace.Trace) bool {
	for _, e := range tr.Events {
		if e.Kind == trace.AtomicLoad && e.Obj >= 1<<32 {
			return false
		}
	}
	return true
}

// recordedOrder is a plan that lists all events of a test in their order. Of
// operations that complete later it lists the beginning.
func recordedOrder(tr *trace.Trace, test string) string {
	var plan, steps strings.Builder
	fmt.Fprintf(&plan, "gopredict-plan 1\norder 01\ntest %s\n", test)
	type event struct {
		g    trace.GID
		kind trace.Kind
		key  uint64
	}
	numbers, occ := map[trace.GID]int{}, map[event]int{}
	begun := false // its goroutine has another name before
	for _, e := range tr.Events {
		g := tr.Goroutines[e.G]
		if g.Test != test || !begun && e.Kind != trace.TestBegin {
			continue
		}
		begun = true
		switch e.Kind {
		case trace.SendDone, trace.RecvDone, trace.SelectDone, trace.WaitGroupWaited, trace.CondWake, trace.TestBegin, trace.TestEnd, trace.End, trace.SelectRecv:
			continue
		}
		if _, ok := numbers[e.G]; !ok {
			numbers[e.G] = len(numbers)
			fmt.Fprintf(&plan, "g %d %s\n", numbers[e.G], g.Name())
		}
		ev := event{e.G, e.Kind, tr.Sites[e.Site].Key}
		occ[ev]++
		fmt.Fprintf(&steps, "s %d %d %d %d\n", numbers[e.G], e.Kind, ev.key, occ[ev])
	}
	return plan.String() + steps.String()
}

// A program that depends on all that chance decides records the same trace each
// time, and does the same when it is replayed in the recorded order.
func TestNothingIsLeftToChance(t *testing.T) { eachRelease(t, testNothingIsLeftToChance) }

func testNothingIsLeftToChance(t *testing.T, toolchain string) {
	tr := recordBuilt(t, toolchain, "^TestChance$")
	want := history(tr)
	plan := filepath.Join(t.TempDir(), "plan")
	require.NoError(t, os.WriteFile(plan, []byte(recordedOrder(tr, "TestChance")), 0o666))
	for range *chanceRuns {
		same(t, want, history(recordBuilt(t, toolchain, "^TestChance$")))

		dir, out, err := runBuilt(t, toolchain, "replay;plan="+plan+";verdict=$DIR/verdict;trace=$DIR/trace", "^TestChance$")
		require.NoError(t, err, out)
		verdict, err := os.ReadFile(filepath.Join(dir, "verdict"))
		require.NoError(t, err)
		require.NotContains(t, string(verdict), "left")
		replayed, err := trace.ReadFile(filepath.Join(dir, "trace"))
		require.NoError(t, err)
		replayed.AddSites(sites)
		same(t, want, history(replayed))
	}
}

// same compares two histories and shows where they part.
func same(t *testing.T, want, got []string) {
	t.Helper()
	for i := range want {
		if i >= len(got) || want[i] != got[i] {
			lo := max(0, i-3)
			require.Equal(t, want[lo:min(i+3, len(want))], got[min(lo, len(got)):min(i+3, len(got))], "event %d of %d", i, len(want))
		}
	}
	require.Len(t, got, len(want))
}

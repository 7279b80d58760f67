package analysis_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

var (
	programs = flag.Int("programs", 60, "random programs of each shape of which deadlocks and misuse are compared with all interleavings")
	engine   = flag.String("engine", "builtin", "solver of the random programs: builtin, or both, with Z3, and that they agree")
)

// deadlocks returns the deadlocks of a trace.
func deadlocks(t testing.TB, tr *trace.Trace) *analysis.Result { return ofKinds(t, tr, bug.Deadlock) }

// ofKinds returns what is predicted of some kinds of bugs.
func ofKinds(t testing.TB, tr *trace.Trace, kinds ...bug.Kind) *analysis.Result {
	t.Helper()
	opts := analysis.Options{Kinds: kinds}
	if *engine == "both" {
		opts.Solving.Engine = solver.NewBoth
	}
	r, err := analysis.Predict(context.Background(), tr, opts)
	require.NoError(t, err)
	return r
}

func TestDeadlocks(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n" // positions 0 to 3
	const both = "1 acq a\n1 acq b\n1 rel b\n1 rel a\n"    // positions 4 to 7
	for _, test := range []struct {
		name, text string
		want       []string // status, positions
		pruned     int
	}{
		{"two locks in two orders", both + "2 acq b\n2 acq a\n2 rel a\n2 rel b", []string{"predicted [5 9]"}, 0},
		{"in one order", both + "2 acq a\n2 acq b\n2 rel b\n2 rel a", nil, 0},
		{"by one goroutine in turn", both + "1 acq b\n1 acq a\n1 rel a\n1 rel b", nil, 0},
		{"under a gate lock", "1 acq g\n" + both + "1 rel g\n2 acq g\n2 acq b\n2 acq a\n2 rel a\n2 rel b\n2 rel g", nil, 1},
		{"under a gate lock of readers", "1 racq g\n" + both + "1 rrel g\n2 racq g\n2 acq b\n2 acq a\n2 rel a\n2 rel b\n2 rrel g", []string{"predicted [6 12]"}, 0},
		{"after a message", both + "1 post p\n2 await p\n2 acq b\n2 acq a\n2 rel a\n2 rel b", nil, 1},
		{"in another goroutine's goroutine", both + "1 fork 3\n3 begin\n3 acq b\n3 acq a\n3 rel a\n3 rel b", nil, 1},
		{"three locks in a circle", both + "2 acq b\n2 acq c\n2 rel c\n2 rel b\n0 acq c\n0 acq a\n0 rel a\n0 rel c", []string{"predicted [5 9 13]"}, 0},
		{"held again in between", "1 acq a\n1 acq b\n1 rel b\n1 rel a\n2 acq b\n2 rel b\n2 acq b\n2 acq a\n2 rel a\n2 rel b", []string{"predicted [5 11]"}, 0},
		{"a section comes first that only the circle lets end", "1 acq a\n1 rel a\n1 acq a\n1 acq b\n1 rel b\n1 rel a\n2 acq a\n2 rel a\n2 acq b\n2 acq a\n2 rel a\n2 rel b", []string{"predicted [7 13]"}, 0},
		{"readers let readers in", "1 racq a\n1 racq b\n1 rrel b\n1 rrel a\n2 racq b\n2 racq a\n2 rrel a\n2 rrel b", nil, 0},
		{"but not where a writer waits", "1 racq a\n1 racq a\n1 rrel a\n1 rrel a\n2 acq a\n2 rel a", []string{"predicted [8 5]"}, 0},
		{"for one that reads it once", "1 racq a\n1 rrel a\n2 acq a\n2 rel a", nil, 0},
		{"a writer keeps two readers apart", "1 racq a\n1 acq b\n1 rel b\n1 rrel a\n2 acq b\n2 racq a\n2 rrel a\n2 rel b\n0 acq a\n0 rel a", []string{"predicted [5 12 9]"}, 0},
		{"a reader waits for a writer", "1 racq a\n1 acq b\n1 rel b\n1 rrel a\n2 acq b\n2 acq a\n2 rel a\n2 rel b", []string{"predicted [5 9]"}, 0},
		{"a send under the lock that its receiver needs", "2 acq a\n2 rel a\n2 recv c\n1 acq a\n1 send c\n1 sent c#1\n1 rel a\n2 recvd c#1", []string{"predicted [4 8]"}, 0},
		{"a receive under the lock that its sender needs", "2 acq a\n2 rel a\n2 send c\n1 acq a\n1 recv c\n1 recvd c#1\n1 rel a\n2 sent c#1", []string{"predicted [4 8]"}, 0},
		{"a send that has room", "2 acq a\n2 rel a\n2 recv c/1\n1 acq a\n1 send c/1\n1 sent c#1/1\n1 rel a\n2 recvd c#1/1", nil, 0},
		{"a receiver that needs the lock afterwards", "2 recv c\n1 acq a\n1 send c\n1 sent c#1\n1 rel a\n2 recvd c#1\n2 acq a\n2 rel a", nil, 0},
		{"another one that receives", "2 acq a\n2 rel a\n2 recv c\n1 acq a\n1 send c\n1 sent c#1\n1 rel a\n2 recvd c#1\n0 recv c", nil, 0},
		{"a slot of a semaphore and a lock", "1 send s/1\n1 sent s#1/1\n1 acq a\n1 rel a\n1 recv s/1\n1 recvd s#1/1\n2 acq a\n2 send s/1\n2 sent s#2/1\n2 recv s/1\n2 recvd s#2/1\n2 rel a", []string{"predicted [6 11]"}, 0},
		{"two slots, one of which stays free", "1 send s/2\n1 sent s#1/2\n1 acq a\n1 rel a\n1 recv s/2\n1 recvd s#1/2\n2 acq a\n2 send s/2\n2 sent s#2/2\n2 recv s/2\n2 recvd s#2/2\n2 rel a", nil, 0},
		{"two slots of two others", "1 send s/2\n1 sent s#1/2\n0 send s/2\n0 sent s#2/2\n0 acq a\n0 rel a\n0 recv s/2\n0 recvd s#1/2\n1 acq a\n1 rel a\n1 recv s/2\n1 recvd s#2/2\n2 acq a\n2 send s/2\n2 sent s#3/2\n2 recv s/2\n2 recvd s#3/2\n2 rel a", []string{"predicted [8 12 17]"}, 0},
		{"a WaitGroup under the lock that Done needs", "0 add w#1\n1 acq a\n1 rel a\n1 add w#-1\n0 acq a\n0 wgwait w\n0 wgwaited w\n0 rel a", []string{"predicted [5 9]"}, 0},
		{"a close under it", "1 acq a\n1 rel a\n1 close c\n2 acq a\n2 recv c\n2 recvd c\n2 rel a", []string{"predicted [4 8]"}, 0},
		{"a reader's value decides", "1 w x=1\n" + both + "2 r x=1\n2 branch #1\n2 acq b\n2 acq a\n2 rel a\n2 rel b", []string{"predicted [6 12]"}, 0},
		{"a value that only the end of it leaves", "1 acq a\n1 acq b\n1 rel b\n1 rel a\n1 w x=1\n2 r x=1\n2 branch #1\n2 acq b\n2 acq a\n2 rel a\n2 rel b", []string{"undecided [5 12]"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			r := deadlocks(t, tracetest.Parse(t, forks+test.text))
			for _, f := range r.Findings {
				got = append(got, fmt.Sprint(f.Status, " ", f.Accesses))
			}
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.pruned, r.Pruned())
		})
	}
}

// What would give up does not wait.
func TestTriedLock(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n1 begin\n0 acq a\n0 acq b\n0 rel b\n0 rel a\n1 acq b\n1 acq a\n1 rel a\n1 rel b")
	assert.Len(t, deadlocks(t, tr).Findings, 1)
	tr.Events[7].Flags |= trace.FlagTry
	assert.Empty(t, deadlocks(t, tr).Findings)
}

// A deadlock is predicted exactly where the enumeration of all interleavings comes to a
// state in which goroutines are stuck.
func TestDeadlocksOracle(t *testing.T) {
	for name, shape := range map[string]tracetest.Config{
		"mutexes":     {Goroutines: 3, Events: 9, Sync: tracetest.Mutexes, Locks: 3},
		"not nested":  {Goroutines: 3, Events: 9, Sync: tracetest.Mutexes, Locks: 3, Unnested: true},
		"RW mutexes":  {Goroutines: 3, Events: 8, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 2, RepeatedReadLocks: true},
		"messages":    {Goroutines: 3, Events: 9, Sync: tracetest.Mutexes | tracetest.Posts, Locks: 2},
		"many":        {Goroutines: 4, Events: 5, Sync: tracetest.Mutexes | tracetest.RWMutexes, Locks: 3},
		"with values": {Goroutines: 3, Events: 9, Sync: tracetest.Mutexes, Locks: 2, Locations: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			oracle(t, func(seed uint64) *trace.Trace { return tracetest.Random(seed, shape) })
		})
	}
	t.Run("communication", func(t *testing.T) {
		t.Parallel()
		oracle(t, tracetest.RandomMessages)
	})
}

// oracle compares what is predicted for programs with all of their interleavings.
func oracle(t *testing.T, program func(seed uint64) *trace.Trace) {
	predicted, free, open := 0, 0, 0
	for seed := range uint64(*programs) {
		tr := program(seed)
		if tr == nil {
			continue
		}
		sets, undecided := compare(t, seed, tr, feasible.Deadlocks(tr))
		open += undecided
		if predicted += len(sets); len(sets) == 0 {
			free++
		}
	}
	t.Logf("%d predicted, %d programs without, %d undecided", predicted, free, open)
	assert.NotZero(t, predicted)
	assert.NotZero(t, free)
	assert.LessOrEqual(t, open, predicted/100)
}

// compare compares what is predicted for a program with the sets of operations at which
// goroutines are stuck, and returns what is predicted, and how much is undecided other than
// by values.
func compare(t *testing.T, seed uint64, tr *trace.Trace, real [][]int) (sets [][]int, undecided int) {
	t.Helper()
	judge := feasible.New(tr)
	for _, f := range deadlocks(t, tr).Findings {
		if f.Status == bug.Undecided && !strings.HasPrefix(f.Reason, "undecided: ") {
			undecided++
		}
		for _, r := range f.Schedules {
			s, ops := r.Schedule(), wakes(tr, r.Accesses)
			assert.NoError(t, judge.StuckFrom(s.From, s.Steps, ops), "seed %d: %v", seed, ops)
			sets = append(sets, ops)
			assert.True(t, slices.ContainsFunc(real, func(all []int) bool { return within(ops, all) }), "seed %d: %v is no deadlock", seed, ops)
		}
	}
	sites := func(set []int) []trace.SiteID {
		var ss []trace.SiteID
		for _, i := range set {
			ss = append(ss, tr.Events[i].Site)
		}
		return ss
	}
	for _, ops := range real {
		if slices.ContainsFunc(real, func(one []int) bool {
			return len(one) == 1 && slices.Contains(ops, one[0]) && tr.Events[one[0]].Kind != trace.CondWake
		}) {
			continue // no circle: it waits for what comes later in its own goroutine
		}
		if slices.ContainsFunc(real, func(more []int) bool { return len(more) > len(ops) && within(ops, more) }) {
			continue // somebody has not come to where it waits
		}
		found := slices.ContainsFunc(sets, func(set []int) bool {
			all := sites(ops)
			return !slices.ContainsFunc(sites(set), func(s trace.SiteID) bool { return !slices.Contains(all, s) })
		})
		assert.True(t, found, "seed %d: %v is not predicted", seed, ops)
	}
	return sets, undecided
}

// wakes returns operations with, in place of each wait for a condition, where the goroutine
// wakes.
func wakes(tr *trace.Trace, ops []int) []int {
	ops = slices.Clone(ops)
	for k, i := range ops {
		if tr.Events[i].Kind == trace.CondWait {
			ops[k] += slices.IndexFunc(tr.Events[i:], func(e trace.Event) bool { return e.G == tr.Events[i].G && e.Kind == trace.CondWake })
		}
	}
	return ops
}

func within(set, ops []int) bool {
	return !slices.ContainsFunc(set, func(i int) bool { return !slices.Contains(ops, i) })
}

// Of circles in a long trace, those that need few events are decided first: all of them
// share one budget.
func TestDeadlocksThatNeedLeastComeFirst(t *testing.T) {
	tr := tracetest.NestedLocks(100_000, 4, true)
	r, err := analysis.Predict(context.Background(), tr, analysis.Options{Kinds: []bug.Kind{bug.Deadlock}, Schedules: 1})
	require.NoError(t, err)
	require.Greater(t, len(r.Findings), 1)
	var last []int
	for _, f := range r.Findings {
		last = append(last, slices.Max(f.Accesses))
	}
	assert.IsNonDecreasing(t, last)
}

// In a long trace, what a schedule costs follows from what is between the operations, and so
// all deadlocks have one.
func TestDeadlocksOfLongTraces(t *testing.T) {
	r := deadlocks(t, tracetest.NestedLocks(300_000, 8, true))
	require.NotEmpty(t, r.Findings)
	for _, f := range r.Findings {
		assert.Contains(t, []string{analysis.TierCone, analysis.TierTurned}, f.Tier, "%s: %s", f.Name, f.Reason)
	}
}

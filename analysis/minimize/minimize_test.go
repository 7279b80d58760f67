package minimize

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// scheduleOf returns the schedule that has all events of a trace in their order.
func scheduleOf(t *testing.T, text string) Schedule {
	t.Helper()
	s := Schedule{Trace: tracetest.Parse(t, text)}
	for i := range s.Trace.Events {
		s.Steps = append(s.Steps, i)
	}
	return s
}

// standing returns the schedule of which the last two events are pending.
func standing(t *testing.T, text string) Schedule {
	s := scheduleOf(t, text)
	end := len(s.Steps) - 2
	s.Steps, s.Pending = s.Steps[:end:end], s.Steps[end:]
	return s
}

const threeBegin = "1 fork 2\n1 fork 3\n2 begin\n3 begin\n" // 0 to 3

func TestMinimizers(t *testing.T) {
	for _, c := range []struct {
		name      string
		trace     string // without threeBegin
		minimizer Minimizer
		want      []int // positions from threeBegin on
	}{
		{"sections that only write, nested", "2 acq n\n2 acq m\n2 w b\n2 rel m\n2 rel n\n3 acq n\n3 acq m\n3 w b\n3 rel m\n3 rel n\n2 w a\n3 r a", WithoutUnread, nil},
		{"sections that read", "2 acq m\n2 r b\n2 w b\n2 rel m\n3 acq m\n3 r b\n3 w b\n3 rel m\n2 w a\n3 r a", WithoutUnread, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"sections that count", "2 acq m\n2 r b update\n2 w b\n2 rel m\n3 acq m\n3 r b update\n3 w b\n3 rel m\n2 w a\n3 r a", WithoutUnread, nil},
		{"without a lock a count can get lost", "2 r b update\n2 w b\n3 r b update\n3 w b\n2 w a\n3 r a", WithoutUnread, []int{0, 1, 2, 3}},
		{"a section with memory of the violation", "2 acq m\n2 w a\n2 rel m\n3 acq m\n3 rel m\n2 w a\n3 r a", WithoutUnread, []int{0, 1, 2, 3, 4}},
		{"a section that is open", "2 acq m\n2 rel m\n3 acq m\n2 w a\n3 r a", WithoutUnread, []int{0, 1, 2}},
		{"a lock that is read-locked twice", "2 racq m\n2 racq m\n2 rrel m\n2 rrel m\n3 acq m\n3 rel m\n2 w a\n3 r a", WithoutUnread, nil},
		{"a release by another goroutine", "2 acq m\n3 rel m\n2 w a\n3 r a", WithoutUnread, []int{0, 1}},
		{"memory and locks of one goroutine", "2 acq m\n2 w c\n2 rel m\n2 w b\n3 r b\n2 w a\n3 r a", OnlyVisible, []int{3, 4}},
		{"memory that nobody writes", "2 r b\n3 r b\n2 w a\n3 r a", OnlyVisible, nil},
		{"what a select may receive", "2 selrecv c\n3 send c\n3 sent c\n2 w a\n3 r a", OnlyVisible, []int{1, 2}},
		{"fewest switches", "2 w b\n3 w c\n2 w d\n3 w e\n2 w a\n3 w a", FewestSwitches, []int{0, 2, 1, 3}},
		{"what is completed before", "3 recv c\n2 send c\n2 sent c\n3 recvd c\n3 r d\n2 w b\n2 w a\n3 w a", FewestSwitches, []int{0, 1, 2, 5, 3, 4}},
		{"conflicting accesses", "2 w b\n3 w b\n2 r b\n3 w c\n2 w a\n3 w a", FewestSwitches, []int{0, 1, 3, 2}},
		{"as seldom as what is shared allows", "2 send c\n3 r b\n2 w d\n3 recv c\n2 send c\n3 r d\n3 recv c\n2 r b\n1 w b\n3 w a\n2 w a", FewestSwitches, []int{0, 2, 1, 3, 5, 4, 7, 8, 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := standing(t, threeBegin+c.trace)
			var got []int
			for _, i := range c.minimizer(s) {
				if i >= 4 {
					got = append(got, i-4)
				}
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// A goroutine with no visible step has to be started if it starts one that has.
func TestOnlyVisibleKeepsAncestors(t *testing.T) {
	s := standing(t, "1 fork 2\n2 begin\n2 fork 3\n3 begin\n1 w a\n3 w a")
	assert.Equal(t, []int{0, 1, 2, 3}, OnlyVisible(s))
	s = standing(t, "1 fork 2\n2 begin\n1 w b\n2 w c\n1 w d\n1 fork 3\n3 begin\n1 w a\n3 w a")
	assert.Equal(t, []int{5, 6}, OnlyVisible(s))
}

// A goroutine of the violation takes its ancestors with it, as far as they are in scope.
func TestInvolved(t *testing.T) {
	s := standing(t, "1 fork 2\n2 begin\n2 fork 3\n3 begin\n1 w a\n3 w a")
	s.Trace.Goroutines[3].Parent, s.Trace.Goroutines[2].Parent = 2, 1
	s.Pending = s.Pending[1:]
	in := Involved(s, []bool{false, true, true, true})
	assert.Equal(t, []bool{false, true, true, true}, in)
	assert.Equal(t, []bool{false, false, true, true}, Involved(s, []bool{false, false, true, true}))
	assert.Equal(t, []int{0, 2}, Apply(s, OnlyStarts(in)))
}

// Of a goroutine that the violation does not need all steps go, of others the later ones.
func TestWithoutGoroutines(t *testing.T) {
	s := standing(t, threeBegin+"1 w b\n1 w b\n2 w c\n2 r b\n1 w b\n1 w b\n2 w a\n3 w a")
	needs := func(least int) func([]int) bool {
		return func(steps []int) bool { return slices.Contains(steps, least) }
	}
	whole := slices.Clone(s.Steps)
	assert.Equal(t, []int{2, 3, 6, 7}, Apply(s, WithoutGoroutines(func([]int) bool { return true })))
	assert.Equal(t, []int{0, 1, 2, 3, 4, 6, 7}, Apply(s, WithoutGoroutines(needs(4))))
	assert.Equal(t, whole, Apply(s, WithoutGoroutines(func([]int) bool { return false })))
	assert.Equal(t, whole, s.Steps, "the schedule stays as it is")
}

// The judge agrees with what is left: goroutines that go on freely up to each step that is left
// come to the violation.
func TestJudge(t *testing.T) {
	schedules, shorter := 0, 0
	for seed := range uint64(1000) {
		tr := tracetest.Random(seed, tracetest.Config{
			Goroutines: 3, Events: 8, Locks: 2, Locations: 3, Sections: true, Counters: true,
			Sync: tracetest.Mutexes | tracetest.RWMutexes | tracetest.Channels | tracetest.WaitGroups | tracetest.Atomics,
		})
		judge := feasible.New(tr)
		for _, s := range conflictsOf(tr) {
			require.NoError(t, judge.Check(s.Steps, s.Pending))
			for _, minimizers := range [][]Minimizer{
				{OnlyVisible, OnlySteps},
				{WithoutUnread, OnlyVisible, FewestSwitches, OnlySteps},
			} {
				left := Apply(s, minimizers...)
				schedules++
				if len(left) < len(s.Steps) {
					shorter++
				}
				if err := judge.Check(s.completed(left), s.Pending); err != nil {
					t.Fatalf("seed %d, %v left of %v before %v: %v", seed, left, s.Steps, s.Pending, err)
				}
			}
		}
	}
	assert.Greater(t, schedules, 1000)
	assert.Greater(t, shorter, schedules/2)
}

// conflictsOf returns the schedules of beginnings of the recorded run, after which two goroutines
// are about to access the same memory.
func conflictsOf(tr *trace.Trace) (all []Schedule) {
	order := trace.NewProgramOrder(tr)
	next := make([]int, len(tr.Goroutines))
	for g := range next {
		next[g] = -1
	}
	var steps []int
	for i, e := range tr.Events {
		for g, other := range next {
			if other < 0 || g == int(e.G) {
				continue
			}
			if o := &tr.Events[other]; e.Kind.IsPlain() && o.Kind.IsPlain() && e.Obj == o.Obj && (e.Kind == trace.Write || o.Kind == trace.Write) {
				all = append(all, Schedule{Trace: tr, Steps: slices.Clone(steps), Pending: []int{i, other}})
			}
		}
		steps = append(steps, i)
		next[e.G] = order.Next(i)
	}
	return all
}

// completed returns the steps of a replay that controls those that are left of s: a goroutine
// goes on freely up to the next of its own that is left, or the pending event.
func (s Schedule) completed(left []int) (all []int) {
	done := make(map[int]bool)
	goTo := func(pos int, with bool) {
		for _, i := range s.Steps {
			if s.Trace.Events[i].G == s.Trace.Events[pos].G && !done[i] && (i < pos || with && i == pos) {
				done[i] = true
				all = append(all, i)
			}
		}
	}
	for _, i := range left {
		goTo(i, true)
	}
	for _, i := range s.Pending {
		goTo(i, false)
	}
	return all
}

package schedule_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

func TestAsRecorded(t *testing.T) {
	for _, c := range []struct {
		name, text string
		i, j       int
		want       bool
	}{
		{"adjacent", "1 w x \n 2 w x", 0, 1, true},
		{"what is left out is written only", "1 w x \n 1 w y \n 2 w x \n 2 w y", 0, 2, true},
		{"and comes in the order that was not recorded", "1 w y \n 1 w x \n 2 w y \n 2 w x", 0, 2, true},
		{"what is left out reads", "1 w x \n 1 r y=0 \n 2 w x \n 2 w y=1", 0, 2, false},
		{"what is left out is read", "1 w x \n 1 w y=1 \n 2 w x \n 2 r y=1", 0, 2, false},
		{"it reads what nobody writes", "1 w x \n 1 r y=0 \n 2 w x \n 2 r y=0", 0, 2, true},
		{"it locks", "1 w x \n 1 acq l \n 1 rel l \n 2 w x \n 2 acq l \n 2 rel l", 0, 3, false},
		{"the schedule turns locks round", "1 acq l \n 1 w x \n 1 rel l \n 2 acq l \n 2 rel l \n 2 w x", 1, 5, false},
		{"another write is seen between the two", "1 r x=0 \n 2 w x=1 \n 2 w x=0", 0, 2, false},
	} {
		tr := tracetest.Parse(t, c.text)
		_, p := plan(t, tr)
		for s := range p.Race(c.i, c.j, nil, math.MaxInt).All() {
			if got := s.AsRecorded(tr); got != c.want {
				t.Errorf("%s: %v is as recorded: %v", c.name, s, got)
			}
			break
		}
	}
}

// TestAsRecordedShowsAll has random runs go on after a schedule whose race the
// recorded run is said to have shown: the accesses and what was recorded before
// the later one read what they read there.
func TestAsRecordedShowsAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	answers := make(map[bool]int)
	for seed := range uint64(400) {
		tr := tracetest.Random(seed, tracetest.Config{Goroutines: 3, Events: 4, Locations: 4})
		o, p := plan(t, tr)
		recorded := sources(tr, all(tr))
		for _, pair := range conflicts(tr, o) {
			for s := range p.Race(pair[0], pair[1], nil, math.MaxInt).All() {
				yes := s.AsRecorded(tr)
				answers[yes]++
				for range 20 {
					got := sources(tr, goOn(rng, tr, s))
					for i := range pair[1] + 1 {
						if yes && got[i] != recorded[i] {
							t.Fatalf("seed %d, %v: event %d reads from %d, recorded: %d", seed, s, i, got[i], recorded[i])
						}
					}
				}
				break
			}
		}
	}
	if answers[true] < 20 || answers[false] < 20 {
		t.Errorf("answers: %v", answers)
	}
}

func all(tr *trace.Trace) []int {
	out := make([]int, len(tr.Events))
	for i := range out {
		out[i] = i
	}
	return out
}

// goOn returns a run that does s, its accesses in recorded order, and then the
// rest, in the order of the program.
func goOn(rng *rand.Rand, tr *trace.Trace, s schedule.Schedule) []int {
	order := append(all(tr)[:s.From], s.Steps...)
	order = append(order, min(s.Violation[0], s.Violation[1]), max(s.Violation[0], s.Violation[1]))
	left := make(map[trace.GID][]int)
	for i, e := range tr.Events {
		if !slices.Contains(order, i) {
			left[e.G] = append(left[e.G], i)
		}
	}
	for len(left) > 0 {
		g := trace.GID(rng.IntN(len(tr.Goroutines)))
		if len(left[g]) == 0 {
			delete(left, g)
			continue
		}
		order = append(order, left[g][0])
		left[g] = left[g][1:]
	}
	return order
}

// sources returns for each read the write that it finds; -1 for none.
func sources(tr *trace.Trace, order []int) []int {
	last := make(map[uint64]int)
	out := make([]int, len(tr.Events))
	for i := range out {
		out[i] = -1
	}
	for _, i := range order {
		switch e := tr.Events[i]; e.Kind {
		case trace.Read:
			if w, ok := last[e.Obj]; ok {
				out[i] = w
			}
		case trace.Write:
			last[e.Obj] = i
		}
	}
	return out
}

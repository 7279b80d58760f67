package detect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/internal/bug"
)

// What must come before the close is no candidate, nor a Done with an Add of its own
// before it.
func TestMisuses(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n" // positions 0 to 3
	for name, test := range map[string]struct {
		text string
		want []int
	}{
		"locked":                {forks + "1 acq l\n1 send c\n1 rel l\n2 acq l\n2 close c\n2 rel l", []int{5}},
		"select":                {forks + "1 acq l\n1 selsend c\n1 rel l\n2 acq l\n2 close c\n2 rel l", []int{5}},
		"sent first":            {forks + "1 send c\n1 post p\n2 await p\n2 close c", nil},
		"other channel":         {forks + "1 send c\n2 close d", nil},
		"one close":             {forks + "1 close c", nil},
		"added by another":      {forks + "1 add g#1\n2 add g#-1", []int{5}},
		"added before":          {"0 add g#1\n" + forks + "1 add g#-1", nil},
		"each added before":     {"0 add g#1\n0 fork 1\n0 add g#1\n0 fork 2\n1 begin\n2 begin\n1 add g#-1\n2 add g#-1", nil},
		"two added at once":     {"0 add g#2\n" + forks + "1 add g#-1\n2 add g#-1", nil},
		"panicked, and went on": {forks + "1 close c\n2 close c\n2 panic", []int{4}},
		"one added, two taken":  {"0 add g#1\n" + forks + "1 add g#-1\n0 add g#1\n2 add g#-1", []int{5, 7}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []int
			cs, _ := detect.Misuses.Candidates(input(t, test.text))
			for _, c := range cs {
				assert.True(t, c.IsSingleEvent())
				got = append(got, c.Instances[0].Accesses[0])
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// An Add meets a Wait unless the counter is above zero wherever it comes.
func TestAddsThatMeet(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n" // positions 0 to 3
	for name, test := range map[string]struct {
		text string
		want [][]int
	}{
		"the first":                         {forks + "1 add g#1\n1 add g#-1\n2 wgwait g", [][]int{{4, 6}}},
		"the second, if the first is over":  {"0 add g#1\n" + forks + "1 add g#1\n1 add g#-1\n0 add g#-1\n2 wgwait g", [][]int{{5, 8}}},
		"of a member":                       {"0 add g#1\n" + forks + "1 add g#1\n1 add g#-1\n1 add g#-1\n2 wgwait g", nil},
		"of a member of two":                {"0 add g#2\n" + forks + "1 add g#1\n1 add g#-1\n1 add g#-1\n2 add g#-1\n0 wgwait g", nil},
		"of one that was added for another": {"0 add g#1\n0 fork 1\n0 add g#1\n0 fork 2\n1 begin\n2 begin\n1 add g#1\n1 add g#-1\n1 add g#-1\n2 add g#-1\n0 wgwait g", nil},
		"that others take back":             {"0 add g#1\n" + forks + "1 add g#1\n2 add g#-1\n0 wgwait g\n1 add g#-1", [][]int{{5, 7}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got [][]int
			cs, _ := detect.Conflicts.Candidates(input(t, test.text))
			for _, c := range cs {
				assert.Equal(t, bug.WaitGroup, c.Kind)
				got = append(got, c.Instances[0].Accesses)
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// A close that a send is predicted to meet is one finding, not two.
func TestMisuseThatMeets(t *testing.T) {
	in := input(t, "0 fork 1\n0 fork 2\n1 begin\n2 begin\n1 send c\n2 close c")
	met, _ := detect.Conflicts.Candidates(in)
	cs, _ := detect.Misuses.Candidates(in)
	assert.Len(t, cs, 1)

	in.IsKnownRace = func(name string) bool { return name == met[0].Name }
	assert.Equal(t, bug.Channel, met[0].Kind)
	cs, _ = detect.Misuses.Candidates(in)
	assert.Empty(t, cs)
}

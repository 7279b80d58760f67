package witness

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

func small(t *testing.T, tr *trace.Trace, violation ...int) []string {
	t.Helper()
	w, err := FromSchedule(tr, positions(0, violation[0]), violation, nil, Meta{Kind: "race"})
	require.NoError(t, err)
	return short(w.Steps)
}

// The order of critical sections is left to chance where they only write.
func TestSmallDropsSections(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "1 fork 3", "2 begin 0", "3 begin 0",
		"2 acq 20", "2 acq 10", "2 write b", "2 rel 10", "2 rel 20",
		"3 acq 20", "3 acq 10", "3 write b", "3 rel 10", "3 rel 20",
		"2 write a", "3 read a")
	assert.Equal(t, []string{"0 fork  1", "0 fork  1", "0.1 begin  1", "0.2 begin  1"}, small(t, tr, 15, 16))
}

// Not so where the value is read, without an Update.
func TestSmallKeepsWhatIsRead(t *testing.T) {
	lines := []string{"1 testbegin 0", "1 fork 2", "1 fork 3", "2 begin 0", "3 begin 0",
		"2 acq 10", "2 read b 90", "2 write b 91", "2 rel 10", "3 acq 10", "3 read b 90", "3 write b 91", "3 rel 10",
		"2 write a", "3 read a"}
	tr := build(t, lines...)
	assert.Len(t, small(t, tr, 13, 14), 12)
	for id, s := range tr.Sites {
		s.Update = s.Line == 90
		tr.Sites[id] = s
	}
	assert.Len(t, small(t, tr, 13, 14), 4)
	// Without the lock, an update could get lost.
	for i := range tr.Events {
		if e := &tr.Events[i]; e.Kind == trace.Acquire || e.Kind == trace.Release {
			e.Kind = trace.Branch
		}
	}
	assert.Len(t, small(t, tr, 13, 14), 8)
}

// A lock stays if a section of it has something to do with the violation, or is
// open there.
func TestSmallKeepsSections(t *testing.T) {
	begin := []string{"1 testbegin 0", "1 fork 2", "1 fork 3", "2 begin 0", "3 begin 0"}
	tr := build(t, append(begin, "2 acq 10", "2 write a 90", "2 rel 10", "3 acq 10", "3 rel 10", "2 write a 91", "3 read a")...)
	assert.Equal(t, []string{"0 fork  1", "0 fork  1", "0.1 begin  1", "0.1 acq  1", "0.1 write va 1", "0.1 rel  1", "0.2 begin  1", "0.2 acq  1", "0.2 rel  1"},
		small(t, tr, 10, 11))
	tr = build(t, append(begin, "2 acq 10", "2 rel 10", "3 acq 10", "2 write a 91", "3 read a")...)
	assert.Equal(t, []string{"0 fork  1", "0 fork  1", "0.1 begin  1", "0.1 acq  1", "0.1 rel  1", "0.2 begin  1", "0.2 acq  1"},
		small(t, tr, 8, 9))
}

// Goroutines take turns as seldom as what they share allows.
func TestFewestSwitches(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "2 begin 0", "1 fork 3", "3 begin 0",
		"2 send 20", "3 read b", "2 write d", "3 recv 20", "2 send 20", "3 read d", "3 recv 20", "2 read b", "1 write b",
		"3 write a", "2 write a")
	got := small(t, tr, 14, 15)
	assert.Equal(t, []string{
		"0 fork  1", "0 fork  1",
		"0.1 begin  1", "0.1 send  1", "0.1 write vd 1",
		"0.2 begin  1", "0.2 read vb 1", "0.2 recv  1", "0.2 read vd 1",
		"0.1 send  1", "0.1 read vb 1",
		"0 write vb 1",
		"0.2 recv  1",
	}, got)
}

// What comes after a receive in its goroutine waits for the send.
func TestFewestSwitchesCompletes(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "1 recv 20", "2 begin 0", "2 send 20", "2 sent 20", "1 recvd 20",
		"1 fork 3", "3 begin 0", "2 write a", "3 write a")
	assert.Equal(t, []string{
		"0 fork  1", "0 recv  1", "0.1 begin  1", "0.1 send  1", "0 fork  1", "0.2 begin  1",
	}, small(t, tr, 9, 10))
}

package replayer

import (
	"context"
	"testing"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// No more replays run at once than there are slots.
func TestSlotsBound(t *testing.T) {
	s := NewSlots(2)
	running, more := make(chan bool, 3), make(chan bool)
	done := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := s.run(t.Context(), "TestA", false, func() (Verdict, error) {
				running <- true
				<-more
				return Verdict{Status: bug.Confirmed}, nil
			})
			done <- err
		}()
	}
	<-running
	<-running
	assert.Empty(t, running)
	for range 3 {
		more <- true
		require.NoError(t, <-done)
	}
}

// Replays that use little of a processor run beside more others than there are processors, but not
// beside any number.
func TestSlotsOfSleepers(t *testing.T) {
	for _, c := range []struct {
		name   string
		used   time.Duration // of a second
		beside int
	}{{"computes", time.Second, 2}, {"half of it", time.Second / 2, 3}, {"sleeps", time.Second / 100, 8}} {
		s := NewSlots(2)
		for range 3 * lastRuns {
			_, err := s.run(t.Context(), "TestA", false, func() (Verdict, error) {
				return Verdict{Status: bug.Confirmed, Elapsed: time.Second, Processor: c.used}, nil
			})
			require.NoError(t, err)
		}
		beside := 0
		for ; s.room(); beside++ {
			require.NoError(t, s.take(t.Context()))
		}
		assert.Equal(t, c.beside, beside, c.name)
	}
}

// A replay that another one may have disturbed is run again alone.
func TestSlotsAlone(t *testing.T) {
	s := NewSlots(2)
	for _, c := range []struct {
		name  string
		first Verdict
		runs  int
		free  bool
	}{
		{"confirmed", Verdict{Status: bug.Confirmed}, 1, false},
		{"left", Verdict{Status: bug.Unconfirmed, Outcome: Outcome{Effect: bug.NoEffect}}, 1, false},
		{"leaves a goroutine behind", Verdict{Status: bug.Unconfirmed, Outcome: Outcome{Effect: bug.Leaks}}, 1, false},
		{"hung", Verdict{Status: bug.Unconfirmed, Outcome: Outcome{TimedOut: true}}, 2, false},
		{"left, and was ended", Verdict{Status: bug.Unconfirmed, Outcome: Outcome{TimedOut: true}, Strayed: true}, 1, false},
		{"failed before", Verdict{Status: bug.Unconfirmed, Outcome: Outcome{Effect: bug.TestFailure}}, 2, false},
		{"fails as the violation does", Verdict{Status: bug.Confirmed, Outcome: Outcome{Effect: bug.TestFailure}}, 1, false},
		{"fails as it goes on", Verdict{Status: bug.Confirmed, Outcome: Outcome{Effect: bug.TestFailure}}, 2, true},
		{"goes on and hangs", Verdict{Status: bug.Confirmed, Outcome: Outcome{TimedOut: true}}, 1, true},
		{"port taken", Verdict{Status: bug.Confirmed, Output: "listen tcp :80: bind: address already in use"}, 2, false},
	} {
		runs := 0
		v, err := s.run(t.Context(), "TestA", c.free, func() (Verdict, error) {
			if runs++; runs == 1 {
				besides(t, s)
				return c.first, nil
			}
			return Verdict{Status: bug.Confirmed}, nil
		})
		require.NoError(t, err)
		assert.Equal(t, c.runs == 2 || c.first.Status == bug.Confirmed, v.Status == bug.Confirmed, c.name)
		assert.Equal(t, c.runs, runs, c.name)
	}
}

// Tests of which replays fail alone as they do beside others are not run twice each time, but where
// something is taken.
func TestSlotsInVain(t *testing.T) {
	s, beside := NewSlots(2), true
	runs := func(test, output string) (n int) {
		_, err := s.run(t.Context(), test, false, func() (Verdict, error) {
			if n++; n == 1 && beside {
				besides(t, s)
			}
			return Verdict{Status: bug.Unconfirmed, Outcome: Outcome{Effect: bug.TestFailure}, Output: output}, nil
		})
		require.NoError(t, err)
		return n
	}
	taken := "bind: address already in use"
	assert.Equal(t, []int{2, 2, 2, 1, 2}, []int{runs("TestA", taken), runs("TestA", ""), runs("TestA", ""), runs("TestA", ""), runs("TestA", taken)})
	assert.Equal(t, 2, runs("TestB", ""), "another test")
	beside = false
	assert.Equal(t, 1, runs("TestC", ""), "nothing has disturbed it")
	assert.Equal(t, 2, runs("TestC", taken), "nothing that runs now has")
}

// besides has something else run.
func besides(t *testing.T, s *Slots) {
	require.NoError(t, s.Run(t.Context(), func() (processor, elapsed time.Duration) { return 0, 0 }))
}

func TestSlotsGivenUp(t *testing.T) {
	s := NewSlots(1)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.run(ctx, "", false, func() (Verdict, error) {
		cancel()
		return s.run(ctx, "", false, func() (Verdict, error) { panic("there is no room") })
	})
	assert.ErrorIs(t, err, context.Canceled)
}

package replayer

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/replayer/witness"
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
			_, err := s.run(t.Context(), replayOf("TestA"), false, func() (Verdict, error) {
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
			_, err := s.run(t.Context(), replayOf("TestA"), false, func() (Verdict, error) {
				return Verdict{Status: bug.Confirmed, Elapsed: time.Second, Processor: c.used}, nil
			})
			require.NoError(t, err)
		}
		n := 0
		for ; s.hasRoom(); n++ {
			_, err := s.take(t.Context(), "p", concurrently)
			require.NoError(t, err)
		}
		assert.Equal(t, c.beside, n, c.name)
	}
}

// A replay that another one may have disturbed is run again apart from others.
func TestSlotsApart(t *testing.T) {
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
		{"left, and was ended", Verdict{Status: bug.Unconfirmed, Outcome: Outcome{TimedOut: true}, EndedEarly: true}, 1, false},
		{"failed before", Verdict{Status: bug.Unconfirmed, Outcome: Outcome{Effect: bug.TestFailure}}, 2, false},
		{"fails as the violation does", Verdict{Status: bug.Confirmed, Outcome: Outcome{Effect: bug.TestFailure}}, 1, false},
		{"fails as it goes on", Verdict{Status: bug.Confirmed, Outcome: Outcome{Effect: bug.TestFailure}}, 2, true},
		{"goes on and hangs", Verdict{Status: bug.Confirmed, Outcome: Outcome{TimedOut: true}}, 1, true},
		{"port taken", Verdict{Status: bug.Confirmed, Output: taken}, 2, false},
	} {
		runs := 0
		v, err := s.run(t.Context(), replayOf("TestA"), c.free, func() (Verdict, error) {
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

// Tests of which replays fail apart as they do beside others are not run twice each time, but where
// something is taken.
func TestSlotsInVain(t *testing.T) {
	s, others := NewSlots(2), true
	runs := func(test, output string) (n int) {
		_, err := s.run(t.Context(), replayOf(test), false, func() (Verdict, error) {
			if n++; n == 1 && others {
				besides(t, s)
			}
			return Verdict{Status: bug.Unconfirmed, Outcome: Outcome{Effect: bug.TestFailure}, Output: output}, nil
		})
		require.NoError(t, err)
		return n
	}
	assert.Equal(t, []int{2, 2, 1, 2}, []int{runs("TestA", ""), runs("TestA", ""), runs("TestA", ""), runs("TestA", taken)})
	assert.Equal(t, 2, runs("TestB", ""), "another test")
	others = false
	assert.Equal(t, 1, runs("TestC", ""), "nothing has disturbed it")
	assert.Equal(t, 2, runs("TestC", taken), "nothing that runs now has")
}

const taken = "bind: address already in use"

// fails is what a replay shows that has failed, and has printed something.
func fails(printed string) Verdict {
	return Verdict{Status: bug.Unconfirmed, Outcome: Outcome{Effect: bug.TestFailure}, Output: printed}
}

// That a replay is made again waits for others of its package only, and lets others than these go on.
func TestSlotsOfPackages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(4)
		var mu sync.Mutex
		var log []string
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			log = append(log, what)
		}
		took := func(pkg, what string, d time.Duration) {
			require.NoError(t, s.Run(t.Context(), pkg, func() (processor, elapsed time.Duration) {
				time.Sleep(d)
				note(what)
				return 0, 0
			}))
		}
		begin := func(f func()) {
			go f()
			synctest.Wait()
		}
		begin(func() { took("q", "other package", time.Hour) })
		begin(func() { took("p", "same package", time.Minute) })
		begin(func() {
			_, err := s.run(t.Context(), replayOf("TestA"), false, func() (Verdict, error) {
				note("fails")
				return fails(""), nil
			})
			assert.NoError(t, err)
		})
		begin(func() { took("p", "comes later", 0) })
		begin(func() { took("q", "beside", 0) })
		time.Sleep(2 * time.Hour)
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, []string{"fails", "beside", "same package", "fails", "comes later", "other package"}, log)
	})
}

// Replays that have failed beside each other are not all made again once it is known that these have not
// disturbed them.
func TestSlotsUndisturbedByNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(8)
		var runs atomic.Int32
		for range 8 {
			go func() {
				v, err := s.run(t.Context(), replayOf("TestA"), false, func() (Verdict, error) {
					runs.Add(1)
					time.Sleep(time.Second)
					return fails(""), nil
				})
				assert.NoError(t, err)
				assert.Equal(t, bug.TestFailure, v.Outcome.Effect)
			}()
		}
		time.Sleep(time.Minute)
		assert.EqualValues(t, 8+enoughFailedReruns, runs.Load())
	})
}

// Tests that have found something taken run apart from the others of their package then, and alone if another
// package's has it.
func TestSlotsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(8)
		var runs atomic.Int32
		var mu sync.Mutex // for what follows
		bound := make(map[string]bool)
		listen := func(pkg, test, port string) {
			w := replayOf(test)
			w.Package = pkg
			v, err := s.run(t.Context(), w, false, func() (Verdict, error) {
				time.Sleep(time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				if runs.Add(1); bound[port] {
					return fails(taken), nil
				}
				bound[port] = true
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				bound[port] = false
				return Verdict{Status: bug.Confirmed}, nil
			})
			assert.NoError(t, err)
			assert.Equal(t, bug.Confirmed, v.Status)
		}
		all := func(n int, listen func()) int {
			runs.Store(0)
			for range n {
				go listen()
			}
			time.Sleep(time.Hour)
			return int(runs.Load())
		}
		own := func() { listen("p", "TestA", "p") }
		assert.Equal(t, 8+7, all(8, own))
		assert.Equal(t, 8, all(8, own))
		go listen("q", "TestB", "shared")
		synctest.Wait()
		assert.Equal(t, 1+3, all(1, func() { listen("r", "TestB", "shared") }), "beside the other package, apart, and alone")
	})
}

// replayOf is a witness of a test of the package p.
func replayOf(test string) *witness.Witness {
	return &witness.Witness{Package: "p", Tests: []string{test}}
}

// besides has something else of the package run.
func besides(t *testing.T, s *Slots) {
	require.NoError(t, s.Run(t.Context(), "p", func() (processor, elapsed time.Duration) { return 0, 0 }))
}

func TestSlotsGivenUp(t *testing.T) {
	s := NewSlots(1)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.run(ctx, replayOf(""), false, func() (Verdict, error) {
		cancel()
		return s.run(ctx, replayOf(""), false, func() (Verdict, error) { panic("there is no room") })
	})
	assert.ErrorIs(t, err, context.Canceled)
}

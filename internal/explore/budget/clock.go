package budget

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gopredict/gopredict/recorder"
)

// ErrTimeOver is the error of a replay that was not run, or not to its end, because no time
// was left.
var ErrTimeOver = errors.New("the time for replays was over")

// A Clock is the time that all packages have together. It runs while any of them uses it. A
// part is reserved for packages that are not analyzed yet. Packages do not influence each
// other's results as long as the time is not over.
type Clock struct {
	// timeout is the user's, for replays; 0 if there is none.
	timeout time.Duration
	// boundsAnalysis is set if analysis and recordings are bounded, too.
	boundsAnalysis bool

	mu       sync.Mutex
	rest     time.Duration // that was left when the first of the users began
	reserved time.Duration
	users    int
	since    time.Time // when the first of the users began
}

// NewClock returns a clock for replays that has not started. Timeout is the user's, or 0. If
// bounded is set, [Clock.Start] bounds all that follows the recording instead.
func NewClock(timeout time.Duration, bounded bool) *Clock {
	return &Clock{rest: cmp.Or(timeout, DefaultReplayTimeout), timeout: timeout, boundsAnalysis: bounded}
}

// BoundsAnalysis reports whether the clock bounds analysis and recordings, not only replays.
func (c *Clock) BoundsAnalysis() bool { return c.boundsAnalysis }

// Start starts the clock for what follows the recordings. It returns how much of the time is
// reserved for each of them until it is analyzed: at most three quarters of the time for the
// analyses, which are not cut short, and half of the rest for what follows an analysis, in
// proportion to its expected need. Earlier packages may use what is not reserved.
func (c *Clock) Start(runs []recorder.Run) []time.Duration {
	reserved := make([]time.Duration, len(runs))
	if !c.boundsAnalysis {
		return reserved
	}
	all := recordingTime(runs) + leastTime - reportTime
	analyses, needs := slices.Clone(reserved), slices.Clone(reserved)
	for k, run := range runs {
		if info, err := os.Stat(run.Trace); err == nil {
			analyses[k] = timeFor(int(info.Size()), analyzedBytes)
			needs[k] = packageNeed + seconds(run.Seconds) + analyses[k]
		}
	}
	shrinkTo(analyses, all*3/4)
	shrinkTo(needs, (all-sum(analyses))/2)
	for k := range reserved {
		reserved[k] = analyses[k] + needs[k]
	}
	c.rest, c.reserved = all, sum(reserved)
	c.Begin()
	return reserved
}

// Release releases time that was reserved for a package.
func (c *Clock) Release(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reserved -= d
}

// recordingTime returns how long the recording of runs took, some of which ran concurrently:
// from the first beginning to the last end, but no longer than the sum of all runs, as
// packages are built between them.
func recordingTime(runs []recorder.Run) time.Duration {
	var all time.Duration
	var first, last time.Time
	for _, run := range runs {
		all += seconds(run.Seconds)
		if end := run.Started.Add(seconds(run.Seconds)); end.After(last) {
			last = end
		}
		if !run.Started.IsZero() && (first.IsZero() || run.Started.Before(first)) {
			first = run.Started
		}
	}
	return min(all, last.Sub(first))
}

// shrinkTo makes times shorter, in proportion, until they are no longer than most together.
func shrinkTo(times []time.Duration, most time.Duration) {
	if all := sum(times); all > most {
		for k, d := range times {
			times[k] = time.Duration(float64(d) * float64(most) / float64(all))
		}
	}
}

// sum returns the sum of times.
func sum(times []time.Duration) (all time.Duration) {
	for _, d := range times {
		all += d
	}
	return all
}

// seconds returns a number of seconds as a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Left returns the time that is left and not reserved; 0 if it is over.
func (c *Clock) Left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(0, c.leftWithReserved()-c.reserved)
}

// leftWithReserved returns the time that is left, reserved or not.
func (c *Clock) leftWithReserved() time.Duration {
	if c.users == 0 {
		return c.rest
	}
	return max(0, c.rest-time.Since(c.since))
}

// Begin makes the clock run for one more user.
func (c *Clock) Begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users == 0 {
		c.since = time.Now()
	}
	c.users++
}

// End stops the clock for one user. It reports whether all time is used up.
func (c *Clock) End() (over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.leftWithReserved()
	if c.users--; c.users == 0 {
		c.rest = left
	}
	return left == 0
}

// Limit returns a context for replays. It ends with cause [ErrTimeOver] when no time is left.
// The caller must call the function to release it.
func (c *Clock) Limit(ctx context.Context) (context.Context, func()) {
	limit, end := context.WithCancelCause(ctx)
	left := c.Left()
	if left == 0 {
		end(ErrTimeOver)
		return limit, func() {}
	}
	go func() {
		for ; left > 0; left = c.Left() { // it grows when reserved time is released
			select {
			case <-time.After(left):
			case <-limit.Done():
				return
			}
		}
		end(ErrTimeOver)
	}()
	return limit, func() { end(nil) }
}

// LimitAnalysis is Limit for what is no replay. The user's timeout for replays does not bound
// that.
func (c *Clock) LimitAnalysis(ctx context.Context) (context.Context, func()) {
	if c.boundsAnalysis {
		return c.Limit(ctx)
	}
	return ctx, func() {}
}

// TimeOverText names the time that is over, for a message.
func (c *Clock) TimeOverText() string {
	if c.boundsAnalysis {
		return "the time after recording, which is what that took and ten seconds (-predict.timeout=1h gives more, and with -predict.runs=N there is no such bound), was over"
	}
	return fmt.Sprintf("the time for replays, -predict.timeout=%v, was over", c.timeout)
}

// Restart turns the clock into one for replays only. They may take the rest of the time, but
// no longer than the timeout.
func (c *Clock) Restart(timeout time.Duration) {
	c.timeout, c.boundsAnalysis = timeout, false
	c.rest = min(c.rest, timeout)
}

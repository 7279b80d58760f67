package budget

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder"
)

// recordings are of packages whose tests took so many seconds, with traces of so many bytes.
func recordings(t *testing.T, each ...[2]float64) (runs []recorder.Run) {
	for k, r := range each {
		file := filepath.Join(t.TempDir(), fmt.Sprint("trace", k))
		require.NoError(t, os.WriteFile(file, nil, 0o666))
		require.NoError(t, os.Truncate(file, int64(r[1])))
		runs = append(runs, recorder.Run{Seconds: r[0], Trace: file})
	}
	return runs
}

// What follows recordings may take as long as all of them and ten seconds, of which some is kept for
// packages that are not begun, as far as they may need it.
func TestClock(t *testing.T) {
	const size = analyzedBytes
	for _, c := range []struct {
		name  string
		runs  [][2]float64
		all   time.Duration
		first time.Duration // what the first has before others were explored
		last  time.Duration // what the last has at least
	}{
		{"one", [][2]float64{{3, size}}, 12 * time.Second, 12 * time.Second, 12 * time.Second},
		{"little is kept for small ones", [][2]float64{{0, 0}, {0, 0}, {0, 0}}, 9 * time.Second, 9*time.Second - 2*packageNeed, 9 * time.Second},
		{"a long one", [][2]float64{{0, 0}, {2, 3 * size}}, 11 * time.Second, 11*time.Second - 3*time.Second - 4*time.Second*51/52, 11 * time.Second},
		{"shares", [][2]float64{{0, 100 * size}, {0, 100 * size}, {0, 100 * size}}, 9 * time.Second, 9*time.Second - 2*(2250+375)*time.Millisecond, 9 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs := recordings(t, c.runs...)
			synctest.Test(t, func(t *testing.T) {
				x := NewClock(0, true)
				kept := x.Start(runs)
				assert.Equal(t, c.all, x.leftWithReserved())
				for k := range runs {
					before := x.Left()
					x.Release(kept[k])
					assert.Equal(t, before+kept[k], x.Left())
					switch k {
					case 0:
						assert.InDelta(t, c.first, x.Left(), float64(time.Millisecond))
					case len(runs) - 1:
						assert.InDelta(t, c.last, x.Left(), float64(time.Millisecond))
					}
				}
				time.Sleep(c.all)
				assert.Zero(t, x.Left())
			})
		})
	}
}

// Recordings that go on beside each other count once, and what is built between them does not.
func TestRecordedIn(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	run := func(after, took float64) recorder.Run {
		return recorder.Run{Started: at.Add(seconds(after)), Seconds: took}
	}
	assert.Equal(t, 5*time.Second, recordingTime([]recorder.Run{run(1, 4), run(0, 3), {}}), "beside each other")
	assert.Equal(t, 3*time.Second, recordingTime([]recorder.Run{run(0, 2), run(60, 1)}), "a minute of building")
	assert.Zero(t, recordingTime([]recorder.Run{{}}), "not run")
}

// A timeout for replays bounds nothing else.
func TestTimeoutForReplays(t *testing.T) {
	x := NewClock(time.Minute, false)
	assert.Equal(t, []time.Duration{0}, x.Start([]recorder.Run{{Seconds: 1}}))
	assert.Equal(t, time.Minute, x.Left())
	limit, end := x.LimitAnalysis(t.Context())
	assert.Equal(t, t.Context(), limit)
	end()
	assert.Contains(t, x.TimeOverText(), "-predict.timeout=1m0s")
	x.Restart(time.Second)
	assert.Equal(t, time.Second, x.Left())
}

// What goes on ends with the time, also if there is more of that once others have begun.
func TestLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := NewClock(0, true)
		kept := x.Start([]recorder.Run{{Seconds: 1}})
		assert.Zero(t, kept[0], "it has no trace")
		x.reserved = 4 * time.Second
		limit, end := x.Limit(t.Context())
		defer end()
		time.Sleep(3 * time.Second)
		x.Release(4 * time.Second)
		time.Sleep(6 * time.Second)
		synctest.Wait()
		assert.NoError(t, limit.Err())
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, ErrTimeOver, context.Cause(limit))
		over, _ := x.Limit(t.Context())
		assert.Equal(t, ErrTimeOver, context.Cause(over), "at once")
	})
}

// Time in which several use the clock counts once, and time in which none does not.
func TestUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClock(10*time.Second, false)
		c.Begin()
		assert.Equal(t, 10*time.Second, c.Left())
		time.Sleep(time.Second)
		c.Begin()
		assert.Equal(t, 9*time.Second, c.Left())
		time.Sleep(2 * time.Second)
		assert.False(t, c.End())
		time.Sleep(time.Second)
		assert.Equal(t, 6*time.Second, c.Left())
		assert.False(t, c.End())
		time.Sleep(time.Hour)
		c.Begin()
		assert.Equal(t, 6*time.Second, c.Left())
		time.Sleep(time.Minute)
		assert.True(t, c.End())
		assert.Zero(t, c.Left())
	})
}

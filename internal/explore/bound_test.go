package explore

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

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
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
func TestBound(t *testing.T) {
	const size = analyzedBytes
	for _, c := range []struct {
		name  string
		runs  [][2]float64
		all   time.Duration
		first time.Duration // what the first has before others were explored
		last  time.Duration // what the last has at least
	}{
		{"one", [][2]float64{{3, size}}, 12 * time.Second, 12 * time.Second, 12 * time.Second},
		{"little is kept for small ones", [][2]float64{{0, 0}, {0, 0}, {0, 0}}, 9 * time.Second, 9*time.Second - 2*needed, 9 * time.Second},
		{"a long one", [][2]float64{{0, 0}, {2, 3 * size}}, 11 * time.Second, 11*time.Second - 3*time.Second - 4*time.Second*51/52, 11 * time.Second},
		{"shares", [][2]float64{{0, 100 * size}, {0, 100 * size}, {0, 100 * size}}, 9 * time.Second, 9*time.Second - 2*(2250+375)*time.Millisecond, 9 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs := recordings(t, c.runs...)
			synctest.Test(t, func(t *testing.T) {
				x := new(setting)
				kept := x.bound(runs)
				assert.Equal(t, c.all, x.timeout.left())
				for k := range runs {
					before := x.left()
					x.kept.Add(-int64(kept[k]))
					assert.Equal(t, before+kept[k], x.left())
					switch k {
					case 0:
						assert.InDelta(t, c.first, x.left(), float64(time.Millisecond))
					case len(runs) - 1:
						assert.InDelta(t, c.last, x.left(), float64(time.Millisecond))
					}
				}
				time.Sleep(c.all)
				assert.Zero(t, x.left())
			})
		})
	}
}

// Recordings that go on beside each other count once, and what is built between them does not.
func TestRecordedIn(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	run := func(after, seconds float64) recorder.Run {
		return recorder.Run{Started: at.Add(took(after)), Seconds: seconds}
	}
	assert.Equal(t, 5*time.Second, recordedIn([]recorder.Run{run(1, 4), run(0, 3), {}}), "beside each other")
	assert.Equal(t, 3*time.Second, recordedIn([]recorder.Run{run(0, 2), run(60, 1)}), "a minute of building")
	assert.Zero(t, recordedIn([]recorder.Run{{}}), "not run")
}

// Nothing is bounded where more was asked for.
func TestUnbounded(t *testing.T) {
	for _, opts := range []Options{{Timeout: time.Hour}, {Runs: 2}, {Explore: Budget{All: true}}} {
		x := &inPackage{setting: &setting{opts: opts, timeout: countdown{rest: time.Minute}}}
		assert.Equal(t, []time.Duration{0}, x.bound([]recorder.Run{{Seconds: 1}}))
		assert.Equal(t, time.Minute, x.left())
		limit, end := x.inBound(t.Context())
		assert.Equal(t, t.Context(), limit)
		end()
	}
}

// What goes on ends with the time, also if there is more of that once others have begun.
func TestLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &inPackage{setting: new(setting)}
		kept := x.bound([]recorder.Run{{Seconds: 1}})
		assert.Zero(t, kept[0], "it has no trace")
		x.kept.Store(int64(4 * time.Second))
		limit, end := x.limited(t.Context())
		defer end()
		time.Sleep(3 * time.Second)
		x.kept.Store(0)
		time.Sleep(6 * time.Second)
		synctest.Wait()
		assert.NoError(t, limit.Err())
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, errTimeOver, context.Cause(limit))
		over, _ := x.limited(t.Context())
		assert.Equal(t, errTimeOver, context.Cause(over), "at once")
	})
}

// A test is not run without a schedule if that takes longer than what is left: that it fails is not said of the bug
// then.
func TestControlTooLong(t *testing.T) {
	x := &inPackage{setting: &setting{timeout: countdown{rest: 20 * time.Second}}, waited: map[string]time.Duration{"TestWaits": 48 * time.Second}}
	x.Report.Packages = []report.Package{{Package: "p"}}
	c := &confirmation{inPackage: x, run: recorder.Run{Seconds: 48}}
	confirmed := func(kind bug.Kind) replayer.Result {
		r, err := c.withControl(t.Context(), &witness.Witness{Kind: kind, Tests: []string{"TestWaits"}, Violation: make([]witness.Step, 1)},
			replayer.Result{Status: bug.Confirmed, Effect: bug.TestFailure})
		assert.NoError(t, err)
		return r
	}
	r := confirmed(bug.Property)
	assert.Equal(t, bug.Confirmed, r.Status)
	assert.Equal(t, bug.NoEffect, r.Effect)
	r = confirmed(bug.Assertion)
	assert.Equal(t, bug.Unconfirmed, r.Status)
	assert.Contains(t, r.Reason, unknownWhy)
	c.tellUncontrolled()
	assert.Equal(t, []string{"p: TestWaits fails in replays; " + unknownWhy}, c.Report.Warnings)
}

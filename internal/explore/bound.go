package explore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file bounds what follows the recording of the tests: analysis, further recordings and replays of all packages
// together take about as long as that took, and ten seconds, by the clock. All draw on that one time. What comes of
// packages does not follow from it but where it is over: then nothing more is begun, and what goes on is ended and
// counts as not begun.

const (
	// afterwards is what there is in any case, and reporting what of that is for the report.
	afterwards, reporting = 10 * time.Second, time.Second
	// allReplays is the time that replays may take where more than the ordinary is asked for.
	allReplays = 10 * time.Minute
	// needed is what a package is taken to need beside its analysis and what its tests took when they were recorded.
	needed = 100 * time.Millisecond
	// analyzedBytes is how many bytes of a trace are analyzed in a second, about.
	analyzedBytes = 5 << 20
)

// errTimeOver is why a replay was not run, or not to its end.
var errTimeOver = errors.New("the time for replays was over")

// bounded reports whether what follows the recording is bounded by that, as nobody has asked for more.
func (x *setting) bounded() bool {
	return x.opts.Timeout == 0 && x.opts.Runs == 0 && !x.opts.Explore.explores()
}

// bound begins the time that there is for what follows the recordings, and returns how much of it is kept for each
// of them until it is analyzed: what that takes, which is not ended, up to three quarters of the time for all; and up to half of
// the rest for what comes then, of which each has a share by what it may need. What is not kept is for those that come first.
func (x *setting) bound(runs []recorder.Run) []time.Duration {
	kept := make([]time.Duration, len(runs))
	if !x.bounded() {
		return kept
	}
	all := recordedIn(runs) + afterwards - reporting
	analyses, needs := make([]time.Duration, len(runs)), make([]time.Duration, len(runs))
	for k, run := range runs {
		if info, err := os.Stat(run.Trace); err == nil {
			analyses[k] = inSeconds(int(info.Size()), analyzedBytes)
			needs[k] = needed + took(run.Seconds) + analyses[k]
		}
	}
	shares(analyses, all*3/4)
	shares(needs, (all-sum(analyses))/2)
	for k := range kept {
		kept[k] = analyses[k] + needs[k]
		x.kept.Add(int64(kept[k]))
	}
	x.timeout.rest = all
	x.timeout.begin()
	return kept
}

// recordedIn is how long the recording of runs took, which go on beside each other: from where the first one begins
// to where the last one ends, and no longer than all of them, between which others are built.
func recordedIn(runs []recorder.Run) time.Duration {
	var all time.Duration
	var first, last time.Time
	for _, run := range runs {
		all += took(run.Seconds)
		if end := run.Started.Add(took(run.Seconds)); end.After(last) {
			last = end
		}
		if !run.Started.IsZero() && (first.IsZero() || run.Started.Before(first)) {
			first = run.Started
		}
	}
	return min(all, last.Sub(first))
}

// shares makes times as short as it takes for them to be no longer than most together.
func shares(times []time.Duration, most time.Duration) {
	if all := sum(times); all > most {
		for k, d := range times {
			times[k] = time.Duration(float64(d) * float64(most) / float64(all))
		}
	}
}

func sum(times []time.Duration) (all time.Duration) {
	for _, d := range times {
		all += d
	}
	return all
}

// left is the time that is left for what is analyzed and explored now; 0 once there is none.
func (x *setting) left() time.Duration {
	return max(0, x.timeout.left()-time.Duration(x.kept.Load()))
}

// limited returns ctx for what replays, which ends when no time is left. The function ends it, too.
func (x *setting) limited(ctx context.Context) (context.Context, func()) {
	limit, end := context.WithCancelCause(ctx)
	left := x.left()
	if left == 0 {
		end(errTimeOver)
		return limit, func() {}
	}
	go func() {
		for ; left > 0; left = x.left() { // more than there was, if others have begun by then
			select {
			case <-time.After(left):
			case <-limit.Done():
				return
			}
		}
		end(errTimeOver)
	}()
	return limit, func() { end(nil) }
}

// inBound is limited for what does not replay, which an explicit time for replays does not bound.
func (x *setting) inBound(ctx context.Context) (context.Context, func()) {
	if x.bounded() {
		return x.limited(ctx)
	}
	return ctx, func() {}
}

// timeWas says which time is over.
func (x *setting) timeWas() string {
	if x.bounded() {
		return "the time after recording, which is what that took and ten seconds (-predict.timeout=1h gives more, and with -predict.runs=N there is no such bound), was over"
	}
	return fmt.Sprintf("the time for replays, -predict.timeout=%v, was over", x.opts.Timeout)
}

// The uncontrolled are tests that fail in replays, and were not run without a schedule for lack of time.
type uncontrolled struct {
	mu    sync.Mutex
	tests []string
}

// note notes those of a witness.
func (u *uncontrolled) note(w *witness.Witness) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if tests := strings.Join(w.Tests, " and "); !slices.Contains(u.tests, tests) {
		u.tests = append(u.tests, tests)
	}
}

// unknownWhy says that they may fail without the schedule of a bug, too.
const unknownWhy = "whether it does so without the schedule, too, is not known, as there was no time for that"

// tellUncontrolled tells of them.
func (x *inPackage) tellUncontrolled() {
	slices.Sort(x.uncontrolled.tests)
	for _, tests := range x.uncontrolled.tests {
		x.warn("%s: %s fails in replays; %s", x.Report.Packages[0].Package, tests, unknownWhy)
	}
}

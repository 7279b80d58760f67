package procgroup

import (
	"context"
	"time"
)

// minLook is the least time between two looks at a process (unit: time). Trades processor time
// for ends that are exact. Chosen: what nobody notices.
const minLook = 20 * time.Millisecond

// AfterOwnTime calls end once a process has had some time of its own, unless ctx ends before.
// That is the time that passes, without the time in which its threads could have run and other
// programs had the processors: what takes a second on an idle machine takes a second of its
// own on a busy one, too. Where the system does not tell, it is the time that passes.
func AfterOwnTime(ctx context.Context, pid int, d time.Duration, end func()) {
	start := time.Now()
	ranBefore, waitedBefore := threadTimes(pid)
	for left := d; left > 0; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(left, minLook)):
		}
		ran, waited := threadTimes(pid)
		left = d - ownTime(time.Since(start), ran-ranBefore, waited-waitedBefore)
	}
	end()
}

// ownTime returns how much of the time that has passed was a process's own, whose threads have
// run and waited for a processor so long together. Several of them may wait at the same time.
func ownTime(passed, ran, waited time.Duration) time.Duration {
	return min(passed, max(passed-waited, ran))
}

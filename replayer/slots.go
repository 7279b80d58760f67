package replayer

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
)

// Slots are what replays of one or several witnesses wait for, so that no more
// of them run at the same time than the machine has room for: as many as it has
// processors, and more where they use little of these, as tests that sleep. How many
// run beside each other changes nothing of what they show, as the clock of a replayed
// program moves only while it waits.
//
// A test that runs beside itself may find its port or its file taken by the
// other process. A replay that such a clash could explain is therefore run
// again while no other is running, and only that one counts.
type Slots struct {
	processors int
	mu         sync.Mutex
	changed    *sync.Cond // what follows
	running    int
	used, ran  time.Duration // processor time and elapsed time of the last replays
	alone      sync.RWMutex  // held for reading by each replay, for writing by one that runs alone
}

// mostBeside is how many replays may run for each processor, however little they use of it, and
// lastRuns over about how many of them that is measured.
const mostBeside, lastRuns = 4, 8

// NewSlots returns room for the replays that so many processors can run at the same time.
func NewSlots(processors int) *Slots {
	s := &Slots{processors: max(processors, 1)}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// run runs a replay once there is room for it; at once if s is nil.
func (s *Slots) run(ctx context.Context, replay func() (Verdict, error)) (Verdict, error) {
	if s == nil {
		return replay()
	}
	if err := s.take(ctx); err != nil {
		return Verdict{}, err
	}
	s.alone.RLock()
	v, err := replay()
	s.alone.RUnlock()
	s.leave(v)
	if err != nil || !v.disturbed() {
		return v, err
	}
	s.alone.Lock()
	defer s.alone.Unlock()
	return replay()
}

// take waits for room for one replay more.
func (s *Slots) take(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})()
	for !s.room() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.changed.Wait()
	}
	s.running++
	return nil
}

// room reports whether one replay more can run: each is taken to use as much of a processor as the
// last ones have.
func (s *Slots) room() bool {
	return s.running < s.processors ||
		s.running < mostBeside*s.processors && time.Duration(s.running+1)*s.used < time.Duration(s.processors)*s.ran
}

// leave makes room for another replay than that of v.
func (s *Slots) leave(v Verdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.used += v.Processor - s.used/lastRuns
	s.ran += v.Elapsed - s.ran/lastRuns
	s.changed.Broadcast()
}

// Alone calls run while no replay is running.
func (s *Slots) Alone(run func() error) error {
	s.alone.Lock()
	defer s.alone.Unlock()
	return run()
}

// clashes are what programs say that find something taken.
var clashes = []string{
	"address already in use", "text file busy", "resource busy", "database is locked",
	"resource temporarily unavailable", "file exists",
}

// disturbed reports whether another process that ran beside may be the reason
// for what came of the replay: the test failed before it came to the violation,
// or says that something is taken. That it has left goroutines behind is no failure, nor that it was ended
// as it had left its schedule.
func (v Verdict) disturbed() bool {
	if v.Status != bug.Confirmed && (v.Outcome.Effect.Harm() > bug.Leaks.Harm() || v.Outcome.TimedOut && !v.Strayed) {
		return true
	}
	for _, c := range clashes {
		if strings.Contains(v.Output, c) {
			return true
		}
	}
	return false
}

package replayer

import (
	"context"
	"strings"
	"sync"

	"github.com/gopredict/gopredict/internal/bug"
)

// Slots are what replays of one or several witnesses wait for, so that no more
// of them run at the same time than the machine has room for.
//
// A test that runs beside itself may find its port or its file taken by the
// other process. A replay that such a clash could explain is therefore run
// again while no other is running, and only that one counts.
type Slots struct {
	free  chan struct{}
	alone sync.RWMutex // held for reading by each replay, for writing by one that runs alone
}

// NewSlots returns room for n replays at the same time.
func NewSlots(n int) *Slots { return &Slots{free: make(chan struct{}, max(n, 1))} }

// run runs a replay once there is room for it; at once if s is nil.
func (s *Slots) run(ctx context.Context, replay func() (Verdict, error)) (Verdict, error) {
	if s == nil {
		return replay()
	}
	select {
	case s.free <- struct{}{}:
	case <-ctx.Done():
		return Verdict{}, ctx.Err()
	}
	s.alone.RLock()
	v, err := replay()
	s.alone.RUnlock()
	<-s.free
	if err != nil || cap(s.free) == 1 || !v.disturbed() {
		return v, err
	}
	s.alone.Lock()
	defer s.alone.Unlock()
	return replay()
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
// or says that something is taken. That it has left goroutines behind is no failure.
func (v Verdict) disturbed() bool {
	if v.Status != bug.Confirmed && (v.Outcome.Effect.Harm() > bug.Leaks.Harm() || v.Outcome.TimedOut) {
		return true
	}
	for _, c := range clashes {
		if strings.Contains(v.Output, c) {
			return true
		}
	}
	return false
}

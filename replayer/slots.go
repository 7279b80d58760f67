package replayer

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Slots are what replays of one or several witnesses wait for, so that no more
// of them run at the same time than the machine has room for: as many as it has
// processors, and more where they use little of these, as tests that sleep. How many
// run beside each other changes nothing of what they show, as the clock of a replayed
// program moves only while it waits.
//
// A test that runs beside itself may find its port or its file taken by the
// other process. A replay that such a clash could explain is therefore run
// again while no other is running, and only that one counts; unless none ran beside it, or the program does not
// say that something is taken, and replays of the same tests have come to nothing alone, too.
type Slots struct {
	processors int
	mu         sync.Mutex
	changed    *sync.Cond // what follows
	running    int
	begun      int            // replays so far
	used, ran  time.Duration  // processor time and elapsed time of the last replays
	alone      sync.RWMutex   // held for reading by each replay, for writing by one that runs alone
	vain       map[string]int // how many replays of tests were run again alone and came to nothing
}

// mostBeside is how many replays may run for each processor, however little they use of it, and
// lastRuns over about how many of them that is measured. After mostVain that came to nothing alone
// the others did not disturb them.
const mostBeside, lastRuns, mostVain = 4, 8, 2

// NewSlots returns room for the replays that so many processors can run at the same time.
func NewSlots(processors int) *Slots {
	s := &Slots{processors: max(processors, 1), vain: make(map[string]int)}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// Run calls run once there is room beside the replays, which returns how much processor time it has used in which
// elapsed time; not if ctx ends before.
func (s *Slots) Run(ctx context.Context, run func() (processor, elapsed time.Duration)) error {
	if err := s.take(ctx); err != nil {
		return err
	}
	s.alone.RLock()
	processor, elapsed := run()
	s.alone.RUnlock()
	s.leave(processor, elapsed)
	return nil
}

// run runs a replay of tests that have that name once there is room for it; at once if s is nil. Free says that it goes on
// as it likes once it has come where it should, and that to fail then is what it may show.
func (s *Slots) run(ctx context.Context, tests string, free bool, replay func() (Verdict, error)) (Verdict, error) {
	if s == nil {
		return replay()
	}
	if err := s.take(ctx); err != nil {
		return Verdict{}, err
	}
	s.alone.RLock()
	before, running := s.count()
	v, err := replay()
	after, _ := s.count()
	s.alone.RUnlock()
	s.leave(v.Processor, v.Elapsed)
	alone := running == 1 && after == before
	if err != nil || !v.clashed() && (!v.failed(free) || alone || s.undisturbed(tests)) {
		return v, err
	}
	s.alone.Lock()
	again, err := replay()
	s.alone.Unlock()
	if err == nil && !v.clashed() && (again.Status != bug.Confirmed || again.failed(free)) {
		s.cameToNothing(tests)
	}
	return again, err
}

// count returns how many replays have begun so far, and how many of them run.
func (s *Slots) count() (begun, running int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun, s.running
}

// undisturbed reports whether enough replays of the tests came to nothing alone to know that others do not
// disturb these.
func (s *Slots) undisturbed(tests string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.vain[tests] >= mostVain
}

// cameToNothing counts a replay of the tests that did so alone.
func (s *Slots) cameToNothing(tests string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.vain[tests]++
}

// whose tells the tests of w apart from others.
func whose(w *witness.Witness) string { return w.Package + "\x00" + strings.Join(w.Tests, "\x00") }

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
	s.begun++
	return nil
}

// room reports whether one replay more can run: each is taken to use as much of a processor as the
// last ones have.
func (s *Slots) room() bool {
	return s.running < s.processors ||
		s.running < mostBeside*s.processors && time.Duration(s.running+1)*s.used < time.Duration(s.processors)*s.ran
}

// leave makes room for another replay than one that took so long.
func (s *Slots) leave(processor, elapsed time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.used += processor - s.used/lastRuns
	s.ran += elapsed - s.ran/lastRuns
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

// clashed reports whether the program says that something is taken.
func (v Verdict) clashed() bool {
	return slices.ContainsFunc(clashes, func(c string) bool { return strings.Contains(v.Output, c) })
}

// failed reports whether the test failed before it came to the violation, or after it if it goes on
// freely, for which a process that ran beside may be the reason. That it has left goroutines behind is no
// failure, nor that it was ended as it had left its schedule.
func (v Verdict) failed(free bool) bool {
	if v.Status == bug.Confirmed && !free {
		return false
	}
	return v.Outcome.Effect.Harm() > bug.Leaks.Harm() || v.Outcome.TimedOut && !v.Strayed && v.Status != bug.Confirmed
}

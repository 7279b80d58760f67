package replayer

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Slots bound how many replays, of one or several witnesses, run at the same
// time: as many as the machine has processors, and more if they use little of
// these, as tests that sleep do. How many run concurrently does not change what
// they show, because the clock of a replayed program moves only while it waits.
//
// A test that runs concurrently with itself, or with another test of its
// package, may find its port or its file taken by the other process. A replay
// that such a clash could explain is rerun while no other replay of its package
// runs, and only the rerun counts. There are two exceptions: no other replay of
// the package ran at the same time, or the program does not say that something
// is taken, and earlier reruns of the same tests have failed as well.
//
// Tests that have found something taken run without others of their package
// from then on. The go command runs tests of several packages concurrently, too:
// only if something is taken even so the replay is run exclusively.
type Slots struct {
	processors int
	mu         sync.Mutex
	changed    *sync.Cond              // signals changes of the fields below
	all        lane                    // of all packages
	packages   map[string]*lane        // by path
	used, ran  time.Duration           // processor time and elapsed time of the last replays
	histories  map[string]*testHistory // by package and tests
}

// A testHistory is what is known of replays of some tests.
type testHistory struct {
	clashed      atomic.Bool  // the tests have found a port or file taken
	failedReruns atomic.Int32 // reruns without others of their package that failed
}

// knownUndisturbed reports whether enough reruns have failed without others of
// their package. Then others do not disturb the tests.
func (h *testHistory) knownUndisturbed() bool { return h.failedReruns.Load() >= enoughFailedReruns }

// A lane counts the replays of a package, or of all packages.
type lane struct {
	running, begun int
	waiting        int  // replays that wait until none runs
	closed         bool // no further replay may begin while one runs
}

// An isolation says which other replays may run concurrently with one.
type isolation int

const (
	concurrently   isolation = iota // with any others
	withoutPackage                  // with those of other packages
	exclusively                     // with none
)

// NewSlots returns slots for the replays that so many processors can run at the same time.
func NewSlots(processors int) *Slots {
	s := &Slots{processors: max(processors, 1), packages: make(map[string]*lane), histories: make(map[string]*testHistory)}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// Run calls run, which runs tests of a package, once there is room for it. run returns the
// processor time that it used and the elapsed time. It is not called if ctx ends before.
func (s *Slots) Run(ctx context.Context, pkg string, run func() (processor, elapsed time.Duration)) error {
	return s.runIn(ctx, pkg, concurrently, run)
}

// RunAloneInPackage is Run while nothing else of the package runs.
func (s *Slots) RunAloneInPackage(ctx context.Context, pkg string, run func() (processor, elapsed time.Duration)) error {
	return s.runIn(ctx, pkg, withoutPackage, run)
}

func (s *Slots) runIn(ctx context.Context, pkg string, where isolation, run func() (processor, elapsed time.Duration)) error {
	t, err := s.take(ctx, pkg, where)
	if err == nil {
		processor, elapsed := run()
		s.leave(t, processor, elapsed)
	}
	return err
}

// run runs a replay of w once there is room for it; at once if s is nil. Free
// says that the program runs freely after the schedule, so that a failure then
// may be what the replay is to show.
func (s *Slots) run(ctx context.Context, w *witness.Witness, free bool, replay func() (Verdict, error)) (v Verdict, err error) {
	if s == nil {
		return replay()
	}
	history := s.history(w)
	where, rerun := concurrently, false // rerun: the last replay failed while others ran
	if history.clashed.Load() {
		where = withoutPackage
	}
	for {
		t, noRoom := s.take(ctx, w.Package, where)
		if noRoom != nil {
			return Verdict{}, noRoom
		}
		if rerun && history.knownUndisturbed() { // since the last replay
			s.leave(t, 0, 0)
			return v, nil
		}
		v, err = replay()
		if rerun && err == nil && !v.clashed() && (v.Status != bug.Confirmed || v.failed(free)) {
			history.failedReruns.Add(1)
		}
		ofPackage, others := s.leave(t, v.Processor, v.Elapsed)
		switch {
		case err != nil:
			return v, err
		case v.clashed() && (where == concurrently || where == withoutPackage && others):
			history.clashed.Store(true)
			where, rerun = where+1, false
		case v.failed(free) && where == concurrently && ofPackage && !history.knownUndisturbed():
			where, rerun = withoutPackage, true
		default:
			return v, nil
		}
	}
}

// history returns the history of the tests of w.
func (s *Slots) history(w *witness.Witness) *testHistory {
	s.mu.Lock()
	defer s.mu.Unlock()
	tests := w.Package + "\x00" + strings.Join(w.Tests, "\x00")
	if s.histories[tests] == nil {
		s.histories[tests] = new(testHistory)
	}
	return s.histories[tests]
}

// A turn is the right of a replay to run.
type turn struct {
	own, all laneUse // in the lane of its package, and of all
	closed   *lane   // the lane that it has closed to others; nil: none
}

// A laneUse is the use of a lane by one replay.
type laneUse struct {
	*lane
	begun      int  // replays of the lane that had begun, with this one
	concurrent bool // other replays of the lane were running
}

// enter counts a replay that begins.
func (l *lane) enter() laneUse {
	l.running++
	l.begun++
	return laneUse{l, l.begun, l.running > 1}
}

// leave counts that the replay has ended, and reports whether others of the lane ran meanwhile.
func (s laneUse) leave() bool {
	s.running--
	return s.concurrent || s.lane.begun > s.begun
}

// take waits for room for one more replay of a package.
func (s *Slots) take(ctx context.Context, pkg string, where isolation) (*turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})()
	own := s.packages[pkg]
	if own == nil {
		own = new(lane)
		s.packages[pkg] = own
	}
	closed := map[isolation]*lane{withoutPackage: own, exclusively: &s.all}[where]
	if closed != nil {
		closed.waiting++
		defer func() {
			closed.waiting--
			s.changed.Broadcast()
		}()
	}
	for !s.hasRoom() || !s.isOpen(own, closed) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.changed.Wait()
	}
	if closed != nil {
		closed.closed = true
	}
	return &turn{own.enter(), s.all.enter(), closed}, nil
}

// isOpen reports whether a replay of a package may begin that closes a lane to others. A replay
// that waits for a lane to be empty has precedence: otherwise further replays would begin before
// any other has ended.
func (s *Slots) isOpen(own, closes *lane) bool {
	for _, l := range []*lane{&s.all, own} {
		switch {
		case l == closes:
			return l.running == 0
		case l.closed || l.waiting > 0:
			return false
		}
	}
	return true
}

// hasRoom reports whether one more replay can run. It assumes that each uses as much of a
// processor as the last ones have.
func (s *Slots) hasRoom() bool {
	n := s.all.running
	return n < s.processors || n < maxPerProcessor*s.processors && time.Duration(n+1)*s.used < time.Duration(s.processors)*s.ran
}

// leave makes room for another replay after one that took so long. It reports whether others of
// its package ran meanwhile, and others at all.
func (s *Slots) leave(t *turn, processor, elapsed time.Duration) (ofPackage, others bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used += processor - s.used/lastRuns
	s.ran += elapsed - s.ran/lastRuns
	if t.closed != nil {
		t.closed.closed = false
	}
	s.changed.Broadcast()
	return t.own.leave(), t.all.leave()
}

// clashes are texts of programs that find something taken.
var clashes = []string{
	"address already in use", "text file busy", "resource busy", "database is locked",
	"resource temporarily unavailable", "file exists",
}

// clashed reports whether the program says that something is taken.
func (v Verdict) clashed() bool {
	return slices.ContainsFunc(clashes, func(c string) bool { return strings.Contains(v.Output, c) })
}

// failed reports whether the test failed before it reached the violation, or after it if it runs
// freely then: another process may be the reason. Goroutines left running are no failure, nor that
// the program was ended after it had left its schedule.
func (v Verdict) failed(free bool) bool {
	if v.Status == bug.Confirmed && !free {
		return false
	}
	return v.Outcome.Effect.Severity() > bug.Leaks.Severity() || v.Outcome.TimedOut && !v.EndedEarly && v.Status != bug.Confirmed
}

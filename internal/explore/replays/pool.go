// Package replays runs tests again, under witnesses and without, and returns the results. It
// bounds how many of these runs go on concurrently, gives each a folder and a time limit, and
// checks that it is the schedule which makes a test fail.
package replays

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A Machine runs test binaries. Tests use a fake one.
type Machine interface {
	// Record runs the tests of a run again and records them into a file, see [recorder.Run.RecordAgain].
	Record(ctx context.Context, run recorder.Run, o recorder.Order, args []string, file string, limit time.Duration) (recorder.Run, error)
	// Confirm replays a witness until it is confirmed or not, see [replayer.Confirm].
	Confirm(ctx context.Context, bin replayer.Binary, w *witness.Witness, code replayer.Program, opts replayer.Options) (replayer.Result, error)
	// Continue replays a witness once, after which the program goes on freely. If there is a
	// delay, the operation of the violation is delayed so long, see [replayer.ReplayDelayed].
	Continue(ctx context.Context, bin replayer.Binary, w *witness.Witness, code replayer.Program, delay replayer.Delay, opts replayer.Options) (replayer.Result, error)
}

// processes is the machine that runs processes.
type processes struct{}

// Record is [recorder.Run.RecordAgain].
func (processes) Record(ctx context.Context, run recorder.Run, o recorder.Order, args []string, file string, limit time.Duration) (recorder.Run, error) {
	return run.RecordAgain(ctx, o, args, file, limit)
}

// Confirm is [replayer.Confirm].
func (processes) Confirm(ctx context.Context, bin replayer.Binary, w *witness.Witness, code replayer.Program, opts replayer.Options) (replayer.Result, error) {
	return replayer.Confirm(ctx, bin, w, code, opts)
}

// Continue is [replayer.ReplayDelayed], or one ordinary replay if there is no delay.
func (processes) Continue(ctx context.Context, bin replayer.Binary, w *witness.Witness, code replayer.Program, delay replayer.Delay, opts replayer.Options) (replayer.Result, error) {
	if delay == "" {
		return replayer.Repeat(ctx, bin, w, code, 1, opts)
	}
	return replayer.ReplayDelayed(ctx, bin, w, code, delay, opts)
}

// A Pool is what the replays of all packages share.
type Pool struct {
	Machine Machine
	Build   *recorder.Build
	Program replayer.Program // what witnesses are matched with
	Clock   *budget.Clock
	Status  *report.Status
	// Workers is how many findings of a package are replayed concurrently: more than there are
	// slots, so that no slot is idle.
	Workers int

	work    string          // folder for the files of replays
	slots   *replayer.Slots // for the processors
	steps   *semaphore.Weighted
	folders chan *replayer.Folder // those that no replay uses now
	prepare func() error          // makes the folders, once
	// controls are the runs of tests without a schedule, as functions that make the run once
	// and report whether the test passed. The keys name package, test and order of goroutines.
	controls    sync.Map
	controlRuns atomic.Int64
}

// NewPool returns a pool for a number of processors that keeps its files in the folder work.
func NewPool(build *recorder.Build, code replayer.Program, clock *budget.Clock, status *report.Status, work string, processors int) *Pool {
	// While one replay waits for its program another one uses the processor.
	workers := processors + (processors+1)/2
	p := &Pool{
		Machine: processes{}, Build: build, Program: code, Clock: clock, Status: status, Workers: workers,
		work: work, slots: replayer.NewSlots(processors), steps: semaphore.NewWeighted(maxConcurrentSteps),
		folders: make(chan *replayer.Folder, max(workers, budget.ConcurrentRuns)),
	}
	p.prepare = sync.OnceValue(p.makeFolders)
	return p
}

// Prepare makes the folders for the files of replays. It has to be called before any replay.
func (p *Pool) Prepare() error { return p.prepare() }

// makeFolders makes a folder for each replay that may run concurrently.
func (p *Pool) makeFolders() error {
	for i := range cap(p.folders) {
		folder := filepath.Join(p.work, fmt.Sprintf("replay-%d", i))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		p.folders <- replayer.NewFolder(folder)
	}
	return nil
}

// Record records the tests of a run again, in an order, with arguments of the test binary,
// into a file. It waits until a slot is free.
func (p *Pool) Record(ctx context.Context, run recorder.Run, o recorder.Order, args []string, file string) (again recorder.Run, err error) {
	if noRoom := p.slots.Run(ctx, run.Package.Path, func() (processor, elapsed time.Duration) {
		again, err = p.Machine.Record(ctx, run, o, args, file, RecordTime(run.Seconds)+time.Second)
		return recording.Seconds(again.Processor), recording.Seconds(again.Seconds)
	}); noRoom != nil {
		return again, noRoom
	}
	return again, err
}

// RecordTime returns the time limit of a further recording of a run that took some seconds.
func RecordTime(seconds float64) time.Duration {
	return 10*time.Second + 2*recording.Seconds(seconds)
}

// ReplayTime returns the time limit of one replay of tests that took some time when they were
// recorded. The limit is tighter for short tests.
func ReplayTime(took time.Duration) time.Duration {
	return min(replayer.DefaultTimeout, 5*time.Second+20*took) + 3*took
}

// continueTime returns the time limit of a run that a witness begins. It is tight, as such a
// run is only one of many.
func continueTime(took time.Duration) time.Duration { return 2*time.Second + 3*took }

// timeToEnd returns how long a program may go on after it has left its schedule, where its end
// matters: longer than its tests took.
func timeToEnd(took time.Duration) time.Duration { return 2*time.Second + took }

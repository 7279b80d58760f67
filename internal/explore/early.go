package explore

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file records the tests of a package in other orders while its first recording is
// searched: it is known by then which tests these are, and the two wait for different
// things. The recordings are read when the strategy asks for them.

// earlyRecordings are those of one package.
type earlyRecordings struct {
	mu   sync.Mutex
	all  []*earlyRecording
	stop context.CancelFunc
	done chan struct{} // closed once all are made
}

// An earlyRecording is one of them.
type earlyRecording struct {
	order recorder.Order
	args  []string
	run   recorder.Run
	err   error
}

// recordEarly begins to record the tests of the package, whose first trace is t, in the
// orders that the strategy will ask for. It returns nil if tests have failed or not ended,
// as other recordings come first then.
func (l *loop) recordEarly(ctx context.Context, t *trace.Trace) *earlyRecordings {
	run := l.ledger.Run
	if !t.Complete || run.Result != recorder.Pass || len(recording.Failing(t)) > 0 {
		return nil
	}
	sizes := recording.SizesOf(t)
	tests, events := recording.Smallest(sizes.Concurrent, sizes.Events, recording.MaxRepeated)
	allowance := budget.NewAllowance(t)
	ctx, stop := context.WithCancel(ctx)
	e := &earlyRecordings{stop: stop, done: make(chan struct{})}
	for k := range l.strategy.CountOrders(run, events) {
		some := l.strategy.Affordable(run, recording.Waited(t), tests, sizes.Events, allowance)
		if len(some) == 0 {
			break
		}
		e.all = append(e.all, &earlyRecording{order: l.strategy.Order(k), args: argsFor(run, some)})
	}
	l.session.early.Go(func() {
		defer close(e.done)
		bound, end := l.session.clock.LimitAnalysis(ctx)
		defer end()
		for k, r := range e.all {
			r.run, r.err = l.session.pool.Record(bound, run, r.order, r.args, fmt.Sprintf("%s-early-%d", run.Trace, k))
		}
	})
	return e
}

// wait waits until all are made: replays of the same tests may not run at the same time.
func (e *earlyRecordings) wait() {
	if e != nil {
		<-e.done
	}
}

// end stops those that were not asked for.
func (e *earlyRecordings) end() {
	if e != nil {
		e.stop()
		<-e.done
	}
}

// take returns the recording in an order, with arguments of the test binary, once; nil if it
// was not made.
func (e *earlyRecordings) take(o recorder.Order, args []string) *earlyRecording {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	k := slices.IndexFunc(e.all, func(r *earlyRecording) bool { return r.order == o && slices.Equal(r.args, args) })
	if k < 0 {
		return nil
	}
	<-e.done
	r := e.all[k]
	e.all = slices.Delete(e.all, k, k+1)
	return r
}

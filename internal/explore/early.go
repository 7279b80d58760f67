package explore

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file records the tests of a package in other orders while its first recording is searched:
// which tests these are is known by then, and both wait for different things. They are read where
// inOrders comes to them.

// early are the recordings of one package that are made before they are asked for.
type early struct {
	mu   sync.Mutex // for all
	all  []*earlyRun
	stop context.CancelFunc
	done chan struct{} // closed once none is made any more
}

// An earlyRun is one of them.
type earlyRun struct {
	order recorder.Order
	args  []string
	run   recorder.Run
	err   error
}

// recordEarly begins to record tests of run, of which t is the trace and sized has the sizes, in
// the orders in which inOrders will record them; nil if there is nothing to record, or tests have
// failed or not ended, by which other recordings come first.
func (x *inPackage) recordEarly(ctx context.Context, run recorder.Run, t *trace.Trace, sized func() ([]string, map[string]int)) *early {
	if !t.Complete || run.Result != recorder.Pass || len(failing(t)) > 0 {
		return nil
	}
	several, size := sized()
	tests, events := fewest(several, size, againEvents)
	further := newAllowance(t)
	ctx, stop := context.WithCancel(ctx)
	e := &early{stop: stop, done: make(chan struct{})}
	for k := range x.orders(run, events) {
		some := x.affordable(run, waited(t), tests, size, further)
		if len(some) == 0 {
			break
		}
		e.all = append(e.all, &earlyRun{order: x.otherOrder(k), args: argsAgain(run, some)})
	}
	x.making.Go(func() {
		defer close(e.done)
		bound, end := x.inBound(ctx)
		defer end()
		for k, r := range e.all {
			r.run, r.err = x.again(bound, run, r.order, r.args, fmt.Sprintf("%s-early-%d", run.Trace, k))
		}
	})
	return e
}

// wait waits until the recordings are made: replays of the same tests may not run beside them.
func (e *early) wait() {
	if e != nil {
		<-e.done
	}
}

// end ends those that nobody has asked for.
func (e *early) end() {
	if e != nil {
		e.stop()
		<-e.done
	}
}

// take returns the recording in an order, with arguments of the test binary, once; nil if it was not
// made.
func (e *early) take(o recorder.Order, args []string) *earlyRun {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	at := slices.IndexFunc(e.all, func(r *earlyRun) bool { return r.order == o && slices.Equal(r.args, args) })
	if at < 0 {
		return nil
	}
	<-e.done
	r := e.all[at]
	e.all = slices.Delete(e.all, at, at+1)
	return r
}

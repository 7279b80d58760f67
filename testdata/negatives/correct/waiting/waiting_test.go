package waiting

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Tests that wait. None of them fails unless somebody is late by a second or more.

func TestSleepsForASecond(t *testing.T) {
	var n atomic.Int32
	go n.Add(1)
	time.Sleep(1200 * time.Millisecond)
	if n.Load() != 1 {
		t.Fatal("not done")
	}
}

func TestGivesUpAfterASecond(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	select {
	case <-c:
	case <-time.After(time.Second):
		t.Fatal("timeout")
	}
}

func TestTwoWaitsOneLimit(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1; c <- 2 }()
	limit := time.After(2 * time.Second)
	for range 2 {
		select {
		case <-c:
		case <-limit:
			t.Fatal("timeout")
		}
	}
}

func TestWaitGroupTimeout(t *testing.T) {
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { time.Sleep(time.Millisecond) })
	}
	done := make(chan struct{})
	go func() { defer close(done); wg.Wait() }()
	select {
	case <-done:
	case <-time.After(3 * time.Second):
		t.Fatal("timeout")
	}
}

func TestContextOfSeconds(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	errc := make(chan error, 1)
	go func() {
		select {
		case <-time.After(time.Millisecond):
			errc <- nil
		case <-ctx.Done():
			errc <- ctx.Err()
		}
	}()
	if err := <-errc; err != nil {
		t.Fatal(err)
	}
}

func TestClientTimeout(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("ok")) }))
	defer s.Close()
	c := http.Client{Timeout: 10 * time.Second}
	resp, err := c.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

func TestConnDeadline(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	a.SetDeadline(time.Now().Add(5 * time.Second))
	go func() { b.Write([]byte("x")); b.Close() }()
	if _, err := a.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never")
		}
	}
}

func TestEventually(t *testing.T) {
	var mu sync.Mutex
	var got []int
	for i := range 3 {
		go func() { mu.Lock(); got = append(got, i); mu.Unlock() }()
	}
	eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(got) == 3 })
}

func TestEventuallyByTicker(t *testing.T) {
	var up atomic.Bool
	time.AfterFunc(2*time.Millisecond, func() { up.Store(true) })
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(5 * time.Second)
	defer limit.Stop()
	for !up.Load() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatal("never")
		}
	}
}

type worker struct {
	mu    sync.Mutex
	n     int
	tick  chan time.Time
	stop  chan struct{}
	done  chan int
	ended sync.WaitGroup
}

func newWorker() *worker {
	w := &worker{tick: make(chan time.Time), stop: make(chan struct{}), done: make(chan int, 1)}
	w.ended.Go(func() {
		for {
			select {
			case <-w.tick:
				w.flush()
			case <-w.stop:
				return
			}
		}
	})
	return w
}

func (w *worker) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n > 0 {
		w.done <- w.n
		w.n = 0
	}
}
func (w *worker) add() { w.mu.Lock(); w.n++; w.mu.Unlock() }
func (w *worker) end() { close(w.stop); w.ended.Wait() }

func TestTickedWorker(t *testing.T) {
	w := newWorker()
	defer w.end()
	w.add()
	w.add()
	w.tick <- time.Now()
	select {
	case n := <-w.done:
		if n != 2 {
			t.Error(n)
		}
	case <-time.After(time.Second):
		t.Error("nothing")
	}
}

func TestTickedWorkerAfterSleep(t *testing.T) {
	w := newWorker()
	defer w.end()
	time.Sleep(time.Millisecond)
	w.add()
	w.tick <- time.Now()
	select {
	case n := <-w.done:
		if n != 1 {
			t.Error(n)
		}
	case <-time.After(2 * time.Second):
		t.Error("nothing")
	}
}

func TestTickedWorkerTwice(t *testing.T) {
	w := newWorker()
	defer w.end()
	for range 2 {
		w.add()
		time.Sleep(2 * time.Millisecond)
		w.tick <- time.Now()
		select {
		case <-w.done:
		case <-time.After(time.Second):
			t.Error("nothing")
		}
	}
}

func TestSlowProducerLongLimit(t *testing.T) {
	c := make(chan int)
	go func() {
		for i := range 3 {
			time.Sleep(time.Millisecond)
			c <- i
		}
		close(c)
	}()
	var got []int
	for {
		select {
		case v, ok := <-c:
			if !ok {
				if !slices.Equal(got, []int{0, 1, 2}) {
					t.Fatal(got)
				}
				return
			}
			got = append(got, v)
		case <-time.After(5 * time.Second):
			t.Fatal("timeout")
		}
	}
}

func TestSleepsNeverTooShort(t *testing.T) {
	begun := time.Now()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { time.Sleep(3 * time.Millisecond) })
	}
	wg.Wait()
	if d := time.Since(begun); d < 3*time.Millisecond {
		t.Fatal(d)
	}
}

func TestTimerOrderIsOfTheirTimes(t *testing.T) {
	begun := time.Now()
	a, b := time.After(time.Millisecond), time.After(3*time.Millisecond)
	if at := <-a; at.Before(begun) {
		t.Fatal(at)
	}
	if at := <-b; at.Sub(begun) < 3*time.Millisecond {
		t.Fatal(at)
	}
}

func TestLateIsHandled(t *testing.T) { // either answer is right, and both are handled
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
	defer cancel()
	work := func() error {
		select {
		case <-time.After(time.Millisecond):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	errc := make(chan error)
	go func() { errc <- work() }()
	if err := <-errc; err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func TestRateIsBounded(t *testing.T) {
	begun := time.Now()
	last := begun
	var mu sync.Mutex
	wait := func() {
		mu.Lock()
		next := last.Add(time.Millisecond)
		last = next
		mu.Unlock()
		time.Sleep(time.Until(next))
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(wait)
	}
	wg.Wait()
	if d := time.Since(begun); d < 3*time.Millisecond {
		t.Fatal(d)
	}
}

func TestLeaseIsRenewed(t *testing.T) {
	var mu sync.Mutex
	until := time.Now().Add(time.Hour)
	renew := func() { mu.Lock(); until = time.Now().Add(time.Hour); mu.Unlock() }
	valid := func() bool { mu.Lock(); defer mu.Unlock(); return time.Now().Before(until) }
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				renew()
			case <-stop:
				return
			}
		}
	})
	for range 3 {
		time.Sleep(time.Millisecond)
		if !valid() {
			t.Fatal("expired")
		}
	}
	close(stop)
	wg.Wait()
}

func TestStopReturnsTrueOrFired(t *testing.T) {
	fired := make(chan struct{}, 1)
	timer := time.AfterFunc(time.Millisecond, func() { fired <- struct{}{} })
	time.Sleep(time.Millisecond)
	if !timer.Stop() {
		<-fired
	}
	select {
	case <-fired:
		t.Fatal("fired after Stop")
	default:
	}
}

func TestStopBeforeLongTimer(t *testing.T) {
	n := 0
	timer := time.AfterFunc(time.Minute, func() { n++ })
	time.Sleep(time.Millisecond)
	if !timer.Stop() {
		t.Fatal("fired")
	}
	if n != 0 {
		t.Fatal(n)
	}
}

func TestResetUnderLock(t *testing.T) {
	var mu sync.Mutex
	expired := false
	var timer *time.Timer
	mu.Lock()
	timer = time.AfterFunc(time.Minute, func() { mu.Lock(); expired = true; mu.Unlock() })
	mu.Unlock()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { mu.Lock(); timer.Reset(time.Minute); mu.Unlock() })
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	timer.Stop()
	if expired {
		t.Fatal("expired")
	}
}

func TestAfterFuncOfContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	context.AfterFunc(ctx, func() { ended <- ctx.Err() })
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func TestAcceptUntilClosed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			c.Close()
		}
	}()
	time.Sleep(time.Millisecond)
	l.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Fatal(err)
	}
}

func TestReadUntilClosed(t *testing.T) {
	a, b := net.Pipe()
	ended := make(chan error)
	go func() { _, err := a.Read(make([]byte, 1)); ended <- err }()
	time.Sleep(time.Millisecond)
	b.Close()
	if err := <-ended; err == nil {
		t.Fatal("no error")
	}
	a.Close()
}

func TestServerWithTicker(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	})
	wg.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	close(stop)
	l.Close()
	wg.Wait()
}

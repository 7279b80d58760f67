package selects

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestQuit(t *testing.T) {
	quit, done := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-quit:
				done <- n
				return
			default:
				n++
				time.Sleep(time.Microsecond)
			}
		}
	}()
	close(quit)
	if <-done < 0 {
		t.Fatal()
	}
}

func TestTimeoutNeverComes(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	select {
	case v := <-c:
		if v != 1 {
			t.Fatal(v)
		}
	case <-time.After(time.Minute):
		t.Fatal("timeout")
	}
}

func TestTimeoutAlwaysComes(t *testing.T) {
	c := make(chan int)
	select {
	case <-c:
		t.Fatal("nobody sends")
	case <-time.After(time.Millisecond):
	}
}

func TestEitherIsFine(t *testing.T) {
	a, b := make(chan string, 1), make(chan string, 1)
	go func() { a <- "a" }()
	go func() { b <- "b" }()
	var first, second string
	select {
	case first = <-a:
		second = <-b
	case first = <-b:
		second = <-a
	}
	if first == second {
		t.Fatal(first)
	}
}

func TestTrySend(t *testing.T) {
	c := make(chan int, 1)
	var sent, dropped atomic.Int32
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			select {
			case c <- i:
				sent.Add(1)
			default:
				dropped.Add(1)
			}
		})
	}
	wg.Wait()
	if sent.Load() != 1 || dropped.Load() != 2 {
		t.Fatal(sent.Load(), dropped.Load())
	}
}

func TestWakeup(t *testing.T) { // a flag channel of one: no wake-up is lost
	wake := make(chan struct{}, 1)
	var mu sync.Mutex
	var queue []int
	got := make(chan int)
	go func() {
		for n := 0; n < 3; {
			<-wake
			mu.Lock()
			batch := queue
			queue = nil
			mu.Unlock()
			for _, v := range batch {
				got <- v
				n++
			}
		}
		close(got)
	}()
	for i := range 3 {
		go func() {
			mu.Lock()
			queue = append(queue, i)
			mu.Unlock()
			select {
			case wake <- struct{}{}:
			default:
			}
		}()
	}
	var all []int
	for v := range got {
		all = append(all, v)
	}
	slices.Sort(all)
	if !slices.Equal(all, []int{0, 1, 2}) {
		t.Fatal(all)
	}
}

func TestContextCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { <-ctx.Done(); done <- ctx.Err() }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestContextCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	first, second := errors.New("first"), errors.New("second")
	var wg sync.WaitGroup
	for _, err := range []error{first, second} {
		wg.Go(func() { cancel(err) })
	}
	wg.Wait()
	if c := context.Cause(ctx); c != first && c != second {
		t.Fatal(c)
	}
}

func TestDeadlineOfWork(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	res := make(chan int, 1)
	go func() { res <- 3 }()
	select {
	case v := <-res:
		if v != 3 {
			t.Fatal(v)
		}
	case <-ctx.Done():
		t.Fatal(ctx.Err())
	}
}

func TestDeadlineComes(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Fatal(ctx.Err())
	}
}

func TestErrAfterDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			<-ctx.Done()
			if ctx.Err() == nil {
				t.Error("no error")
			}
		})
	}
	cancel()
	wg.Wait()
}

func TestLoopLooksAtErr(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var rounds atomic.Int32
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			rounds.Add(1)
			time.Sleep(time.Microsecond)
		}
	}()
	cancel()
	<-done
}

func TestAfterFuncStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var ran atomic.Bool
	stop := context.AfterFunc(ctx, func() { ran.Store(true) })
	if !stop() {
		t.Fatal("not stopped")
	}
	cancel()
	if ran.Load() {
		t.Fatal("ran")
	}
}

func TestAfterFuncRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { close(ran) })
	cancel()
	<-ran
	if stop() {
		t.Fatal("stopped what has run")
	}
}

func TestCondWithContext(t *testing.T) { // the example of package context
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	ctx, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		cond.Broadcast()
	})
	defer stop()
	done := make(chan error)
	go func() {
		mu.Lock()
		defer mu.Unlock()
		for ctx.Err() == nil {
			cond.Wait()
		}
		done <- ctx.Err()
	}()
	cancel()
	if err := <-done; err != context.Canceled {
		t.Fatal(err)
	}
}

func TestValues(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(context.Background(), key{}, "v")
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if ctx.Value(key{}) != "v" {
				t.Error("no value")
			}
		})
	}
	wg.Wait()
}

func TestChildrenEnd(t *testing.T) {
	parent, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			ctx, stop := context.WithCancel(parent)
			defer stop()
			<-ctx.Done()
		})
	}
	cancel()
	wg.Wait()
}

func TestSendOrGiveUp(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	out := make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case out <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for want := range 3 {
		if v := <-out; v != want {
			t.Fatal(v, want)
		}
	}
	cancel()
	wg.Wait()
}

func TestPriority(t *testing.T) { // what matters more is looked at once more
	high, low := make(chan int, 3), make(chan int, 3)
	for i := range 3 {
		high <- i
		low <- 10 + i
	}
	close(high)
	var got []int
	for high != nil {
		select {
		case v, ok := <-high:
			if !ok {
				high = nil
				break
			}
			got = append(got, v)
		default:
			select {
			case v, ok := <-high:
				if !ok {
					high = nil
					break
				}
				got = append(got, v)
			case v := <-low:
				got = append(got, v)
			}
		}
	}
	if !slices.Equal(got, []int{0, 1, 2}) {
		t.Fatal(got)
	}
}

func TestOrDone(t *testing.T) {
	or := func(chans ...<-chan struct{}) <-chan struct{} {
		out := make(chan struct{})
		var once sync.Once
		all := make(chan struct{})
		for _, c := range chans {
			go func() {
				select {
				case <-c:
					once.Do(func() { close(out); close(all) })
				case <-all:
				}
			}()
		}
		return out
	}
	a, b := make(chan struct{}), make(chan struct{})
	out := or(a, b)
	close(b)
	<-out
}

func TestHeartbeat(t *testing.T) {
	beat := make(chan int, 1)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				select {
				case beat <- n:
				default:
				}
			}
		}
	}()
	<-beat
	<-beat
	close(stop)
	<-stopped
}

func TestDoneThenResult(t *testing.T) { // both may be ready: either is right
	ctx, cancel := context.WithCancel(context.Background())
	res := make(chan int, 1)
	go func() { res <- 1 }()
	go cancel()
	select {
	case <-res:
	case <-ctx.Done():
		<-res
	}
}

func TestWithoutCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	detached := context.WithoutCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(cancel)
	wg.Go(func() {
		if detached.Err() != nil {
			t.Error("cancelled")
		}
	})
	wg.Wait()
}

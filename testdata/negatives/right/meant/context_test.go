package meant

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

func TestContextDoneThenErr(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	<-ctx.Done()
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Error(ctx.Err())
	}
}

func TestContextSelectErr(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { cancel(errors.New("enough")) })
	select {
	case <-ctx.Done():
		if context.Cause(ctx).Error() != "enough" || ctx.Err() == nil {
			t.Error(ctx.Err())
		}
	case <-time.After(time.Minute):
		t.Error("no end")
	}
	wg.Wait()
}

func TestContextLoop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n, done := 0, make(chan bool)
	go func() {
		for ctx.Err() == nil {
			n++
			time.Sleep(time.Millisecond)
		}
		close(done)
	}()
	time.Sleep(3 * time.Millisecond)
	cancel()
	<-done
	if ctx.Err() == nil {
		t.Error("not cancelled")
	}
}

func TestContextChild(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	child := context.WithValue(ctx, "k", 1)
	go cancel()
	<-child.Done()
	if child.Err() == nil || ctx.Err() == nil {
		t.Error("not cancelled")
	}
}

func TestContextDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	if ctx.Err() != context.DeadlineExceeded {
		t.Error(ctx.Err())
	}
}

func work(ctx context.Context, in <-chan int) (sum int, err error) {
	for {
		select {
		case v, ok := <-in:
			if !ok {
				return sum, ctx.Err()
			}
			sum += v
		case <-ctx.Done():
			return sum, ctx.Err()
		}
	}
}

func TestContextWorker(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in := make(chan int)
	result := make(chan error)
	go func() { _, err := work(ctx, in); result <- err }()
	in <- 1
	cancel()
	if err := <-result; err == nil {
		t.Error("no error")
	}
}

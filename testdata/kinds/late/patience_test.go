package late

import (
	"context"
	"sync"
	"testing"
	"time"
)

// retry waits for a minute, or until ctx is done.
func retry(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
	}
}

// Nobody is late by the minute that shows that retry waits, nor by the second that shows
// a hang.
func TestPatience(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan bool)
	go func() {
		defer close(done)
		retry(ctx)
	}()
	select {
	case <-done:
		t.Fatal("retry does not wait")
	default:
	}
	cancel()
	select {
	case <-done:
	case <-time.After(time.Second):
		t.Fatal("retry hangs")
	}
}

// TestLogsInTime logs in a goroutine, and would be over by then only if it failed.
func TestLogsInTime(t *testing.T) {
	done := make(chan struct{})
	go func() {
		t.Log("done")
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
		t.Fatal("the goroutine hangs")
	}
}

// Nobody keeps the lock for the second that the timer takes.
func TestSendForLong(t *testing.T) {
	var mu sync.Mutex
	ticks, done := make(chan bool), make(chan bool)
	time.AfterFunc(time.Second, func() {
		mu.Lock()
		ticks <- true
		mu.Unlock()
		close(done)
	})
	mu.Lock()
	mu.Unlock()
	<-ticks
	<-done
}

// The type of the error is another one only if the answer takes a second.
func TestConverts(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	answers := make(chan error, 1)
	go func() { answers <- &refused{} }()
	err := error(nil)
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case err = <-answers:
	}
	t.Log(err.(*refused).reason)
}

type refused struct{ reason string }

func (*refused) Error() string { return "refused" }

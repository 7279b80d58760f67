// Package ended has goroutines that use a test that may have ended.
package ended

import (
	"context"
	"sync"
	"testing"
	"time"
)

// A goroutine logs behind the close that the test waits for.
func TestLogAfterClose(t *testing.T) {
	done := make(chan struct{})
	go func() {
		close(done)
		t.Log("done")
	}()
	<-done
}

// Logf behind a send.
func TestLogfAfterSend(t *testing.T) {
	results := make(chan int)
	go func() {
		results <- 1
		t.Logf("sent %d", 1)
	}()
	if <-results != 1 {
		t.Error("not 1")
	}
}

// Log behind WaitGroup.Done.
func TestLogAfterDone(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		wg.Done()
		t.Log("worker ends")
	}()
	wg.Wait()
}

// Nobody waits for the goroutine.
func TestNobodyWaits(t *testing.T) {
	go func() { t.Log("in the background") }()
}

type logger interface{ Logf(string, ...any) }

type server struct {
	log  logger
	quit chan struct{}
}

func (s *server) run() {
	<-s.quit
	s.log.Logf("stopped")
}

// A server logs through an interface when it is stopped.
func TestServerLogs(t *testing.T) {
	s := &server{log: t, quit: make(chan struct{})}
	go s.run()
	close(s.quit)
}

// A helper that takes a TB.
func watch(tb testing.TB, ctx context.Context) {
	<-ctx.Done()
	tb.Helper()
	tb.Log("watcher:", ctx.Err())
}

// A watcher logs when the test's own context ends.
func TestWatcher(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	go watch(t, ctx)
	cancel()
}

// A deferred log comes after Done.
func TestDeferredLog(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer t.Log("deferred")
		defer wg.Done()
	}()
	wg.Wait()
}

// A subtest's goroutine outlives the subtest.
func TestSubtest(t *testing.T) {
	var wg sync.WaitGroup
	t.Run("sub", func(t *testing.T) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			t.Log("in sub")
		}()
	})
	wg.Wait()
}

// A parallel subtest's goroutine.
func TestParallelSubtest(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := make(chan string)
			go func() {
				c <- name
				t.Log(name)
			}()
			<-c
		})
	}
}

// A method value of t is a callback.
func TestMethodValue(t *testing.T) {
	notify := t.Log
	done := make(chan bool, 1)
	go func() {
		done <- true
		notify("called back")
	}()
	<-done
}

// A timer's function logs at about the time of the test's end.
func TestAfterFunc(t *testing.T) {
	fired := make(chan struct{})
	time.AfterFunc(time.Millisecond, func() {
		close(fired)
		t.Log("fired")
	})
	<-fired
}

// Two workers, and the test waits for the first result only.
func TestFirstResult(t *testing.T) {
	results := make(chan int, 2)
	for i := range 2 {
		go func() {
			results <- i
			t.Logf("worker %d ends", i)
		}()
	}
	<-results
	<-results
}

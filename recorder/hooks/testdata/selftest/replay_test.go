package selftest

import (
	"context"
	"crypto/rand"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"predictrt"
)

// TestGuarded has a race between a goroutine that a time-out guards and one
// that comes long after.
func TestGuarded(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	b, done := &box{}, make(chan bool, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		predictrt.Store(&b.n, siteWrite).Set(1)
		done <- true
	})
	wg.Go(func() {
		time.Sleep(100 * time.Millisecond)
		_ = *predictrt.Load(&b.n, siteRead)
	})
	select {
	case <-done:
	case <-ctx.Done():
		t.Error(ctx.Err())
	}
	wg.Wait()
}

// TestTimeoutOfSleeper has a race with what comes after a time-out. Whoever sleeps for
// longer finds that it has come.
func TestTimeoutOfSleeper(t *testing.T) {
	b, quit := &box{}, make(chan bool)
	go b.late(quit)
	time.Sleep(100 * time.Millisecond)
	close(quit)
	_ = *predictrt.Load(&b.n, siteRead)
}

// TestTimeoutOfServer is so too, with a goroutine that waits for what may come from
// outside.
func TestTimeoutOfServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go l.Accept()
	b := &box{}
	go b.late(nil)
	_ = *predictrt.Load(&b.n, siteRead)
	time.Sleep(100 * time.Millisecond)
}

func (b *box) late(quit chan bool) {
	select {
	case <-time.After(25 * time.Millisecond):
		predictrt.Store(&b.n, siteWrite).Set(1)
	case <-quit:
	}
}

// TestLongSleep sleeps before all else, while no schedule holds anything.
func TestLongSleep(t *testing.T) {
	b, begun, done := &box{}, time.Now(), make(chan bool)
	go func() {
		time.Sleep(5 * time.Minute)
		_ = *predictrt.Load(&b.n, siteRead)
		close(done)
	}()
	<-done
	t.Log("slept for", time.Since(begun).Truncate(time.Second))
}

// TestBranch has a condition that holds if THEN is empty.
func TestBranch(t *testing.T) { predictrt.Branch(os.Getenv("THEN") == "", siteRead) }

// TestOutside reads what OUTSIDE names and ends.
func TestOutside(t *testing.T) {
	var buf [1]byte
	switch os.Getenv("OUTSIDE") {
	case "clock":
		_ = time.Now().UnixNano()
	case "file":
		os.ReadFile(os.Args[0])
	case "network":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go net.Dial("tcp", l.Addr().String())
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		c.SetReadDeadline(time.Now().Add(time.Millisecond))
		c.Read(buf[:])
	case "crypto":
		rand.Read(buf[:])
	}
}

// TestPutOff says which case its select takes.
func TestPutOff(t *testing.T) {
	first, second, third := make(chan bool, 1), make(chan bool, 1), make(chan bool, 1)
	go func() { first <- true }()
	go func() { second <- true }()
	go func() {
		time.Sleep(10 * time.Millisecond)
		third <- true
	}()
	select {
	case <-first:
		t.Log("took the first")
	case <-second:
		t.Log("took the second")
	case <-third:
		t.Log("took the third")
	}
}

// TestReadsWithin reads a lock again that it has read, while another goroutine wants to write.
func TestReadsWithin(t *testing.T) {
	var mu sync.RWMutex
	var both sync.WaitGroup
	both.Go(func() {
		mu.RLock()
		mu.RLock()
		mu.RUnlock()
		mu.RUnlock()
	})
	both.Go(func() {
		mu.Lock()
		mu.Unlock()
	})
	both.Wait()
}

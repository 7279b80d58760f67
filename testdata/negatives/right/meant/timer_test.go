package meant

import (
	"sync"
	"testing"
	"time"
)

const short, half = 20 * time.Millisecond, 10 * time.Millisecond

// Right: each expiry knows whose it is.
type lease struct {
	mu    sync.Mutex
	open  bool
	turn  int
	timer *time.Timer
}

func (l *lease) refresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.turn++
	turn := l.turn
	l.open = true
	l.timer = time.AfterFunc(short, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if turn == l.turn {
			l.open = false
		}
	})
}

func TestTimerTurns(t *testing.T) {
	l := &lease{}
	l.refresh()
	time.Sleep(half)
	l.refresh()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.turn != 2 {
		t.Error("lost a turn")
	}
	l.timer.Stop()
}

// Right: whoever did not stop it waits for it.
func TestTimerWaits(t *testing.T) {
	done, n := make(chan bool), 0
	timer := time.AfterFunc(short, func() { n++; close(done) })
	time.Sleep(half)
	if !timer.Stop() {
		<-done
		n--
	}
	if n != 0 {
		t.Error(n)
	}
}

// Right: an hour comes to nobody.
func TestTimerHour(t *testing.T) {
	called := make(chan bool, 1)
	timer := time.AfterFunc(time.Hour, func() { called <- true })
	time.Sleep(half)
	timer.Stop()
	select {
	case <-called:
		t.Error("called")
	default:
	}
}

// Right: a watchdog of a second is stopped at once.
func TestTimerWatchdog(t *testing.T) {
	w := time.AfterFunc(time.Second, func() { panic("hangs") })
	defer w.Stop()
	var wg sync.WaitGroup
	wg.Go(func() {})
	wg.Wait()
}

// Right: a timer of a channel.
func TestTimerChannel(t *testing.T) {
	timer := time.NewTimer(short)
	if !timer.Stop() {
		select {
		case <-timer.C:
		default:
		}
	}
	timer.Reset(time.Millisecond)
	<-timer.C
}

// Right: nobody stops it, and it counts under a lock.
func TestTimerUnstopped(t *testing.T) {
	var mu sync.Mutex
	n := 0
	time.AfterFunc(short, func() { mu.Lock(); n++; mu.Unlock() })
	mu.Lock()
	defer mu.Unlock()
	if n++; n > 2 {
		t.Error(n)
	}
}

// Right: nobody stops a watchdog of a minute.
func TestTimerUnstoppedWatchdog(t *testing.T) {
	time.AfterFunc(time.Minute, func() { panic("hangs") })
	var wg sync.WaitGroup
	wg.Go(func() {})
	wg.Wait()
}

// Right: what it sends has room, and what it closes is waited for.
func TestTimerUnstoppedSend(t *testing.T) {
	ch, done := make(chan int, 1), make(chan bool)
	time.AfterFunc(half, func() { close(done) })
	time.AfterFunc(short, func() { ch <- 1 })
	select {
	case <-ch:
	case <-done:
	}
}

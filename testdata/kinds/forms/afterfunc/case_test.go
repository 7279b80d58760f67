// Package afterfunc has timers that are stopped when their functions may have begun.
package afterfunc

import (
	"sync"
	"testing"
	"time"
)

type lease struct {
	mu    sync.Mutex
	open  bool
	timer *time.Timer
}

// refresh ignores what Stop says: an expire that is on its way closes what was refreshed.
func (l *lease) refresh() {
	l.mu.Lock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = true
	l.timer = time.AfterFunc(20*time.Millisecond, l.expire)
}

func (l *lease) expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = false
}

func (l *lease) isOpen() bool { l.mu.Lock(); defer l.mu.Unlock(); return l.open }

//want:assertion test-failure
func TestRefresh(t *testing.T) {
	l := &lease{}
	l.refresh()
	time.Sleep(10 * time.Millisecond)
	l.refresh()
	if !l.isOpen() {
		t.Error("closed, but refreshed")
	}
	l.timer.Stop()
}

// Another goroutine looks, too.
//
//want:assertion test-failure
func TestRefreshLooked(t *testing.T) {
	l := &lease{}
	go l.isOpen()
	l.refresh()
	time.Sleep(10 * time.Millisecond)
	l.refresh()
	if !l.isOpen() {
		t.Error("closed, but refreshed")
	}
	l.timer.Stop()
}

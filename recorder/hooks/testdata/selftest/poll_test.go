package selftest

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"predictrt"
)

// polls waits until something is set, in loops that never block.
type polls struct {
	mu        sync.Mutex
	locked    bool
	one, both atomic.Bool
	plain     bool
	taken     int
	c         chan bool
}

func (p *polls) set() {
	p.mu.Lock()
	p.locked = true
	p.mu.Unlock()
	p.one.Store(true)
	p.both.Store(true)
	predictrt.Store(&p.plain, siteSpin).Set(true)
	close(p.c)
}

func (p *polls) isLocked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return *predictrt.Load(&p.locked, siteSpin)
}

// tries is isLocked for who takes something meanwhile, and puts it back.
func (p *polls) tries() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	predictrt.Store(&p.taken, siteSpin).Set(1)
	predictrt.Store(&p.taken, siteSpin).Set(0)
	return *predictrt.Load(&p.locked, siteSpin)
}

func (p *polls) wait(how string) {
	switch how {
	case "lock":
		for !p.isLocked() {
		}
	case "atomic":
		for !p.one.Load() {
		}
	case "atomics":
		for !p.one.Load() || !p.both.Load() {
		}
	case "plain":
		for !*predictrt.Load(&p.plain, siteSpin) {
		}
	case "select":
		for {
			select {
			case <-p.c:
				return
			default:
			}
		}
	case "gosched":
		for !p.one.Load() {
			runtime.Gosched()
		}
	case "changes":
		for !p.tries() {
			runtime.Gosched()
		}
	case "sleep":
		for !p.isLocked() {
			time.Sleep(time.Millisecond)
		}
	case "trylock":
		for !p.mu.TryLock() {
		}
		p.mu.Unlock()
	}
}

// TestPoll has a race between the goroutine that sets what the other one polls
// for, and that one. In between, AFTER names what else could set it.
func TestPoll(t *testing.T) {
	p := &polls{c: make(chan bool)}
	how, b := os.Getenv("POLL"), &box{}
	set := p.set
	if how == "trylock" {
		p.mu.Lock()
		set = p.mu.Unlock
	}
	var once sync.Once
	switch os.Getenv("AFTER") {
	case "sleep":
		go func() {
			time.Sleep(200 * time.Millisecond)
			once.Do(set)
		}()
	case "timer":
		time.AfterFunc(20*time.Millisecond, func() { once.Do(set) })
	}
	done := make(chan bool)
	go func() {
		predictrt.Store(&b.n, siteWrite).Set(1)
		once.Do(set)
		close(done)
	}()
	p.wait(how)
	_ = *predictrt.Load(&b.n, siteRead)
	<-done
}

// TestPollBeside polls in rounds of a section of a lock and of looks at what another goroutine sets in a section of that
// lock, which lets it go on there. It looks at something else before, so that it lets the other one go at another place
// of a round each time.
func TestPollBeside(t *testing.T) {
	for n := range 12 {
		var mu sync.RWMutex
		var one, another atomic.Bool
		done := make(chan bool)
		go func() {
			time.Sleep(time.Millisecond) // until the rounds are no events any more
			mu.Lock()
			one.Store(true)
			runtime.Gosched()
			mu.Unlock()
			close(done)
		}()
		for range n {
			another.Load()
		}
		for !one.Load() {
			mu.RLock()
			mu.RUnlock()
			for range n % 3 {
				another.Load()
			}
		}
		<-done
	}
}

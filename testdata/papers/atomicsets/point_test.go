// Package atomicsets has points whose coordinates belong together, and locks
// each of them.
package atomicsets

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A point is on the diagonal: x and y are equal.
type point struct {
	mu   sync.Mutex
	muX  sync.Mutex
	x, y int
}

func (p *point) isOnDiagonal(t *testing.T) {
	if p.x != p.y {
		t.Errorf("x is %d, y is %d", p.x, p.y)
	}
}

// both runs f and g, mostly g first.
func both(f, g func()) {
	var wg sync.WaitGroup
	wg.Go(func() { time.Sleep(5 * time.Millisecond); f() })
	wg.Go(g)
	wg.Wait()
}

// await waits until another goroutine has begun.
func await(begun *atomic.Bool) {
	for !begun.Load() {
		runtime.Gosched()
	}
}

//gopredict:atomic
func (p *point) move(n int) {
	p.mu.Lock()
	p.x = n
	p.mu.Unlock()
	p.mu.Lock()
	p.y = n
	p.mu.Unlock()
}

func TestTwoWriters(t *testing.T) {
	var p point
	both(func() { p.move(1) }, func() { p.move(2) })
	p.isOnDiagonal(t)
}

//gopredict:atomic
func (p *point) setXY(n int) {
	p.mu.Lock()
	p.x = n
	p.mu.Unlock()
	p.mu.Lock()
	p.y = n
	p.mu.Unlock()
}

//gopredict:atomic
func (p *point) setYX(n int) {
	p.mu.Lock()
	p.y = n
	p.mu.Unlock()
	p.mu.Lock()
	p.x = n
	p.mu.Unlock()
}

func TestTwoWritersCrossed(t *testing.T) {
	var p point
	both(func() { p.setYX(1) }, func() { p.setXY(2) })
	p.isOnDiagonal(t)
}

//gopredict:atomic
func (p *point) shift() {
	p.mu.Lock()
	p.x = 3
	p.mu.Unlock()
	p.mu.Lock()
	p.y = 3
	p.mu.Unlock()
}

//gopredict:atomic
func (p *point) get() (x, y int) {
	p.mu.Lock()
	x = p.x
	p.mu.Unlock()
	p.mu.Lock()
	y = p.y
	p.mu.Unlock()
	return x, y
}

func TestReaderBetweenWrites(t *testing.T) {
	var p point
	both(func() {
		if x, y := p.get(); x != y {
			t.Errorf("x is %d, y is %d", x, y)
		}
	}, p.shift)
}

//gopredict:atomic
func (p *point) slide() {
	p.mu.Lock()
	p.x = 4
	p.mu.Unlock()
	p.mu.Lock()
	p.y = 4
	p.mu.Unlock()
}

//gopredict:atomic
func (p *point) getCrossed() (x, y int) {
	p.mu.Lock()
	y = p.y
	p.mu.Unlock()
	p.mu.Lock()
	x = p.x
	p.mu.Unlock()
	return x, y
}

func TestReaderBetweenWritesCrossed(t *testing.T) {
	var p point
	both(func() {
		if x, y := p.getCrossed(); x != y {
			t.Errorf("x is %d, y is %d", x, y)
		}
	}, p.slide)
}

//gopredict:atomic
func (p *point) watch(seen *atomic.Bool) (x, y int) {
	p.mu.Lock()
	x = p.x
	p.mu.Unlock()
	seen.Store(true)
	p.mu.Lock()
	y = p.y
	p.mu.Unlock()
	return x, y
}

//gopredict:atomic
func (p *point) jump() {
	p.mu.Lock()
	p.x = 5
	p.mu.Unlock()
	p.mu.Lock()
	p.y = 5
	p.mu.Unlock()
}

func TestWriterBetweenReads(t *testing.T) {
	var p point
	var seen atomic.Bool
	both(func() {
		await(&seen)
		p.jump()
	}, func() {
		if x, y := p.watch(&seen); x != y {
			t.Errorf("x is %d, y is %d", x, y)
		}
	})
}

//gopredict:atomic
func (p *point) watchOther(seen *atomic.Bool) (x, y int) {
	p.mu.Lock()
	x = p.x
	p.mu.Unlock()
	seen.Store(true)
	p.mu.Lock()
	y = p.y
	p.mu.Unlock()
	return x, y
}

//gopredict:atomic
func (p *point) jumpCrossed() {
	p.mu.Lock()
	p.y = 6
	p.mu.Unlock()
	p.mu.Lock()
	p.x = 6
	p.mu.Unlock()
}

func TestWriterBetweenReadsCrossed(t *testing.T) {
	var p point
	var seen atomic.Bool
	both(func() {
		await(&seen)
		p.jumpCrossed()
	}, func() {
		if x, y := p.watchOther(&seen); x != y {
			t.Errorf("x is %d, y is %d", x, y)
		}
	})
}

// In what follows each coordinate has a lock of its own, and one of two regions
// holds that of x all the time.

//gopredict:atomic
func (p *point) lead(begun *atomic.Bool) {
	p.muX.Lock()
	p.x = 7
	begun.Store(true)
	p.mu.Lock()
	p.y = 7
	p.mu.Unlock()
	p.muX.Unlock()
}

//gopredict:atomic
func (p *point) follow() {
	p.mu.Lock()
	p.y = 8
	p.mu.Unlock()
	p.muX.Lock()
	p.x = 8
	p.muX.Unlock()
}

func TestWritersOverlap(t *testing.T) {
	var p point
	var begun atomic.Bool
	both(func() {
		await(&begun)
		p.follow()
	}, func() { p.lead(&begun) })
	p.isOnDiagonal(t)
}

//gopredict:atomic
func (p *point) publish(begun *atomic.Bool) {
	p.muX.Lock()
	p.x = 9
	begun.Store(true)
	p.mu.Lock()
	p.y = 9
	p.mu.Unlock()
	p.muX.Unlock()
}

//gopredict:atomic
func (p *point) receive() (x, y int) {
	p.mu.Lock()
	y = p.y
	p.mu.Unlock()
	p.muX.Lock()
	x = p.x
	p.muX.Unlock()
	return x, y
}

func TestReaderOverlaps(t *testing.T) {
	var p point
	var begun atomic.Bool
	both(func() {
		await(&begun)
		if x, y := p.receive(); x != y {
			t.Errorf("x is %d, y is %d", x, y)
		}
	}, func() { p.publish(&begun) })
}

//gopredict:atomic
func (p *point) look(begun *atomic.Bool) (x, y int) {
	p.muX.Lock()
	x = p.x
	begun.Store(true)
	p.mu.Lock()
	y = p.y
	p.mu.Unlock()
	p.muX.Unlock()
	return x, y
}

//gopredict:atomic
func (p *point) change() {
	p.mu.Lock()
	p.y = 10
	p.mu.Unlock()
	p.muX.Lock()
	p.x = 10
	p.muX.Unlock()
}

func TestWriterOverlaps(t *testing.T) {
	var p point
	var begun atomic.Bool
	both(func() {
		await(&begun)
		p.change()
	}, func() {
		if x, y := p.look(&begun); x != y {
			t.Errorf("x is %d, y is %d", x, y)
		}
	})
}

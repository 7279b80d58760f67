package ordered

import (
	"runtime"
	"sync"
	"testing"
)

func TestUnbuffered(t *testing.T) {
	c, x := make(chan int), 0
	go func() {
		<-c
		x++
		c <- 1
		close(c)
	}()
	x++
	c <- 1
	<-c
	x++
	_, _ = <-c
	for range c {
	}
}

func TestBuffered(t *testing.T) {
	c, x := make(chan int, 2), 0
	go func() {
		x++
		c <- 1
	}()
	<-c
	x++
}

func TestSemaphore(t *testing.T) {
	c, x := make(chan struct{}, 1), 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			c <- struct{}{}
			x++
			<-c
		})
	}
	wg.Wait()
	close(c)
}

func TestClose(t *testing.T) {
	c, x := make(chan int), 0
	go func() {
		x++
		close(c)
	}()
	<-c
	x++
}

func TestCloseAfterSends(t *testing.T) {
	c := make(chan int, 4)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { c <- i })
	}
	go func() {
		wg.Wait()
		close(c)
	}()
	for range c {
	}
}

func TestCloseOnce(t *testing.T) {
	c := make(chan int)
	var once sync.Once
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { once.Do(func() { close(c) }) })
	}
	wg.Wait()
	<-c
}

func TestCloseUnderLock(t *testing.T) {
	var mu sync.Mutex
	c, closed := make(chan int, 2), false
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			if !closed {
				c <- 1
			}
			mu.Unlock()
			mu.Lock()
			if !closed {
				close(c)
			}
			closed = true
			mu.Unlock()
		})
	}
	wg.Wait()
}

func TestSelect(t *testing.T) {
	var none chan int
	a, b, quit := make(chan int), make(chan int, 1), make(chan bool)
	x, y := 0, 0
	go func() {
		x++
		a <- 1
		y++
		b <- 1
		<-quit
	}()
	for range 2 {
		select {
		case <-none:
		case none <- 1:
		case <-a:
			x++
		case <-b:
			y++
		}
	}
	select {
	case quit <- true:
	case <-a:
	}
}

func TestSelectDefault(t *testing.T) {
	c, x := make(chan int, 1), 0
	go func() {
		x++
		select {
		case c <- 1:
		default:
		}
	}()
	for {
		select {
		case <-c:
			x++
			return
		default:
			runtime.Gosched()
		}
	}
}

func TestGoroutine(t *testing.T) {
	x, done := 0, make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread()
		x++
		runtime.Goexit()
	}()
	<-done
	x++
}

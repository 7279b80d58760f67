// Package misused has a race in each test, which mostly does no harm.
package misused

import (
	"fmt"
	"iter"
	"os"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// rest lets other goroutines go on without ordering anything.
func rest() { time.Sleep(2 * time.Millisecond) }

func TestSendClose(t *testing.T) {
	c := make(chan int, 1)
	go func() {
		defer func() { recover() }()
		c <- 1
	}()
	rest()
	close(c)
	rest()
}

func TestSelectClose(t *testing.T) {
	c, quit := make(chan int, 1), make(chan int)
	go func() {
		defer func() { recover() }()
		select {
		case c <- 1:
		case <-quit:
		}
	}()
	rest()
	close(c)
	rest()
}

func work(wg *sync.WaitGroup) {
	wg.Add(1)
	defer wg.Done()
}

func TestAddInGoroutine(t *testing.T) {
	var wg sync.WaitGroup
	go work(&wg)
	rest()
	wg.Wait()
}

func TestMutexReset(t *testing.T) {
	var mu sync.Mutex
	go func() {
		mu.Lock()
		mu.Unlock()
	}()
	rest()
	mu = sync.Mutex{}
}

func TestOnceReset(t *testing.T) {
	var once sync.Once
	go func() {
		once.Do(func() {})
	}()
	rest()
	once = sync.Once{}
}

func TestPullTwice(t *testing.T) {
	next, stop := iter.Pull(func(yield func(int) bool) {
		for yield(1) {
		}
	})
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() { recover() }()
		next()
	}()
	rest()
	func() {
		defer func() { recover() }()
		next()
	}()
	<-done
	stop()
}

type big struct{ n [64]int }

func TestFinalizer(t *testing.T) {
	x := 0
	_ = x
	func() {
		runtime.SetFinalizer(new(big), func(*big) { x = 1 })
	}()
	runtime.GC()
	rest()
	x = 1
}

func TestFileBuffer(t *testing.T) {
	f, err := os.Open("misused_test.go")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	buf, done := make([]byte, 8), make(chan bool)
	go func() {
		_ = buf[0] == 'p'
		close(done)
	}()
	rest()
	f.Read(buf)
	<-done
}

func TestReflect(t *testing.T) {
	x, done := []int{1}, make(chan bool)
	go func() {
		_ = x
		close(done)
	}()
	rest()
	reflect.ValueOf(&x).Elem().Set(reflect.ValueOf([]int{2}))
	<-done
}

func TestBubble(t *testing.T) {
	x := 0
	_ = x
	synctest.Test(t, func(t *testing.T) {
		go func() { x = 1 }()
		x = 1
	})
}

func TestAfterFunc(t *testing.T) {
	x := 0
	_ = x
	timer := time.AfterFunc(1, func() { x = 1 })
	rest()
	if !timer.Stop() {
		x = 1
	}
}

func TestParallel(t *testing.T) {
	x := 0
	t.Run("write", func(t *testing.T) {
		t.Parallel()
		x = 1
	})
	t.Run("read", func(t *testing.T) {
		t.Parallel()
		if x > 1 {
			t.Error("x is not 0 or 1")
		}
	})
}

// TestPrint has both goroutines use the pool of package fmt.
func TestPrint(t *testing.T) {
	x, done := 0, make(chan bool)
	_ = x
	go func() {
		x = 1
		_ = fmt.Sprint(t.Name())
		done <- true
	}()
	rest()
	_ = fmt.Sprint(t.Name())
	x = 2
	<-done
}

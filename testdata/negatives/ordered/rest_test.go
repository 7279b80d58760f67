package ordered

import (
	"io"
	"iter"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"unique"
	"weak"
)

func TestPull(t *testing.T) {
	x := 0
	next, stop := iter.Pull(func(yield func(int) bool) {
		for x++; yield(x); x++ {
		}
	})
	next()
	x++
	done := make(chan bool)
	go func() {
		next()
		x++
		close(done)
	}()
	<-done
	stop()
	x++
	next2, stop2 := iter.Pull2(func(yield func(int, int) bool) { x++; yield(x, x) })
	next2()
	x++
	stop2()
}

func TestPipe(t *testing.T) {
	x, y := 0, 0
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		x++
		w.Write([]byte("x"))
		w.Close()
	}()
	if _, err := io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	x++
	pr, pw := io.Pipe()
	go func() {
		y++
		pw.Write([]byte("y"))
		pw.Close()
	}()
	io.ReadAll(pr)
	y++
}

func TestReflect(t *testing.T) {
	m, x := map[string]int{}, []int{1}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			reflect.ValueOf(m).SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf(1))
			reflect.ValueOf(&x).Elem().Set(reflect.ValueOf(append(x, 1)))
		})
	}
	wg.Wait()
}

type big struct{ n [64]int }

func TestFinalizer(t *testing.T) {
	x, done := 0, make(chan bool)
	go func() {
		b := new(big)
		runtime.SetFinalizer(b, func(b *big) {
			b.n[0]++
			x++
			close(done)
		})
		b.n[0]++
		x++
		done <- true
	}()
	<-done
	x++
	runtime.GC()
	<-done
	x++
}

func TestCleanup(t *testing.T) {
	x, done := 0, make(chan bool)
	go func() {
		b := new(big)
		runtime.AddCleanup(b, func(int) { x++; close(done) }, 1)
		x++
		runtime.KeepAlive(b)
		done <- true
	}()
	<-done
	runtime.GC()
	<-done
	x++
}

func TestWeak(t *testing.T) {
	b := new(big)
	w := weak.Make(b)
	h := unique.Make("x")
	done := make(chan bool)
	go func() {
		w.Value().n[0]++
		done <- unique.Make("x") == h
	}()
	if !<-done {
		t.Error("two handles for one value")
	}
	b.n[0]++
	runtime.KeepAlive(b)
}

func TestSignal(t *testing.T) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	defer signal.Stop(c)
	x, done := 0, make(chan bool)
	go func() {
		<-c
		done <- true
	}()
	x++
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	<-done
	x++
}

func TestSubtests(t *testing.T) {
	x, y := 0, make([]int, 2)
	t.Cleanup(func() { x, y[0], y[1] = y[0], y[1], x })
	t.Run("one", func(t *testing.T) { x++ })
	x++
	t.Run("two", func(t *testing.T) { x++ })
	t.Run("group", func(t *testing.T) {
		for i := range 2 {
			t.Run("part", func(t *testing.T) {
				t.Parallel()
				y[i] += x
			})
		}
	})
	x++
}

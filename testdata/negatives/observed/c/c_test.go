package c

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func see(t testing.TB, what string, values ...any) {
	fmt.Printf("see %s %s: %s\n", t.Name(), what, strings.TrimSpace(fmt.Sprintln(values...)))
}

var shared int

func TestC(t *testing.T) {
	see(t, "twice", Twice(4))
	v, err := Fails(3)
	see(t, "fails", v, err)
	see(t, "calls", Calls(4, func(n int) int { shared += n; return shared }))
	see(t, "nested", Calls(2, func(n int) int { return Calls(2, func(m int) int { return n*10 + m }) }))
	done := make(chan int, 5)
	Thread(func() { shared++; done <- shared })
	see(t, "thread", <-done)
	var mu sync.Mutex
	mu.Lock()
	go func() { time.Sleep(time.Millisecond); mu.Unlock() }()
	Thread(func() { mu.Lock(); shared++; mu.Unlock(); go func() { done <- 7 }() })
	see(t, "thread", <-done)
	b := make([]byte, 5)
	Fill(b)
	see(t, "fill", string(b), String("abc"))
	start := time.Now()
	Nap()
	see(t, "nap", time.Since(start) >= 2*time.Millisecond)
	a, f := Pair(3)
	see(t, "pair", a, f)
	see(t, "cgo", runtime.NumCgoCall() > 5)
	func() {
		defer func() { see(t, "recovered", recover()) }()
		Calls(1, func(int) int { panic("through C") })
	}()
	see(t, "stack", Calls(1, func(int) int { pcs := make([]uintptr, 30); return runtime.Callers(0, pcs) }))
	see(t, "allocs", testing.AllocsPerRun(100, func() { Twice(3) }), testing.AllocsPerRun(100, func() { Fill(b) }))
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { Thread(func() { mu.Lock(); shared++; mu.Unlock() }) })
	}
	wg.Wait()
	c := make(chan int)
	go Thread(func() { c <- 5 })
	select {
	case v := <-c:
		see(t, "from a thread", v)
	case <-time.After(5 * time.Second):
		see(t, "timeout")
	}
	see(t, "shared", shared)
}

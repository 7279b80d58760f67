package selftest

import (
	"context"
	"fmt"
	"iter"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"predictrt"
)

// operations are what hooks are in, each with all that it needs, made once.
func operations() map[string]func() {
	var (
		mu     sync.Mutex
		rw     sync.RWMutex
		wg     sync.WaitGroup
		m      sync.Map
		value  atomic.Value
		word   atomic.Int64
		ptr    atomic.Pointer[box]
		pool   = sync.Pool{New: func() any { return new(box) }}
		c      = make(chan int, 1)
		back   = make(chan int)
		pooled = pool.Get()
		here   = new(box)
		list   = make([]int, 10)
		table  = map[int]int{}
	)
	timer := time.AfterFunc(time.Hour, func() {})
	m.Store(1, here)
	value.Store(here)
	go func() {
		for range c {
			back <- 1
		}
	}()
	return map[string]func(){
		"go":      func() { wg.Add(1); go wg.Done(); wg.Wait() },
		"channel": func() { c <- 1; <-back },
		"make":    func() { sinkChan = make(chan int, 1) },
		"close":   func() { close(make(chan int)) },
		"select": func() {
			select {
			case c <- 1:
			case <-back:
			}
			<-back
		},
		"default": func() {
			select {
			case <-back:
			default:
			}
		},
		"mutex":     func() { mu.Lock(); mu.Unlock(); mu.TryLock(); mu.Unlock() },
		"rwmutex":   func() { rw.Lock(); rw.Unlock(); rw.RLock(); rw.RUnlock() },
		"once":      func() { var o sync.Once; o.Do(func() {}) },
		"oncefunc":  func() { sync.OnceFunc(func() {})() },
		"pool":      func() { pool.Put(pooled); pooled = pool.Get() },
		"map":       func() { m.Load(1); m.LoadOrStore(1, here); m.Range(func(_, _ any) bool { return true }) },
		"value":     func() { value.Load(); value.Store(here); value.CompareAndSwap(here, here) },
		"word":      func() { word.Add(1); word.Load(); word.Store(1); word.CompareAndSwap(1, 2) },
		"pointer":   func() { ptr.Store(here); ptr.Load(); ptr.Swap(here) },
		"afterfunc": func() { time.AfterFunc(time.Hour, func() {}).Stop() },
		"reset":     func() { timer.Reset(time.Hour) },
		"context":   func() { _, cancel := context.WithCancel(context.Background()); cancel() },
		"timeout":   func() { _, cancel := context.WithTimeout(context.Background(), time.Hour); cancel() },
		"panic":     func() { func() { defer func() { recover() }(); panic(here) }() },
		"coroutine": func() { next, stop := iter.Pull(func(yield func(int) bool) { yield(1) }); next(); stop() },
		"reflect":   func() { reflect.ValueOf(back).TryRecv() },
		"access":    func() { predictrt.Store(&here.n, siteWrite).Set(*predictrt.Load(&here.n, siteRead)) },
		"string":    func() { keepIn(&here.s, "done", aString) },
		"interface": func() { keepIn(&here.err, errKnown, anInterface) },
		"slice":     func() { predictrt.SliceRead(list, siteRead); predictrt.SliceWrite(list, siteWrite) },
		"maps":      func() { predictrt.MapRead(table, siteRead); predictrt.MapWrite(table, siteWrite) },
	}
}

var sinkChan chan int

// TestAllocs prints how many objects each operation allocates.
func TestAllocs(t *testing.T) {
	if os.Getenv("ALLOCS") == "" {
		return
	}
	for name, f := range operations() {
		fmt.Println(name, testing.AllocsPerRun(1000, f))
	}
}

package selftest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
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
	one := make([]byte, 1)
	r, w, _ := os.Pipe()
	name := filepath.Join(os.TempDir(), "selftest-allocs")
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	go func() { c, _ := listener.Accept(); io.Copy(c, c) }()
	conn, _ := net.Dial("tcp", listener.Addr().String())
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
		"fires":     func() { wg.Add(1); time.AfterFunc(1, wg.Done); wg.Wait() },
		"ticker":    func() { time.NewTicker(time.Hour).Stop() },
		"finalizer": func() { b := new(object); runtime.SetFinalizer(b, func(*object) {}); runtime.SetFinalizer(b, nil) },
		"cleanup":   func() { runtime.AddCleanup(new(object), func(int) {}, 1).Stop() },
		"locals": func() {
			var a atomic.Int64
			var old int32
			a.Store(a.Load())
			a.CompareAndSwap(0, a.Add(1))
			predictrt.AddInt32(&old, predictrt.LoadInt32(&old, siteWrite), siteWrite)
			predictrt.StoreInt32(&old, predictrt.SwapInt32(&old, 2, siteWrite), siteWrite)
		},
		"pipe":      func() { w.Write(one); r.Read(one) },
		"newpipe":   func() { r, w, _ := os.Pipe(); w.Write(one); w.Close(); r.Read(one); r.Close() },
		"file":      func() { f, _ := os.Create(name); f.Write(one); f.Close() },
		"socket":    func() { conn.Write(one); conn.Read(one) },
		"deadline":  func() { conn.SetDeadline(time.Now().Add(time.Hour)) },
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

// TestAllocs prints how many objects each operation allocates, once and on average.
func TestAllocs(t *testing.T) {
	if os.Getenv("ALLOCS") == "" {
		return
	}
	fs := operations()
	for _, name := range slices.Sorted(maps.Keys(fs)) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		fs[name]()
		runtime.ReadMemStats(&after)
		fmt.Println(name, after.Mallocs-before.Mallocs, testing.AllocsPerRun(1000, fs[name]))
	}
}

// TestMakesObjects has two goroutines make two objects each.
func TestMakesObjects(t *testing.T) {
	var wg sync.WaitGroup
	var small [2]*int32
	var large [2]*object
	for k := range small {
		wg.Go(func() { small[k], large[k] = new(int32), new(object) })
	}
	wg.Wait()
	println(small[0] != small[1], large[0] != large[1])
}

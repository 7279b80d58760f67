package selftest

import (
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"predictrt"
)

// The sites that the rewriter would have made.
const (
	siteWrite = 1<<31 | 1
	siteRead  = 1<<31 | 2
	siteSpin  = 1<<31 | 3
	siteAtom  = 1<<31 | 4
)

type box struct {
	n   int
	s   string
	err error
}

// TestRace has a race that the order of the critical sections hides.
func TestRace(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	b := &box{}
	wg.Add(2)
	go func() {
		defer wg.Done()
		predictrt.Store(&b.n, siteWrite).Set(1)
		mu.Lock()
		mu.Unlock()
	}()
	go func() {
		defer wg.Done()
		mu.Lock()
		mu.Unlock()
		if *predictrt.Load(&b.n, siteRead) == 0 {
			println("read 0")
		} else {
			println("read 1")
		}
	}()
	wg.Wait()
}

// TestRaceOfSubtests has a race of two tests that are parallel.
func TestRaceOfSubtests(t *testing.T) {
	b := &box{}
	t.Run("write", func(t *testing.T) {
		t.Parallel()
		predictrt.Store(&b.n, siteWrite).Set(1)
	})
	t.Run("read", func(t *testing.T) {
		t.Parallel()
		println("read", *predictrt.Load(&b.n, siteRead))
	})
}

// TestRaceThenWait has a race, and then waits for what THEN names.
func TestRaceThenWait(t *testing.T) {
	var wg sync.WaitGroup
	b := &box{}
	wg.Add(2)
	go func() {
		defer wg.Done()
		predictrt.Store(&b.n, siteWrite).Set(1)
	}()
	go func() {
		defer wg.Done()
		predictrt.Load(&b.n, siteRead)
	}()
	wg.Wait()
	done := make(chan bool)
	switch os.Getenv("THEN") {
	case "nothing":
		<-done
	case "timer":
		time.AfterFunc(300*time.Millisecond, func() { close(done) })
		<-done
	case "ticker":
		ticker := time.NewTicker(150 * time.Millisecond)
		<-ticker.C
		<-ticker.C
	case "child":
		if err := exec.Command("sleep", "0.3").Run(); err != nil {
			t.Error(err)
		}
	case "pipe":
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		later := exec.Command("sh", "-c", "(sleep 0.3; echo) &")
		later.Stdout = w
		if err := later.Run(); err != nil {
			t.Error(err)
		}
		w.Close()
		if _, err := r.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
	case "signal":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		// The one who sends it is no child of ours when it does so.
		if err := exec.Command("sh", "-c", "(sleep 0.3; kill -TERM $0) >/dev/null 2>&1 &", strconv.Itoa(os.Getpid())).Run(); err != nil {
			t.Error(err)
		}
		<-c
	}
}

// TestSpin waits for other goroutines without any blocking operation.
func TestSpin(t *testing.T) {
	done := new(bool)
	go func() { predictrt.Store(done, siteWrite).Set(true) }()
	for !*predictrt.Load(done, siteSpin) {
	}
	var flag atomic.Bool
	go flag.Store(true)
	for !flag.Load() {
	}
	var one, other atomic.Bool
	go func() { one.Store(true); other.Store(true) }()
	for a, b := false, false; !a || !b; a, b = one.Load(), other.Load() {
	}
	unseen := new(int32)
	go atomic.StoreInt32(unseen, 1)
	for atomic.LoadInt32(unseen) == 0 {
	}
	n := new(int32)
	go predictrt.StoreInt32(n, 1, siteAtom)
	for !predictrt.CompareAndSwapInt32(n, 1, 2, siteAtom) {
	}
	mu.Lock()
	go mu.Unlock()
	for !mu.TryLock() {
	}
	mu.Unlock()
	c := make(chan int)
	go func() { c <- 1 }()
	for {
		select {
		case <-c:
			return
		default:
		}
	}
}

// TestEnvironment shows what a child process would inherit.
func TestEnvironment(t *testing.T) {
	if v, ok := os.LookupEnv("GOPREDICT_RT"); ok {
		t.Errorf("expected GOPREDICT_RT to be hidden, found %s", v)
	}
}

var (
	many  box
	place uintptr // of what TestBeforeMany has used
	again *large  // what lies there now
)

// TestBeforeMany uses memory that is given back during the next test.
func TestBeforeMany(t *testing.T) {
	b := newLarge()
	predictrt.Store(&b.n, siteWrite).Set(1)
	place, heap = uintptr(unsafe.Pointer(b)), nil
	if os.Getenv("MANY") == "beside" {
		leaveBehind()
	}
}

// lockMany does so many operations that the next ones are not logged.
func lockMany() {
	mus := make([]sync.Mutex, 64) // so many that it does not poll one
	for i := range 200_000 {
		mus[i%64].Lock()
		mus[i%64].Unlock()
	}
}

// TestManyEvents logs more than a small limit of the trace allows.
func TestManyEvents(t *testing.T) {
	switch os.Getenv("MANY") {
	case "accesses":
		for i := range 200_000 {
			predictrt.Store(&many.n, siteWrite).Set(i)
		}
	case "locks":
		lockMany()
	case "freed":
		lockMany()
		runtime.GC()
		for again = newLarge(); uintptr(unsafe.Pointer(again)) != place; {
			again = newLarge()
		}
	case "beside":
		workBeside()
	case "goroutines":
		for range 50_000 {
			done := make(chan bool)
			go func() { close(done) }()
			<-done
		}
	}
}

// TestUnforeseen logs events each of which is another one than after the last of
// its like.
func TestUnforeseen(t *testing.T) {
	sites := []uint32{siteWrite, siteRead, siteSpin, siteAtom, siteChance}
	x := uint32(1)
	for range 100_000 {
		x = x*1664525 + 1013904223
		predictrt.Case(uint64(x>>16), sites[x>>16%uint32(len(sites))])
	}
}

type large struct{ n, _, _, _ int }

// heap is where what it points to lies.
var heap *large

func newLarge() *large {
	heap = new(large)
	return heap
}

// TestReuse has memory used again for another variable, beside one that stays.
func TestReuse(t *testing.T) {
	stays, goes := newLarge(), newLarge()
	predictrt.Store(&stays.n, siteWrite).Set(1)
	predictrt.Store(&goes.n, siteWrite).Set(2)
	place := uintptr(unsafe.Pointer(goes))
	goes, heap = nil, nil
	runtime.GC()
	for range 1_000_000 {
		if p := newLarge(); uintptr(unsafe.Pointer(p)) == place {
			predictrt.Store(&p.n, siteWrite).Set(3)
			predictrt.Store(&stays.n, siteWrite).Set(4)
			return
		}
	}
	t.Error("the memory is not used again")
}

// TestNextToMany is the test after it.
func TestNextToMany(t *testing.T) {
	if again != nil {
		predictrt.Store(&again.n, siteWrite).Set(2)
	}
	for i := range 10 {
		predictrt.Store(&many.n, siteWrite).Set(i)
	}
}

// TestCrash ends the process by a panic.
func TestCrash(t *testing.T) {
	if os.Getenv("CRASH") != "" {
		panic("expected")
	}
}

// TestLong counts, says so, and does not end by itself.
func TestLong(t *testing.T) {
	if os.Getenv("LONG") == "" {
		return
	}
	var n int64
	b := &box{}
	for range 4 {
		go func() {
			for {
				predictrt.Store(&b.n, siteWrite).Set(*predictrt.Load(&b.n, siteRead) + 1)
				if i := predictrt.AddInt64(&n, 1, siteAtom); i%1000 == 0 {
					os.Stdout.WriteString(strconv.FormatInt(i, 10) + "\n")
				}
			}
		}()
	}
	select {}
}

// Package right has what looks like the races of the packages beside it, and is
// right.
package right

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type writer struct {
	mu sync.Mutex
	n  int
}

func (w *writer) write(p string, urgent bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if urgent {
		w.n += len(p)
		return
	}
	w.n += len(p)
}

// Workers for all tests.
var tasks = make(chan func())

func init() {
	for range 2 {
		go func() {
			for task := range tasks {
				task()
			}
		}()
	}
}

// As twice: equal statements, both below one lock.
func TestSameStatementLocked(t *testing.T) {
	var w writer
	var wg sync.WaitGroup
	wg.Go(func() { w.write("a", true) })
	wg.Go(func() { w.write("b", false) })
	wg.Wait()
	if w.n != 2 {
		t.Error(w.n)
	}
}

func with(mu sync.Locker, f func()) {
	mu.Lock()
	defer mu.Unlock()
	f()
}

// As inlined: the helper takes the same lock for both.
func TestWithOneLock(t *testing.T) {
	var mu sync.Mutex
	balance := 0
	done := make(chan struct{})
	go func() {
		with(&mu, func() { balance += 2 })
		close(done)
	}()
	with(&mu, func() { balance -= 2 })
	<-done
	if balance != 0 {
		t.Error(balance)
	}
}

// As inlined: what Once.Do has written is read behind Do.
func TestOnceForBoth(t *testing.T) {
	var once sync.Once
	user := ""
	login := func(name string) string {
		once.Do(func() { user = name })
		return user
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if login("ann") != "ann" {
				t.Error("nobody is logged in")
			}
		})
	}
	wg.Wait()
}

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// As warmed: each goroutine has its own buffer of a pool.
func TestPoolOwnBuffers(t *testing.T) {
	var total atomic.Int64
	var wg sync.WaitGroup
	for _, s := range []string{"a", "bc"} {
		wg.Go(func() {
			b := pool.Get().(*bytes.Buffer)
			defer pool.Put(b)
			b.Reset()
			b.WriteString(s)
			var id [4]byte
			rand.Read(id[:])
			total.Add(int64(b.Len()))
		})
	}
	wg.Wait()
	if total.Load() != 3 {
		t.Error(total.Load())
	}
}

// As warmed: workers of the package sum up below one lock.
func TestWorkersOfPackage(t *testing.T) {
	sum := 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Add(1)
		tasks <- func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			sum += i
		}
	}
	wg.Wait()
	if sum != 3 {
		t.Error(sum)
	}
}

// As web: the handler counts with sync/atomic.
func TestHandlerAtomic(t *testing.T) {
	var hits atomic.Int64
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
	}))
	defer ts.Close()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			resp, err := http.Get(ts.URL)
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		})
	}
	wg.Wait()
	if hits.Load() != 2 {
		t.Error(hits.Load())
	}
}

// As web: the pipe's end of file orders the writer's last store.
func TestPipeClosed(t *testing.T) {
	r, w := io.Pipe()
	written := 0
	go func() {
		written, _ = io.WriteString(w, "line\n")
		w.Close()
	}()
	if _, err := io.ReadAll(r); err != nil {
		t.Error(err)
	}
	if written != 5 {
		t.Error(written)
	}
}

// As rangevar: since Go 1.22 each round has its own variables.
func TestRangeVariables(t *testing.T) {
	var wg sync.WaitGroup
	sum := make(chan int, 2)
	for i, v := range []int{1, 2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			sum <- i + v
		}()
	}
	wg.Wait()
	if got := <-sum + <-sum; got != 4 {
		t.Error(got)
	}
}

// As orders: all accesses are between the send and the receive.
func TestChannelAsMutex(t *testing.T) {
	sem := make(chan struct{}, 1)
	state := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			sem <- struct{}{}
			state++
			<-sem
		})
	}
	wg.Wait()
	if state != 2 {
		t.Error(state)
	}
}

// As orders: a spinlock of CompareAndSwap around both accesses.
func TestSpinLock(t *testing.T) {
	var held atomic.Bool
	n := 0
	add := func() {
		for !held.CompareAndSwap(false, true) {
			runtime.Gosched()
		}
		n++
		held.Store(false)
	}
	done := make(chan struct{})
	go func() { add(); close(done) }()
	add()
	<-done
	if n != 2 {
		t.Error(n)
	}
}

// As orders: the flag is set behind the value, and is looked at before it.
func TestFlagInOrder(t *testing.T) {
	var ready atomic.Bool
	value := 0
	done := make(chan struct{})
	go func() {
		value = 1
		ready.Store(true)
		close(done)
	}()
	if ready.Load() && value != 1 {
		t.Error(value)
	}
	<-done
}

// As orders: the result is read where it has come in time, and that is long.
func TestResultInTime(t *testing.T) {
	result := 0
	done := make(chan struct{})
	go func() {
		result = 3
		close(done)
	}()
	select {
	case <-done:
		if result != 3 {
			t.Error(result)
		}
	case <-time.After(time.Second):
		t.Error("a second has passed")
	}
}

// As orders: who times out at once waits again before the result is read.
func TestWaitsAgain(t *testing.T) {
	result, start := 0, time.Now()
	done := make(chan struct{})
	go func() {
		result = 3
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Microsecond):
		if d := time.Since(start); d < time.Microsecond {
			t.Errorf("a microsecond has passed in %v", d)
		}
		<-done
	}
	if result != 3 {
		t.Error(result)
	}
}

// As orders: who is the last does what is left.
func TestLastOne(t *testing.T) {
	var left atomic.Int32
	left.Store(2)
	parts := make([]int, 2)
	sum := make(chan int, 1)
	for i := range parts {
		go func() {
			parts[i] = i + 1
			if left.Add(-1) == 0 {
				sum <- parts[0] + parts[1]
			}
		}()
	}
	if got := <-sum; got != 3 {
		t.Error(got)
	}
}

type message struct{ N int }

// As stdmem: two goroutines only read what std reads for them.
func TestStdReads(t *testing.T) {
	m := &message{N: 1}
	sorted := []int{1, 2, 3}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if b, err := json.Marshal(m); err != nil || !bytes.Contains(b, []byte("1")) {
				t.Error(string(b), err)
			}
			if sort.SearchInts(sorted, 2) != 1 {
				t.Error("2 is not there")
			}
		})
	}
	wg.Wait()
}

// As stdmem: a buffer that goes from hand to hand.
func TestBufferHandedOver(t *testing.T) {
	buffers := make(chan *bytes.Buffer)
	go func() {
		b := new(bytes.Buffer)
		b.WriteString("a")
		buffers <- b
	}()
	b := <-buffers
	b.WriteString("b")
	if b.String() != "ab" {
		t.Error(b.String())
	}
}

// As stdmem: goroutines have states of their own, and read what they share.
func TestOwnStates(t *testing.T) {
	shared := httptest.NewRequest("GET", "/?a=b", nil)
	text := []byte(`{"a":[1,2]}`)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			h := sha256.New()
			h.Write(text)
			w := gzip.NewWriter(io.Discard)
			w.Write(h.Sum(nil))
			w.Close()
			own := shared.Clone(t.Context())
			own.Header.Set("Sum", fmt.Sprint(crc32.ChecksumIEEE(text)))
			own.FormValue("a")
			answer := httptest.NewRecorder()
			var v map[string][]int
			if err := json.Unmarshal(text, &v); err != nil || json.NewEncoder(answer).Encode(v) != nil {
				t.Error(err)
			}
			csv.NewWriter(answer).Write([]string{"a"})
		}()
	}
	wg.Wait()
}

// As unwritten: both variables are set in one section.
func TestPairInOneSection(t *testing.T) {
	var mu sync.Mutex
	x, y := 0, 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		mu.Lock()
		defer mu.Unlock()
		x = 1
		y = 1
	}()
	mu.Lock()
	v, w := x, y
	mu.Unlock()
	if v > 0 {
		if w != 1 {
			t.Errorf("x is %d, y is %d", v, w)
		}
	}
	<-done
}

type counter interface{ Value() int }

type safe struct{ n atomic.Int64 }

func (s *safe) Value() int { return int(s.n.Load()) }

func assertEqual(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

// As helpers: nothing can get lost.
func TestCounterIsSafe(t *testing.T) {
	s := new(safe)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { s.n.Add(1) })
	}
	wg.Wait()
	assertEqual(t, counter(s).Value(), 2)
}

type account struct {
	mu      sync.Mutex
	balance int
	moves   []int
}

// move keeps the balance and the moves together.
func (a *account) move(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
	a.moves = append(a.moves, n)
}

func (a *account) check() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := 0
	for _, n := range a.moves {
		sum += n
	}
	if sum != a.balance {
		return fmt.Errorf("balance is %d, moves make %d", a.balance, sum)
	}
	return nil
}

func (a *account) get() (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance < 0 {
		return 0, errors.New("overdrawn")
	}
	return a.balance, nil
}

// As helpers: an error that no order brings about.
func TestNoErrorInBetween(t *testing.T) {
	var a account
	done := make(chan struct{})
	go func() {
		a.move(15)
		a.move(-15)
		close(done)
	}()
	if _, err := a.get(); err != nil {
		t.Error(err)
	}
	<-done
}

// As helpers: what is checked is changed in one section.
func TestCheckAgrees(t *testing.T) {
	var a account
	done := make(chan struct{})
	go func() {
		a.move(1)
		close(done)
	}()
	if err := a.check(); err != nil {
		t.Error(err)
	}
	<-done
}

// As helpers: the sum comes through a channel, and none of it is lost.
func TestSumThroughChannel(t *testing.T) {
	var a account
	sums := make(chan int)
	go func() {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { a.move(1) })
		}
		wg.Wait()
		sum, _ := a.get()
		sums <- sum
	}()
	if got := <-sums; got != 2 {
		t.Errorf("got %d, want 2", got)
	}
}

type totals struct{ Hits, Misses int }

type tally struct {
	mu sync.Mutex
	n  totals
}

// As helpers: a struct is compared as a whole, and counted under its lock.
func TestTotals(t *testing.T) {
	var c tally
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			n := c.n
			n.Hits++
			c.n = n
		})
	}
	wg.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if want := (totals{Hits: 2}); c.n != want {
		t.Errorf("got %v, want %v", c.n, want)
	}
}

// As ended: the test waits until the goroutine has logged.
func TestLogBeforeDone(t *testing.T) {
	done := make(chan struct{})
	go func() {
		t.Log("done")
		close(done)
	}()
	<-done
}

// As ended: a subtest's cleanup waits for the goroutine.
func TestCleanupWaits(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		quit, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			<-quit
			t.Log("stopped")
		}()
		t.Cleanup(func() {
			close(quit)
			<-stopped
		})
	})
}

package ways

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestParallelTable(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int
	}{{"a", 1}, {"bb", 2}, {"", 0}} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			if got := len(tt.in); got != tt.want {
				t.Error(got)
			}
		})
	}
}

func TestCleanupAfterParallel(t *testing.T) {
	open := true
	t.Cleanup(func() { open = false })
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			if !open {
				t.Error("closed")
			}
		})
	}
}

func TestSharedFixture(t *testing.T) {
	fixture := map[string]int{"a": 1}
	t.Run("group", func(t *testing.T) {
		for range 3 {
			t.Run("reads", func(t *testing.T) {
				t.Parallel()
				if fixture["a"] != 1 {
					t.Error()
				}
			})
		}
	})
	fixture["a"] = 2
}

func TestCleanupStopsWorker(t *testing.T) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() { <-stop; close(done) }()
	t.Cleanup(func() { close(stop); <-done })
}

func TestErrorsFromGoroutines(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			t.Helper()
			t.Logf("worker %d", i)
			if i > 5 {
				t.Errorf("no")
			}
		})
	}
	wg.Wait()
}

func TestFatalInTestOnly(t *testing.T) {
	errc := make(chan error, 1)
	go func() { errc <- nil }()
	if err := <-errc; err != nil {
		t.Fatal(err)
	}
}

func TestContextOfTest(t *testing.T) {
	done := make(chan struct{})
	t.Cleanup(func() { <-done })
	go func() { <-t.Context().Done(); close(done) }()
}

func TestRecoveredPanic(t *testing.T) {
	errc := make(chan error)
	go func() {
		defer func() { errc <- fmt.Errorf("recovered: %v", recover()) }()
		panic("boom")
	}()
	if err := <-errc; !strings.Contains(err.Error(), "boom") {
		t.Fatal(err)
	}
}

func TestGoexit(t *testing.T) {
	done := make(chan bool)
	ok := t.Run("skips", func(t *testing.T) {
		defer close(done)
		t.SkipNow()
	})
	<-done
	if !ok {
		t.Fatal()
	}
}

type suite struct {
	mu  sync.Mutex
	ran []string
}

func (s *suite) note(name string) { s.mu.Lock(); defer s.mu.Unlock(); s.ran = append(s.ran, name) }

func TestSuiteOfParallel(t *testing.T) {
	s := &suite{}
	t.Cleanup(func() {
		if len(s.ran) != 2 {
			t.Error(s.ran)
		}
	})
	for _, n := range []string{"x", "y"} {
		t.Run(n, func(t *testing.T) { t.Parallel(); s.note(n) })
	}
}

var global struct {
	once sync.Once
	dir  string
	err  error
}

func sharedDir() (string, error) {
	global.once.Do(func() { global.dir, global.err = os.MkdirTemp("", "shared") })
	return global.dir, global.err
}

func TestGlobalFixtureA(t *testing.T) {
	t.Parallel()
	if d, err := sharedDir(); err != nil || d == "" {
		t.Fatal(err)
	}
}

func TestGlobalFixtureB(t *testing.T) {
	t.Parallel()
	if d, err := sharedDir(); err != nil || d == "" {
		t.Fatal(err)
	}
}

var requests atomic.Int64 // of all tests

func TestGlobalCounterA(t *testing.T) { t.Parallel(); requests.Add(1) }
func TestGlobalCounterB(t *testing.T) {
	t.Parallel()
	if requests.Add(1) < 1 {
		t.Fatal()
	}
}

var hook = func() string { return "real" }

func TestReplacedHook(t *testing.T) {
	old := hook
	t.Cleanup(func() { hook = old })
	hook = func() string { return "fake" }
	c := make(chan string)
	go func() { c <- hook() }()
	if <-c != "fake" {
		t.Fatal()
	}
}

func TestOriginalHook(t *testing.T) {
	if hook() != "real" {
		t.Fatal()
	}
}

type clock interface{ Now() time.Time }
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *fakeClock) Now() time.Time       { c.mu.Lock(); defer c.mu.Unlock(); return c.now }
func (c *fakeClock) move(d time.Duration) { c.mu.Lock(); c.now = c.now.Add(d); c.mu.Unlock() }

func TestFakeClock(t *testing.T) {
	c := &fakeClock{now: time.Unix(0, 0)}
	var k clock = c
	var wg sync.WaitGroup
	wg.Go(func() { c.move(time.Hour) })
	wg.Go(func() {
		if k.Now().Before(time.Unix(0, 0)) {
			t.Error()
		}
	})
	wg.Wait()
	if !k.Now().Equal(time.Unix(3600, 0)) {
		t.Fatal(k.Now())
	}
}

type mock struct {
	mu    sync.Mutex
	calls []string
	reply func(string) error
}

func (m *mock) Send(s string) error {
	m.mu.Lock()
	m.calls = append(m.calls, s)
	reply := m.reply
	m.mu.Unlock()
	return reply(s)
}

func TestMock(t *testing.T) {
	m := &mock{reply: func(s string) error {
		if s == "bad" {
			return errors.New("bad")
		}
		return nil
	}}
	var failed atomic.Int32
	var wg sync.WaitGroup
	for _, s := range []string{"a", "bad", "b"} {
		wg.Go(func() {
			if m.Send(s) != nil {
				failed.Add(1)
			}
		})
	}
	wg.Wait()
	if failed.Load() != 1 || len(m.calls) != 3 {
		t.Fatal(m.calls)
	}
}

func TestWaitWithTimeout(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("timeout")
	}
}

func TestPollsState(t *testing.T) {
	var mu sync.Mutex
	state := "starting"
	go func() { mu.Lock(); state = "running"; mu.Unlock() }()
	for deadline := time.Now().Add(30 * time.Second); ; {
		mu.Lock()
		s := state
		mu.Unlock()
		if s == "running" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(s)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestNothingComes(t *testing.T) { // a negative test: nobody sends
	c := make(chan int)
	go func() {}()
	select {
	case <-c:
		t.Fatal("came")
	case <-time.After(5 * time.Millisecond):
	}
}

func TestSetenv(t *testing.T) {
	t.Setenv("NEG_MODE", "on")
	c := make(chan string)
	go func() { c <- os.Getenv("NEG_MODE") }()
	if <-c != "on" {
		t.Fatal()
	}
}

func TestLoopVariable(t *testing.T) {
	var wg sync.WaitGroup
	var sum atomic.Int64
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); sum.Add(int64(i)) }()
	}
	wg.Wait()
	if sum.Load() != 3 {
		t.Fatal(sum.Load())
	}
}

func BenchmarkNothing(b *testing.B) {
	for b.Loop() {
	}
}

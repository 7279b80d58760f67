package near

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

func TestGateLock(t *testing.T) { // both orders, but only under a third lock
	var gate, a, b sync.Mutex
	n := 0
	var wg sync.WaitGroup
	for i := range 2 {
		x, y := &a, &b
		if i == 1 {
			x, y = y, x
		}
		wg.Go(func() {
			gate.Lock()
			defer gate.Unlock()
			x.Lock()
			y.Lock()
			n++
			y.Unlock()
			x.Unlock()
		})
	}
	wg.Wait()
	if n != 2 {
		t.Fatal(n)
	}
}

func TestOrderByAddress(t *testing.T) {
	type acct struct {
		mu sync.Mutex
		n  int
	}
	move := func(from, to *acct) {
		if uintptr(unsafe.Pointer(from)) < uintptr(unsafe.Pointer(to)) {
			from.mu.Lock()
			to.mu.Lock()
		} else {
			to.mu.Lock()
			from.mu.Lock()
		}
		from.n--
		to.n++
		from.mu.Unlock()
		to.mu.Unlock()
	}
	as := make([]acct, 2)
	var wg sync.WaitGroup
	wg.Go(func() { move(&as[0], &as[1]) })
	wg.Go(func() { move(&as[1], &as[0]) })
	wg.Wait()
	if as[0].n != 0 {
		t.Fatal(as[0].n)
	}
}

func TestOrdersOneAfterAnother(t *testing.T) { // the second order only once the first is done
	var a, b sync.Mutex
	done := make(chan struct{})
	go func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
		close(done)
	}()
	<-done
	b.Lock()
	a.Lock()
	a.Unlock()
	b.Unlock()
}

func TestOrdersByFlag(t *testing.T) { // the other order only before anything starts
	var a, b sync.Mutex
	b.Lock()
	a.Lock()
	a.Unlock()
	b.Unlock()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
	}
	wg.Wait()
}

func TestNestedReadersWithoutWriter(t *testing.T) {
	var rw sync.RWMutex
	m := map[string]int{"a": 1}
	get := func(k string) int { rw.RLock(); defer rw.RUnlock(); return m[k] }
	sum := func() int { rw.RLock(); defer rw.RUnlock(); return get("a") + get("a") }
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if sum() != 2 {
				t.Error()
			}
		})
	}
	wg.Wait()
}

func TestBufferedSendUnderLock(t *testing.T) { // there is room for all
	var mu sync.Mutex
	c := make(chan int, 3)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { mu.Lock(); c <- i; mu.Unlock() })
	}
	for range 3 {
		<-c
		mu.Lock()
		mu.Unlock()
	}
	wg.Wait()
}

func TestSendersAndCloserUnderRW(t *testing.T) {
	var rw sync.RWMutex
	closed := false
	c := make(chan int, 8)
	send := func(v int) error {
		rw.RLock()
		defer rw.RUnlock()
		if closed {
			return errors.New("closed")
		}
		c <- v
		return nil
	}
	shut := func() {
		rw.Lock()
		defer rw.Unlock()
		if !closed {
			closed = true
			close(c)
		}
	}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { send(i) })
		wg.Go(shut)
	}
	wg.Wait()
	for range c {
	}
}

func TestClosesAfterSendersCounted(t *testing.T) {
	c := make(chan int, 8)
	var senders sync.WaitGroup
	var once sync.Once
	for i := range 3 {
		senders.Go(func() { c <- i })
	}
	stop := func() { once.Do(func() { senders.Wait(); close(c) }) }
	var wg sync.WaitGroup
	wg.Go(stop)
	wg.Go(stop)
	wg.Wait()
	n := 0
	for range c {
		n++
	}
	if n != 3 {
		t.Fatal(n)
	}
}

func TestLockHandedOver(t *testing.T) { // locked here, unlocked by the one that works
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	for range 3 {
		mu.Lock()
		wg.Go(func() { n++; mu.Unlock() })
	}
	wg.Wait()
	if n != 3 {
		t.Fatal(n)
	}
}

func TestInnerLockGivenUp(t *testing.T) { // all accesses hold inner; outer is for something else
	var outer, inner sync.Mutex
	n, others := 0, 0
	step := func() {
		outer.Lock()
		defer outer.Unlock()
		others++
		inner.Lock()
		n++
		inner.Unlock()
		inner.Lock()
		n++
		inner.Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(step)
	wg.Go(step)
	wg.Go(func() { inner.Lock(); n += 10; inner.Unlock() })
	wg.Wait()
	if n != 14 {
		t.Fatal(n)
	}
}

func TestLastValueWins(t *testing.T) { // reads, then overwrites: both are meant
	var mu sync.Mutex
	last := ""
	changes := 0
	set := func(s string) {
		mu.Lock()
		same := last == s
		mu.Unlock()
		if same {
			return
		}
		mu.Lock()
		last = s
		changes++
		mu.Unlock()
	}
	var wg sync.WaitGroup
	for _, s := range []string{"a", "b"} {
		wg.Go(func() { set(s) })
	}
	wg.Wait()
	if changes != 2 || last == "" {
		t.Fatal(changes, last)
	}
}

func TestTwoReadsTwoSections(t *testing.T) { // the length is a hint for the capacity
	var mu sync.Mutex
	list := []int{1}
	count := func() int { mu.Lock(); defer mu.Unlock(); return len(list) }
	all := func(into []int) []int { mu.Lock(); defer mu.Unlock(); return append(into, list...) }
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); list = append(list, 2); mu.Unlock() })
	wg.Go(func() {
		got := all(make([]int, 0, count()))
		if len(got) == 0 || got[0] != 1 {
			t.Error(got)
		}
	})
	wg.Wait()
}

func TestAtomicAndLockedMix(t *testing.T) { // writes under the lock, fast reads without
	var mu sync.Mutex
	var n atomic.Int64
	bump := func() { mu.Lock(); n.Store(n.Load() + 1); mu.Unlock() }
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(bump)
		wg.Go(func() {
			if v := n.Load(); v < 0 || v > 2 {
				t.Error(v)
			}
		})
	}
	wg.Wait()
	if n.Load() != 2 {
		t.Fatal(n.Load())
	}
}

var background = make(chan func())

func init() {
	go func() {
		for f := range background {
			f()
		}
	}()
}

func TestBackgroundWorkerOfPackage(t *testing.T) {
	done := make(chan int)
	background <- func() { done <- 1 }
	if <-done != 1 {
		t.Fatal()
	}
}

var startOnce sync.Once
var requests chan int

func TestDaemonOutlivesTest(t *testing.T) {
	startOnce.Do(func() {
		requests = make(chan int)
		go func() {
			for range requests {
			}
		}()
	})
	requests <- 1
}

func TestPendingTimer(t *testing.T) {
	var n atomic.Int32
	timer := time.AfterFunc(time.Hour, func() { n.Add(1) })
	t.Cleanup(func() { timer.Stop() })
	go func() { n.Add(0) }()
	if n.Load() != 0 {
		t.Fatal()
	}
}

func TestIdleConnections(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }))
	t.Cleanup(s.Close)
	for range 2 {
		resp, err := http.Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func TestHandlerWaitsForGoroutine(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lines := make(chan string)
		go func() {
			defer close(lines)
			for sc := bufio.NewScanner(r.Body); sc.Scan(); {
				lines <- strings.ToUpper(sc.Text())
			}
		}()
		for l := range lines {
			fmt.Fprintln(w, l)
		}
	}))
	defer s.Close()
	resp, err := http.Post(s.URL, "text/plain", strings.NewReader("a\nb\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, _ := io.ReadAll(resp.Body); string(b) != "A\nB\n" {
		t.Fatal(string(b))
	}
}

func TestAcceptLoopEndsByClose(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { defer c.Close(); fmt.Fprintln(c, "hello") })
		}
	})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || s != "hello\n" {
		t.Fatal(s, err)
	}
	c.Close()
	l.Close()
	wg.Wait()
}

func TestDeadlineEndsRead(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	served := make(chan error)
	go func() {
		c, err := l.Accept()
		if err != nil {
			served <- err
			return
		}
		defer c.Close()
		c.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
		_, err = c.Read(make([]byte, 1))
		served <- err
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var ne net.Error
	if err := <-served; !errors.As(err, &ne) || !ne.Timeout() {
		t.Fatal(err)
	}
}

func TestChildReads(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("wc", "-c")
	cmd.Stdin = r
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	go func() { io.WriteString(w, "12345"); w.Close() }()
	if err := cmd.Wait(); err != nil || strings.TrimSpace(out.String()) != "5" {
		t.Fatal(out.String(), err)
	}
}

func TestChildIsEnded(t *testing.T) {
	cmd := exec.Command("sleep", "100")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	cmd.Process.Kill()
	select {
	case err := <-exited:
		if err == nil {
			t.Fatal("exit 0")
		}
	case <-time.After(time.Minute):
		t.Fatal("still there")
	}
}

// A driver that knows nothing.
type (
	fakeDriver struct{}
	fakeConn   struct{}
	fakeStmt   struct{ n *atomic.Int32 }
	fakeRows   struct{ left int }
	fakeTx     struct{}
)

var executed atomic.Int32

func (fakeDriver) Open(string) (driver.Conn, error)  { return fakeConn{}, nil }
func (fakeConn) Prepare(string) (driver.Stmt, error) { return fakeStmt{&executed}, nil }
func (fakeConn) Close() error                        { return nil }
func (fakeConn) Begin() (driver.Tx, error)           { return fakeTx{}, nil }
func (fakeTx) Commit() error                         { return nil }
func (fakeTx) Rollback() error                       { return nil }
func (fakeStmt) Close() error                        { return nil }
func (fakeStmt) NumInput() int                       { return -1 }
func (s fakeStmt) Exec([]driver.Value) (driver.Result, error) {
	s.n.Add(1)
	return driver.RowsAffected(1), nil
}
func (fakeStmt) Query([]driver.Value) (driver.Rows, error) { return &fakeRows{2}, nil }
func (*fakeRows) Columns() []string                        { return []string{"n"} }
func (*fakeRows) Close() error                             { return nil }
func (r *fakeRows) Next(dest []driver.Value) error {
	if r.left == 0 {
		return io.EOF
	}
	r.left--
	dest[0] = int64(r.left)
	return nil
}

func init() { sql.Register("fake", fakeDriver{}) }

func TestTransactionsOfGoroutines(t *testing.T) {
	db, err := sql.Open("fake", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			tx, err := db.Begin()
			if err != nil {
				t.Error(err)
				return
			}
			defer tx.Rollback()
			if _, err := tx.Exec("insert"); err != nil {
				t.Error(err)
			}
			if err := tx.Commit(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestRowsOfGoroutines(t *testing.T) {
	db, _ := sql.Open("fake", "")
	defer db.Close()
	db.SetMaxOpenConns(1)
	var sum atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			rows, err := db.Query("select")
			if err != nil {
				t.Error(err)
				return
			}
			defer rows.Close()
			for rows.Next() {
				var n int64
				rows.Scan(&n)
				sum.Add(n)
			}
		})
	}
	wg.Wait()
	if sum.Load() != 2 {
		t.Fatal(sum.Load())
	}
}

func TestQueryWithContext(t *testing.T) {
	db, _ := sql.Open("fake", "")
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if _, err := db.ExecContext(ctx, "update"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestFileClosedAfterAll(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			if _, err := f.WriteAt([]byte{byte('a' + i)}, int64(i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(f.Name())
	if string(b) != "ab" {
		t.Fatal(string(b))
	}
}

func TestLogsBeforeEnd(t *testing.T) {
	done := make(chan struct{})
	go func() { defer close(done); t.Log("from a goroutine") }()
	<-done
}

func TestSubtestLogsBeforeEnd(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		var wg sync.WaitGroup
		t.Cleanup(wg.Wait)
		wg.Go(func() { t.Log("late, but waited for") })
	})
}

func TestWaitGroupReused(t *testing.T) {
	var wg sync.WaitGroup
	n := 0
	for range 3 {
		wg.Add(1)
		go func() { n++; wg.Done() }()
		wg.Wait()
	}
	if n != 3 {
		t.Fatal(n)
	}
}

func TestResettableOnce(t *testing.T) { // a Once is replaced while nobody uses it
	var mu sync.Mutex
	once := new(sync.Once)
	n := 0
	do := func() { mu.Lock(); defer mu.Unlock(); once.Do(func() { n++ }) }
	reset := func() { mu.Lock(); defer mu.Unlock(); once = new(sync.Once) }
	var wg sync.WaitGroup
	wg.Go(do)
	wg.Go(reset)
	wg.Go(do)
	wg.Wait()
	if n < 1 || n > 2 {
		t.Fatal(n)
	}
}

func TestNilUntilReady(t *testing.T) {
	var mu sync.Mutex
	var handler func(int) int
	call := func(v int) int {
		mu.Lock()
		h := handler
		mu.Unlock()
		if h == nil {
			return v
		}
		return h(v)
	}
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); handler = func(v int) int { return 2 * v }; mu.Unlock() })
	wg.Go(func() {
		if v := call(1); v != 1 && v != 2 {
			t.Error(v)
		}
	})
	wg.Wait()
}

func TestPointerMayBeNil(t *testing.T) {
	type cfg struct{ n int }
	var p atomic.Pointer[cfg]
	var wg sync.WaitGroup
	wg.Go(func() { p.Store(&cfg{3}) })
	wg.Go(func() {
		if c := p.Load(); c != nil && c.n != 3 {
			t.Error(c.n)
		}
	})
	wg.Wait()
}

func TestMapEntryMayBeMissing(t *testing.T) {
	var mu sync.Mutex
	m := map[string]*int{}
	var wg sync.WaitGroup
	wg.Go(func() { v := 1; mu.Lock(); m["k"] = &v; mu.Unlock() })
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		if p, ok := m["k"]; ok && *p != 1 {
			t.Error(*p)
		}
	})
	wg.Wait()
}

func TestIndexIsChecked(t *testing.T) {
	var mu sync.Mutex
	s := []int{1, 2}
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); s = s[:1]; mu.Unlock() })
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		if len(s) > 1 && s[1] != 2 {
			t.Error(s)
		}
	})
	wg.Wait()
}

func TestDivisorIsChecked(t *testing.T) {
	var mu sync.Mutex
	total, n := 10, 0
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); n = 2; mu.Unlock() })
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		if n > 0 && total/n != 5 {
			t.Error(total, n)
		}
	})
	wg.Wait()
}

func TestProducerConsumerCond(t *testing.T) { // waits in a loop, signals outside of the lock
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	full := false
	var got []int
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 3 {
			mu.Lock()
			for full {
				c.Wait()
			}
			got = append(got, i)
			full = true
			mu.Unlock()
			c.Broadcast()
		}
	})
	wg.Go(func() {
		for range 3 {
			mu.Lock()
			for !full {
				c.Wait()
			}
			full = false
			mu.Unlock()
			c.Broadcast()
		}
	})
	wg.Wait()
	if len(got) != 3 {
		t.Fatal(got)
	}
}

func TestTimeoutIsOneOutcome(t *testing.T) { // the test accepts both
	c := make(chan int, 1)
	go func() { time.Sleep(time.Millisecond); c <- 1 }()
	select {
	case v := <-c:
		if v != 1 {
			t.Fatal(v)
		}
	case <-time.After(time.Millisecond):
	}
}

func TestRetriesUntilDeadline(t *testing.T) {
	var up atomic.Bool
	go func() { time.Sleep(2 * time.Millisecond); up.Store(true) }()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for !up.Load() {
		select {
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
}

func TestContextErrAfterSelect(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	work := make(chan int, 1)
	var handled, stopped atomic.Int32
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-work:
			if ctx.Err() == nil {
				handled.Add(1)
			} else {
				stopped.Add(1)
			}
		case <-ctx.Done():
			stopped.Add(1)
		}
	})
	wg.Go(func() { work <- 1 })
	wg.Go(cancel)
	wg.Wait()
	if handled.Load()+stopped.Load() != 1 {
		t.Fatal()
	}
}

func TestTreeOfContexts(t *testing.T) {
	root, cancel := context.WithCancel(context.Background())
	var active atomic.Int32
	var wg sync.WaitGroup
	var spawn func(ctx context.Context, depth int)
	spawn = func(ctx context.Context, depth int) {
		active.Add(1)
		wg.Go(func() {
			defer active.Add(-1)
			if depth > 0 {
				child, stop := context.WithTimeout(ctx, time.Hour)
				defer stop()
				spawn(child, depth-1)
			}
			<-ctx.Done()
		})
	}
	spawn(root, 2)
	cancel()
	wg.Wait()
	if active.Load() != 0 {
		t.Fatal(active.Load())
	}
}

func TestPipeOfJSONLines(t *testing.T) {
	pr, pw := io.Pipe()
	go func() {
		w := bufio.NewWriter(pw)
		for i := range 3 {
			fmt.Fprintf(w, "{\"n\":%d}\n", i)
		}
		w.Flush()
		pw.Close()
	}()
	n := 0
	for sc := bufio.NewScanner(pr); sc.Scan(); n++ {
		if !strings.HasPrefix(sc.Text(), "{") {
			t.Fatal(sc.Text())
		}
	}
	if n != 3 {
		t.Fatal(n)
	}
}

func TestTee(t *testing.T) {
	in := make(chan int)
	a, b := make(chan int), make(chan int)
	go func() {
		defer close(a)
		defer close(b)
		for v := range in {
			a, b := a, b
			for range 2 {
				select {
				case a <- v:
					a = nil
				case b <- v:
					b = nil
				}
			}
		}
	}()
	go func() {
		for i := range 3 {
			in <- i
		}
		close(in)
	}()
	for v := range a {
		if w := <-b; w != v {
			t.Fatal(v, w)
		}
	}
}

func TestBridge(t *testing.T) {
	chans := make(chan chan int)
	go func() {
		defer close(chans)
		for i := range 3 {
			c := make(chan int, 1)
			c <- i
			close(c)
			chans <- c
		}
	}()
	sum := 0
	for c := range chans {
		for v := range c {
			sum += v
		}
	}
	if sum != 3 {
		t.Fatal(sum)
	}
}

func TestReplicatedRequests(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan int)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			select {
			case result <- i:
			case <-ctx.Done():
			}
		})
	}
	first := <-result
	cancel()
	wg.Wait()
	if first < 0 || first > 2 {
		t.Fatal(first)
	}
}

func TestStopperDrains(t *testing.T) { // stops, then takes what is left
	c := make(chan int, 4)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var sent atomic.Int32
	for i := range 3 {
		wg.Go(func() {
			select {
			case c <- i:
				sent.Add(1)
			case <-stop:
			}
		})
	}
	close(stop)
	wg.Wait()
	close(c)
	n := int32(0)
	for range c {
		n++
	}
	if n != sent.Load() {
		t.Fatal(n, sent.Load())
	}
}

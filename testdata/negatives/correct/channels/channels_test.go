package channels

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
)

func TestResult(t *testing.T) {
	c := make(chan int)
	go func() { c <- 42 }()
	if <-c != 42 {
		t.Fatal()
	}
}

func TestBufferedResultMayBeDropped(t *testing.T) {
	type result struct {
		v   int
		err error
	}
	c := make(chan result, 1)
	go func() { c <- result{1, nil} }()
	go func() {}()
	r := <-c
	if r.err != nil || r.v != 1 {
		t.Fatal(r)
	}
}

func TestCloseBroadcasts(t *testing.T) {
	start := make(chan struct{})
	val := 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			<-start
			if val != 7 {
				t.Error(val)
			}
		})
	}
	val = 7
	close(start)
	wg.Wait()
}

func TestRangeUntilClose(t *testing.T) {
	c := make(chan int)
	go func() {
		defer close(c)
		for i := range 4 {
			c <- i
		}
	}()
	sum := 0
	for v := range c {
		sum += v
	}
	if sum != 6 {
		t.Fatal(sum)
	}
}

func TestManySendersOneCloser(t *testing.T) {
	c := make(chan int)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { c <- i })
	}
	go func() { wg.Wait(); close(c) }()
	var got []int
	for v := range c {
		got = append(got, v)
	}
	slices.Sort(got)
	if fmt.Sprint(got) != "[0 1 2]" {
		t.Fatal(got)
	}
}

func TestSemaphoreChannel(t *testing.T) {
	sem := make(chan struct{}, 2)
	var mu sync.Mutex
	in, most := 0, 0
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			sem <- struct{}{}
			defer func() { <-sem }()
			mu.Lock()
			in++
			most = max(most, in)
			mu.Unlock()
			mu.Lock()
			in--
			mu.Unlock()
		})
	}
	wg.Wait()
	if most > 2 {
		t.Fatal(most)
	}
}

func TestChannelAsMutex(t *testing.T) {
	mu := make(chan bool, 1)
	n := 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { mu <- true; n++; <-mu })
	}
	wg.Wait()
	if n != 3 {
		t.Fatal(n)
	}
}

func TestTokenMutex(t *testing.T) { // holds the token while it is taken
	token := make(chan int, 1)
	token <- 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { n := <-token; token <- n + 1 })
	}
	wg.Wait()
	if n := <-token; n != 3 {
		t.Fatal(n)
	}
}

type buffer struct{ data []byte }

func TestOwnershipPasses(t *testing.T) {
	c := make(chan *buffer)
	done := make(chan string)
	go func() {
		b := <-c
		b.data = append(b.data, " world"...)
		done <- string(b.data)
	}()
	b := &buffer{}
	b.data = append(b.data, "hello"...)
	c <- b
	if s := <-done; s != "hello world" {
		t.Fatal(s)
	}
}

func TestOwnershipComesBack(t *testing.T) {
	c, back := make(chan *buffer), make(chan *buffer)
	go func() {
		for b := range c {
			b.data[0]++
			back <- b
		}
		close(back)
	}()
	b := &buffer{[]byte{1}}
	for range 3 {
		c <- b
		b = <-back
		b.data[0]++
	}
	close(c)
	if _, ok := <-back; ok || b.data[0] != 7 {
		t.Fatal(b.data)
	}
}

func TestFreeList(t *testing.T) {
	free := make(chan *buffer, 2)
	for range 2 {
		free <- &buffer{make([]byte, 1)}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			b := <-free
			b.data[0]++
			free <- b
		})
	}
	wg.Wait()
	if n := (<-free).data[0] + (<-free).data[0]; n != 4 {
		t.Fatal(n)
	}
}

func TestLeakyBuffer(t *testing.T) {
	free := make(chan *buffer, 1)
	get := func() *buffer {
		select {
		case b := <-free:
			return b
		default:
			return &buffer{make([]byte, 1)}
		}
	}
	put := func(b *buffer) {
		select {
		case free <- b:
		default:
		}
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			b := get()
			b.data[0] = 1
			if b.data[0] != 1 {
				t.Error("shared")
			}
			put(b)
		})
	}
	wg.Wait()
}

func TestNilChannelDisables(t *testing.T) {
	a, b := make(chan int), make(chan int)
	go func() { a <- 1; a <- 2; close(a) }()
	go func() { b <- 10; close(b) }()
	sum := 0
	for a != nil || b != nil {
		select {
		case v, ok := <-a:
			if !ok {
				a = nil
				continue
			}
			sum += v
		case v, ok := <-b:
			if !ok {
				b = nil
				continue
			}
			sum += v
		}
	}
	if sum != 13 {
		t.Fatal(sum)
	}
}

func TestRequestsWithReplies(t *testing.T) {
	type request struct {
		n     int
		reply chan int
	}
	reqs := make(chan request)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		total := 0
		for r := range reqs {
			total += r.n
			r.reply <- total
		}
	}()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			r := request{1, make(chan int)}
			reqs <- r
			if got := <-r.reply; got < 1 || got > 3 {
				t.Error(got)
			}
		})
	}
	wg.Wait()
	close(reqs)
	<-stopped
}

func TestPingPong(t *testing.T) {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for v := range ping {
			pong <- v + 1
		}
		close(pong)
	}()
	v := 0
	for range 4 {
		ping <- v
		v = <-pong
	}
	close(ping)
	<-pong
	if v != 4 {
		t.Fatal(v)
	}
}

func TestErrorsJoined(t *testing.T) {
	errc := make(chan error, 3)
	for i := range 3 {
		go func() {
			if i == 1 {
				errc <- errors.New("one")
				return
			}
			errc <- nil
		}()
	}
	var all error
	for range 3 {
		all = errors.Join(all, <-errc)
	}
	if all == nil || all.Error() != "one" {
		t.Fatal(all)
	}
}

func TestSieve(t *testing.T) {
	numbers := make(chan int)
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 2; ; i++ {
			select {
			case numbers <- i:
			case <-quit:
				return
			}
		}
	})
	filter := func(in chan int, prime int) chan int {
		out := make(chan int)
		wg.Go(func() {
			for {
				select {
				case v := <-in:
					if v%prime != 0 {
						select {
						case out <- v:
						case <-quit:
							return
						}
					}
				case <-quit:
					return
				}
			}
		})
		return out
	}
	var primes []int
	c := numbers
	for range 4 {
		p := <-c
		primes = append(primes, p)
		c = filter(c, p)
	}
	close(quit)
	wg.Wait()
	if fmt.Sprint(primes) != "[2 3 5 7]" {
		t.Fatal(primes)
	}
}

func TestFutures(t *testing.T) {
	type future struct {
		done chan struct{}
		val  int
	}
	async := func(f func() int) *future {
		fu := &future{done: make(chan struct{})}
		go func() { fu.val = f(); close(fu.done) }()
		return fu
	}
	a, b := async(func() int { return 1 }), async(func() int { return 2 })
	<-a.done
	<-b.done
	if a.val+b.val != 3 {
		t.Fatal()
	}
}

func TestCloseOnce(t *testing.T) {
	done := make(chan struct{})
	var once sync.Once
	stop := func() { once.Do(func() { close(done) }) }
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(stop)
	}
	<-done
	wg.Wait()
}

func TestChanOfChan(t *testing.T) {
	work := make(chan chan string)
	go func() {
		for c := range work {
			c <- "ok"
			close(c)
		}
	}()
	for range 2 {
		c := make(chan string)
		work <- c
		if s := <-c; s != "ok" {
			t.Fatal(s)
		}
		if _, ok := <-c; ok {
			t.Fatal("open")
		}
	}
	close(work)
}

func TestDrainAfterClose(t *testing.T) {
	c := make(chan int, 3)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { c <- i })
	}
	wg.Wait()
	close(c)
	n := 0
	for range c {
		n++
	}
	if n != 3 || len(c) != 0 {
		t.Fatal(n)
	}
}

func TestLenIsOnlyAHint(t *testing.T) {
	c := make(chan int, 4)
	go func() {
		for i := range 4 {
			c <- i
		}
		close(c)
	}()
	for {
		if n := len(c); n > cap(c) {
			t.Fatal(n)
		}
		if _, ok := <-c; !ok {
			break
		}
	}
}

func TestGuardedClose(t *testing.T) { // a send and the close are under one lock
	var mu sync.Mutex
	closed := false
	c := make(chan int, 4)
	send := func(v int) bool {
		mu.Lock()
		defer mu.Unlock()
		if closed {
			return false
		}
		c <- v
		return true
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { send(i) })
	}
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		if !closed {
			closed = true
			close(c)
		}
	})
	wg.Wait()
	if send(9) {
		t.Fatal("sent after close")
	}
}

func TestHandshake(t *testing.T) {
	type conn struct {
		hello, ack chan struct{}
		name       string
	}
	c := &conn{hello: make(chan struct{}), ack: make(chan struct{})}
	go func() {
		<-c.hello
		c.name += "+server"
		c.ack <- struct{}{}
	}()
	c.name = "client"
	c.hello <- struct{}{}
	<-c.ack
	if c.name != "client+server" {
		t.Fatal(c.name)
	}
}

func TestUnbufferedReceiveFirst(t *testing.T) { // the k-th receive of an unbuffered channel is before the send is complete
	c := make(chan int)
	var s string
	go func() {
		s = "set"
		<-c
	}()
	c <- 0
	if s != "set" {
		t.Fatal(s)
	}
}

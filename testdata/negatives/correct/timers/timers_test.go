package timers

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAfterFunc(t *testing.T) {
	done := make(chan int)
	n := 1
	time.AfterFunc(time.Millisecond, func() { n++; done <- n })
	if v := <-done; v != 2 || n != 2 {
		t.Fatal(v)
	}
}

func TestStopOrWait(t *testing.T) { // the function has run, will run, or never runs
	var mu sync.Mutex
	n := 0
	ran := make(chan struct{})
	timer := time.AfterFunc(time.Millisecond, func() {
		mu.Lock()
		n++
		mu.Unlock()
		close(ran)
	})
	time.Sleep(time.Microsecond)
	if !timer.Stop() {
		<-ran
	}
	mu.Lock()
	defer mu.Unlock()
	if n > 1 {
		t.Fatal(n)
	}
}

func TestStopUnderLock(t *testing.T) {
	var mu sync.Mutex
	var stopped, expired bool
	timer := time.AfterFunc(time.Millisecond, func() {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			expired = true
		}
	})
	mu.Lock()
	stopped = true
	timer.Stop()
	was := expired
	mu.Unlock()
	time.Sleep(2 * time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	if expired != was {
		t.Fatal("expired after stop")
	}
}

func TestStoppedLongTimer(t *testing.T) {
	var fired atomic.Bool
	timer := time.AfterFunc(time.Hour, func() { fired.Store(true) })
	if !timer.Stop() || fired.Load() {
		t.Fatal("fired")
	}
}

func TestTimerChannel(t *testing.T) {
	timer := time.NewTimer(time.Millisecond)
	<-timer.C
	if timer.Stop() {
		t.Fatal("stopped what has fired")
	}
}

func TestReset(t *testing.T) {
	timer := time.NewTimer(time.Hour)
	timer.Reset(time.Millisecond)
	<-timer.C
}

func TestIdleTimer(t *testing.T) {
	in := make(chan int)
	go func() {
		for i := range 3 {
			in <- i
		}
		close(in)
	}()
	idle := time.NewTimer(time.Minute)
	defer idle.Stop()
	sum := 0
	for {
		select {
		case v, ok := <-in:
			if !ok {
				if sum != 3 {
					t.Fatal(sum)
				}
				return
			}
			sum += v
			idle.Reset(time.Minute)
		case <-idle.C:
			t.Fatal("idle")
		}
	}
}

func TestTicker(t *testing.T) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 3 {
		<-tick.C
	}
}

func TestTickerWorker(t *testing.T) {
	stop, done := make(chan struct{}), make(chan struct{})
	var n atomic.Int32
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				n.Add(1)
			case <-stop:
				return
			}
		}
	}()
	for n.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	close(stop)
	<-done
}

func TestDebounce(t *testing.T) {
	var mu sync.Mutex
	var timer *time.Timer
	fired := make(chan struct{}, 3)
	poke := func() {
		mu.Lock()
		defer mu.Unlock()
		if timer != nil {
			timer.Stop()
		}
		timer = time.AfterFunc(time.Millisecond, func() { fired <- struct{}{} })
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(poke)
	}
	wg.Wait()
	<-fired
}

func TestBatcher(t *testing.T) { // flushes when full, or after a while
	var mu sync.Mutex
	var batch, flushed []int
	var timer *time.Timer
	all := make(chan struct{})
	flush := func() { // under mu
		flushed = append(flushed, batch...)
		batch = nil
		if timer != nil {
			timer.Stop()
			timer = nil
		}
		if len(flushed) == 5 {
			close(all)
		}
	}
	add := func(v int) {
		mu.Lock()
		defer mu.Unlock()
		batch = append(batch, v)
		if len(batch) == 2 {
			flush()
		} else if timer == nil {
			timer = time.AfterFunc(time.Millisecond, func() {
				mu.Lock()
				defer mu.Unlock()
				if len(batch) > 0 {
					flush()
				}
			})
		}
	}
	for i := range 5 {
		go add(i)
	}
	<-all
	mu.Lock()
	defer mu.Unlock()
	if len(flushed) != 5 {
		t.Fatal(flushed)
	}
}

func TestEventually(t *testing.T) {
	var n atomic.Int32
	go func() { n.Store(3) }()
	deadline := time.Now().Add(time.Minute)
	for n.Load() != 3 {
		if time.Now().After(deadline) {
			t.Fatal("too late")
		}
		time.Sleep(100 * time.Microsecond)
	}
}

func TestElapsed(t *testing.T) {
	begun := time.Now()
	time.Sleep(2 * time.Millisecond)
	if time.Since(begun) < 2*time.Millisecond {
		t.Fatal("too early")
	}
}

func TestExpiringEntry(t *testing.T) {
	var mu sync.Mutex
	type entry struct{ until time.Time }
	m := map[string]entry{}
	set := func(k string) { mu.Lock(); m[k] = entry{time.Now().Add(time.Hour)}; mu.Unlock() }
	get := func(k string) bool {
		mu.Lock()
		defer mu.Unlock()
		e, ok := m[k]
		if ok && time.Now().After(e.until) {
			delete(m, k)
			return false
		}
		return ok
	}
	var wg sync.WaitGroup
	wg.Go(func() { set("a") })
	wg.Go(func() { get("a") })
	wg.Wait()
	if !get("a") {
		t.Fatal("expired")
	}
}

func TestSynctestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		done := make(chan bool)
		go func() { time.Sleep(time.Hour); close(done) }()
		select {
		case <-done:
		case <-time.After(2 * time.Hour):
			t.Error("too late")
		}
		if d := time.Since(begun); d != time.Hour {
			t.Error(d)
		}
	})
}

func TestSynctestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		go func() { n = 1 }()
		synctest.Wait()
		if n != 1 {
			t.Error(n)
		}
	})
}

func TestSynctestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []int
		for i := range 3 {
			go func() {
				time.Sleep(time.Duration(3-i) * time.Second)
				mu.Lock()
				got = append(got, i)
				mu.Unlock()
			}()
		}
		time.Sleep(4 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		if len(got) != 3 || got[0] != 2 || got[2] != 0 {
			t.Error(got)
		}
	})
}

func TestSynctestTicker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tick := time.NewTicker(time.Minute)
		defer tick.Stop()
		n := 0
		for range tick.C {
			if n++; n == 3 {
				break
			}
		}
	})
}

func TestSynctestAfterFunc(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		called := false
		timer := time.AfterFunc(time.Second, func() { called = true })
		time.Sleep(time.Second / 2)
		synctest.Wait()
		if called || !timer.Stop() {
			t.Error("early")
		}
	})
}

func TestLateFunctionIsIgnored(t *testing.T) { // each timer has a generation
	var mu sync.Mutex
	gen, fired := 0, 0
	arm := func() *time.Timer {
		mu.Lock()
		defer mu.Unlock()
		gen++
		mine := gen
		return time.AfterFunc(time.Millisecond, func() {
			mu.Lock()
			defer mu.Unlock()
			if mine == gen {
				fired++
			}
		})
	}
	a := arm()
	b := arm()
	time.Sleep(3 * time.Millisecond)
	a.Stop()
	b.Stop()
	mu.Lock()
	defer mu.Unlock()
	if fired > 2 {
		t.Fatal(fired)
	}
}

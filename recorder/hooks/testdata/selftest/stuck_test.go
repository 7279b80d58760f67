package selftest

import (
	"context"
	"net"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestStuck ends, or does not, as STUCK says.
func TestStuck(t *testing.T) {
	t.Log("logged before")
	switch os.Getenv("STUCK") {
	case "locks":
		var a, b sync.Mutex
		var both sync.WaitGroup
		locked := make(chan bool)
		both.Go(func() {
			a.Lock()
			locked <- true
			b.Lock()
		})
		both.Go(func() {
			b.Lock()
			<-locked
			a.Lock()
		})
		both.Wait()
	case "signal": // nobody waits for the channel that it would be sent to
		told := make(chan os.Signal, 1)
		signal.Notify(told, syscall.SIGTERM)
		defer signal.Stop(told)
		var mu sync.Mutex
		mu.Lock()
		mu.Lock()
	case "context": // a signal would cancel it, which is not what the test waits for
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		go func() { <-ctx.Done() }()
		<-make(chan int)
	case "ticker": // it goes on, and leads nowhere
		tick := time.NewTicker(100 * time.Millisecond)
		go func() {
			for range tick.C {
			}
		}()
		<-make(chan int)
	case "turns": // it could send any time
		late := make(chan int)
		go func() {
			for range 1000 {
				time.Sleep(100 * time.Millisecond)
			}
			close(late)
		}()
		<-late
	case "round": // it could send any time, and never does
		never := make(chan int)
		go func() {
			for range time.Tick(10 * time.Millisecond) {
				if len(os.Args) == 0 {
					close(never)
				}
			}
		}()
		<-never
	case "late": // an hour later it goes on
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		<-ctx.Done()
	case "beside": // an hour later something else does
		time.AfterFunc(time.Hour, func() {})
		<-make(chan int)
	case "accept": // only the program itself could connect or close
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		over := make(chan error)
		go func() {
			_, err := l.Accept()
			over <- err
		}()
		<-over
	case "read": // only the program itself has the other end
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		var group sync.WaitGroup
		group.Go(func() { r.Read(make([]byte, 1)) })
		group.Wait()
	case "subtest":
		t.Run("sub", func(t *testing.T) {
			t.Log("logged in sub")
			select {}
		})
	}
}

var forAll = make(chan int)

// TestTurns leaves goroutines behind that timers wake, some of them for ever. Its fifth child is a timer.
func TestTurns(t *testing.T) {
	turn := func(stop <-chan int, times int) {
		for range times {
			select {
			case <-time.After(time.Millisecond):
			case <-stop:
				return
			}
		}
	}
	const forEver = 1 << 40
	go turn(make(chan int), forEver)
	go turn(forAll, forEver) // anybody may send
	go turn(make(chan int), 40)
	go turn(nil, forEver) // it has no other way out
	later := make(chan int)
	time.AfterFunc(time.Hour, func() { close(later) })
	go turn(later, forEver)
	shared := make(chan int)
	go turn(shared, forEver)
	go turn(shared, forEver)
	slow := make(chan int)
	go func() { time.Sleep(time.Hour); close(slow) }()
	go turn(slow, forEver)
}

type closer struct{ c chan int }

// TestLeaks leaves goroutines behind, some of them for ever. The timer is its fourth child.
func TestLeaks(t *testing.T) {
	one := make(chan int)
	go func() { one <- 1 }()
	go func() { <-forAll }() // anybody may send

	go func() { select {} }()
	later := make(chan int)
	time.AfterFunc(time.Hour, func() { close(later) })
	go func() { <-later }()

	go func() {
		var mu sync.Mutex
		mu.Lock()
		mu.Lock()
	}()
	dropped := &closer{make(chan int)}
	runtime.SetFinalizer(dropped, func(c *closer) { close(c.c) })
	end := dropped.c
	go func() { <-end }()

	var none sync.WaitGroup
	none.Add(1)
	go func() { none.Wait() }()
	ended, end2 := context.WithTimeout(context.Background(), time.Hour)
	go func() { defer end2(); <-ended.Done() }()

	go func() {
		cond := sync.NewCond(new(sync.Mutex))
		cond.L.Lock()
		cond.Wait()
	}()
	fed := make(chan int)
	go func() { time.Sleep(time.Hour); fed <- 1 }()

	quit, data := make(chan int), make(chan int)
	go func() {
		select {
		case <-quit:
		case data <- 1:
		}
	}()
	go func() { <-fed }()

	_, _ = context.WithCancel(opaque{}) // starts one to wait for the other's end

	t.Run("sub", func(t *testing.T) {
		waits := make(chan int)
		t.Cleanup(func() { close(quiet) })
		go func() { waits <- 1 }()
		go func() { <-quiet }() // ends by the cleanup
		t.Cleanup(func() { _ = waits })
	})
}

// opaque is a context that package context knows nothing of, and that never ends.
type opaque struct{ context.Context }

func (opaque) Done() <-chan struct{} { return make(chan struct{}) }
func (opaque) Value(any) any         { return nil }

var quiet = make(chan int)

// TestLeaksLater leaves a goroutine behind that blocks when its time is over, one that waits for
// time again and again, and one that waits for long.
func TestLeaksLater(t *testing.T) {
	go func() {
		time.Sleep(2 * time.Millisecond)
		make(chan int) <- 1
	}()
	go func() {
		for {
			select {
			case <-time.After(10 * time.Millisecond):
			case <-forAll:
				return
			}
		}
	}()
	go func() {
		time.Sleep(time.Hour)
		make(chan int) <- 1
	}()
}

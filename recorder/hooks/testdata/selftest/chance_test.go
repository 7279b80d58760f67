package selftest

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/rand"
	randv2 "math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"predictrt"
)

// Accesses at these sites have values that chance decides.
const siteChance = 1<<31 | 5

// diary is where goroutines write down what chance decided, in order.
type diary struct {
	mu   sync.Mutex
	text string
	last *uint32
}

func (d *diary) add(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	line := fmt.Sprintf(format, args...)
	d.text += line + "\n"
	var sum uint32
	for i := range len(line) {
		sum = sum*31 + uint32(line[i])
	}
	predictrt.Store(d.last, siteChance).Set(sum)
}

var (
	squares     map[int]int
	makeSquares sync.Once
)

// TestChance depends on all that differs between ordinary runs.
func TestChance(t *testing.T) {
	d := &diary{last: new(uint32)}
	var wg sync.WaitGroup
	wg.Go(func() { // select
		a, b := make(chan int, 100), make(chan int, 100)
		for i := range 100 {
			a <- i
			b <- -i
		}
		for range 100 {
			select {
			case n := <-a:
				d.add("a %d", n)
			case n := <-b:
				d.add("b %d", n)
			}
		}
	})
	for g := range 2 { // maps
		wg.Go(func() {
			makeSquares.Do(func() {
				squares = map[int]int{}
				for i := range 50 {
					squares[i] = i * i
				}
				for range squares {
				}
			})
			words := map[string]int{}
			for i := range 20 {
				words[strconv.Itoa(i)] = i
			}
			for w := range words {
				d.add("%d: %s", g, w)
			}
			for n := range squares {
				d.add("%d: %d", g, n)
			}
			var m sync.Map
			for i := range 20 {
				m.Store(i, i)
			}
			m.Range(func(k, _ any) bool {
				d.add("sync %v", k)
				return true
			})
			small := map[int]bool{1: true, 2: true, 3: true}
			for n := range small {
				d.add("small %d", n)
			}
		})
	}
	for range 3 { // random numbers
		wg.Go(func() {
			for range 5 {
				d.add("%d %d %d", rand.Intn(1000), randv2.IntN(1000), rand.Perm(4))
				runtime.Gosched()
			}
			time.Sleep(time.Duration(rand.Intn(3000)) * time.Microsecond)
			d.add("%d", maphash.String(maphash.MakeSeed(), "x"))
		})
	}
	wg.Go(func() { // timers
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Millisecond)
		defer cancel()
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		after := time.After(10 * time.Millisecond)
		for {
			select {
			case <-tick.C:
				d.add("tick")
			case <-after:
				d.add("after")
			case <-ctx.Done():
				d.add("timeout %v", ctx.Err())
				return
			}
			compute()
		}
	})
	for i := range 4 { // who is woken first
		wg.Go(func() {
			time.Sleep(time.Millisecond)
			d.add("slept %d", i)
			d.mu.Lock()
			runtime.Gosched()
			d.mu.Unlock()
			d.add("locked %d", i)
		})
	}
	wg.Wait()
	if os.Getenv("DIARY") != "" {
		fmt.Println(d.text)
	}
}

var sink int

// compute takes some hundred microseconds.
func compute() {
	for i := range 200_000 {
		sink += i
	}
}

// TestLate sleeps for as long as something is valid that another goroutine has made
// since the sleep began. No machine is so fast that it is valid still.
func TestLate(t *testing.T) {
	const validity = 10 * time.Millisecond
	var end time.Time
	for range 3 {
		made := make(chan bool, 1)
		go func() {
			end = time.Now().Add(validity)
			made <- true
		}()
		time.Sleep(validity)
		if !time.Now().After(end) {
			t.Error("what was made during the sleep is valid after it")
		}
		<-made
	}
}

// TestCoins says what a goroutine draws.
func TestCoins(t *testing.T) {
	coins := make(chan string)
	go func() {
		text := ""
		for range 16 {
			text += strconv.Itoa(rand.Intn(2))
		}
		coins <- text
	}()
	println("coins:", <-coins)
}

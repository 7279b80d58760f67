// Package chance does what differs from run to run.
package chance

import (
	"context"
	"fmt"
	"math/rand"
	"sync"
	"time"
)

// A Diary keeps what has happened, in order.
type Diary struct {
	mu    sync.Mutex
	lines []string
	last  string
}

// Add writes a line.
func (d *Diary) Add(format string, args ...any) {
	d.mu.Lock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
	d.mu.Unlock()
}

// Lines returns what has been written so far.
func (d *Diary) Lines() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.lines...)
}

// Select takes n elements from each of two channels as they come.
func (d *Diary) Select(n int) {
	odd, even := make(chan int, n), make(chan int, n)
	for i := range n {
		odd <- 2*i + 1
		even <- 2 * i
	}
	for range 2 * n {
		select {
		case i := <-odd:
			d.Add("odd %d", i)
		case i := <-even:
			d.Add("even %d", i)
		}
	}
}

// Range goes through a map of n elements.
func (d *Diary) Range(n int) {
	squares := map[int]int{}
	for i := range n {
		squares[i] = i * i
	}
	for i, s := range squares {
		d.Add("%d² is %d", i, s)
	}
}

// Draw draws n random numbers and sleeps as long as they say.
func (d *Diary) Draw(n int) {
	for range n {
		i := rand.Intn(1000)
		time.Sleep(time.Duration(i) * time.Microsecond)
		d.Add("drew %d", i)
	}
}

// Watch writes down the ticks until the time is over.
func (d *Diary) Watch(limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	tick := time.NewTicker(limit / 7)
	defer tick.Stop()
	half := time.After(limit / 2)
	for {
		select {
		case <-tick.C:
			d.Add("tick")
		case <-half:
			d.Add("half")
		case <-ctx.Done():
			d.Add("%v", ctx.Err())
			d.last = "the end"
			return
		}
	}
}

// Package kernels holds what internal/measure speed measures: each test does one thing
// often enough for its time to be that of the thing.
package kernels

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func matrix(n int, seed float64) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = seed + float64(i*j%7)
		}
	}
	return m
}

func product(c, a, b [][]float64, from, to int) {
	for i := from; i < to; i++ {
		for j := range b[0] {
			var sum float64
			for k := range b {
				sum += a[i][k] * b[k][j]
			}
			c[i][j] = sum
		}
	}
}

// TestMatrixProduct multiplies two matrices, the rows shared out to four
// goroutines.
func TestMatrixProduct(t *testing.T) {
	const n, workers = 200, 4
	a, b, c := matrix(n, 1), matrix(n, 2), matrix(n, 0)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { product(c, a, b, w*n/workers, (w+1)*n/workers) })
	}
	wg.Wait()
	if c[0][0] != 1*2*n {
		t.Errorf("c[0][0] is %v", c[0][0])
	}
}

// TestMapHeavy counts words in maps, one for each of four goroutines.
func TestMapHeavy(t *testing.T) {
	words := make([]string, 500)
	for i := range words {
		words[i] = fmt.Sprint("word", i*i)
	}
	counts := make([]map[string]int, 4)
	var wg sync.WaitGroup
	for w := range counts {
		wg.Go(func() {
			m := map[string]int{}
			for i := range 500_000 {
				m[words[i*7%len(words)]]++
			}
			counts[w] = m
		})
	}
	wg.Wait()
	if n := counts[3][words[0]]; n != 1000 {
		t.Errorf("word 0 was counted %d times", n)
	}
}

type tree struct{ left, right *tree }

func build(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{build(depth - 1), build(depth - 1)}
}

func (t *tree) size() int {
	if t.left == nil {
		return 1
	}
	return 1 + t.left.size() + t.right.size()
}

// TestTreeBuilding makes binary trees and counts their nodes.
func TestTreeBuilding(t *testing.T) {
	const depth = 12
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				if n := build(depth).size(); n != 1<<(depth+1)-1 {
					t.Errorf("%d nodes", n)
				}
			}
		})
	}
	wg.Wait()
}

// TestChannelPingPong hands a number to and fro between two goroutines.
func TestChannelPingPong(t *testing.T) {
	const rounds = 100_000
	ping, pong := make(chan int), make(chan int)
	go func() {
		for n := range ping {
			pong <- n + 1
		}
		close(pong)
	}()
	n := 0
	for range rounds {
		ping <- n
		n = <-pong
	}
	close(ping)
	if n != rounds {
		t.Errorf("%d rounds", n)
	}
}

type job struct{ from, sum int }

// TestWorkerPool has four workers do small jobs from a queue.
func TestWorkerPool(t *testing.T) {
	const jobs = 50_000
	queue, results := make(chan *job, 64), make(chan *job, 64)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for j := range queue {
				for i := range 100 {
					j.sum += j.from + i
				}
				results <- j
			}
		})
	}
	go func() {
		for i := range jobs {
			queue <- &job{from: i}
		}
		close(queue)
		wg.Wait()
		close(results)
	}()
	n := 0
	for j := range results {
		if j.sum != 100*j.from+4950 {
			t.Errorf("job %d gave %d", j.from, j.sum)
		}
		n++
	}
	if n != jobs {
		t.Errorf("%d jobs", n)
	}
}

// TestContendedMutex has four goroutines increment one counter.
func TestContendedMutex(t *testing.T) {
	const each = 500_000
	var (
		mu sync.Mutex
		n  int
		wg sync.WaitGroup
	)
	for range 4 {
		wg.Go(func() {
			for range each {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if n != 4*each {
		t.Errorf("counted %d", n)
	}
}

// TestAtomicCounters has four goroutines increment two counters.
func TestAtomicCounters(t *testing.T) {
	const each = 1_000_000
	var (
		odd, even atomic.Int64
		wg        sync.WaitGroup
	)
	for range 4 {
		wg.Go(func() {
			for i := range each {
				if i%2 == 0 {
					even.Add(1)
				} else {
					odd.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if odd.Load()+even.Load() != 4*each {
		t.Errorf("counted %d and %d", odd.Load(), even.Load())
	}
}

// TestStringBuilding makes lines of text.
func TestStringBuilding(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				var b strings.Builder
				for i := range 1000 {
					b.WriteString("line ")
					fmt.Fprintf(&b, "%d: %s\n", i, "text")
				}
				if n := strings.Count(b.String(), "\n"); n != 1000 {
					t.Errorf("%d lines", n)
				}
			}
		})
	}
	wg.Wait()
}

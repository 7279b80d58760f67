// Package pool has jobs done by workers, in three ways of sharing them out.
package pool

import (
	"sync"
	"sync/atomic"
)

// workers runs work in three goroutines and waits for them.
func workers(work func()) {
	var all sync.WaitGroup
	for range 3 {
		all.Go(work)
	}
	all.Wait()
}

// Channel adds up the jobs that wait in a channel.
func Channel(jobs <-chan int) int {
	sum := 0
	workers(func() {
		for j := range jobs {
			sum += j
		}
	})
	return sum
}

type queue struct {
	mu   sync.Mutex
	jobs []int
}

func (q *queue) take() (job int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		return 0, false
	}
	job = q.jobs[0]
	q.jobs = q.jobs[1:]
	return job, true
}

// Queue adds up the jobs of a queue.
func Queue(jobs []int) int {
	q := &queue{jobs: jobs}
	sum := 0
	workers(func() {
		for j, ok := q.take(); ok; j, ok = q.take() {
			sum += j
		}
	})
	return sum
}

// Counter adds up jobs, which it numbers.
func Counter(jobs []int) int {
	var next atomic.Int64
	sum := 0
	workers(func() {
		for i := int(next.Add(1)); i <= len(jobs); i = int(next.Add(1)) {
			sum += jobs[i-1]
		}
	})
	return sum
}

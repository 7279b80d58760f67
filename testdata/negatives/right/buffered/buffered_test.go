// Package buffered uses buffered channels as queues and as semaphores.
package buffered

import (
	"sync"
	"testing"
)

func TestQueue(t *testing.T) {
	type job struct{ n, square int }
	jobs, done := make(chan *job, 4), make(chan *job, 4)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for j := range jobs {
				j.square = j.n * j.n
				done <- j
			}
		})
	}
	for i := range 4 {
		j := &job{}
		j.n = i
		jobs <- j
	}
	close(jobs)
	workers.Wait()
	close(done)
	sum := 0
	for j := range done {
		sum += j.square
	}
	if sum != 14 {
		t.Errorf("the sum is %d, want 14", sum)
	}
}

// The k-th receive happens before the (k+C)-th send completes: with room for
// one element, a send locks and a receive unlocks.
func TestSemaphore(t *testing.T) {
	data, semaphore := 0, make(chan struct{}, 1)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			semaphore <- struct{}{}
			data++
			<-semaphore
		})
	}
	wg.Wait()
	if data != 3 {
		t.Errorf("data is %d, want 3", data)
	}
}

// The other way round: a token is taken out and put back.
func TestToken(t *testing.T) {
	data, token := 0, make(chan struct{}, 1)
	token <- struct{}{}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			<-token
			data++
			token <- struct{}{}
		})
	}
	wg.Wait()
	if data != 3 {
		t.Errorf("data is %d, want 3", data)
	}
}

func TestClose(t *testing.T) {
	data, done := 0, make(chan struct{}, 2)
	go func() {
		data = 1
		close(done)
	}()
	<-done
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

package pool

import "testing"

var jobs = []int{1, 2, 3, 4, 5, 6}

func TestChannel(t *testing.T) {
	c := make(chan int, len(jobs))
	for _, j := range jobs {
		c <- j
	}
	close(c)
	t.Log(Channel(c))
}

func TestQueue(t *testing.T) {
	t.Log(Queue(jobs))
}

func TestCounter(t *testing.T) {
	t.Log(Counter(jobs))
}

package selftest

import (
	"runtime"
	"testing"
)

type list struct{ next *list }

// TestChannelsComeAndGo receives from a channel while the garbage collector is at work, after
// one that it has received from before is free again.
func TestChannelsComeAndGo(t *testing.T) {
	var long *list
	for range 500_000 {
		long = &list{long}
	}
	for range 20 {
		receive(200)
		runtime.GC()
		runtime.GC()
		go runtime.GC()
		for range 10 {
			runtime.Gosched()
			receive(1)
		}
	}
	runtime.KeepAlive(long)
}

// receive receives from the last one of n new channels.
func receive(n int) {
	var c chan int
	for range n {
		c = make(chan int, 1)
	}
	c <- 1
	<-c
}

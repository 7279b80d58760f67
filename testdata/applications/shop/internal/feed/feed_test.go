package feed

import (
	"testing"
	"time"
)

// Who hears the first news asks who else does, and hears the second.
func TestTell(t *testing.T) {
	var f Feed[string]
	news := f.Listen()
	heard := make(chan int, 1)
	go func() {
		<-news
		n := f.Listeners()
		<-news
		heard <- n
	}()
	f.Tell("a book")
	time.Sleep(5 * time.Millisecond) // it has asked by then
	f.Tell("a game")
	if n := <-heard; n != 1 {
		t.Errorf("%d listen, want 1", n)
	}
}

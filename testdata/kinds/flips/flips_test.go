package flips

import (
	"context"
	"sync"
	"testing"
	"time"
)

const moment = 10 * time.Millisecond

func one() int { return 1 }

func TestFetch(t *testing.T) {
	stop := make(chan bool)
	go func() {
		time.Sleep(moment)
		close(stop)
	}()
	if r, ok := Fetch(one, stop); ok && r != 1 {
		t.Errorf("got %d", r)
	}
}

func TestFetchContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		time.Sleep(moment)
		cancel()
	}()
	if r, err := FetchContext(ctx, one); err == nil && r != 1 {
		t.Errorf("got %d", r)
	}
}

func TestFetchSoon(t *testing.T) {
	if r, ok := FetchSoon(one); ok && r != 1 {
		t.Errorf("got %d", r)
	}
}

func TestTwo(t *testing.T) {
	err := Two(func() error { return nil }, func() error {
		time.Sleep(moment)
		return errEmpty
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBox(t *testing.T) {
	b := new(Box)
	b.filled = *sync.NewCond(&b.mu)
	go func() {
		time.Sleep(moment)
		b.Put(1)
	}()
	if v := b.Take(); v != 1 {
		t.Errorf("got %d", v)
	}
}

func TestEnter(t *testing.T) {
	g := &Gate{drained: make(chan bool)}
	go g.Enter()
	time.Sleep(moment)
	g.Close()
}

func TestPass(t *testing.T) {
	first, second := &Gate{drained: make(chan bool)}, &Gate{drained: make(chan bool)}
	go Pass(first, second)
	time.Sleep(moment)
	first.Close()
	second.Close()
}

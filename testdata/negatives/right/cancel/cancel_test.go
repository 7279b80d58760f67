// Package cancel hands data over by the cancellation of a context.
package cancel

import (
	"context"
	"testing"
	"time"
)

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	data := 0
	go func() {
		data = 1
		cancel()
	}()
	<-ctx.Done()
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

func TestChild(t *testing.T) {
	parent, cancel := context.WithCancel(context.Background())
	child, stop := context.WithTimeout(parent, time.Minute)
	defer stop()
	data, done := 0, make(chan struct{})
	go func() {
		defer close(done)
		<-child.Done()
		data++
	}()
	data++
	cancel()
	<-done
	if data != 2 {
		t.Errorf("data is %d, want 2", data)
	}
}

func TestAfterFunc(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	data, done := 0, make(chan struct{})
	context.AfterFunc(ctx, func() {
		data++
		close(done)
	})
	data++
	cancel()
	<-done
	if data != 2 {
		t.Errorf("data is %d, want 2", data)
	}
}

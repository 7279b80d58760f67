package ordered

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestTimer(t *testing.T) {
	x, done := 0, make(chan bool)
	timer := time.NewTimer(time.Hour)
	go func() {
		<-timer.C
		x++
		close(done)
	}()
	x++
	timer.Reset(1)
	<-done
	x++
	select {
	case <-time.After(1):
	case <-timer.C:
	}
}

func TestTicker(t *testing.T) {
	x, done := 0, make(chan bool)
	ticker := time.NewTicker(time.Hour)
	defer ticker.Stop()
	go func() {
		defer close(done)
		select {
		case <-ticker.C:
			x++
		}
	}()
	x++
	ticker.Reset(1)
	<-done
	x++
}

func TestAfterFunc(t *testing.T) {
	x, done := 0, make(chan bool)
	x++
	timer := time.AfterFunc(1, func() { x++; done <- true })
	<-done
	x++
	timer.Reset(1)
	<-done
	x++
}

func TestContext(t *testing.T) {
	x, done := 0, make(chan bool)
	ctx, cancel := context.WithCancelCause(t.Context())
	inner, stop := context.WithTimeout(ctx, time.Hour)
	defer stop()
	context.AfterFunc(inner, func() { x++; close(done) })
	go func() {
		x++
		cancel(errors.New("over"))
	}()
	<-done
	x++
	if context.Cause(inner) == nil {
		t.Error("no cause")
	}
	late, stop := context.WithDeadline(context.Background(), time.Now().Add(1))
	defer stop()
	<-late.Done()
}

func TestBubble(t *testing.T) {
	x := 0
	synctest.Test(t, func(t *testing.T) {
		go func() { x++ }()
		synctest.Wait()
		x++
		time.AfterFunc(time.Hour, func() { x++ })
		time.Sleep(time.Hour)
		synctest.Wait()
		x++
		go func() { x++ }()
	})
	x++
}

// Package timer hands data to the functions that timers start, and back.
package timer

import (
	"testing"
	"time"
)

func TestAfterFunc(t *testing.T) {
	data, done := 0, make(chan struct{})
	data++
	time.AfterFunc(time.Millisecond, func() {
		data++
		close(done)
	})
	<-done
	if data != 2 {
		t.Errorf("data is %d, want 2", data)
	}
}

func TestReset(t *testing.T) {
	data, done := 0, make(chan struct{})
	timer := time.AfterFunc(time.Hour, func() {
		data++
		close(done)
	})
	if timer.Stop() {
		data++
		timer.Reset(time.Millisecond)
	}
	<-done
	if data != 2 {
		t.Errorf("data is %d, want 2", data)
	}
}

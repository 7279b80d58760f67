package slicegrow

import (
	"sync"
	"testing"
	"time"
)

func TestLog(t *testing.T) {
	var log Log
	var writers sync.WaitGroup
	writers.Go(func() {
		log.Add("started")
	})
	writers.Go(func() {
		time.Sleep(5 * time.Millisecond)
		log.AddAll("working", "stopped")
	})
	writers.Wait()
	if got, want := len(log.lines), 3; got != want {
		t.Errorf("%d lines, want %d", got, want)
	}
}

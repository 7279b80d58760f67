package lostsignal

import (
	"sync"
	"testing"
	"time"
)

func TestPass(t *testing.T) {
	door := New()
	var people sync.WaitGroup
	people.Go(door.Open)
	people.Go(func() {
		time.Sleep(time.Millisecond) // the door is open by now
		door.Pass()
	})
	people.Wait()
}

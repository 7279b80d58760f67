package selftest

import (
	"context"
	"crypto/rand"
	"testing"
	"time"
)

// The first read from crypto/rand starts a timer.
func TestNumbersFirst(t *testing.T) { numbered(t) }

func TestNumbersAgain(t *testing.T) { numbered(t) }

func numbered(t *testing.T) {
	if _, err := rand.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go close(done)
	<-done
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	t.Run("sub", func(t *testing.T) { <-ctx.Done() })
	<-time.After(time.Millisecond) // the timer's goroutine has ended
}

// Two goroutines that say in which order they and their parent run.
func TestOrder(t *testing.T) {
	said := make(chan string, 3)
	for _, name := range []string{"old", "young"} {
		go func() { said <- name }()
	}
	said <- "parent"
	t.Log("order:", <-said, <-said, <-said)
}

func TestOrderByChance(t *testing.T) {
	var n [4]int
	done := make(chan bool)
	for i := range n {
		go func() {
			for range 8 {
				n[i]++
				said := make(chan bool, 1)
				said <- true
			}
			done <- true
		}()
	}
	for range n {
		<-done
	}
}

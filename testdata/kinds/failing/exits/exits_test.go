// Package exits has tests that end their process.
package exits

import (
	"fmt"
	"log"
	"os"
	"sync"
	"testing"
)

type config struct {
	mu   sync.Mutex
	addr string
}

func (c *config) load() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.addr = ":80"
}

func (c *config) serve() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.addr == "" {
		log.Fatal("no address")
	}
}

//want:failure test-failure
func TestLogFatal(t *testing.T) {
	var c config
	var wg sync.WaitGroup
	wg.Go(c.load)
	wg.Go(c.serve)
	wg.Wait()
}

func TestAlwaysLogFatal(t *testing.T) {
	var c, d config
	var wg sync.WaitGroup
	wg.Go(c.load)
	wg.Go(d.serve)
	wg.Wait()
}

//want:failure test-failure
func TestExit(t *testing.T) {
	results := make(chan int, 2)
	go func() { results <- 1 }()
	go func() { results <- 2 }()
	if a, b := <-results, <-results; a > b {
		fmt.Fprintln(os.Stderr, "out of order")
		os.Exit(1)
	}
}

func TestAlwaysExit(t *testing.T) {
	results := make(chan int, 2)
	go func() { results <- 1 }()
	go func() { results <- 2 }()
	if a, b := <-results, <-results; a+b == 3 {
		os.Exit(1)
	}
}

// Package rangevar has loops of a module before Go 1.22, where all rounds of a
// loop share its variables.
package rangevar

import (
	"fmt"
	"sync"
	"testing"
)

// A slice's value in a goroutine's closure.
func TestSliceValue(t *testing.T) {
	var wg sync.WaitGroup
	out := make(chan string, 3)
	for _, name := range []string{"a", "b", "c"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			out <- name
		}()
		_ = len(out)
	}
	wg.Wait()
}

// A slice's key.
func TestSliceKey(t *testing.T) {
	results := make([]int, 4)
	var wg sync.WaitGroup
	for i := range results {
		wg.Add(1)
		go func() {
			if i < 0 {
				t.Error("below zero")
			}
			wg.Done()
		}()
		_ = i
	}
	wg.Wait()
}

// What comes from a channel.
func TestChannel(t *testing.T) {
	jobs := make(chan int, 3)
	for j := 1; j <= 3; j++ {
		jobs <- j
	}
	close(jobs)
	var mu sync.Mutex
	sum, started := 0, 0
	var wg sync.WaitGroup
	for j := range jobs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			sum += j
			mu.Unlock()
		}()
		started++
	}
	wg.Wait()
	if started != 3 {
		t.Error(started)
	}
}

// The value of a map's entry.
func TestMapValue(t *testing.T) {
	var wg sync.WaitGroup
	for k, v := range map[string]*int{"a": new(int), "b": new(int)} {
		wg.Add(1)
		go func(k string) {
			defer wg.Done()
			if v == nil {
				t.Error(k, "is nil")
			}
		}(k)
		_ = v
	}
	wg.Wait()
}

// The runes of a string.
func TestString(t *testing.T) {
	runes := make(chan rune, 3)
	n := 0
	for _, r := range "añb" {
		go func() { runes <- r }()
		n++
	}
	for ; n > 0; n-- {
		if <-runes == 0 {
			t.Error("zero")
		}
	}
}

// An array.
func TestArray(t *testing.T) {
	var wg sync.WaitGroup
	for _, port := range [3]int{80, 443, 8080} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = fmt.Sprint(port)
		}()
		_ = port
	}
	wg.Wait()
}

type config struct {
	name string
	size int
}

func check(c *config, done chan<- bool) { done <- c.size >= 0 }

// The address of the variable goes to a function that runs in a goroutine.
func TestAddress(t *testing.T) {
	done := make(chan bool, 2)
	for _, c := range []config{{"a", 1}, {"b", 2}} {
		go check(&c, done)
	}
	if !<-done || !<-done {
		t.Error("negative")
	}
}

func (c *config) validate(wg *sync.WaitGroup) {
	defer wg.Done()
	if c.name == "" {
		panic("no name")
	}
}

// A method with a pointer receiver takes the variable's address unseen.
func TestPointerReceiver(t *testing.T) {
	var wg sync.WaitGroup
	for _, c := range []config{{"a", 1}, {"b", 2}} {
		wg.Add(1)
		go c.validate(&wg)
	}
	wg.Wait()
}

// A method value of the variable.
func TestMethodValue(t *testing.T) {
	var wg sync.WaitGroup
	for _, c := range []config{{"a", 1}, {"b", 2}} {
		wg.Add(1)
		validate := c.validate
		go validate(&wg)
	}
	wg.Wait()
}

// One field of a struct variable.
func TestStructField(t *testing.T) {
	sizes := make(chan int, 2)
	total := 0
	for _, c := range []config{{"a", 1}, {"b", 2}} {
		go func() { sizes <- c.size }()
		total++
	}
	for ; total > 0; total-- {
		<-sizes
	}
}

// A deferred closure of the goroutine reads the variable.
func TestDeferredClosure(t *testing.T) {
	var wg sync.WaitGroup
	seen := make(chan string, 2)
	for _, name := range []string{"x", "y"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { seen <- name }()
		}()
		_ = len(seen)
	}
	wg.Wait()
}

func spawn(wg *sync.WaitGroup, f func()) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		f()
	}()
}

// A helper starts the goroutine.
func TestThroughHelper(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	max := 0
	for _, v := range []int{3, 1, 2} {
		spawn(&wg, func() {
			mu.Lock()
			defer mu.Unlock()
			if v > max {
				max = v
			}
		})
	}
	wg.Wait()
}

// A table's entry in the goroutine of a subtest that does not wait for it.
func TestTable(t *testing.T) {
	var wg sync.WaitGroup
	for _, tt := range []struct {
		name string
		in   int
	}{{"one", 1}, {"two", 2}} {
		t.Run(tt.name, func(t *testing.T) {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if tt.in == 0 {
					panic("zero")
				}
			}()
		})
	}
	wg.Wait()
}

// The counter of a loop with three clauses.
func TestThreeClauses(t *testing.T) {
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = fmt.Sprint(i)
		}()
		_ = i
	}
	wg.Wait()
}

// The variables are declared before the loop, as range assigns to them.
func TestAssignedVariables(t *testing.T) {
	var wg sync.WaitGroup
	var i int
	var s string
	for i, s = range []string{"p", "q"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = fmt.Sprint(s)
		}()
		_ = i
	}
	wg.Wait()
}

package selectmap

import (
	"sync"
	"testing"
)

// with is a channel with a value in it.
func with[T any](v T) chan T {
	c := make(chan T, 1)
	c <- v
	return c
}

// twice makes a race, which only the recording of this file shows.
func twice(f func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(f)
	wg.Wait()
}

// A map that two goroutines write to.
//
//want:race
func TestMapOfBoth(t *testing.T) {
	m := map[string]int{}
	twice(func() {
		select {
		case m["a"] = <-with(1):
		}
	})
}

// With its ok.
//
//want:race
func TestMapAndOK(t *testing.T) {
	m, ok := map[int]string{}, false
	twice(func() {
		select {
		case m[1], ok = <-with("a"):
		}
	})
	_ = ok
}

// An element of a slice whose index is computed.
//
//want:race
func TestIndex(t *testing.T) {
	s, i := make([]int, 3), 1
	twice(func() {
		select {
		case s[(i+1)%3] = <-with(1):
		}
	})
}

// A field of a map's struct, by pointer.
//
//want:race
func TestField(t *testing.T) {
	m := map[string]*S{"a": {}}
	twice(func() {
		select {
		case m["a"].in.z = <-with(1):
		}
	})
}

// A pointer's target.
//
//want:race
func TestPointer(t *testing.T) {
	p := new(int)
	twice(func() {
		select {
		case *p = <-with(1):
		default:
		}
	})
}

// A function's result.
//
//want:race
func TestCall(t *testing.T) {
	s := make([]int, 1)
	at := func(i int) *int { return &s[i] }
	twice(func() {
		select {
		case *at(0) = <-with(1):
		}
	})
}

// A map of maps.
//
//want:race
func TestNested(t *testing.T) {
	m := map[string]map[int]bool{"a": {}}
	twice(func() {
		select {
		case m["a"][1] = <-with(true):
		}
	})
}

// In a loop with a label.
//
//want:race
func TestLoop(t *testing.T) {
	m, stop := map[int]int{}, make(chan bool)
	close(stop)
	twice(func() {
		c := with(1)
	loop:
		for i := 0; ; i++ {
			select {
			case m[i] = <-c:
				c = nil
			case <-stop:
				if c == nil {
					break loop
				}
			}
		}
	})
}

// Generic.
func into[K comparable, V any](m map[K]V, k K, c <-chan V) {
	select {
	case m[k] = <-c:
	}
}

//want:race
func TestGeneric(t *testing.T) {
	m := map[string]float64{}
	twice(func() { into(m, "a", with(1.5)) })
}

// An interface's method that has the map.
type store struct{ m map[string]any }

func (s *store) take(c chan any) {
	select {
	case s.m["k"] = <-c:
	}
}

//want:race
func TestMethod(t *testing.T) {
	var s interface{ take(chan any) } = &store{m: map[string]any{}}
	twice(func() { s.take(with[any](1)) })
}

// Right: maps of their own.
func TestOwn(t *testing.T) {
	twice(func() {
		m := map[int]int{}
		select {
		case m[1] = <-with(1):
		}
		if m[1] != 1 {
			t.Error(m)
		}
	})
}

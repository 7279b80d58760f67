package chance

import (
	"crypto/rand"
	"fmt"
	"hash/maphash"
	"maps"
	mathrand "math/rand"
	randv2 "math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var colours = map[string]int{"red": 1, "green": 2}

// The first key of a map, by package maps.
//
//want:chance the order of a map
func TestMapsKeys(t *testing.T) {
	if first := slices.Collect(maps.Keys(colours))[0]; first != "red" {
		t.Error(first)
	}
}

// The first key of a map, by reflection.
//
//want:chance the order of a map
func TestReflectKeys(t *testing.T) {
	if first := reflect.ValueOf(colours).MapKeys()[0].String(); first != "red" {
		t.Error(first)
	}
}

// A sync.Map, in a goroutine of its own.
//
//want:chance the order of a map
func TestSyncMap(t *testing.T) {
	var m sync.Map
	for k, v := range colours {
		m.Store(k, v)
	}
	last := ""
	var wg sync.WaitGroup
	wg.Go(func() { m.Range(func(k, _ any) bool { last = k.(string); return true }) })
	wg.Wait()
	if last != "green" {
		t.Error(last)
	}
}

// A report is what a helper writes, by way of a generic function.
func report[K comparable, V any](m map[K]V) string {
	var b strings.Builder
	for k, v := range m {
		fmt.Fprint(&b, k, "=", v, " ")
	}
	return b.String()
}

// A report is written in the order of the map.
//
//want:chance the order of a map
func TestReport(t *testing.T) {
	if got := report(colours); got != "red=1 green=2 " {
		t.Error(got)
	}
}

// A shuffle that leaves all as it was, one of six times.
//
//want:chance random numbers
func TestShuffle(t *testing.T) {
	all := []int{1, 2, 3}
	mathrand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if slices.IsSorted(all) {
		t.Error("not shuffled")
	}
}

// A backoff of up to ten milliseconds, and a limit of nine.
//
//want:chance random numbers
func TestBackoff(t *testing.T) {
	if d := randv2.N(10 * time.Millisecond); d > 9*time.Millisecond {
		t.Error("waits for", d)
	}
}

// A token begins with a letter, mostly.
//
//want:chance crypto/rand, chance the clock
func TestToken(t *testing.T) {
	if s := rand.Text(); s[0] >= '2' && s[0] <= '7' {
		t.Error(s)
	}
}

// Two shards may be one.
//
//want:chance random numbers
func TestShards(t *testing.T) {
	seed := maphash.MakeSeed()
	if maphash.String(seed, "a")%8 == maphash.String(seed, "b")%8 {
		t.Error("on one shard")
	}
}

// The name of a file has the time of day.
//
//want:chance the clock
func TestClock(t *testing.T) {
	if name := time.Now().Format("05.000"); strings.HasSuffix(name, "7") {
		t.Error(name)
	}
}

type registry struct {
	mu    sync.Mutex
	names []string
}

func (r *registry) add(name string) { r.mu.Lock(); r.names = append(r.names, name); r.mu.Unlock() }

var all registry

func TestRegisters(t *testing.T) { all.add("a") }

// Another test has registered.
//
//want:chance what earlier tests have left
func TestRegistered(t *testing.T) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.names) == 0 {
		t.Error("nobody has registered")
	}
}

// The object may come from the pool, or not.
//
//want:chance what a sync.Pool has kept
func TestPool(t *testing.T) {
	p := sync.Pool{New: func() any { return new(int) }}
	one := p.Get().(*int)
	*one = 1
	p.Put(one)
	if *p.Get().(*int) != 1 {
		t.Error("a new one")
	}
}

// Two senders, and a receiver that knows the first: the order of goroutines decides.
//
//want:failure test-failure
func TestSenders(t *testing.T) {
	c := make(chan int)
	go func() { time.Sleep(time.Millisecond); c <- 1 }()
	go func() { time.Sleep(2 * time.Millisecond); c <- 2 }()
	if first := <-c; first != 1 {
		t.Error(first)
	}
	<-c
}

// No chance at all.
func TestSorted(t *testing.T) {
	if got := slices.Sorted(maps.Keys(colours)); got[0] != "green" {
		t.Error(got)
	}
}

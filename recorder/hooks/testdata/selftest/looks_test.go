package selftest

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"math/rand"
	randv2 "math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"
	"text/template"
	"time"
)

var (
	two    = map[string]int{"a": 1, "b": 2}
	single = map[string]int{"a": 1}
)

// keysOf ranges for any type of keys.
func keysOf[K comparable, V any](m map[K]V) (keys []K) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// TestLooks has a test for each way to look at what chance decides; the recording says what it
// has looked at.
func TestLookMapRange(t *testing.T) {
	for k := range two {
		t.Log(k)
		break
	}
}
func TestLookMapGeneric(t *testing.T) { t.Log(keysOf(two)) }
func TestLookMapKeys(t *testing.T)    { t.Log(slices.Collect(maps.Keys(two))) }
func TestLookMapAll(t *testing.T) {
	for k, v := range maps.All(two) {
		t.Log(k, v)
	}
}
func TestLookMapReflect(t *testing.T) {
	for i := reflect.ValueOf(two).MapRange(); i.Next(); {
		t.Log(i.Key())
	}
}
func TestLookMapReflectKeys(t *testing.T) { t.Log(reflect.ValueOf(two).MapKeys()[0]) }
func TestLookMapReflectSeq(t *testing.T) {
	for k := range reflect.ValueOf(two).Seq() {
		t.Log(k)
	}
}
func TestLookMapSync(t *testing.T) {
	var m sync.Map
	m.Store("a", 1)
	m.Store("b", 2)
	m.Range(func(k, v any) bool { t.Log(k); return true })
}
func TestLookMapGoroutine(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() { keysOf(two) })
	wg.Wait()
}

// These sort, or have no order.
func TestLookNothing(t *testing.T) {
	t.Log(keysOf(single), slices.Sorted(maps.Keys(two)), fmt.Sprint(two), len(two), two["a"])
	text, _ := json.Marshal(two)
	t.Log(string(text), reflect.DeepEqual(two, maps.Clone(two)), maps.Equal(two, single))
	template.Must(template.New("").Parse("{{range $k, $v := .}}{{$k}}{{end}}")).Execute(t.Output(), two)
	var m sync.Map
	m.Store("a", 1)
	m.Range(func(k, v any) bool { t.Log(k); return true })
	seeded, v2 := rand.New(rand.NewSource(1)), randv2.New(randv2.NewPCG(1, 2))
	t.Log(seeded.Intn(5), v2.IntN(5))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var p sync.Pool
	p.Get()
	for range map[string]int{} {
	}
	clear(maps.Clone(two))
}

func TestLookRandom(t *testing.T)        { t.Log(rand.Intn(5)) }
func TestLookRandomShuffle(t *testing.T) { rand.Shuffle(2, func(int, int) {}) }
func TestLookRandomV2(t *testing.T)      { t.Log(randv2.IntN(5)) }
func TestLookRandomN(t *testing.T)       { t.Log(randv2.N(5 * time.Second)) }
func TestLookRandomHash(t *testing.T)    { t.Log(maphash.String(maphash.MakeSeed(), "a")) }

func TestLookProcessors(t *testing.T)    { t.Log(runtime.NumCPU()) }
func TestLookProcessorsSet(t *testing.T) { t.Log(runtime.GOMAXPROCS(0)) }

func TestLookPool(t *testing.T) {
	p := sync.Pool{New: func() any { return new(int) }}
	p.Put(new(int))
	t.Log(p.Get())
}

func TestLookClock(t *testing.T) { t.Log(time.Now().Weekday()) }

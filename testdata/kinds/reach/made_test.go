package reach

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// Each goroutine of these makes objects, which lie elsewhere in memory if another one comes first:
// small ones without pointers share blocks with others.

// A last is what was published last.
type last[T any] struct{ p atomic.Pointer[T] }

// both has two goroutines do the same, and the test look at what is left.
func both(f func(me int32)) { together(func() { f(1) }, func() { f(2) }) }

func TestRightMadeMutexes(t *testing.T) {
	var mus last[sync.Mutex]
	both(func(int32) {
		mu := new(sync.Mutex)
		mu.Lock()
		mus.p.Store(mu)
		mu.Unlock()
	})
	mus.p.Load().Lock()
}

//want:failure test-failure
func TestMadeNumbers(t *testing.T) {
	var numbers last[atomic.Int32]
	both(func(me int32) {
		n := new(atomic.Int32)
		if other := numbers.p.Load(); other != nil && other.Load() == 0 {
			t.Error("published before it was set")
		}
		numbers.p.Store(n)
		n.Store(me)
	})
}

func TestRightMadeNumbers(t *testing.T) {
	var numbers last[atomic.Int32]
	both(func(me int32) {
		n := new(atomic.Int32)
		n.Store(me)
		if other := numbers.p.Swap(n); other != nil && other.Load() == 0 {
			t.Error("published before it was set")
		}
	})
}

func TestRightMadeBools(t *testing.T) {
	var flags last[atomic.Bool]
	both(func(int32) {
		flag := new(atomic.Bool)
		if other := flags.p.Swap(flag); other != nil {
			other.Store(true)
		}
	})
	if flags.p.Load().Load() {
		t.Error("the last one has nobody after it")
	}
}

func TestRightMadePairs(t *testing.T) {
	type pair struct{ a, b atomic.Int32 } // eight bytes
	var pairs last[pair]
	both(func(me int32) {
		p := new(pair)
		p.b.Store(me)
		if other := pairs.p.Swap(p); other != nil {
			other.a.Store(other.b.Load())
		}
	})
	if p := pairs.p.Load(); p.a.Load() != 0 {
		t.Error("the last one has nobody after it")
	}
}

func TestRightMadeBesideStrings(t *testing.T) {
	var numbers last[atomic.Int32]
	both(func(me int32) {
		name := "x" + strconv.Itoa(int(me)*1000)
		n := new(atomic.Int32)
		n.Store(int32(len(name)))
		numbers.p.Store(n)
	})
	if numbers.p.Load().Load() != 5 {
		t.Error("not set")
	}
}

func TestRightMadeInLoops(t *testing.T) {
	var items last[item]
	both(func(me int32) {
		for range 2 {
			i := new(item)
			i.v.Store(me)
			i.next = items.p.Swap(i)
		}
	})
	if items.p.Load().next == nil {
		t.Error("no second")
	}
}

func TestRightMadeByAppend(t *testing.T) {
	var mu sync.Mutex
	var all []*cell
	both(func(me int32) {
		mine := append([]cell(nil), cell{}, cell{v: int(me)})
		mine[1].set(mine[1].get() + 1)
		mu.Lock()
		all = append(all, &mine[1])
		mu.Unlock()
	})
	if all[0].get()+all[1].get() != 5 {
		t.Error("mixed up")
	}
}

func TestRightMadeInClosures(t *testing.T) {
	counter := func() func() int32 {
		var n atomic.Int32
		return func() int32 { return n.Add(1) }
	}
	var counters last[func() int32]
	both(func(int32) {
		count := counter()
		count()
		counters.p.Store(&count)
	})
	if (*counters.p.Load())() != 2 {
		t.Error("not its own")
	}
}

// A box is a variable of any type under a lock.
type box[T any] struct {
	mu sync.Mutex
	v  T
}

func (b *box[T]) swap(v T) (old T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	old, b.v = b.v, v
	return old
}

func boxed[T any](v T) *box[T] { return &box[T]{v: v} }

func TestRightMadeGenerics(t *testing.T) {
	outer := boxed[*box[int32]](nil)
	both(func(me int32) {
		if other := outer.swap(boxed(me)); other != nil && other.swap(0) == me {
			t.Error("my own")
		}
	})
}

func TestRightMadeInMaps(t *testing.T) {
	var mu sync.Mutex
	all := make(map[string]*cell)
	both(func(me int32) {
		mu.Lock()
		defer mu.Unlock()
		c := all["x"]
		if c == nil {
			c = new(cell)
			all["x"] = c
		}
		c.set(c.get() + 1)
	})
	if all["x"].get() != 2 {
		t.Error("two of them")
	}
}

type named interface{ name() int32 }

func (i *item) name() int32 { return i.v.Load() }

func TestRightMadeInterfaces(t *testing.T) {
	ch := make(chan named, 2)
	both(func(me int32) {
		i := new(item)
		ch <- i
		i.v.Store(me)
	})
	if (<-ch).name()+(<-ch).name() != 3 {
		t.Error("mixed up")
	}
}

//want:failure test-failure
func TestMadeInHelpers(t *testing.T) {
	var numbers last[atomic.Int32]
	get := func() *atomic.Int32 {
		if n := numbers.p.Load(); n != nil {
			return n
		}
		n := new(atomic.Int32)
		numbers.p.Store(n) // another one may have been quicker
		return n
	}
	both(func(int32) { get().Add(1) })
	if numbers.p.Load().Load() != 2 {
		t.Error("two of them")
	}
}

func TestRightMadeInHelpers(t *testing.T) {
	var numbers last[atomic.Int32]
	get := func() *atomic.Int32 {
		numbers.p.CompareAndSwap(nil, new(atomic.Int32))
		return numbers.p.Load()
	}
	both(func(int32) { get().Add(1) })
	if numbers.p.Load().Load() != 2 {
		t.Error("two of them")
	}
}

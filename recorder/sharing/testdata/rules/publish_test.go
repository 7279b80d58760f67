package rules

import (
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"testing"
)

// Each way of publication has a type of its own, so that the ways do not mix.

type viaInterface struct{ n int }

func TestInterface(t *testing.T) {
	p := &viaInterface{}
	_ = fmt.Sprint(p)
	p.n = 1 // loud: p.n
}

type viaMethod struct{ n int }

func (p *viaMethod) Set(n int) { p.n = n } // loud: p.n

func TestCalledByOthers(t *testing.T) {
	var s interface{ Set(int) } = &viaMethod{}
	s.Set(1)
}

type viaMethodValue struct{ n int }

func (p *viaMethodValue) set() { p.n++ } // loud: p.n

func TestMethodValue(t *testing.T) {
	p := &viaMethodValue{}
	go p.set()
	f := p.set
	f()
}

type embedded struct{ n int }

func (e *embedded) Touch() { e.n++ } // loud: e.n

type embedding struct{ *embedded }

func TestPromoted(t *testing.T) {
	x := embedding{&embedded{}}
	var i interface{ Touch() } = x
	i.Touch()
	use(x.n) // loud: x.n
}

type viaClosure struct{ n int }

var handlers []func()

func TestStoredClosure(t *testing.T) {
	p := &viaClosure{}
	handlers = append(handlers, func() { p.n++ }) // loud: p.n
	use(p.n)                                      // loud: p.n
}

type viaRange struct{ n int }

func visit(p *viaRange) iter.Seq[*viaRange] {
	return func(yield func(*viaRange) bool) { yield(p) }
}

func TestRangeOverFunc(t *testing.T) {
	p := &viaRange{}
	for q := range visit(p) {
		q.n = 1 // loud: q.n
	}
	use(p.n) // loud: p.n
}

type viaFinalizer struct{ n int }

func TestFinalizer(t *testing.T) {
	p := &viaFinalizer{}
	runtime.SetFinalizer(p, func(q *viaFinalizer) { q.n = 1 }) // loud: q.n
	use(p.n)                                                   // loud: p.n
}

type viaSelect struct{ n int }

func TestSelectSend(t *testing.T) {
	ch := make(chan *viaSelect, 1)
	p := &viaSelect{}
	select {
	case ch <- p:
	default:
	}
	p.n = 1 // loud: p.n
	q := <-ch
	q.n = 2 // loud: q.n
}

type viaMap struct{ n int }

func TestMapOfPointers(t *testing.T) {
	m := map[int]*viaMap{}
	p := &viaMap{}
	m[1] = p
	go func() { m[1].n++ }() // loud: m[1].n; elements quiet: m
	p.n = 2                  // loud: p.n
}

type viaReflect struct{ N int }

func TestReflect(t *testing.T) {
	p := &viaReflect{}
	reflect.ValueOf(p).Elem().Field(0).SetInt(3)
	q := reflect.ValueOf(p).Interface().(*viaReflect)
	q.N = 1  // loud: q.N
	use(p.N) // loud: p.N
	var v viaReflect
	json.Unmarshal(nil, &v)
}

type viaGeneric struct{ n int }

type container[T any] struct{ v T }

func (c *container[T]) put(v T) { c.v = v } // quiet: c.v

func (c *container[T]) get() T { return c.v } // quiet: c.v

func TestGeneric(t *testing.T) {
	c := &container[*viaGeneric]{}
	c.put(&viaGeneric{})
	p := c.get()
	go func() { p.n = 1 }() // loud: p.n
	use(c.get().n)          // loud: c.get().n
}

func assign[T any](p *T, v T) { *p = v } // loud: *p

type byGeneric struct{ n int }

func TestGenericStore(t *testing.T) {
	p := &byGeneric{}
	go assign(p, byGeneric{1})
	use(p.n) // loud: p.n
}

type viaElement struct{ arr [4]int }

func TestAddressOfElement(t *testing.T) {
	p := &viaElement{}
	q := &p.arr[1]
	go func() { *q = 1 }() // loud: *q
	use(p.arr[1])          // loud: p.arr[1]
}

type viaAlias struct{ n int }

var aliased int

func TestGlobalAlias(t *testing.T) {
	p := &aliased
	go func() { *p = 1 }() // loud: *p
	use(aliased)           // loud: aliased
}

type viaGo struct{ n int }

func start(p *viaGo) { p.n++ } // loud: p.n

func TestGo(t *testing.T) {
	p := &viaGo{}
	go start(p)
	p.n = 2 // loud: p.n
}

type viaGroup struct{ n, before int }

func TestWaitGroup(t *testing.T) {
	p := &viaGroup{}
	p.before = 1 // quiet: p.before
	var wg sync.WaitGroup
	wg.Go(func() {
		p.n++         // loud: p.n
		use(p.before) // quiet: p.before
	})
	wg.Wait()
	use(p.n) // loud: p.n
}

type viaSubtest struct{ n int }

func TestSubtests(t *testing.T) {
	p := &viaSubtest{}
	t.Run("a", func(t *testing.T) { p.n++ }) // loud: p.n
}

type viaAtomic struct{ n, fixed int }

var shelf atomic.Pointer[viaAtomic]

func TestAtomicPointer(t *testing.T) {
	p := &viaAtomic{fixed: 1}
	shelf.Store(p)
	p.n = 1 // loud: p.n
	q := shelf.Load()
	use(q.n)     // loud: q.n
	use(q.fixed) // quiet: q.fixed
}

type viaPool struct{ n int }

var pool = sync.Pool{New: func() any { return new(viaPool) }}

func TestPool(t *testing.T) {
	p := pool.Get().(*viaPool)
	p.n = 1 // loud: p.n
	pool.Put(p)
}

type viaPanic struct{ n int }

func TestPanic(t *testing.T) {
	p := &viaPanic{}
	defer func() {
		q := recover().(*viaPanic)
		q.n = 1 // loud: q.n
	}()
	panic(p)
}

type viaParam struct{ n int }

// Exported is called by nobody else: no other package imports this one.
func Exported(p *viaParam) { p.n = 1 } // quiet: p.n

func TestExported(t *testing.T) { Exported(&viaParam{}) }

type sorted struct{ k int }

func TestCallback(t *testing.T) {
	s := []sorted{{2}, {1}}
	sort.Slice(s, func(i, j int) bool { return s[i].k < s[j].k }) // quiet: s; loud: s[i].k
}

type whole struct{ a, b int }

var theWhole = &whole{}

func TestWholeStruct(t *testing.T) {
	go func() { *theWhole = whole{1, 2} }() // loud: *theWhole; quiet: theWhole
	use(theWhole.a)                         // loud: theWhole.a
}

type pair struct{ first, second inner }

type inner struct{ x, y int }

var thePair = &pair{}

func TestInner(t *testing.T) {
	go func() { thePair.first.x = 1 }() // loud: thePair.first.x
	use(thePair.first.y)                // quiet: thePair.first.y
	use(thePair.second.x)               // loud: thePair.second.x
	_ = thePair.first                   // loud: thePair.first
	_ = fmt.Sprint(&thePair.second)
}

func TestTables(t *testing.T) {
	go func() { use(table["a"] + lookup[1]) }() // elements quiet: table; quiet: lookup[1], lookup
	if table["a"] > 0 {                         // decided: table["a"] > 0
		counter++ // loud: counter
	}
	if counter > 0 { // undecided: counter > 0
		global = nil // loud: global
	}
	go func() { use(counter); use(global.n) }()
}

type linkedA struct{ next *linkedA }

type converted linkedB

type linkedB struct{ n int }

func TestConverted(t *testing.T) {
	p := &linkedB{}
	_ = fmt.Sprint(p)
	q := (*converted)(p)
	q.n = 1  // loud: q.n
	use(p.n) // loud: p.n
}

func TestAppend(t *testing.T) {
	var list []int
	go func() { use(list[0]) }() // loud: list[0], list
	list = append(list, 1)       // loud: list; elements loud: list
}

func TestCapturedCounter(t *testing.T) {
	n := 0
	apply(func() { n++ }) // loud: n
	use(n)                // loud: n
}

func apply(f func()) { go f() }

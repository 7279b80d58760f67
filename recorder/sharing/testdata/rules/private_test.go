package rules

import (
	"os"
	"testing"
)

type P struct {
	n    int
	next *P
}

func newP(n int) *P {
	p := &P{}
	p.n = n // quiet: p.n
	return p
}

func (p *P) inc() { p.n++ } // quiet: p.n

func TestPrivate(t *testing.T) {
	p := newP(1)
	p.inc()
	p.next = &P{n: 2}                  // quiet: p.next
	for q := p; q != nil; q = q.next { // quiet: q.next; decided: q != nil
		q.inc()
	}
	s := make([]int, 3)
	s[0] = p.n // quiet: s[0], p.n
	m := map[int]*P{}
	m[1] = p              // elements quiet: m
	use(m[1].n)           // quiet: m[1].n; elements quiet: m
	f := func() { p.n++ } // quiet: p.n
	f()
	defer func() { s[1] = 3 }() // quiet: s[1]
	for i := 0; i < 3; i++ {    // decided: i < 3
		if i > 1 { // decided: i > 1
			p.inc()
		}
	}
	ch := make(chan int, 1)
	ch <- 1
	x := <-ch
	if x > 0 { // undecided: x > 0
		p.inc()
	}
}

// Two calls of a function make different variables.

type M struct{ v []int }

func newM() *M {
	m := &M{v: make([]int, 3)}
	for i := range m.v { // decided: m.v
		m.v[i] = i // loud: m.v[i]
	}
	return m
}

func TestCopies(t *testing.T) {
	a, b := newM(), newM()
	done := make(chan bool)
	go func() {
		use(a.v[0]) // quiet: a.v[0], a.v
		b.v[0] = 1  // loud: b.v[0]; quiet: b.v
		close(done)
	}()
	use(b.v[0]) // loud: b.v[0]
	<-done
}

// Written before it is published, in order.

type E struct{ n, late, racy int }

var racyE *E

func TestEarly(t *testing.T) {
	e := &E{}
	e.n = 1    // quiet: e.n
	e.late = 2 // loud: e.late
	done := make(chan bool)
	go func() {
		use(e.n)    // quiet: e.n
		use(e.late) // loud: e.late
		close(done)
	}()
	e.late = 3 // loud: e.late
	<-done
}

func TestRacyPublication(t *testing.T) {
	r := &R{}
	r.n = 1                      // loud: r.n
	racyR = r                    // loud: racyR
	go func() { use(racyR.n) }() // loud: racyR.n; loud: racyR
}

type R struct{ n, literal int }

var racyR *R

func TestLiteral(t *testing.T) {
	racyR = &R{literal: 1}
	go func() { use(racyR.literal) }() // quiet: racyR.literal
}

func TestInLoop(t *testing.T) {
	ch := make(chan *L)
	go func() {
		for l := range ch {
			use(l.n) // quiet: l.n
			l.m++    // loud: l.m
		}
	}()
	for i := range 3 {
		l := new(L)
		l.n = i // quiet: l.n
		ch <- l
	}
	close(ch)
}

type L struct{ n, m int }

type holder struct{ h *H }

type H struct{ n int }

func TestStoredInLoop(t *testing.T) {
	o := &holder{}
	go func() {
		if h := o.h; h != nil { // loud: o.h
			use(h.n) // loud: h.n
		}
	}()
	for i := range 3 {
		h := new(H)
		h.n = i // loud: h.n
		o.h = h // loud: o.h
	}
}

func TestOuterLoop(t *testing.T) {
	o := new(O)
	for i := range 3 {
		o.n = i                  // loud: o.n
		go func() { use(o.n) }() // loud: o.n
	}
}

type O struct{ n int }

func TestKeptFromLastRound(t *testing.T) {
	var all []*K
	for i := range 3 {
		k := new(K)
		all = append(all, k)
		all[0].n = i             // loud: all[0].n
		go func() { use(k.n) }() // loud: k.n
	}
}

type K struct{ n int }

func TestRecursive(t *testing.T) { recurse(nil, 2) }

func recurse(q *Q, n int) {
	if q == nil {
		q = new(Q)
	}
	q.n = n // loud: q.n
	if n > 0 {
		go recurse(q, n-1)
	}
}

type Q struct{ n int }

func TestGoto(t *testing.T) {
	g := new(G)
	i := 0
again:
	g.n = i                  // loud: g.n
	go func() { use(g.n) }() // loud: g.n
	if i++; i < 3 {
		goto again
	}
}

type G struct{ n int }

func TestDeferredWrite(t *testing.T) {
	m := map[int]int{}
	defer delete(m, 1)        // elements loud: m
	go func() { use(m[1]) }() // elements loud: m
}

func TestNamedResult(t *testing.T) { use(named()) }

func named() (n int) {
	defer func() { n++ }() // quiet: n
	n = 1                  // quiet: n
	return n
}

func TestSharedResult(t *testing.T) { use(sharedResult()) }

func sharedResult() (n int) {
	go func() { n++ }() // loud: n
	n = 1               // loud: n
	return n
}

// What code that is not known returns may depend on what other goroutines do.

type asker interface{ ask() bool }

func TestUnknown(t *testing.T) {
	var others asker
	if os.Getpid() == 1 { // undecided: os.Getpid() == 1
		return
	}
	if others != nil && others.ask() { // undecided: others.ask()
		return
	}
	known := func(n int) bool { return n > 1 }
	if known(2) { // decided: known(2)
		return
	}
}

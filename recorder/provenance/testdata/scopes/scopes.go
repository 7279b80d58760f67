// Package scopes has ifs, each with a comment that says where its control scope ends: how
// many lines further on, for which outcomes nothing that is seen happens within (true, false), and
// whether it has calls of functions with events; a dash stands for a scope that does not end.
package scopes

import (
	"runtime"
	"sync"
)

type Shared struct {
	sync.Mutex
	a, b, c, d, e, n int
	next             *Shared
	list             []int
	ch               chan int
}

var Global Shared

func work() { Global.n++ }

func quiet() int { return Global.n }

func forever() {
	for {
	}
}

// Figure1 is the program of the papers' Figure 1: what L21 decides are L22 and L23, and not
// what comes behind.
func Figure1(s *Shared) {
	if s.a == 1 { // 3 false
		s.d = s.c + 1
		s.e = s.b
	}
	work()
}

// Figure4 is that of Figure 4: what comes behind an if of which a way panics is decided
// by it, and so it is by those around that.
func Figure4(s *Shared, a, b, c bool) {
	if a { // -
		s.a = 1
	} else {
		if b { // -
			s.b = 1
			s.c = 1
		} else {
			if c { // -
				panic("c")
			}
			s.d = 1
		}
	}
	s.e = 1
}

// Loops are those of Figure 3 (C): one that may go round for ever, on a way that was not
// gone, too.
func Loops(s *Shared) {
	if s.a == 1 { // -
		for {
		}
	}
	if s.b == 1 { // 4 false
		for s.c == 1 {
			s.d++
		}
	}
	for s.c == 1 {
		if s.d == 1 { // -
			break
		}
		if s.e == 1 { // -
			continue
		}
		if s.a == 1 { // 2 false
			s.b = 1
		}
		s.n++
	}
}

func Jumps(s *Shared) int {
	if s.a == 1 { // -
		return 1
	}
	if s.b == 1 { // -
		goto end
	}
	if s.c == 1 { // -
		defer work()
	}
	if s.d == 1 { // 2 false calls
		work()
	}
	s.n = 1
end:
	return 2
}

func Ways(s *Shared, more bool) {
	if s.a == 1 && s.b == 1 || !more { // 2
		s.c = 1
	}
	if s.a == 1 && s.b == 1 { // 2 false
		s.c = 1
	}
	if s.a == 1 || s.b == 1 { // 2
		s.c = 1
	}
	if s.a == 1 || s.b == 1 { // 4 true
		_ = s.c
	} else {
		s.c = 1
	}
	if s.a == 1 && quiet() == 1 { // 2 false calls
		_ = s.c
	}
	if s.a == 1 || quiet() == 1 { // 2 true calls
		_ = s.c
	}
	if !(s.a == 1 && s.b == 1) { // 2
		s.c = 1
	}
	if !(s.a == 1) { // 2 false
		s.c = 1
	}
	if s.a == 1 { // 3 true
	} else {
		s.c = 1
	}
	if s.a == 1 { // 2 false
		s.b = 1
	}
	if s.a == 1 { // 4 true false
		_ = s.b
	} else if s.b == 2 { // 2 true false
		_ = s.c
	}
	if s.a == 1 { // 4 false
		s.Lock()
		s.n++
		s.Unlock()
	}
	if s.a == 1 { // 2 false calls
		_ = quiet()
	}
	if s.a == 1 { // 2 false calls
		forever()
	}
	if s.a == 1 { // 2 true false
		runtime.Gosched()
	}
	work()
}

// Clauses are as ifs, one after the other.
func Clauses(s *Shared, n int) {
	switch {
	case s.a == 1: // 6 false
		s.c = 1
	case s.b == 1, s.d == 1: // 4 true false
		_ = s.b
	default:
		runtime.Gosched()
	}
	switch {
	case s.a == 1: // 6
		s.c = 1
	case s.b == 1: // 4 true
		break
	default:
		s.c = 2
	}
	switch {
	case s.a == 1: // -
		fallthrough
	case s.b == 1: // -
		s.c = 1
	}
	switch n {
	case s.a: // -
	}
	switch {
	case s.a == 1: // -
		return
	case s.b == 1: // 2 false
		s.c = 1
	}
	work()
}

// Locals are other than recorded behind the scope.
func Locals(s *Shared) int {
	hits, unused := 0, 0
	if s.a == 1 { // -
		hits++
	}
	if s.b == 1 { // 2 true false
		unused++
	}
	if s.c == 1 { // -
		own := make(map[int]int)
		own[1] = 1
	}
	private := new(Shared)
	if s.d == 1 { // -
		private.n = 1
	}
	if private.n == 1 {
		work()
	}
	return hits
}

// Others may go on elsewhere, or again here.
func Others(s *Shared, f func()) {
	if s.a == 1 { // -
		f()
	}
	if s.b == 1 { // -
		Others(s, nil)
	}
	if s.c == 1 { // -
		s.ch <- 1
	}
	if s.d == 1 { // -
		select {
		case <-s.ch:
		default:
		}
	}
	work()
}

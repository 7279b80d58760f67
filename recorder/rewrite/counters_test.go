package rewrite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/tools/txtar"
)

// TestUpdates compares the sites of updates with what the lines say that they
// are of.
func TestUpdates(t *testing.T) {
	const src = `package u

import (
	"sync"
	"sync/atomic"
)

type c struct {
	n, k int
	s    string
	p    *int
	m    map[string]int
	a    [2]int
	hits atomic.Int64
	word int32
	sm   sync.Map
}

func (x *c) g() int { x.n = 0; return 1 }

func (x *c) f(i int, y *c, h func()) (r int64) {
	x.n++ //* read x.n
	x.n += y.k //* read x.n
	x.n -= x.g() //* read x.n
	for ; i < 3; x.n += x.g() {
	}
	for ; i < 4; x.n++ { //* read x.n
	}
	x.s += "s" //* read x.s
	*x.p++ //* read *x.p
	x.a[i]++ //* read x.a[i]
	x.m["a"]++ //* read x.m[…]
	x.n = x.n + 1 //* read x.n
	x.n = 2*x.n - y.n //* read x.n
	x.n = x.n + x.g()
	x.n = x.k
	x.n = x.a[x.n]
	x.p = x.p
	x.n = len([]func(){func() { i = x.n }})
	if x.n = x.n + 1; x.n > 3 { //* read x.n
	}
	i = x.n
	atomic.AddInt32(&x.word, 1) //* atomic atomic.AddInt32(&x.word, 1)
	i = int(atomic.AddInt32(&x.word, 1))
	atomic.CompareAndSwapInt32(&x.word, 1, 2)
	x.hits.Add(1) //* call (*c).f
	(x.hits.And(1)) //* call (*c).f
	r = x.hits.Add(1)
	x.hits.Add(1); r = x.hits.Load()
	x.hits.Add(1); h()
	x.hits.Add(1); x.sm.Store(1, 2)
	x.hits.Add(int64(x.g())) //* call (*c).f
	x.hits.Add(
		1)
	x.hits.Store(1)
	go func() { x.hits.Add(2) }() //* call (*c).f.func2
	for range func(func() bool) { x.hits.Add(1) } { //* call (*c).f.func3
		x.hits.Add(3) //* call (*c).f-range1
	}
	return x.hits.Add(1)
}

func count(x *c) {
	n := 0
	go func() { n++ }() //* read n
	n += x.g() //* read n
	for i := 0; i < 3; n += x.g() {
		i++
	}
}

var global = func(x *c) { x.hits.Or(1) } //* call init.func1
`
	m := newModule(t, txtar.Parse([]byte("-- go.mod --\nmodule example.com/u\n\ngo 1.26\n-- u.go --\n"+src)))
	m.instrument(t)
	got := map[int][]string{}
	for _, s := range m.result.Sites {
		switch {
		case !s.IsUpdate:
		case s.ID == 0:
			got[s.Line] = append(got[s.Line], "call "+strings.TrimPrefix(s.Func, "example.com/u."))
		default:
			got[s.Line] = append(got[s.Line], s.Op+" "+s.Expr)
		}
	}
	for i, line := range strings.Split(src, "\n") {
		_, want, _ := strings.Cut(line, "//* ")
		slices.Sort(got[i+1])
		assert.Equal(t, want, strings.Join(slices.Compact(got[i+1]), ", "), fmt.Sprint("line ", i+1, ": ", line))
	}
}

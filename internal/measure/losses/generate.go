package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generate returns the source of a test file with n random tests, each of
// which starts goroutines and lets pointers wander by all the ways that the
// language has for that. None of them panics, blocks, or runs for long.
func generate(seed uint64, n int) string {
	var b strings.Builder
	b.WriteString(head)
	for k := range n {
		w := newWriter(rand.New(rand.NewPCG(seed, uint64(k))))
		b.WriteString(strings.ReplaceAll(common, "#", fmt.Sprint(k)))
		body := strings.ReplaceAll(w.block(0), "#", fmt.Sprint(k))
		call := ""
		if w.IntN(2) == 0 {
			call = fmt.Sprintf("helper%d(a, b, &wg)", k)
			fmt.Fprintf(&b, helper, k, strings.ReplaceAll(w.block(2), "#", fmt.Sprint(k)))
		}
		fmt.Fprintf(&b, test, k, body, call)
	}
	return b.String()
}

const head = `package random

import (
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

type setter interface{ set(int) }

func put[T any](p *T, v T) { *p = v }

func get[T any](p *T) T { return *p }

type box[T any] struct{ v T }

func (b *box[T]) store(v T) { b.v = v }

func (b *box[T]) load() T { return b.v }

func apply(f func()) { f() }

func keep[T any](v T) func() T { return func() T { return v } }
`

// common is what each test has to work with; # stands for its number.
const common = `
type node# struct {
	n, k int
	next *node#
	arr  [2]int
	in   struct{ x, y int }
	s    []int
	m    map[int]int
	p    *int
	f    func()
}

func (a *node#) set(n int) { a.n = n }

func (a node#) sum() int { return a.n + a.in.x }

type outer# struct {
	node#
	other *node#
}

var (
	g#  = &node#{}
	h#  int
	l#  []*node#
	at# atomic.Pointer[node#]
)

func new#(n int) *node# {
	a := &node#{k: n, m: map[int]int{}}
	a.n = n
	a.s = make([]int, 2)
	for i := range a.s {
		a.s[i] = n
	}
	return a
}

func same#(a *node#) *node# { return a }

func link#(a, b *node#) { a.next = b }

func named#(a *node#) (r *node#, n int) {
	defer func() { n++; r.n++ }()
	r = a
	return r, a.n
}

func each#(a *node#) func(func(*node#) bool) {
	return func(yield func(*node#) bool) {
		for i := 0; i < 3 && a != nil; i++ {
			if !yield(a) {
				return
			}
			a = a.next
		}
	}
}
`

// test has the number, the body of the test, and a call of a function that gets
// two nodes, or nothing.
const test = `
func Test%[1]d(t *testing.T) {
	a, b, c := &node%[1]d{}, new%[1]d(2), new(node%[1]d)
	x, y := 1, 2
	list, table, ch := make([]*node%[1]d, 2), map[int]*node%[1]d{}, make(chan *node%[1]d, 50)
	var mu sync.Mutex
	var wg sync.WaitGroup
	var arr [2]node%[1]d
	var bx box[*node%[1]d]
	var ifc any
	defer wg.Wait()
	%[2]s
	%[3]s
	wg.Wait()
	x += a.n + b.n + c.n + len(list) + len(table) + len(ch) + arr[0].n + y
	mu.Lock()
	_, _ = bx, ifc
	mu.Unlock()
}
`

// helper has the number and the body of such a function.
const helper = `
func helper%[1]d(a, b *node%[1]d, w *sync.WaitGroup) {
	c, x, y := b, 0, 1
	list, table, ch := []*node%[1]d{a, b}, map[int]*node%[1]d{1: b}, make(chan *node%[1]d, 50)
	var mu sync.Mutex
	var wg sync.WaitGroup
	var arr [2]node%[1]d
	var bx box[*node%[1]d]
	var ifc any
	%[2]s
	wg.Wait()
	_, _, _, _, _, _ = list, table, ch, arr, bx, ifc
	mu.Lock()
	x += y + c.n
	mu.Unlock()
}
`

// A writer makes statements, of a few of the kinds: with all of them, every
// variable would be shared.
type writer struct {
	*rand.Rand
	budget             int // statements that may still be made
	statements, spawns []string
}

func newWriter(r *rand.Rand) *writer {
	w := &writer{Rand: r, budget: 4 + r.IntN(12), statements: []string{"$.n = %", "% = $.n"}}
	for range 1 + r.IntN(4) {
		w.statements = append(w.statements, statements[r.IntN(len(statements))])
	}
	w.spawns = []string{spawns[r.IntN(len(spawns))]}
	return w
}

// statements are the kinds of statements; $ is a node, % a number, @ a block.
var statements = []string{
	"$ = &node#{n: %, next: $}", "$ = new#(%)", "$ = same#($)", "$ = new(node#)",
	"link#($, $)", "$, % = named#($)", "$ = get(&$)",
	"$.n = %", "$.n++", "% = $.n", "% = $.k", "% += $.in.x", "$.in.x = %", "$.in.y++", "$.in = $.in", "% = $.sum()",
	"$.arr[%&1] = %", "% = $.arr[%&1]", "$.set(%)", "*$ = *$", "put(&$.n, %)", "% = get(&$.in.y)", "put($, *$)",
	"$.next = $", "if q := $.next; q != nil { $ = q }", "if q := $.next; q != nil { q.n = % }",
	"if q := $.next; q != nil { % = q.n }", "for i := range 2 { q := &node#{}; q.n = i; $.next = q }",
	"for i := range 2 { q := new#(i); q.n = i; list[i] = q }", "for i := range 2 { q := new(node#); q.n = i; select { case ch <- q: default: } }",
	"$.s = append($.s, %)", "if s := $.s; len(s) > 0 { s[0] = % }", "if s := $.s; len(s) > 0 { % = s[0] }",
	"if m := $.m; m != nil { m[%] = % }", "if m := $.m; m != nil { % = m[%] }", "$.m = map[int]int{1: %}",
	"{ p := &$.n; *p = % }", "$.p = &$.n", "if p := $.p; p != nil { *p = % }", "$.p = &%",
	"{ p := &$.arr[1]; % = *p }", "{ s := $.arr[:]; s[0] = % }",
	"arr[%&1].n = %", "$ = &arr[1]", "arr[0] = *$", "% = arr[%&1].in.y",
	"g# = $", "$ = g#", "g#.n = %", "h# = %", "% = h#", "{ p := &h#; *p = % }", "l# = append(l#, $)", "for _, q := range l# { q.n++; break }",
	"at#.Store($)", "if q := at#.Load(); q != nil { $ = q }",
	"list[%&1] = $", "if q := list[%&1]; q != nil { $ = q }", "list = append(list, $)", "copy(list, list[1:])",
	"table[%] = $", "if q := table[%]; q != nil { q.in.x = % }", "for _, q := range table { q.n++ }", "delete(table, %)", "clear(table)",
	"select { case ch <- $: default: }", "select { case q := <-ch: $ = q; default: }", "select { case q := <-ch: q.n = %; default: }",
	"ifc = $", "if q, ok := ifc.(*node#); ok { $ = q }", "setter($).set(%)", "{ var i setter = $; i.set(%) }", "ifc = *$",
	"bx.store($)", "if q := bx.load(); q != nil { $ = q }", "{ bb := &box[int]{}; bb.store(%); % = bb.v }",
	"{ f := $.set; f(%) }", "{ f := (*node#).set; f($, %) }", "{ f := keep($); $ = f() }", "{ f := node#.sum; % = f(*$) }",
	"{ q := (*node#)(unsafe.Pointer($)); q.n = % }", "{ q := (*int)(unsafe.Pointer(&$.in.x)); *q = % }",
	"{ o := &outer#{other: $}; o.n = %; o.other.n = %; $ = &o.node# }", "{ o := outer#{node#: *$}; o.set(%); % = o.node#.n }",
	"$.f = func() { $.n = % }", "if f := $.f; f != nil { wg.Go(f) }",
	"for q := range each#($) { q.n++ }", "for q := range each#($) { @; if q.n > 3 { break } }",
	"for i := range 2 { _ = i; @ }", "for i := 0; i < 2; i++ { @ }", "if % > 1 { @ } else { @ }", "switch % & 3 { case 0: @; case 1, 2: @; default: @ }",
	"func() { @ }()", "defer func() { @ }()", "apply(func() { @ })", "{ f := func() { @ }; f() }",
	"mu.Lock(); $.n++; mu.Unlock()", "mu.Lock(); x++; mu.Unlock()", "mu.Lock(); @; mu.Unlock()",
}

// spawns start goroutines.
var spawns = []string{
	"wg.Go(func() { @ })", "wg.Add(1); go func() { defer wg.Done(); @ }()", "wg.Go(func() { @ })",
	"wg.Add(1); go func(a *node#, x int) { defer wg.Done(); @ }($, %)", "go $.set(%)", "go link#($, $)", "go put(&$.n, %)",
	"{ f := func() { @ }; wg.Go(f); wg.Go(f) }", "{ a := $; _ = a; wg.Go(func() { @ }) }",
	"{ done := make(chan bool); go func() { @; close(done) }(); <-done }",
}

// block makes some statements.
func (w *writer) block(depth int) string {
	var b strings.Builder
	for n := 3 + w.IntN(6)/(depth+1); n > 0 && w.budget > 0; n-- {
		w.budget--
		b.WriteString(w.statement(depth) + "\n")
	}
	return b.String()
}

func (w *writer) statement(depth int) string {
	kinds := w.statements
	if depth < 3 && w.IntN(4) == 0 {
		kinds = w.spawns
	}
	s := kinds[w.IntN(len(kinds))]
	if strings.Contains(s, "@") && depth > 3 {
		s = "$.n = %"
	}
	var b strings.Builder
	for _, c := range s {
		switch c {
		case '$':
			b.WriteByte("abc"[w.IntN(3)])
		case '%':
			b.WriteByte("xy"[w.IntN(2)])
		case '@':
			b.WriteString(w.inner(s, depth))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// inner makes the block of a compound statement. Within a lock there are only
// statements that take none.
func (w *writer) inner(outer string, depth int) string {
	if strings.HasPrefix(outer, "mu.Lock") {
		return w.simple()
	}
	return w.block(depth + 1)
}

func (w *writer) simple() string {
	s := "$.n = %"
	for range 5 {
		if c := w.statements[w.IntN(len(w.statements))]; !strings.ContainsAny(c, "@") && !strings.Contains(c, "mu.") {
			s = c
		}
	}
	return strings.NewReplacer("$", string("abc"[w.IntN(3)]), "%", string("xy"[w.IntN(2)])).Replace(s)
}

package sharing

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// ways are small programs in which memory does, or does not, become known to another goroutine.
// The body of each is a test's. After "loud" and "quiet" in a comment stand accesses of its line
// that need an event and that need none, likewise "elements loud", "undecided" and so on: see
// TestRules.
var ways = []struct{ name, decls, body string }{
	{"nothing", ``, `
		x := &item{}
		x.n++ // quiet: x.n`},
	{"a closure that a go statement starts", ``, `
		x := &item{}
		go func() { x.n++ }() // loud: x.n
		x.n++ // loud: x.n`},
	{"a closure that is called on the spot", ``, `
		x := &item{}
		func() { x.n++ }() // quiet: x.n
		x.n++ // quiet: x.n`},
	{"a closure that is deferred", ``, `
		x := &item{}
		defer func() { x.n++ }() // quiet: x.n
		x.n++ // quiet: x.n`},
	{"a closure that a WaitGroup starts", ``, `
		var wg sync.WaitGroup
		x := &item{}
		x.n = 1 // loud: x.n
		wg.Go(func() { x.n++ }) // loud: x.n
		wg.Wait()`},
	{"a write before the closure that a WaitGroup starts", ``, `
		var wg sync.WaitGroup
		x := &item{}
		x.n = 1 // quiet: x.n
		wg.Go(func() { _ = x.n }) // quiet: x.n
		wg.Wait()`},
	{"a write after the closure that a WaitGroup starts", ``, `
		var wg sync.WaitGroup
		x := &item{}
		wg.Go(func() { _ = x.n }) // loud: x.n
		x.n = 1 // loud: x.n
		wg.Wait()`},
	{"a closure that sort calls", ``, `
		n := 0
		sort.Search(3, func(i int) bool { n++; return n > i }) // quiet: n`},
	{"a closure that is stored", `var handler func()`, `
		x := &item{}
		handler = func() { x.n++ } // loud: x.n`},
	{"a variable that a closure captures", ``, `
		n := 0
		go func() { n++ }() // loud: n
		n++ // loud: n`},
	{"a variable that a closure reads", ``, `
		n := 1
		go func() { _ = n }() // quiet: n`},
	{"an argument of a go statement", `func work(x *item) { x.n++ } // loud: x.n`, `
		x := &item{}
		go work(x)
		x.n++ // loud: x.n`},
	{"a value as argument of a go statement", `func copied(x item) { x.n++ } // quiet: x.n`, `
		x := item{}
		go copied(x)
		x.n++ // quiet: x.n`},
	{"a write before the only go statement", `func read(x *item) { _ = x.n } // quiet: x.n`, `
		x := &item{}
		x.n = 1 // quiet: x.n
		go read(x)`},
	{"a write between two go statements", `func read(x *item) { _ = x.n } // loud: x.n`, `
		x := &item{}
		go read(x)
		x.n = 1 // loud: x.n
		go read(x)`},
	{"a go statement in a loop, of a new variable each time", `func read(x *item) { _ = x.n } // quiet: x.n`, `
		for range 3 {
			x := &item{}
			x.n = 1 // quiet: x.n
			go read(x)
		}`},
	{"a go statement in a loop, of one variable", `func read(x *item) { _ = x.n } // loud: x.n`, `
		x := &item{}
		for range 3 {
			x.n = 1 // loud: x.n
			go read(x)
		}`},
	{"a channel", ``, `
		ch := make(chan *item)
		go func() { (<-ch).n++ }()
		x := &item{}
		ch <- x
		x.n++ // loud: x.n`},
	{"a write before a send", ``, `
		ch := make(chan *item)
		go func() { y := <-ch; _ = y.n }() // quiet: y.n
		x := &item{}
		x.n = 1 // quiet: x.n
		ch <- x`},
	{"a select that sends", ``, `
		ch := make(chan *item)
		go func() { y := <-ch; y.n++ }() // loud: y.n
		x := &item{}
		select {
		case ch <- x:
		default:
		}
		x.n++ // loud: x.n`},
	{"a channel of values", ``, `
		ch := make(chan item)
		go func() { y := <-ch; y.n++ }() // quiet: y.n
		x := item{}
		ch <- x
		x.n++ // quiet: x.n`},
	{"a package variable", `var shared *item`, `
		x := &item{}
		shared = x // loud: shared
		x.n++ // loud: x.n`},
	{"a package variable that nobody writes", `var limit = 3`, `
		go func() { _ = limit }() // quiet: limit
		_ = limit // quiet: limit`},
	{"a field of what others know", ``, `
		var c cell
		go func() { c.p.n++ }() // loud: c.p.n
		x := &item{}
		c.p = x // loud: c.p
		x.n++ // loud: x.n`},
	{"another field", ``, `
		c := &cell{m: 1}
		go func() { c.n++; _ = c.m }() // loud: c.n; quiet: c.m
		_ = c.m // quiet: c.m`},
	{"a map", ``, `
		m := map[string]*item{}
		x := &item{}
		go func() { m["x"].n++ }()
		m["x"] = x // elements loud: m
		x.n++ // loud: x.n`},
	{"a map of its own", ``, `
		m := map[string]int{}
		m["x"]++ // elements quiet: m`},
	{"a map that is read after the go statement", ``, `
		m := map[string]int{}
		m["x"] = 1 // elements quiet: m
		go func() { _ = m["x"] }() // elements quiet: m`},
	{"the key of a map", ``, `
		m := map[*item]bool{}
		x := &item{}
		m[x] = true
		go func() { for k := range m { k.n++ } }() // loud: k.n
		x.n++ // loud: x.n`},
	{"a slice", ``, `
		xs := make([]int, 3)
		go func() { xs[0]++ }() // loud: xs[0]
		xs[1]++ // loud: xs[1]`},
	{"a part of a slice", ``, `
		xs := make([]int, 3)
		ys := xs[1:]
		go func() { ys[0]++ }() // loud: ys[0]
		xs[1]++ // loud: xs[1]`},
	{"append", ``, `
		var xs []*item
		x := &item{}
		xs = append(xs, x)
		go func() { xs[0].n++ }() // loud: xs[0].n
		x.n++ // loud: x.n`},
	{"copy", ``, `
		xs, ys := []*item{{}}, make([]*item, 1)
		copy(ys, xs)
		go func() { ys[0].n++ }() // loud: ys[0].n
		xs[0].n++ // loud: xs[0].n`},
	{"a copy of values", ``, `
		xs, ys := []int{1}, make([]int, 1)
		copy(ys, xs)
		go func() { ys[0]++ }() // loud: ys[0]
		xs[0]++ // quiet: xs[0]`},
	{"an array", ``, `
		var a [3]item
		p := &a[1]
		go func() { p.n++ }() // loud: p.n
		a[2].n++ // loud: a[2].n`},
	{"an interface", `type runner interface{ run() }
		func (x *item) run() { x.n++ } // loud: x.n`, `
		x := &item{}
		var r runner = x
		go r.run()
		x.n++ // loud: x.n`},
	{"an interface that is not used", ``, `
		x := &item{}
		var r any = x
		_ = r
		x.n++ // loud: x.n`},
	{"unknown code", ``, `
		x := &item{}
		fmt.Sprint(x)
		x.n++ // loud: x.n`},
	{"unknown code that gets a copy", ``, `
		x := &item{}
		fmt.Sprint(x.n)
		x.n++ // quiet: x.n`},
	{"reflection", ``, `
		x := &item{}
		reflect.ValueOf(x).Elem().Field(0).SetInt(3)
		x.n++ // loud: x.n`},
	{"unsafe", ``, `
		x := &item{}
		p := unsafe.Pointer(x)
		_ = p
		x.n++ // loud: x.n`},
	{"a method value", `func (x *item) add() { x.n++ } // loud: x.n`, `
		x := &item{}
		f := x.add
		go f()
		x.n++ // loud: x.n`},
	{"a result", `func make1() *item { return &item{} }`, `
		x, y := make1(), make1()
		go func() { x.n++ }() // loud: x.n
		x.n++ // loud: x.n
		y.n++ // quiet: y.n`},
	{"a result that is kept", `var all []*item
		func make2() *item { x := &item{}; all = append(all, x); return x }`, `
		x := make2()
		x.n++ // loud: x.n`},
	{"a generic function", `func id[T any](x T) T { return x }`, `
		x := &item{}
		y := id(x)
		go func() { y.n++ }() // loud: y.n
		x.n++ // loud: x.n`},
	{"a timer", ``, `
		x := &item{}
		time.AfterFunc(1, func() { x.n++ }) // loud: x.n
		x.n++ // loud: x.n`},
	{"a condition on what is private", ``, `
		x := &item{}
		if x.n > 0 { // decided: x.n > 0
			x.n = 0
		}`},
	{"a condition on what others change", ``, `
		x := &item{}
		go func() { x.n++ }()
		y := x.n + 1
		if y > 0 { // undecided: y > 0
			x.n = 0
		}`},
	{"a condition on what is received", ``, `
		ch := make(chan int, 1)
		ch <- 1
		if n := <-ch; n > 0 { // undecided: n > 0
			return
		}`},
	{"a condition on the length of a shared map", ``, `
		m := map[int]int{}
		go func() { m[1] = 1 }()
		if len(m) > 0 { // undecided: len(m) > 0
			return
		}`},
	{"a condition on a result", `func pure(n int) int { return n + 1 }`, `
		if n := pure(2); n > 0 { // decided: n > 0
			return
		}`},
	{"a condition on what unknown code returns", ``, `
		if n := len(fmt.Sprint(1)); n > 0 { // undecided: n > 0
			return
		}`},
}

func TestWays(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module ways\n\ngo 1.26\n"), 0o666))
	for i, w := range ways {
		sub := filepath.Join(dir, fmt.Sprintf("w%d", i))
		require.NoError(t, os.Mkdir(sub, 0o777))
		text := "package p\n\nimport (\n\t\"fmt\"\n\t\"reflect\"\n\t\"sort\"\n\t\"sync\"\n\t\"testing\"\n\t\"time\"\n\t\"unsafe\"\n)\n\n" +
			"var (\n\t_ = fmt.Sprint\n\t_ = reflect.ValueOf\n\t_ = sort.Slice\n\t_ sync.Mutex\n\t_ time.Time\n\t_ unsafe.Pointer\n)\n\n" +
			"type item struct{ n int }\n\ntype cell struct {\n\tp *item\n\tn, m int\n}\n\n" +
			w.decls + "\n\nfunc Test(t *testing.T) {" + w.body + "\n}\n"
		require.NoError(t, os.WriteFile(filepath.Join(sub, "p_test.go"), []byte(text), 0o666))
	}
	checked := 0
	for _, p := range load(t, dir) {
		var n int
		fmt.Sscanf(filepath.Base(filepath.Dir(p.Fset.Position(p.Syntax[0].Pos()).Filename)), "w%d", &n)
		t.Run(ways[n].name, func(t *testing.T) {
			facts, _ := Analyze([]*packages.Package{p}, func(string) bool { return false })
			for _, file := range p.Syntax {
				checked += checkComments(t, facts, p, file, expressions(p, file))
			}
		})
	}
	all := fmt.Sprint(ways)
	assert.Equal(t, strings.Count(all, "loud: ")+strings.Count(all, "quiet: ")+strings.Count(all, "decided: "), checked, "comments that were checked")
}

// checkComments compares facts with the comments of a file, and returns how many it has looked at.
func checkComments(t *testing.T, facts *Facts, p *packages.Package, file *ast.File, onLine map[int]map[string][]ast.Expr) (checked int) {
	for _, g := range file.Comments {
		for _, c := range g.List {
			at := p.Fset.Position(c.Pos())
			for _, group := range strings.Split(strings.TrimPrefix(c.Text, "// "), "; ") {
				word, list, ok := strings.Cut(group, ": ")
				if !ok || !strings.Contains(" quiet loud decided undecided elements quiet elements loud ", " "+word+" ") {
					continue
				}
				checked++
				for _, expr := range strings.Split(list, ", ") {
					found := onLine[at.Line][expr]
					require.NotEmpty(t, found, "%s: %s", at, expr)
					for _, x := range found {
						assert.Equal(t, word, verdict(facts, p, x, word), "%s: %s", at, expr)
					}
				}
			}
		}
	}
	return checked
}

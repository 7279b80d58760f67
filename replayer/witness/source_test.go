package witness

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// sourcesOf has files of the given contents in one folder, and returns that.
func sourcesOf(t *testing.T, files map[string]string) (*Sources, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	return new(Sources), dir
}

const account = `package bank

func (a *Account) Deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n < 0 {
		a.mu.Lock()
	}
}

func (p Pair[K, V]) Swap() {
	p.mu.Lock()
}

func Sum(as ...*Account) {
	go func() { add(as) }()
}

var report = func() {
	go add(nil)
}
`

func TestSourcesLine(t *testing.T) {
	s, dir := sourcesOf(t, map[string]string{"a.go": "one\ntwo"})
	file := filepath.Join(dir, "a.go")
	assert.Equal(t, "two", s.Line(file, 2))
	require.NoError(t, os.Remove(file)) // it is read once
	assert.Equal(t, "one", s.Line(file, 1))
	for _, n := range []int{-1, 0, 3} {
		assert.Empty(t, s.Line(file, n))
	}
	assert.Empty(t, s.Line("nosuch.go", 1))
}

func TestSourcesFunction(t *testing.T) {
	s, dir := sourcesOf(t, map[string]string{"bank.go": account})
	for fn, want := range map[string]lineRange{
		"example.com/bank.(*Account).Deposit":        {3, 9},
		"gopkg.in/x%2ev3.(*Account).Deposit.func1.2": {3, 9},
		"example.com/bank.Pair[...].Swap":            {11, 13},
		"bank.Pair[example.com/k.K,int].Swap.func1":  {11, 13},
		"example.com/bank.Sum":                       {15, 17},
		"example.com/bank.Sum.gowrap1":               {15, 17},
		"example.com/bank.Sum-range1":                {15, 17},
		"example.com/bank.init.func1":                {1, 22},
		"example.com/bank.glob..func1":               {1, 22},
		"x/y.(*T).Run.(*Account).Deposit.func1":      {3, 9}, // inlined there, with a literal of its own
		"x/y.Run.func2.(*Account).Deposit.1.2":       {3, 9},
		"x/y.Pair[...].Each.Pair[...].Swap.func3":    {11, 13},
		"x/y.Nobody.Sum[go.shape.int].gowrap1":       {15, 17},
		"x/y.Run-range1.Nobody.Sum-range2":           {15, 17},
		"x/y.init.Sum.func1":                         {15, 17},
		"x/y.Sum.Nobody.func1":                       {},
		"x/y.Nobody.Sum":                             {}, // a method of this name
		"example.com/bank.Nobody":                    {},
		"example.com/bank.(*Account).Withdraw.func1": {},
		"":  {},
		"[": {},
	} {
		got, ok := s.function(filepath.Join(dir, "bank.go"), fn)
		assert.Equal(t, want, got, fn)
		assert.Equal(t, want != lineRange{}, ok, fn)
	}
}

// Of several functions of one name, which only init can have, it is not known which.
func TestSourcesFunctionInit(t *testing.T) {
	const one, two = "package p\n\nfunc init() {\n\tgo f()\n}\n", "\nfunc init() { go f() }\n"
	s, dir := sourcesOf(t, map[string]string{"one.go": one, "two.go": one + two})
	e, ok := s.function(filepath.Join(dir, "one.go"), "p.init.0.gowrap1")
	assert.Equal(t, lineRange{3, 5}, e)
	assert.True(t, ok)
	e, ok = s.function(filepath.Join(dir, "two.go"), "p.init.0.gowrap1")
	assert.Equal(t, lineRange{1, 8}, e)
	assert.True(t, ok)
}

func TestSourcesFind(t *testing.T) {
	const deposit = "bank.(*Account).Deposit"
	lock := Step{Op: trace.Acquire, Func: deposit, Expr: "a.mu", LineText: "a.mu.Lock()", AlikeNumber: 2, AlikeCount: 2}
	release := Step{Op: trace.Release, Func: deposit, Expr: "a.mu", LineText: "a.mu.Unlock()", AlikeNumber: 1, AlikeCount: 1}
	for _, c := range []struct {
		name  string
		step  Step
		guess int
		line  int
		sure  bool
	}{
		{"the same lines, the second of two", lock, 4, 7, true},
		{"there were three", Step{Op: lock.Op, Func: deposit, LineText: lock.LineText, AlikeNumber: 3, AlikeCount: 3}, 5, 4, false},
		{"there was one", Step{Op: lock.Op, Func: deposit, LineText: lock.LineText, AlikeNumber: 1, AlikeCount: 1}, 6, 7, false},
		{"one is left of two", Step{Op: trace.Release, Func: deposit, LineText: "defer a.mu.Unlock()", AlikeNumber: 2, AlikeCount: 2}, 9, 5, true},
		{"another line with the operand", release, 9, 5, true},
		{"two other lines with the operand", Step{Op: lock.Op, Func: deposit, Expr: "a.mu", LineText: "if a.mu.TryLock() {", AlikeNumber: 1, AlikeCount: 1}, 8, 7, false},
		{"the variable has another name", Step{Op: lock.Op, Func: deposit, Expr: "acc.mu", LineText: "acc.mu.Lock()", AlikeNumber: 2, AlikeCount: 2}, 4, 7, true},
		{"nothing like it", Step{Op: trace.Send, Func: deposit, Expr: "done", LineText: "done <- 1", AlikeNumber: 1, AlikeCount: 1}, 5, 5, false},
		{"a guess outside of the function", Step{Op: trace.Send, Func: deposit}, 40, 9, false},
	} {
		s, dir := sourcesOf(t, map[string]string{"bank.go": account})
		in, line, sure := s.FindCallSite(c.step, filepath.Join(dir, "bank.go"), c.guess)
		assert.Equal(t, filepath.Join(dir, "bank.go"), in, c.name)
		assert.Equal(t, c.line, line, c.name)
		assert.Equal(t, c.sure, sure, c.name)
	}
}

func TestSourcesFindInAnotherFile(t *testing.T) {
	s, dir := sourcesOf(t, map[string]string{"bank.go": "package bank\n", "other.go": account})
	step := Step{Op: trace.Acquire, Func: "bank.Pair[...].Swap", LineText: "p.mu.Lock()", AlikeNumber: 1, AlikeCount: 1}
	in, line, sure := s.FindCallSite(step, filepath.Join(dir, "bank.go"), 3)
	assert.Equal(t, filepath.Join(dir, "other.go"), in)
	assert.Equal(t, 12, line)
	assert.True(t, sure)

	step.Func = "bank.Nowhere"
	in, line, sure = s.FindCallSite(step, filepath.Join(dir, "bank.go"), 3)
	assert.Equal(t, filepath.Join(dir, "bank.go"), in)
	assert.Equal(t, 3, line)
	assert.False(t, sure)
}

// An operation that has become a case of a select is where the select is, unless that is compiled as
// the operation.
func TestSourcesFindsCasesOfSelects(t *testing.T) {
	const head = "package p\n\nfunc f(results, quit chan int) {\n\tselect {\n\tcase results <- 1:\n"
	for name, c := range map[string]struct {
		rest string
		line int
		sure bool
	}{
		"one of two":  {"\tcase <-quit:\n\t}\n}\n", 4, false},
		"alone":       {"\t}\n}\n", 5, true},
		"or not":      {"\tdefault:\n\t}\n}\n", 5, true},
		"two, or not": {"\tdefault:\n\tcase <-quit:\n\t}\n}\n", 4, false},
	} {
		s, dir := sourcesOf(t, map[string]string{"p.go": head + c.rest})
		step := Step{Op: trace.Send, Func: "p.f", Expr: "results", LineText: "results <- 1", AlikeNumber: 1, AlikeCount: 1}
		_, line, sure := s.FindCallSite(step, filepath.Join(dir, "p.go"), 4)
		assert.Equal(t, c.line, line, name)
		assert.Equal(t, c.sure, sure, name)
	}
}

func TestProse(t *testing.T) {
	const text = "TestX:0.1 waits for TestX:0.10, not for MyTestX:0.1 or TestX: no"
	assert.Equal(t, "goroutine 0.1 waits for goroutine 0.10, not for MyTestX:0.1 or TestX: no", ReadableGoroutines(text, []string{"TestX"}))
	assert.Equal(t, "goroutine TestX#01:0 and goroutine TestY:0", ReadableGoroutines("TestX#01:0 and TestY:0", []string{"TestX", "TestY"}))
}

func TestShape(t *testing.T) {
	for expr, want := range map[string]string{
		"":                         "",
		"err":                      "_",
		"a.balance":                "_.balance",
		"s.config.Name":            "_.config.Name",
		"shards[h%n].Get(k).items": "_[_%_].Get(_).items",
		"x.pages[…]":               "_.pages[…]",
		"(*p).next":                "(*_).next",
		"receipt.Before-30 != r":   "_.Before-30!=_",
		`m["a b"]`:                 `_["a b"]`,
		"len(queue)":               "len(_)",
		"(":                        "(",
	} {
		assert.Equal(t, want, Shape(expr), expr)
	}
}

// A variable that is called is found under another name; there are as many calls
// of variables as before, and the one of the same number is it.
func TestSourcesFindsCalledVariables(t *testing.T) {
	text := func(next, stop string) string {
		return "package p\n\nfunc f(" + next + ", " + stop + " func()) {\n\tgo func() {\n\t\t" + next + "()\n\t}()\n\t" + next + "()\n\t" + stop + "()\n\tdone()\n}\n"
	}
	s, dir := sourcesOf(t, map[string]string{"old.go": text("next", "stop"), "new.go": "\n\n" + text("more", "end")})
	line, which, of := s.callSite(filepath.Join(dir, "old.go"), "p.f", 7)
	assert.Equal(t, "next()", line)
	assert.Equal(t, [2]int{2, 3}, [2]int{which, of})
	step := Step{Op: trace.Write, Func: "p.f", Line: 7, Expr: "next", LineText: line, AlikeNumber: which, AlikeCount: of}
	_, at, sure := s.FindCallSite(step, filepath.Join(dir, "new.go"), 3)
	assert.True(t, sure)
	assert.Equal(t, 9, at)

	_, _, of = s.callSite(filepath.Join(dir, "old.go"), "p.f", 9)
	assert.Equal(t, 1, of, "done is a function")
}

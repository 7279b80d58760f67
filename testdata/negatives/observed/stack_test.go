package observed

import (
	"bytes"
	"fmt"
	"iter"
	"log"
	"log/slog"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
)

// here names the functions and lines that have called it, up to package testing.
func here() string {
	var pcs [50]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	var all []string
	for {
		f, more := frames.Next()
		if f.Function == "testing.tRunner" || !more {
			return strings.Join(all, " < ")
		}
		line := f.Line
		if !strings.HasPrefix(f.Function, "observed.") {
			line = 0 // of the standard library
		}
		all = append(all, fmt.Sprint(strings.NewReplacer("observed.", "", "predictSlow", "doSlow").Replace(f.Function), ":", line))
	}
}

type caller struct{ deep struct{ inner } }
type inner struct{}

func (inner) value() string                  { return here() }
func (*inner) pointer() string               { return here() }
func (c caller) call(f func() string) string { return f() }

type hereer interface{ value() string }

func generic[T any](T) string                         { return here() }
func genericCall[T any](v T, f func(T) string) string { return f(v) }

type box[T any] struct{ v T }

func (b *box[T]) here() string                   { return here() }
func (b box[T]) each(yield func(T, string) bool) { yield(b.v, here()) }

var atInit = here()
var atInitFunc = func() string { return here() }()
var fromInit string

func init() { fromInit = here() }
func init() { fromInit += " " + here() }

func inlined() string    { return inlinedToo() }
func inlinedToo() string { return here() }
func recursive(n int) string {
	if n == 0 {
		return here()
	}
	return recursive(n - 1)
}
func withDefer() (s string) {
	defer func() { s = here() }()
	return ""
}
func withRecover() (s string) {
	defer func() { recover(); s = here() }()
	var m map[int]int
	m[1] = 2
	return ""
}

var sharedCount int

func TestCallers(t *testing.T) {
	c := &caller{}
	see(t, "init", atInit, "|", atInitFunc, "|", fromInit)
	see(t, "direct", here())
	see(t, "inlined", inlined())
	see(t, "recursive", recursive(2))
	see(t, "method", c.deep.value(), "|", c.deep.pointer())
	see(t, "promoted", func() string { return c.deep.inner.value() }())
	see(t, "interface", hereer(c.deep).value(), "|", hereer(&c.deep).value())
	see(t, "method value", c.call(c.deep.value), "|", c.call(c.deep.pointer))
	f, g := caller.call, (*inner).pointer
	see(t, "method expression", f(*c, func() string { return here() }), g(&c.deep.inner))
	see(t, "generic", generic(1), "|", generic("a"), "|", generic(c), "|", genericCall(1, generic[int]))
	see(t, "generic type", (&box[int]{}).here(), "|", (&box[string]{}).here(), "|", (&box[box[int]]{}).here())
	for _, s := range (box[int]{}).each {
		see(t, "iterator", s, "|", here())
	}
	func() {
		func() {
			see(t, "nested", here())
			sharedCount++
			func() { sharedCount++; see(t, "nested", here()) }()
		}()
	}()
	see(t, "defer", withDefer(), "|", withRecover())
	see(t, "reflect", reflect.ValueOf(generic[int]).Call([]reflect.Value{reflect.ValueOf(1)})[0])
	done := make(chan string)
	go func() { done <- here() }()
	see(t, "go", <-done)
	go func(s string) { done <- s + here() }(here())
	see(t, "go", <-done)
	time.AfterFunc(0, func() { done <- here() })
	see(t, "timer", <-done)
	var once sync.Once
	once.Do(func() { see(t, "once", here()) })
	var wg sync.WaitGroup
	wg.Go(func() { see(t, "wait group", here()) })
	wg.Wait()
	sync.OnceFunc(func() { see(t, "once func", here()) })()
	p := sync.Pool{New: func() any { return here() }}
	see(t, "pool", p.Get())
	next, stop := iter.Pull(func(yield func(string) bool) { yield(here()) })
	s, _ := next()
	see(t, "pull", s)
	stop()
	t.Cleanup(func() { see(t, "cleanup", here()) })
	t.Run("sub", func(t *testing.T) { see(t, "run", here()) })
	switch x := any(c).(type) {
	case *caller:
		see(t, "case", here(), x != nil)
	}
	if y := here(); y != "" {
		see(t, "if", y)
	} else if z := here(); z != "" {
		see(t, "else", z)
	}
	for i, s := 0, here(); i < 1; i, s = i+1, here() {
		sharedCount += i
		see(t, "for", s)
	}
	see(t, "several lines",
		here(),
		sharedCount, func() string {
			return here()
		}(),
		here(),
	)
	x := []string{
		here(),
		here()}
	x[0], x[1] =
		here(),
		here()
	see(t, "assigned", x)
//line other.y:7
	see(t, "line", here())
	_, file, line, _ := runtime.Caller(0)
	see(t, "file", filepath.Base(file), line)
	/*line third.y:9:2*/ see(t, "line", here())
}

//line stack_test.go:185
func TestFuncForPC(t *testing.T) {
	lit := func() { sharedCount++ }
	for _, f := range []any{TestFuncForPC, here, (*box[int]).here, generic[int], generic[string], lit, func() {}, inner.value, (*inner).pointer, inner{}.value, init2, strings.ToUpper, new(sync.Mutex).Lock, (*sync.Mutex).Lock, time.Sleep, runtime.Gosched, (*testing.T).Run, t.Log, sync.OnceFunc(lit), time.AfterFunc, (*sync.WaitGroup).Go, fmt.Sprint, new(sync.Once).Do} {
		fn := runtime.FuncForPC(reflect.ValueOf(f).Pointer())
		file, line := fn.FileLine(fn.Entry())
		if !strings.HasPrefix(fn.Name(), "observed") {
			line = 0
		}
		see(t, "func", fn.Name(), filepath.Base(file), line, reflect.TypeOf(f))
	}
	pc, file, line, ok := runtime.Caller(1)
	see(t, "caller", runtime.FuncForPC(pc).Name(), filepath.Base(file), line, ok)
	pc, _, _, ok = runtime.Caller(2)
	see(t, "caller", runtime.FuncForPC(pc).Name(), ok)
	_, _, _, ok = runtime.Caller(3)
	see(t, "caller", ok)
	var pcs [100]uintptr
	see(t, "callers", runtime.Callers(0, pcs[:]), runtime.Callers(1, pcs[:2]), runtime.Callers(50, pcs[:]))
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		see(t, "frame", f.Function, filepath.Base(f.File), strings.HasPrefix(f.Function, "observed") && f.Line > 0, f.Func != nil)
	}
}

func init2() {}

var (
	offsets  = regexp.MustCompile(`\([^()]*\) in|\+0x[0-9a-f]+|\(0x[^)]*\)|\({[^)]*\)|\(\.\.\.\)|\(\)`)
	folders  = regexp.MustCompile(`(\t)/\S*/`)
	stdLines = regexp.MustCompile(`(testing|panic|proc|asm_amd64|sema|time|lock_\w+|waitgroup|chan|select|mutex|rwmutex|cond|once|iface|map|slice|signal_unix|error|oncefunc|coro|iter|syscall)\.(go|s):[0-9]+`)
)

// shortened is a stack without addresses, arguments, folders, and lines of the standard library.
func shortened(stack []byte) string {
	s := offsets.ReplaceAllString(steady(string(stack)), "")
	s = folders.ReplaceAllString(s, "$1")
	return strings.ReplaceAll(strings.TrimSpace(stdLines.ReplaceAllString(s, "$1.$2")), "\n", " / ")
}

func TestStackTexts(t *testing.T) {
	see(t, "own", shortened(debug.Stack()))
	buf := make([]byte, 1<<16)
	see(t, "runtime's", shortened(buf[:runtime.Stack(buf, false)]))
	see(t, "cut", len(buf[:runtime.Stack(buf[:100], false)]))
	func() { sharedCount++; func() { see(t, "nested", shortened(debug.Stack())) }() }()
}

func TestLogLines(t *testing.T) {
	var b bytes.Buffer
	log.New(&b, "", log.Lshortfile).Print("one")
	sharedCount++
	log.New(&b, "", log.Lshortfile).Print("two")
	func() { log.New(&b, "", log.Lshortfile).Output(2, "three") }()
	slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{AddSource: true, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		if s, ok := a.Value.Any().(*slog.Source); ok {
			return slog.String("at", fmt.Sprint(s.Function, filepath.Base(s.File), s.Line))
		}
		return a
	}})).Info("four", "n", sharedCount)
	see(t, "lines", strings.ReplaceAll(b.String(), "\n", " / "))
	t.Log("logged")
	sharedCount++
	t.Logf("logged %v", sharedCount > 0)
	helper(t)
	func() { t.Log("in a literal") }()
	defer t.Log("deferred")
	t.Cleanup(func() { t.Log("in a cleanup") })
	t.Cleanup(func() { helper(t) })
	for _, name := range []string{"a", "a", "b c", "ü/x"} {
		t.Run(name, func(t *testing.T) { see(t, "name", t.Name()); t.Log(name); helper(t) })
	}
}

func helper(t *testing.T) {
	t.Helper()
	t.Log("by a helper")
	func() { t.Helper(); t.Log("by a helper's literal") }()
}

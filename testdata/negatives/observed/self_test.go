package observed

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unique"
	"unsafe"
	"weak"
)

//go:embed see_test.go *.mod
var files embed.FS

//go:embed go.mod
var gomod string

func TestEmbed(t *testing.T) {
	text, err := files.ReadFile("see_test.go")
	see(t, "file", len(text), err, len(gomod))
	dir, _ := files.ReadDir(".")
	see(t, "dir", dir)
	own, err := os.ReadFile("self_test.go")
	see(t, "own", bytes.Count(own, []byte("\n")), err)
	wd, err := os.Getwd()
	see(t, "folder", wd, err)
	all, err := filepath.Glob("*")
	see(t, "files", all, err)
}

//go:linkname runtimeNano runtime.nanotime
func runtimeNano() int64

//go:noinline
func notInlined() int { return sharedCount }

//go:nosplit
func notSplit(a [10]int) int { sharedCount++; return a[3] + sharedCount }

func TestPragmas(t *testing.T) {
	see(t, "linkname", runtimeNano() > 0, runtimeNano() <= runtimeNano())
	see(t, "nosplit", notSplit([10]int{3: 2}) > 0, notInlined() > 0)
}

var lateFlag = flag.String("own", "default", "a `flag` of the test's own")

func TestProcess(t *testing.T) {
	see(t, "args", len(os.Args), filepath.Base(os.Args[0]))
	var args []string
	for _, a := range os.Args[1:] {
		a, v, _ := strings.Cut(a, "=")
		if v == "true" || strings.HasSuffix(v, "s") {
			a += "=" + v
		}
		args = append(args, a)
	}
	see(t, "args", args)
	flag.VisitAll(func(f *flag.Flag) {
		if v := f.Value.String(); !strings.HasPrefix(v, "/") {
			see(t, "flag", f.Name, v, f.DefValue, f.Usage)
		}
	})
	flag.Visit(func(f *flag.Flag) { see(t, "set", f.Name) })
	see(t, "flags", flag.NArg(), flag.NFlag(), flag.Parsed(), flag.CommandLine.Name() == os.Args[0], *lateFlag)
	self, err := os.Executable()
	see(t, "executable", filepath.Base(self), err, self == os.Args[0])
	env := os.Environ()
	slices.Sort(env)
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case "_", "SHLVL", "OLDPWD", "TMPDIR": // each run has a folder for temporary files
		case "PATH":
			see(t, "path", len(strings.Split(value, ":")))
		default:
			see(t, "env", v)
		}
	}
	see(t, "testing", testing.Testing(), testing.Verbose(), testing.Short(), testing.CoverMode())
	deadline, ok := t.Deadline()
	see(t, "deadline", time.Until(deadline).Round(time.Minute), ok)
	for i, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		info, err := f.Stat()
		see(t, "std", i, f.Name(), info.Mode().Type(), err)
	}
	n, err := io.ReadAll(os.Stdin)
	see(t, "stdin", len(n), err)
	comm, _ := os.ReadFile("/proc/self/comm")
	see(t, "comm", strings.TrimSpace(string(comm)))
	var limit syscall.Rlimit
	syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	see(t, "limit", limit)
	see(t, "group", syscall.Getpgrp() == os.Getpid(), syscall.Umask(0o22))
}

func TestRuntime(t *testing.T) {
	see(t, "version", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.Compiler, runtime.GOROOT())
	see(t, "processors", runtime.NumCPU(), runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(3), runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(2))
	see(t, "collector", debug.SetGCPercent(50), debug.SetGCPercent(100), debug.SetMemoryLimit(-1), debug.SetMaxStack(1<<29), debug.SetMaxThreads(5000), debug.SetPanicOnFault(false))
	see(t, "goroutines", runtime.NumGoroutine(), runtime.NumCgoCall())
	info, ok := debug.ReadBuildInfo()
	see(t, "build", ok, info.Path, info.Main, info.Deps, info.Settings, info.GoVersion)
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	see(t, "stats", stats.NumForcedGC > 0, stats.EnableGC, stats.DebugGC)
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	see(t, "gc", gc.NumGC > 0, len(gc.Pause) > 0, gc.LastGC.Year() > 2000)
	var names []string
	for _, d := range metrics.All() {
		names = append(names, d.Name)
	}
	see(t, "metrics", len(names))
	sample := []metrics.Sample{{Name: "/sched/goroutines:goroutines"}, {Name: "/sched/gomaxprocs:threads"}, {Name: "/gc/gogc:percent"}, {Name: "/godebug/non-default-behavior/panicnil:events"}, {Name: "/sched/threads/total:threads"}}
	metrics.Read(sample)
	for _, s := range sample[:4] {
		if s.Value.Kind() == metrics.KindUint64 {
			see(t, s.Name, s.Value.Uint64())
		}
	}
}

func TestGoroutines(t *testing.T) {
	id := func() (n int) {
		var buf [64]byte
		fmt.Sscanf(string(buf[:runtime.Stack(buf[:], false)]), "goroutine %d ", &n)
		return n
	}
	ids := []int{id()}
	for range 3 {
		done := make(chan int)
		go func() { done <- id() }()
		ids = append(ids, <-done)
	}
	see(t, "ids", ids[1]-ids[0] > 0, ids[2]-ids[1], ids[3]-ids[2])
	var all []int
	var mu sync.Mutex
	var wg sync.WaitGroup
	release := make(chan bool)
	for range 10 {
		wg.Go(func() { mu.Lock(); all = append(all, id()); mu.Unlock(); <-release })
	}
	for n := 0; n < 10; runtime.Gosched() {
		mu.Lock()
		n = len(all)
		mu.Unlock()
	}
	slices.Sort(all)
	see(t, "distinct", len(slices.Compact(all)), runtime.NumGoroutine())
	close(release)
	wg.Wait()
	time.Sleep(time.Millisecond)
	see(t, "after", runtime.NumGoroutine())
	c := make(chan int, 3)
	c <- 1
	go func() { c <- 2; c <- 3; c <- 4; c <- 5 }()
	time.Sleep(10 * time.Millisecond)
	see(t, "chan", len(c), cap(c), len((chan int)(nil)), cap((chan int)(nil)))
	<-c
	time.Sleep(10 * time.Millisecond)
	see(t, "chan", len(c))
	go func() {
		defer func() { see(t, "recovered", recover()) }()
		defer mu.Unlock()
		mu.Lock()
		runtime.Goexit()
	}()
	time.Sleep(10 * time.Millisecond)
	see(t, "unlocked", mu.TryLock())
	runtime.LockOSThread()
	tid := syscall.Gettid()
	time.Sleep(time.Millisecond)
	see(t, "thread", tid == syscall.Gettid())
	runtime.UnlockOSThread()
}

type object struct {
	next *object
	b    [100]byte
}

func TestCollected(t *testing.T) {
	var done atomic.Int32
	fin, cleaned := make(chan bool, 10), make(chan int, 10)
	o := &object{}
	runtime.SetFinalizer(o, func(*object) { fin <- true })
	runtime.AddCleanup(o, func(n int) { cleaned <- n }, 7)
	w := weak.Make(o)
	see(t, "weak", w.Value() == o, w == weak.Make(o))
	runtime.KeepAlive(o)
	o = nil
	runtime.GC()
	see(t, "finalizer", <-fin)
	runtime.GC()
	see(t, "cleanup", <-cleaned, w.Value() == nil)
	local := &object{}
	c := runtime.AddCleanup(local, func(n *atomic.Int32) { n.Add(1) }, &done)
	c.Stop()
	ws := []weak.Pointer[object]{}
	func() {
		held := &object{}
		ws = append(ws, weak.Make(held))
		sharedCount++
		held.b[0]++
		f := func() { held.b[1]++ }
		f()
	}()
	func() {
		mu, v := new(sync.Mutex), &object{}
		var wg sync.WaitGroup
		wg.Go(func() { mu.Lock(); v.b[0]++; mu.Unlock() })
		wg.Wait()
		ws = append(ws, weak.Make(v))
	}()
	func() {
		ch := make(chan *object, 1)
		v := &object{}
		ws = append(ws, weak.Make(v))
		ch <- v
		<-ch
	}()
	func() {
		m, v := map[string]*object{}, &object{}
		ws = append(ws, weak.Make(v))
		m["a"] = v
		delete(m, "a")
	}()
	func() {
		var m sync.Map
		v := &object{}
		ws = append(ws, weak.Make(v))
		m.Store(1, v)
	}()
	func() {
		v := &object{}
		ws = append(ws, weak.Make(v))
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), 1, v))
		_ = ctx
		cancel()
	}()
	func() {
		v := &object{}
		ws = append(ws, weak.Make(v))
		time.AfterFunc(time.Hour, func() { v.b[0]++ }).Stop()
	}()
	func() {
		v := &object{}
		ws = append(ws, weak.Make(v))
		time.AfterFunc(time.Nanosecond, func() { v.b[0]++ })
		time.Sleep(time.Millisecond)
	}()
	func() {
		v := &object{}
		ws = append(ws, weak.Make(v))
		go func() { v.b[0]++; <-make(chan int) }()
		time.Sleep(time.Millisecond)
	}()
	func() {
		v := &object{}
		ws = append(ws, weak.Make(v))
		var p atomic.Pointer[object]
		p.Store(v)
		p.CompareAndSwap(v, nil)
	}()
	func() {
		v := &object{}
		ws = append(ws, weak.Make(v))
		var once sync.Once
		once.Do(func() { v.b[0]++ })
	}()
	func() {
		v := &object{}
		ws = append(ws, weak.Make(v))
		defer func() { recover() }()
		panic(v)
	}()
	func() {
		v := &object{}
		ws = append(ws, weak.Make(v))
		var x any = v
		pool := sync.Pool{}
		pool.Put(x)
	}()
	runtime.GC()
	runtime.GC()
	runtime.GC()
	time.Sleep(time.Millisecond)
	for i, w := range ws {
		see(t, "gone", i, w.Value() == nil)
	}
	see(t, "stopped", done.Load())
	h := unique.Make("abc")
	see(t, "unique", h == unique.Make("ab"+string([]byte{'c'})), h.Value())
	pool := sync.Pool{New: func() any { return "new" }}
	pool.Put("old")
	got := []any{pool.Get(), pool.Get()}
	slices.SortFunc(got, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	see(t, "pool", got)
	pool.Put("older")
	runtime.GC()
	runtime.GC()
	see(t, "pool", pool.Get(), (&sync.Pool{}).Get())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	keep := make([]*object, 1000)
	for i := range keep {
		keep[i] = new(object)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	see(t, "heap", (after.Mallocs-before.Mallocs)/100, (after.TotalAlloc-before.TotalAlloc)/10000)
	runtime.KeepAlive(keep)
}

type layout struct {
	A byte
	b int64
	C [2]uint16
	D atomic.Int64
	E any
	F func()
	G [3]byte
	H struct{}
}

func (*layout) Exported()  {}
func (*layout) Pointer()   {}
func (l *layout) private() {}

func TestLayout(t *testing.T) {
	var l layout
	see(t, "sizes", unsafe.Sizeof(l), unsafe.Alignof(l), unsafe.Offsetof(l.C), unsafe.Offsetof(l.D), unsafe.Offsetof(l.F), unsafe.Offsetof(l.H))
	for _, v := range []any{&l, &sync.Mutex{}, &sync.RWMutex{}, &sync.WaitGroup{}, &sync.Once{}, &sync.Cond{}, &sync.Pool{}, &sync.Map{}, &atomic.Value{}, &atomic.Bool{}, &atomic.Pointer[int]{}, &time.Timer{}, &time.Ticker{}, time.Time{}, &testing.T{}, &testing.M{}, &os.File{}, &exec.Cmd{}, &bytes.Buffer{}, &strings.Builder{}, reflect.Value{}, runtime.Frame{}, runtime.MemStats{}, context.Background(), http{}, errors.New(""), rand.Rand{}} {
		typ := reflect.TypeOf(v)
		elem := typ
		if typ.Kind() == reflect.Pointer {
			elem = typ.Elem()
		}
		var fields, methods []string
		if elem.Kind() == reflect.Struct {
			for i := range elem.NumField() {
				f := elem.Field(i)
				fields = append(fields, fmt.Sprint(f.Name, " ", f.Type, " ", f.Offset))
			}
		}
		for i := range reflect.PointerTo(elem).NumMethod() {
			methods = append(methods, reflect.PointerTo(elem).Method(i).Name)
		}
		see(t, "type", typ, elem.Size(), elem.NumField(), fields, methods)
	}
	var local struct {
		mu sync.Mutex
		n  map[string]int
	}
	see(t, "printed", fmt.Sprintf("%v %+v", l.A, local.n), fmt.Sprintf("%v", &sync.Mutex{}), fmt.Sprintf("%+v", &sync.WaitGroup{}))
	j, err := json.Marshal(struct {
		sync.Mutex
		A int
		L layout `json:"-"`
	}{A: 1})
	see(t, "json", string(j), err)
	see(t, "equal", reflect.DeepEqual(&sync.Mutex{}, &sync.Mutex{}), &struct{}{} == &struct{}{}, unsafe.StringData("abc") == unsafe.StringData("abc"))
}

type http struct{}

func TestMaps(t *testing.T) {
	for k, v := range map[string]int{"a": 1} {
		see(t, "one", k, v)
	}
	firsts := map[int]bool{}
	m := map[int]int{}
	for i := range 8 {
		m[i] = i
	}
	for range 200 {
		for k := range m {
			firsts[k] = true
			break
		}
	}
	see(t, "random", len(firsts) > 2)
	see(t, "printed", m, fmt.Sprint(map[string]bool{"b": true, "a": false}))
	n := 0
	for k := range m {
		delete(m, k)
		n++
	}
	see(t, "deleted", n, len(m))
	chosen := map[int]int{}
	a, b := make(chan int, 200), make(chan int, 200)
	for range 200 {
		a <- 1
		b <- 2
	}
	for range 200 {
		select {
		case <-a:
			chosen[1]++
		case <-b:
			chosen[2]++
		}
	}
	see(t, "select", chosen[1] > 40, chosen[2] > 40)
	r := rand.New(rand.NewSource(1))
	see(t, "seeded", r.Intn(100), r.Perm(5), r.Float64())
	values := map[int]bool{}
	for range 20 {
		values[rand.Intn(1000000)] = true
	}
	see(t, "random", len(values) > 15)
}

func TestTesting(t *testing.T) {
	dir := t.TempDir()
	see(t, "temp", strings.HasSuffix(dir, "TestTesting/001") || strings.Contains(dir, "TestTesting"), filepath.Base(dir), filepath.Base(t.TempDir()))
	t.Setenv("OBSERVED", "1")
	see(t, "env", os.Getenv("OBSERVED"))
	var order []string
	t.Cleanup(func() { see(t, "order", order, t.Context().Err(), t.Failed(), t.Skipped()) })
	t.Run("group", func(t *testing.T) {
		for _, n := range []string{"a", "b", "c"} {
			t.Run(n, func(t *testing.T) {
				t.Cleanup(func() { order = append(order, "cleanup "+n) })
				order = append(order, n)
				if n == "b" {
					t.SkipNow()
				}
			})
		}
	})
	see(t, "subtest", t.Run("#0 x/y", func(t *testing.T) { see(t, "name", t.Name()) }), t.Run("skipped", func(t *testing.T) { t.Skip("why") }))
	t.Chdir(dir)
	wd, _ := os.Getwd()
	see(t, "chdir", wd == dir, os.Getenv("PWD") == dir)
	t.Attr("key", "value")
	fmt.Fprintln(t.Output(), "see output")
	t.Run("parallel", func(t *testing.T) {
		var n atomic.Int32
		for i := range 3 {
			t.Run(fmt.Sprint(i), func(t *testing.T) { t.Parallel(); n.Add(1) })
		}
		t.Cleanup(func() { see(t, "parallel", n.Load()) })
	})
}

func TestTimes(t *testing.T) {
	for _, d := range []time.Duration{0, time.Microsecond, time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
		start := time.Now()
		time.Sleep(d)
		took := time.Since(start)
		see(t, "slept", d, took >= d)
	}
	start, n := time.Now(), 0
	ticker := time.NewTicker(10 * time.Millisecond)
	for range ticker.C {
		if n++; n == 10 {
			break
		}
	}
	ticker.Stop()
	see(t, "ticker", time.Since(start) >= 90*time.Millisecond)
	timer := time.NewTimer(time.Hour)
	see(t, "timer", timer.Stop(), timer.Stop(), timer.Reset(1), (<-timer.C).After(start), timer.Stop(), cap(timer.C), len(timer.C))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	see(t, "context", ctx.Err(), context.Cause(ctx), fmt.Sprint(ctx)[:30])
	now := time.Now()
	see(t, "now", now.Location(), strings.Contains(now.String(), " m=+"), now.Equal(now.Round(0)), now.Sub(start) > 0, time.Until(now) <= 0, !now.Before(start))
	file := filepath.Join(t.TempDir(), "a")
	before := time.Now().Add(-20 * time.Millisecond)
	os.WriteFile(file, nil, 0o666)
	info, _ := os.Stat(file)
	see(t, "file", info.ModTime().After(before))
	spun := time.Now()
	for time.Since(spun) < 20*time.Millisecond {
	}
	see(t, "spun", time.Since(spun) >= 20*time.Millisecond)
	var fired atomic.Int32
	time.AfterFunc(5*time.Millisecond, func() { fired.Add(1) })
	for fired.Load() == 0 {
		runtime.Gosched()
	}
	see(t, "fired", fired.Load())
}

func TestSignals(t *testing.T) {
	c := make(chan os.Signal, 3)
	signal.Notify(c, syscall.SIGUSR1, syscall.SIGUSR2)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	see(t, "signal", <-c)
	syscall.Kill(os.Getpid(), syscall.SIGUSR2)
	see(t, "signal", <-c)
	signal.Stop(c)
	signal.Ignore(syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	see(t, "ignored", signal.Ignored(syscall.SIGUSR1), signal.Ignored(syscall.SIGINT), signal.Ignored(syscall.SIGPIPE), signal.Ignored(syscall.SIGHUP), signal.Ignored(syscall.SIGTERM))
	signal.Reset()
	ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGINT)
	syscall.Kill(os.Getpid(), syscall.SIGINT)
	<-ctx.Done()
	see(t, "context", ctx.Err())
	stop()
	r, w, _ := os.Pipe()
	r.Close()
	_, err := w.Write([]byte("x"))
	see(t, "pipe", err)
	func() {
		defer func() { see(t, "fault", recover()) }()
		var p *object
		p.b[3]++
	}()
}

func TestProfiles(t *testing.T) {
	ctx := pprof.WithLabels(t.Context(), pprof.Labels("a", "1"))
	pprof.Do(ctx, pprof.Labels("b", "2"), func(ctx context.Context) {
		v, ok := pprof.Label(ctx, "b")
		see(t, "label", v, ok)
		done, ended := make(chan bool), make(chan bool)
		go func() { <-done; close(ended) }()
		time.Sleep(time.Millisecond)
		var b bytes.Buffer
		pprof.Lookup("goroutine").WriteTo(&b, 1)
		for _, line := range regexp.MustCompile(`(?m)^#.*(labels|observed).*$`).FindAllString(b.String(), -1) {
			see(t, "goroutines", strings.Join(strings.Fields(steady(line)), " "))
		}
		close(done)
		<-ended
	})
	var names []string
	for _, p := range pprof.Profiles() {
		names = append(names, p.Name())
	}
	see(t, "profiles", names)
	var b bytes.Buffer
	see(t, "cpu", pprof.StartCPUProfile(&b))
	pprof.StopCPUProfile()
	see(t, "cpu", b.Len() > 0)
	runtime.SetBlockProfileRate(1)
	see(t, "mutex", runtime.SetMutexProfileFraction(1))
	var mu sync.Mutex
	mu.Lock()
	go func() { time.Sleep(time.Millisecond); mu.Unlock() }()
	mu.Lock()
	c := make(chan int)
	go func() { time.Sleep(time.Millisecond); close(c) }()
	<-c
	runtime.SetBlockProfileRate(0)
	for _, name := range []string{"block", "mutex"} {
		b.Reset()
		pprof.Lookup(name).WriteTo(&b, 1)
		see(t, name, strings.Count(b.String(), "observed.TestProfiles"))
	}
	p := pprof.NewProfile("own")
	p.Add(&b, 0)
	b.Reset()
	p.WriteTo(&b, 1)
	see(t, "own", strings.Join(strings.Fields(steady(b.String())), " ")[:60], p.Count())
	b.Reset()
	see(t, "trace", trace.Start(&b), trace.IsEnabled())
	trace.WithRegion(ctx, "region", func() { sharedCount++ })
	trace.Stop()
	see(t, "trace", b.Len() > 100, bytes.HasPrefix(b.Bytes(), []byte("go 1.")))
}

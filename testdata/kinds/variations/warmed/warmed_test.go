// Package warmed has races in tests that others have gone before: what these
// have left behind is not there when the test runs alone.
package warmed

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"mime"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"text/template"
	"time"
)

// State of the package that the tests before warm.
var (
	buffers  = sync.Pool{New: func() any { fresh++; return new(bytes.Buffer) }}
	fresh    int
	registry = map[string]func() int{}
	nextID   int
	defaults = sync.OnceValue(func() map[string]string { return map[string]string{"lang": "en"} })
	jobs     chan func()
	tasks    = startTasks()
	verbose  bool
	parsed   *template.Template
	digits   = regexp.MustCompile(`^\d+-[a-f]*x$`)
	logTo    bytes.Buffer
	logger   = log.New(&logTo, "", 0)
)

type point struct{ X, Y int }

func token() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func submit(job func()) {
	if jobs == nil {
		jobs = make(chan func())
		for range 2 {
			go func() {
				for job := range jobs {
					job()
				}
			}()
		}
	}
	jobs <- job
}

func startTasks() chan func() {
	tasks := make(chan func())
	for range 2 {
		go func() {
			for task := range tasks {
				task()
			}
		}()
	}
	return tasks
}

func register(name string, f func() int) {
	if _, ok := registry[name]; !ok {
		registry[name] = f
	}
}

func newID() int {
	if nextID == 0 {
		nextID = 100
	}
	nextID++
	return nextID
}

func render(name string) string {
	if parsed == nil {
		parsed = template.Must(template.New("greeting").Parse("hello {{.}}"))
	}
	var b strings.Builder
	if err := parsed.Execute(&b, name); err != nil {
		return err.Error()
	}
	return b.String()
}

// Warms all that the tests behind it use; it has no race itself.
func TestWarm(t *testing.T) {
	for range 3 {
		b := buffers.Get().(*bytes.Buffer)
		b.Reset()
		buffers.Put(b)
	}
	if len(token()) != 16 {
		t.Error("short token")
	}
	var wg sync.WaitGroup
	wg.Add(2)
	submit(wg.Done)
	submit(wg.Done)
	wg.Wait()
	wg.Add(1)
	tasks <- wg.Done
	wg.Wait()
	register("answer", func() int { return 42 })
	newID()
	if defaults()["lang"] != "en" {
		t.Error("no language")
	}
	if _, err := json.Marshal(point{1, 2}); err != nil {
		t.Error(err)
	}
	if !digits.MatchString("12-abx") || mime.TypeByExtension(".html") == "" {
		t.Error("no match")
	}
	logger.Print("warm")
	verbose = true
	if s := render("you") + fmt.Sprint(time.Now().Local().Year() > 0, os.Getenv("HOME") != "?"); s == "" {
		t.Error("nothing")
	}
}

// A sync.Pool has a buffer already.
func TestPool(t *testing.T) {
	size := 0
	write := func(s string) {
		b := buffers.Get().(*bytes.Buffer)
		b.Reset()
		b.WriteString(s)
		size += b.Len()
		buffers.Put(b)
	}
	var wg sync.WaitGroup
	wg.Go(func() { write("one") })
	wg.Go(func() { write("three") })
	wg.Wait()
}

// crypto/rand has been read before.
func TestToken(t *testing.T) {
	last := ""
	done := make(chan struct{})
	go func() {
		defer close(done)
		last = token()
	}()
	last = token()
	<-done
	if last == "" {
		t.Error("no token")
	}
}

// A worker pool of the package was started by another test.
func TestWorkersOfOthers(t *testing.T) {
	sum := 0
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Add(1)
		submit(func() {
			defer wg.Done()
			sum += i + 1
		})
	}
	wg.Wait()
}

// A worker pool is there before all tests, and one has used it.
func TestWorkersOfPackage(t *testing.T) {
	longest := 0
	var wg sync.WaitGroup
	for _, word := range []string{"one", "three"} {
		wg.Add(1)
		tasks <- func() {
			defer wg.Done()
			longest = max(longest, len(word))
		}
	}
	wg.Wait()
}

// A registry of the package is filled.
func TestRegistry(t *testing.T) {
	calls := 0
	register("answer", func() int { calls++; return 41 })
	total := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { total += registry["answer"]() })
	}
	wg.Wait()
}

// A package's counter has left zero, which takes the other way of a branch.
func TestNextID(t *testing.T) {
	ids := make(chan int, 2)
	go func() { ids <- newID() }()
	go func() { ids <- newID() }()
	if <-ids == 0 || <-ids == 0 {
		t.Error("no id")
	}
}

// What sync.OnceValue has made is written by two goroutines.
func TestOnceValue(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() { defaults()["lang"] = "fr" })
	wg.Go(func() { defaults()["lang"] = "de" })
	wg.Wait()
	defaults()["lang"] = "en"
}

// json knows the type already.
func TestJSONKnowsType(t *testing.T) {
	var p point
	bytesOut := 0
	var wg sync.WaitGroup
	wg.Add(2)
	for range 2 {
		go func() {
			defer wg.Done()
			p.X++
			b, _ := json.Marshal(point{1, 2})
			bytesOut = len(b)
		}()
	}
	wg.Wait()
	if bytesOut == 0 {
		t.Error("nothing was written")
	}
}

// A template was parsed by another test.
func TestTemplate(t *testing.T) {
	var greeting string
	var wg sync.WaitGroup
	wg.Go(func() { greeting = render("ann") })
	wg.Go(func() { greeting = render("bob") })
	wg.Wait()
	if !strings.HasPrefix(greeting, "hello") {
		t.Error(greeting)
	}
}

// A regular expression has machines in its pool.
func TestRegexp(t *testing.T) {
	matched := 0
	check := func(s string) {
		if digits.MatchString(s) {
			matched++
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { check("1-ax") })
	wg.Go(func() { check("2-bx") })
	wg.Wait()
}

// A flag that another test has set decides which way is taken.
func TestVerboseFlag(t *testing.T) {
	lines := 0
	say := func(s string) {
		if verbose {
			lines += len(s)
			return
		}
		lines++
	}
	done := make(chan struct{})
	go func() { say("hello"); close(done) }()
	say("bye")
	<-done
}

// A logger of the package locks what it prints; the count is beside it.
func TestLogger(t *testing.T) {
	printed := 0
	logf := func(format string, args ...any) {
		logger.Printf(format, args...)
		printed++
	}
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { logf("a %d", 1); wg.Done() }()
	go func() { logf("b %s", "x"); wg.Done() }()
	wg.Wait()
}

// fmt, time and mime have their caches.
func TestStdCaches(t *testing.T) {
	var last string
	describe := func(ext string) {
		last = fmt.Sprintf("%s in %d", mime.TypeByExtension(ext), time.Now().Local().Year())
	}
	var wg sync.WaitGroup
	wg.Go(func() { describe(".html") })
	wg.Go(func() { describe(".css") })
	wg.Wait()
	if last == "" {
		t.Error("nothing")
	}
}

// Subtests of a table run in parallel behind a warm pool.
func TestPoolInSubtests(t *testing.T) {
	reused := 0
	for _, tt := range []struct{ name, text string }{{"short", "a"}, {"long", "abcdef"}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := len(tt.text)
			b := buffers.Get().(*bytes.Buffer)
			defer buffers.Put(b)
			b.Reset()
			b.WriteString(tt.text)
			if b.Len() == before {
				reused++
			}
		})
	}
}

package clean

import (
	"bufio"
	"bytes"
	"container/list"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"math/big"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"text/template"
	"time"
)

// both runs f and g in two goroutines and waits for them.
func both(f, g func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(g)
	wg.Wait()
}

type point struct {
	X, Y int
	Name string
}

func TestGuardedBuffer(t *testing.T) {
	var mu sync.Mutex
	var b bytes.Buffer
	write := func() {
		mu.Lock()
		defer mu.Unlock()
		b.WriteString("a")
		fmt.Fprintf(&b, "%d", b.Len())
	}
	both(write, write)
	if b.Len() != 4 {
		t.Error(b.String())
	}
}

func TestHandedOver(t *testing.T) {
	c := make(chan *bytes.Buffer)
	both(func() {
		b := &bytes.Buffer{}
		b.WriteString("a")
		c <- b
	}, func() {
		b := <-c
		b.WriteString("b")
	})
}

func TestLogger(t *testing.T) {
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	both(func() { l.Printf("a %d", 1) }, func() { l.Println("b") })
	_ = b.String()
}

func TestSlog(t *testing.T) {
	var b bytes.Buffer
	l := slog.New(slog.NewJSONHandler(&b, nil))
	both(func() { l.Info("a", "n", 1) }, func() { l.With("x", 2).Info("b") })
	_ = b.String()
}

func TestTopLevelRand(t *testing.T) {
	both(func() { rand.Intn(10) }, func() { rand.Perm(4) })
}

func TestGuardedRand(t *testing.T) {
	var mu sync.Mutex
	r := rand.New(rand.NewSource(1))
	draw := func() {
		mu.Lock()
		defer mu.Unlock()
		r.Intn(10)
	}
	both(draw, draw)
}

func TestRegexp(t *testing.T) {
	re := regexp.MustCompile(`a+b`)
	both(func() { re.MatchString("aab") }, func() { re.ReplaceAllString("aab", "x") })
}

func TestTemplate(t *testing.T) {
	tm := template.Must(template.New("a").Parse("{{.X}} {{range .Ys}}{{.}}{{end}}"))
	data := map[string]any{"X": 1, "Ys": []int{1, 2}}
	both(func() { tm.Execute(io.Discard, data) }, func() { tm.Execute(&bytes.Buffer{}, data) })
}

func TestMarshal(t *testing.T) {
	p := &point{X: 1, Name: "a"}
	both(func() { json.Marshal(p) }, func() { json.Marshal(p) })
}

func TestUnmarshalApart(t *testing.T) {
	var p struct{ A, B point }
	both(func() { json.Unmarshal([]byte(`{"X":1,"Name":"a"}`), &p.A) },
		func() { json.Unmarshal([]byte(`{"X":2,"Name":"b"}`), &p.B) })
	if p.A.X != 1 || p.B.X != 2 {
		t.Error(p)
	}
}

func TestGob(t *testing.T) {
	p := &point{X: 1}
	both(func() { gob.NewEncoder(io.Discard).Encode(p) }, func() { gob.NewEncoder(io.Discard).Encode(p) })
}

func TestSortApart(t *testing.T) {
	xs := []int{3, 1, 2, 9, 8, 7}
	both(func() { sort.Ints(xs[:3]) }, func() { slices.Sort(xs[3:]) })
	if !slices.Equal(xs, []int{1, 2, 3, 7, 8, 9}) {
		t.Error(xs)
	}
}

func TestSortedReads(t *testing.T) {
	xs := []int{1, 2, 3}
	both(func() { _ = slices.Max(xs) }, func() { sort.SearchInts(xs, 2) })
}

func TestMaps(t *testing.T) {
	m := map[string]int{"a": 1}
	both(func() { _ = maps.Clone(m) }, func() { _ = slices.Sorted(maps.Keys(m)) })
}

func TestDeepEqual(t *testing.T) {
	p, q := &point{X: 1}, &point{X: 1}
	both(func() { reflect.DeepEqual(p, q) }, func() { reflect.DeepEqual(q, p) })
}

func TestBuilders(t *testing.T) {
	build := func() {
		var b strings.Builder
		b.WriteString("a")
		fmt.Fprint(&b, 1, point{X: 1})
		_ = b.String()
	}
	both(build, build)
}

func TestPool(t *testing.T) {
	pool := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	use := func() {
		b := pool.Get().(*bytes.Buffer)
		b.Reset()
		b.WriteString("a")
		pool.Put(b)
	}
	both(use, use)
	both(use, use)
}

func TestPipe(t *testing.T) {
	r, w := io.Pipe()
	both(func() {
		b := bufio.NewWriter(w)
		b.WriteString("hello\n")
		b.Flush()
		w.Close()
	}, func() {
		s := bufio.NewScanner(r)
		for s.Scan() {
			_ = s.Text()
		}
	})
}

func TestList(t *testing.T) {
	var mu sync.RWMutex
	l := list.New()
	both(func() {
		mu.Lock()
		l.PushBack(1)
		mu.Unlock()
	}, func() {
		mu.RLock()
		_ = l.Len()
		mu.RUnlock()
	})
}

func TestHeader(t *testing.T) {
	var mu sync.Mutex
	h := http.Header{}
	both(func() {
		mu.Lock()
		h.Set("A", "b")
		mu.Unlock()
	}, func() {
		mu.Lock()
		_ = h.Get("A")
		mu.Unlock()
	})
}

func TestValues(t *testing.T) {
	v := url.Values{"a": {"b"}}
	both(func() { _ = v.Encode() }, func() { _ = v.Get("a") })
}

func TestBigInt(t *testing.T) {
	x, y := big.NewInt(7), big.NewInt(8)
	both(func() { _ = x.Cmp(y); _ = x.String() }, func() { _ = new(big.Int).Mul(x, y).String() })
}

type failure struct{ code int }

func (f *failure) Error() string { return "failure" }

func TestErrorsAs(t *testing.T) {
	err := fmt.Errorf("outer: %w", &failure{1})
	look := func() {
		var f *failure
		if errors.As(err, &f) {
			_ = f.code
		}
	}
	both(look, look)
}

func TestReplacer(t *testing.T) {
	r := strings.NewReplacer("a", "b", "c", "d")
	both(func() { r.Replace("abc") }, func() { r.Replace("cba") })
}

func TestServer(t *testing.T) {
	var mu sync.Mutex
	hits := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		hits[r.URL.Path]++
		mu.Unlock()
		w.Header().Set("X", r.Header.Get("Y"))
		json.NewEncoder(w).Encode(point{X: 1})
	}))
	defer s.Close()
	get := func() {
		resp, err := http.Get(s.URL + "/a")
		if err != nil {
			return
		}
		defer resp.Body.Close()
		var p point
		json.NewDecoder(resp.Body).Decode(&p)
	}
	both(get, get)
}

func TestTimer(t *testing.T) {
	var mu sync.Mutex
	var b strings.Builder
	done := make(chan bool)
	time.AfterFunc(time.Millisecond, func() {
		mu.Lock()
		b.WriteString("a")
		mu.Unlock()
		close(done)
	})
	mu.Lock()
	b.WriteString("b")
	mu.Unlock()
	<-done
	_ = b.String()
}

var encoded sync.Map

func TestSyncMap(t *testing.T) {
	put := func(n int) func() {
		return func() {
			text, _ := json.Marshal(map[string]int{"n": n})
			encoded.Store("a", text)
			if v, ok := encoded.Load("a"); ok {
				_ = bytes.ToUpper(v.([]byte))
			}
		}
	}
	both(put(1), put(2))
}

func TestOnce(t *testing.T) {
	var b bytes.Buffer
	fill := sync.OnceFunc(func() { b.WriteString("a") })
	both(func() { fill(); _ = b.Len() }, func() { fill(); _ = b.String() })
}

func TestBeside(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, _ := json.Marshal(point{Name: name})
			t.Log(strings.ToUpper(string(text)), reflect.TypeOf(text))
		})
	}
}

// Types that the program makes are kept by package reflect, for whoever makes them again.
func TestTypesMade(t *testing.T) {
	fields := []reflect.StructField{{Name: "A", Type: reflect.TypeFor[int]()}, {Name: "B", Type: reflect.TypeFor[string]()}}
	call := func() {
		s := reflect.StructOf(fields)
		f := reflect.FuncOf([]reflect.Type{s}, nil, false)
		v := reflect.New(s).Elem()
		v.Field(0).SetInt(1)
		reflect.MakeFunc(f, func(args []reflect.Value) []reflect.Value { return nil }).Call([]reflect.Value{v})
		m := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[point](), s))
		m.SetMapIndex(reflect.ValueOf(point{}), v)
		reflect.New(reflect.ArrayOf(3, s)).Elem().Index(1).Set(v)
	}
	both(call, call)
}

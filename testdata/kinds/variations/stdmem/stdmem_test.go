// Package stdmem has races in memory that the standard library touches for its
// caller.
package stdmem

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"container/heap"
	"container/list"
	"container/ring"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"io"
	"maps"
	"math/big"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
)

// both runs a and b at once.
func both(a, b func()) {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); a() }()
	go func() { defer wg.Done(); b() }()
	wg.Wait()
}

// Two goroutines write to a bytes.Buffer.
func TestBytesBuffer(t *testing.T) {
	var b bytes.Buffer
	both(func() { b.WriteString("a") }, func() { b.WriteString("b") })
}

type report struct {
	strings.Builder
	mu sync.Mutex
}

// A strings.Builder is embedded, and one writer forgets the lock.
func TestStringsBuilder(t *testing.T) {
	r := new(report)
	both(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.WriteString("a")
	}, func() { r.WriteByte('b') })
	if r.Len() > 2 {
		t.Error(r.String())
	}
}

type account struct {
	Name    string
	Balance int
}

// json.Marshal reads what another goroutine changes.
func TestJSONMarshal(t *testing.T) {
	a := &account{Name: "ann"}
	both(func() {
		if _, err := json.Marshal(a); err != nil {
			t.Error(err)
		}
	}, func() { a.Balance = 5 })
}

// json.Unmarshal writes what another goroutine reads.
func TestJSONUnmarshal(t *testing.T) {
	var a account
	both(func() {
		if err := json.Unmarshal([]byte(`{"Balance": 7}`), &a); err != nil {
			t.Error(err)
		}
	}, func() {
		if a.Balance < 0 {
			t.Error("below zero")
		}
	})
}

// sort.Ints moves what another goroutine sums up.
func TestSortInts(t *testing.T) {
	v := []int{3, 1, 2}
	both(func() { sort.Ints(v) }, func() {
		sum := 0
		for _, x := range v {
			sum += x
		}
		if sum > 9 {
			t.Error(sum)
		}
	})
}

type byName []account

func (s byName) Len() int           { return len(s) }
func (s byName) Less(i, j int) bool { return s[i].Name < s[j].Name }
func (s byName) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

// sort.Sort works by the user's own methods.
func TestSortInterface(t *testing.T) {
	s := byName{{"b", 1}, {"a", 2}}
	both(func() { sort.Sort(s) }, func() { s[0].Balance++ })
}

// slices.Sort beside slices.Contains.
func TestSlices(t *testing.T) {
	names := []string{"b", "a"}
	both(func() { slices.Sort(names) }, func() {
		if slices.Contains(names, "c") {
			t.Error("c")
		}
	})
}

// reflect.DeepEqual reads all there is.
func TestDeepEqual(t *testing.T) {
	want, got := map[string][]int{"a": {1}}, map[string][]int{"a": {1}}
	both(func() { reflect.DeepEqual(want, got) }, func() { got["a"][0] = 1 })
}

// A rand.Rand is for one goroutine.
func TestRand(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	both(func() { r.Intn(10) }, func() { r.Intn(10) })
}

type recent struct{ order *list.List }

func (r *recent) touch(v int) { r.order.PushFront(v) }

// A container/list behind a method.
func TestList(t *testing.T) {
	r := &recent{order: list.New()}
	both(func() { r.touch(1) }, func() { r.touch(2) })
}

type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// container/heap calls the user's own Push.
func TestHeap(t *testing.T) {
	h := &intHeap{5, 7}
	both(func() { heap.Push(h, 1) }, func() { heap.Push(h, 2) })
}

// A bufio.Writer that two goroutines print to.
func TestBufioWriter(t *testing.T) {
	w := bufio.NewWriter(io.Discard)
	both(func() { fmt.Fprintln(w, "a") }, func() { fmt.Fprintln(w, "b") })
	w.Flush()
}

// Two goroutines share a bufio.Scanner.
func TestScanner(t *testing.T) {
	s := bufio.NewScanner(strings.NewReader("a\nb\n"))
	both(func() { s.Scan() }, func() { s.Scan() })
}

// io.ReadFull fills a buffer that another goroutine looks at.
func TestReadFull(t *testing.T) {
	buf := make([]byte, 4)
	both(func() {
		if _, err := io.ReadFull(strings.NewReader("abcd"), buf); err != nil {
			t.Error(err)
		}
	}, func() {
		if buf[0] == 'z' {
			t.Error("z")
		}
	})
}

// http.Header is a map.
func TestHeader(t *testing.T) {
	h := http.Header{}
	both(func() { h.Set("A", "1") }, func() { h.Set("B", "2") })
}

// url.Values is a map, too, and Encode reads all of it.
func TestURLValues(t *testing.T) {
	q := url.Values{"a": {"1"}}
	both(func() { _ = q.Encode() }, func() { q.Add("b", "2") })
}

// maps.Copy writes into a map of others.
func TestMapsCopy(t *testing.T) {
	m := map[string]int{}
	both(func() { maps.Copy(m, map[string]int{"a": 1}) }, func() { delete(m, "b") })
}

// A hash has a state.
func TestHash(t *testing.T) {
	h := crc32.NewIEEE()
	both(func() { io.WriteString(h, "a") }, func() { io.WriteString(h, "b") })
}

// A SHA-256 digest is compressed in assembly, and counts in Go.
func TestDigest(t *testing.T) {
	h := sha256.New()
	both(func() { h.Write([]byte("a")) }, func() { _ = h.Sum(nil) })
}

// Two goroutines compress into one stream.
func TestGzipWriter(t *testing.T) {
	w := gzip.NewWriter(io.Discard)
	both(func() { w.Write([]byte("a")) }, func() { w.Write([]byte("b")) })
}

// A zip archive is written by two goroutines.
func TestZipWriter(t *testing.T) {
	w := zip.NewWriter(io.Discard)
	both(func() { w.Create("a") }, func() { w.Create("b") })
}

// container/ring has links.
func TestRing(t *testing.T) {
	r := ring.New(3)
	both(func() { r.Unlink(1) }, func() { _ = r.Len() })
}

// A header is cloned while it gets another field.
func TestHeaderClone(t *testing.T) {
	h := http.Header{"A": {"b"}}
	both(func() { _ = h.Clone() }, func() { h.Set("C", "d") })
}

// A request is copied to have another context while its host is changed.
func TestRequestWithContext(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	both(func() { _ = r.WithContext(t.Context()) }, func() { r.Host = "x" })
}

// Two goroutines parse the form of one request.
func TestRequestForm(t *testing.T) {
	r := httptest.NewRequest("GET", "/?a=b", nil)
	both(func() { _ = r.FormValue("a") }, func() { _ = r.FormValue("b") })
}

// The code of a recorded response is read before the handler is done.
func TestRecorderCode(t *testing.T) {
	w := httptest.NewRecorder()
	both(func() { w.WriteHeader(404) }, func() {
		if w.Code < 0 {
			t.Error(w.Code)
		}
	})
}

// A csv.Writer has a buffer.
func TestCSVWriter(t *testing.T) {
	w := csv.NewWriter(io.Discard)
	both(func() { w.Write([]string{"a"}) }, func() { w.Write([]string{"b"}) })
}

// An image's pixels are a slice.
func TestImageSet(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 2, 2))
	both(func() { m.Set(1, 1, color.White) }, func() { _ = m.At(1, 1) })
}

// json.Valid reads what another goroutine overwrites.
func TestJSONValid(t *testing.T) {
	text := []byte(`{"a":1}`)
	both(func() { _ = json.Valid(text) }, func() { text[0] = '[' })
}

// A tabwriter keeps cells.
func TestTabwriter(t *testing.T) {
	w := tabwriter.NewWriter(io.Discard, 1, 1, 1, ' ', 0)
	both(func() { io.WriteString(w, "a\tb\n") }, func() { w.Flush() })
}

// fmt.Sscan stores where it is told to.
func TestSscan(t *testing.T) {
	var n int
	both(func() { fmt.Sscan("12", &n) }, func() {
		if n < 0 {
			t.Error(n)
		}
	})
}

// binary.BigEndian.PutUint32 writes into a slice.
func TestPutUint32(t *testing.T) {
	frame := make([]byte, 8)
	both(func() { binary.BigEndian.PutUint32(frame, 1) }, func() { binary.BigEndian.PutUint32(frame[2:], 2) })
}

// A big.Int is changed in place.
func TestBigInt(t *testing.T) {
	sum := big.NewInt(1)
	both(func() { sum.Add(sum, big.NewInt(2)) }, func() { sum.Add(sum, big.NewInt(3)) })
}

// One goroutine copies a reader to its end, another asks how much is left.
func TestBytesReader(t *testing.T) {
	r := bytes.NewReader([]byte("abc"))
	both(func() { io.Copy(io.Discard, r) }, func() {
		if r.Len() > 3 {
			t.Error(r.Len())
		}
	})
}

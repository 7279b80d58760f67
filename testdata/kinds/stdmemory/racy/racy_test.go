package racy

import (
	"bufio"
	"bytes"
	"container/heap"
	"container/list"
	"container/ring"
	"encoding/base64"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/big"
	"math/rand"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"text/template"
	"unicode/utf8"
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

func TestBufferWrites(t *testing.T) {
	var b bytes.Buffer
	both(func() { b.WriteString("a") }, func() { b.WriteString("b") })
}

func TestBufferLen(t *testing.T) {
	var b bytes.Buffer
	both(func() { b.WriteByte('a') }, func() { _ = b.Len() })
}

func TestBufferAsWriter(t *testing.T) {
	var b bytes.Buffer
	var w io.Writer = &b
	both(func() { w.Write([]byte("a")) }, func() { w.Write([]byte("b")) })
}

func TestFprintf(t *testing.T) {
	var b bytes.Buffer
	both(func() { fmt.Fprintf(&b, "%d", 1) }, func() { fmt.Fprintf(&b, "%d", 2) })
}

type logger struct {
	bytes.Buffer
	n int
}

func TestEmbeddedBuffer(t *testing.T) {
	l := &logger{}
	both(func() { l.WriteString("a") }, func() { l.WriteString("b") })
}

func TestMethodValue(t *testing.T) {
	var b strings.Builder
	write := b.WriteString
	both(func() { write("a") }, func() { write("b") })
}

func TestDeferred(t *testing.T) {
	var b strings.Builder
	both(func() { defer b.WriteString("a") }, func() { defer b.WriteByte('b') })
}

func TestGoStatement(t *testing.T) {
	var b strings.Builder
	done := make(chan bool)
	go b.WriteString("a")
	go func() {
		b.WriteString("b")
		done <- true
	}()
	<-done
}

func TestBuilder(t *testing.T) {
	var b strings.Builder
	both(func() { b.WriteString("a") }, func() { _ = b.String() })
}

func TestStringsReader(t *testing.T) {
	r := strings.NewReader("abc")
	both(func() { r.ReadByte() }, func() { r.ReadByte() })
}

func TestMarshal(t *testing.T) {
	p := &point{X: 1}
	both(func() { json.Marshal(p) }, func() { p.X = 2 })
}

func TestUnmarshal(t *testing.T) {
	p := &struct{ Number int }{1} // nothing is assigned to it but inside
	both(func() { json.Unmarshal([]byte(`{"Number":3}`), p) }, func() { _ = p.Number })
}

func TestUnmarshalMap(t *testing.T) {
	m := map[string]int{}
	both(func() { json.Unmarshal([]byte(`{"a":3}`), &m) }, func() { _ = m["a"] })
}

func TestSortInts(t *testing.T) {
	xs := []int{3, 1, 2}
	both(func() { sort.Ints(xs) }, func() { _ = xs[0] })
}

func TestSortSlice(t *testing.T) {
	xs := []int{3, 1, 2}
	both(func() { sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] }) }, func() { _ = xs[0] })
}

func TestSlicesSort(t *testing.T) {
	xs := []int{3, 1, 2}
	both(func() { slices.Sort(xs) }, func() { _ = slices.Max(xs) })
}

func TestSortFunc(t *testing.T) {
	xs := []point{{X: 3}, {X: 1}}
	both(func() { slices.SortFunc(xs, func(a, b point) int { return a.X - b.X }) }, func() { _ = xs[0].X })
}

func TestSlicesContains(t *testing.T) {
	xs := []string{"a", "b"}
	both(func() { _ = slices.Contains(xs, "b") }, func() { xs[1] = "c" })
}

func TestReverse(t *testing.T) {
	xs := []string{"a", "b"}
	both(func() { slices.Reverse(xs) }, func() { _ = xs[1] })
}

func TestMapsCopy(t *testing.T) {
	m := map[string]int{}
	both(func() { maps.Copy(m, map[string]int{"a": 1}) }, func() { _ = m["a"] })
}

func TestMapsKeys(t *testing.T) {
	m := map[string]int{"a": 1}
	both(func() { _ = slices.Sorted(maps.Keys(m)) }, func() { m["b"] = 2 })
}

func TestDeepEqual(t *testing.T) {
	p, q := &point{X: 1}, &point{X: 1}
	both(func() { _ = reflect.DeepEqual(p, q) }, func() { p.X = 2 })
}

func TestRand(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	both(func() { r.Intn(10) }, func() { r.Intn(10) })
}

func TestList(t *testing.T) {
	l := list.New()
	both(func() { l.PushBack(1) }, func() { l.PushBack(2) })
}

type ints []int

func (x ints) Len() int           { return len(x) }
func (x ints) Less(i, j int) bool { return x[i] < x[j] }
func (x ints) Swap(i, j int)      { x[i], x[j] = x[j], x[i] }
func (x *ints) Push(v any)        { *x = append(*x, v.(int)) }
func (x *ints) Pop() any {
	v := (*x)[len(*x)-1]
	*x = (*x)[:len(*x)-1]
	return v
}

func TestHeap(t *testing.T) {
	h := &ints{}
	both(func() { heap.Push(h, 1) }, func() { heap.Push(h, 2) })
}

func TestRing(t *testing.T) {
	r := ring.New(3)
	both(func() { r.Link(ring.New(1)) }, func() { _ = r.Len() })
}

func TestBufioWriter(t *testing.T) {
	w := bufio.NewWriter(io.Discard)
	both(func() { w.WriteString("a") }, func() { w.WriteString("b") })
}

func TestScanner(t *testing.T) {
	s := bufio.NewScanner(strings.NewReader("a\nb\n"))
	both(func() { s.Scan() }, func() { s.Scan() })
}

func TestReadFull(t *testing.T) {
	buf := make([]byte, 2)
	both(func() { io.ReadFull(strings.NewReader("abc"), buf) }, func() { _ = buf[0] })
}

func TestCopy(t *testing.T) {
	var b bytes.Buffer
	both(func() { io.Copy(&b, strings.NewReader("abc")) }, func() { _ = b.Len() })
}

func TestHeader(t *testing.T) {
	h := http.Header{}
	both(func() { h.Set("A", "b") }, func() { _ = h.Get("A") })
}

func TestValues(t *testing.T) {
	v := url.Values{}
	both(func() { v.Add("a", "b") }, func() { _ = v.Encode() })
}

func TestSprint(t *testing.T) {
	p := &point{X: 1}
	both(func() { _ = fmt.Sprint(p) }, func() { p.X = 2 })
}

func TestSscan(t *testing.T) {
	var n int
	both(func() { fmt.Sscan("7", &n) }, func() { _ = n })
}

func TestGob(t *testing.T) {
	p := &point{X: 1}
	both(func() { gob.NewEncoder(io.Discard).Encode(p) }, func() { p.X = 2 })
}

func TestBinary(t *testing.T) {
	b := make([]byte, 8)
	both(func() { binary.LittleEndian.PutUint32(b, 1) }, func() { _ = b[1] })
}

func TestBase64(t *testing.T) {
	b := make([]byte, 8)
	both(func() { base64.StdEncoding.Encode(b, []byte("abc")) }, func() { _ = b[1] })
}

func TestTemplate(t *testing.T) {
	tm := template.Must(template.New("a").Parse("{{.X}}"))
	p := &point{X: 1}
	both(func() { tm.Execute(io.Discard, p) }, func() { p.X = 2 })
}

func TestFlagSet(t *testing.T) {
	fs := flag.NewFlagSet("a", flag.ContinueOnError)
	n := fs.Int("n", 1, "")
	both(func() { fs.Parse([]string{"-n", "2"}) }, func() { _ = *n })
}

func TestBigInt(t *testing.T) {
	x := big.NewInt(1)
	both(func() { x.Add(x, big.NewInt(2)) }, func() { _ = x.Int64() })
}

type failure struct{ code int }

func (f *failure) Error() string { return "failure" }

func TestErrorsAs(t *testing.T) {
	var f *failure
	both(func() { errors.As(error(&failure{1}), &f) }, func() { _ = f })
}

func TestAppendRune(t *testing.T) {
	b := make([]byte, 1, 8)
	both(func() { _ = utf8.AppendRune(b, 'a') }, func() { _ = append(b, 'b') })
}

func TestBytesIndex(t *testing.T) {
	b := []byte("abc")
	both(func() { _ = bytes.ToUpper(b) }, func() { b[0] = 'x' })
}

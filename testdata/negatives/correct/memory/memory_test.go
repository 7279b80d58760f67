package memory

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/big"
	"net"
	"os/exec"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/template"
	"time"
)

// What the standard library does to memory for the program's goroutines, which have it in turn,
// read it together, or have parts of their own.

func TestMapsClone(t *testing.T) {
	var mu sync.RWMutex
	m := map[string]int{"a": 1}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.RLock()
			c := maps.Clone(m)
			mu.RUnlock()
			c["b"] = 2
		})
	}
	wg.Go(func() { mu.Lock(); m["c"] = 3; mu.Unlock() })
	wg.Wait()
	if len(m) != 2 {
		t.Fatal(m)
	}
}

func TestMapsReadTogether(t *testing.T) {
	m := map[string]int{"a": 1, "b": 2}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if !maps.Equal(m, maps.Clone(m)) || len(slices.Sorted(maps.Keys(m))) != 2 {
				t.Error(m)
			}
		})
	}
	wg.Wait()
}

func TestReflectOwnElements(t *testing.T) {
	s := make([]int, 4)
	v := reflect.ValueOf(s)
	var wg sync.WaitGroup
	for i := range s {
		wg.Go(func() { v.Index(i).SetInt(int64(i)) })
	}
	wg.Wait()
	if !slices.Equal(s, []int{0, 1, 2, 3}) {
		t.Fatal(s)
	}
}

func TestReflectReads(t *testing.T) {
	type T struct {
		A int
		B string
	}
	x := &T{1, "b"}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			v := reflect.ValueOf(x).Elem()
			for i := range v.NumField() {
				if v.Field(i).IsZero() {
					t.Error(i)
				}
			}
		})
	}
	wg.Wait()
}

func TestBytesReadTogether(t *testing.T) {
	b := []byte("hello world")
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if !bytes.Contains(b, []byte("wor")) || bytes.Compare(b, b) != 0 || bytes.IndexByte(b, 'w') != 6 {
				t.Error(string(b))
			}
		})
	}
	wg.Wait()
}

func TestHashTogether(t *testing.T) {
	b := make([]byte, 1000)
	want := crc32.ChecksumIEEE(b)
	sum := sha256.Sum256(b)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if crc32.ChecksumIEEE(b) != want || sha256.Sum256(b) != sum {
				t.Error("differs")
			}
		})
	}
	wg.Wait()
}

func TestChecksumHalves(t *testing.T) {
	b := []byte(strings.Repeat("ab", 64))
	var wg sync.WaitGroup
	wg.Go(func() { crc32.Update(0, crc32.IEEETable, b[:64]) })
	wg.Go(func() { clear(b[64:]) })
	wg.Wait()
	if b[0] != 'a' || b[64] != 0 {
		t.Fatal(b)
	}
}

func TestFormatTogether(t *testing.T) {
	b := []byte{1, 2, 3}
	m := map[string][]int{"a": {1}}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if fmt.Sprintf("%q %x %v", b, b, m) == "" {
				t.Error("empty")
			}
		})
	}
	wg.Wait()
}

func TestFormatUnderLock(t *testing.T) {
	var mu sync.Mutex
	state := struct {
		N    int
		Tags []string
	}{}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			state.N++
			state.Tags = append(state.Tags, fmt.Sprint(i))
			_ = fmt.Sprintf("%+v", state)
		})
	}
	wg.Wait()
	if state.N != 3 {
		t.Fatal(state)
	}
}

func TestBufferOfCommand(t *testing.T) {
	var out bytes.Buffer
	cmd := exec.Command("sh", "-c", "echo a; echo b >&2")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- cmd.Wait() }()
	if err := <-done; err != nil || out.Len() != 4 {
		t.Fatal(out.String(), err)
	}
}

func TestCommandString(t *testing.T) {
	cmd := exec.Command("true", "x")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if !strings.Contains(cmd.String(), "true") {
				t.Error(cmd.String())
			}
		})
	}
	wg.Wait()
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}
func (l *lockedBuffer) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

func TestLockedBufferOfCommand(t *testing.T) {
	var out lockedBuffer
	cmd := exec.Command("echo", "ready")
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = out.String() // meanwhile
	if err := cmd.Wait(); err != nil || out.String() != "ready\n" {
		t.Fatal(out.String(), err)
	}
}

func TestPipeReusesBuffer(t *testing.T) {
	a, b := net.Pipe()
	go func() {
		buf := make([]byte, 4)
		for i := range 3 {
			copy(buf, fmt.Sprintf("m%d..", i))
			if _, err := a.Write(buf); err != nil {
				t.Error(err)
			}
		}
		a.Close()
	}()
	got, err := io.ReadAll(b)
	if err != nil || string(got) != "m0..m1..m2.." {
		t.Fatal(string(got), err)
	}
	b.Close()
}

func TestIOPipeReusesBuffer(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		buf := []byte("x")
		for c := byte('a'); c < 'd'; c++ {
			buf[0] = c
			w.Write(buf)
		}
		w.Close()
	}()
	if got, _ := io.ReadAll(r); string(got) != "abc" {
		t.Fatal(string(got))
	}
}

func TestGzipPerGoroutine(t *testing.T) {
	text := []byte(strings.Repeat("text ", 50))
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			w.Write(text)
			w.Close()
			r, err := gzip.NewReader(&b)
			if err != nil {
				t.Error(err)
				return
			}
			if got, _ := io.ReadAll(r); !bytes.Equal(got, text) {
				t.Error("differs")
			}
		})
	}
	wg.Wait()
}

var gzips = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

func TestGzipPool(t *testing.T) {
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			var b bytes.Buffer
			w := gzips.Get().(*gzip.Writer)
			defer gzips.Put(w)
			w.Reset(&b)
			w.Write([]byte("x"))
			w.Close()
			if b.Len() == 0 {
				t.Error("empty")
			}
		})
	}
	wg.Wait()
}

func TestCipherBlocks(t *testing.T) {
	block, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 64)
	var wg sync.WaitGroup
	for part := range slices.Chunk(data, 16) {
		wg.Go(func() { block.Encrypt(part, part) })
	}
	wg.Wait()
	if !bytes.Equal(data[:16], data[48:]) {
		t.Fatal(data)
	}
}

func TestAEADShared(t *testing.T) {
	block, _ := aes.NewCipher(make([]byte, 16))
	aead, _ := cipher.NewGCM(block)
	nonce, plain := make([]byte, aead.NonceSize()), []byte("secret")
	sealed := aead.Seal(nil, nonce, plain, nil)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			got, err := aead.Open(nil, nonce, sealed, nil)
			if err != nil || subtle.ConstantTimeCompare(got, plain) != 1 {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestJSONOfSnapshot(t *testing.T) {
	var mu sync.Mutex
	state := map[string][]int{"a": {1}}
	encode := func() []byte { mu.Lock(); defer mu.Unlock(); b, _ := json.Marshal(state); return b }
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); state["a"] = append(state["a"], 2); mu.Unlock() })
	wg.Go(func() {
		var m map[string][]int
		if err := json.Unmarshal(encode(), &m); err != nil || m["a"][0] != 1 {
			t.Error(m, err)
		}
	})
	wg.Wait()
}

func TestJSONStream(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		e := json.NewEncoder(w)
		for i := range 3 {
			e.Encode(map[string]int{"n": i})
		}
		w.Close()
	}()
	d := json.NewDecoder(r)
	sum := 0
	for d.More() {
		var m map[string]int
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		sum += m["n"]
	}
	if sum != 3 {
		t.Fatal(sum)
	}
}

func TestGob(t *testing.T) {
	type msg struct{ A, B int }
	a, b := net.Pipe()
	go func() { gob.NewEncoder(a).Encode(msg{1, 2}); a.Close() }()
	var m msg
	if err := gob.NewDecoder(b).Decode(&m); err != nil || m.B != 2 {
		t.Fatal(m, err)
	}
	b.Close()
}

func TestSortParts(t *testing.T) {
	s := []int{4, 3, 2, 1}
	var wg sync.WaitGroup
	wg.Go(func() { sort.Ints(s[:2]) })
	wg.Go(func() { slices.Sort(s[2:]) })
	wg.Wait()
	slices.Sort(s)
	if !slices.IsSorted(s) {
		t.Fatal(s)
	}
}

func TestAppendToParts(t *testing.T) { // capacities keep the parts apart
	s := make([]int, 4)
	a, b := s[0:1:2], s[2:3:4]
	var wg sync.WaitGroup
	wg.Go(func() { a = append(a, 7) })
	wg.Go(func() { b = append(b, 8) })
	wg.Wait()
	if s[1] != 7 || s[3] != 8 {
		t.Fatal(s)
	}
}

func TestAppendPastCapacity(t *testing.T) { // each has a copy of its own
	s := []int{1, 2}
	var wg sync.WaitGroup
	out := make([][]int, 2)
	for i := range out {
		wg.Go(func() { out[i] = append(s[:2:2], i) })
	}
	wg.Wait()
	if out[0][2] != 0 || out[1][2] != 1 {
		t.Fatal(out)
	}
}

func TestBinaryParts(t *testing.T) {
	b := make([]byte, 16)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { binary.LittleEndian.PutUint32(b[4*i:], uint32(i)) })
	}
	wg.Wait()
	if binary.LittleEndian.Uint32(b[12:]) != 3 {
		t.Fatal(b)
	}
}

func TestBigReads(t *testing.T) {
	x := big.NewInt(1 << 40)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			y := new(big.Int).Mul(x, x)
			if y.Cmp(x) <= 0 {
				t.Error(y)
			}
		})
	}
	wg.Wait()
}

func TestTemplateShared(t *testing.T) {
	tmpl := template.Must(template.New("t").Parse("{{range .}}{{.}},{{end}}"))
	data := []int{1, 2}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			var b strings.Builder
			if err := tmpl.Execute(&b, data); err != nil || b.String() != "1,2," {
				t.Error(b.String(), err)
			}
		})
	}
	wg.Wait()
}

func TestBuilderHandedOver(t *testing.T) {
	c := make(chan *strings.Builder)
	go func() {
		var b strings.Builder
		b.WriteString("made there")
		c <- &b
	}()
	b := <-c
	b.WriteString(", read here")
	if b.String() != "made there, read here" {
		t.Fatal(b)
	}
}

func TestReaderPerLine(t *testing.T) {
	r := bufio.NewReader(strings.NewReader("a\nb\nc\n"))
	var mu sync.Mutex
	var n atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			if _, err := r.ReadString('\n'); err == nil {
				n.Add(1)
			}
		})
	}
	wg.Wait()
	if n.Load() != 3 {
		t.Fatal(n.Load())
	}
}

func TestCopyInAndOut(t *testing.T) {
	src := []byte("source")
	dst := make([][]byte, 2)
	var wg sync.WaitGroup
	for i := range dst {
		wg.Go(func() { dst[i] = bytes.Clone(src); dst[i][0] = 'S' })
	}
	wg.Wait()
	if string(src) != "source" || string(dst[1]) != "Source" {
		t.Fatal(string(src))
	}
}

func TestTimesShared(t *testing.T) {
	at := time.Unix(100, 0)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if at.Add(time.Second).Format(time.RFC3339) == "" || !at.Equal(time.Unix(100, 0)) {
				t.Error(at)
			}
		})
	}
	wg.Wait()
}

func TestAtomicValueOfSlices(t *testing.T) {
	var v atomic.Value
	v.Store([]byte("a"))
	var wg sync.WaitGroup
	wg.Go(func() { v.Store([]byte("bb")) })
	wg.Go(func() {
		if b := v.Load().([]byte); bytes.Count(b, []byte("b")) != len(b)-1+len(b)/2 && string(b) != "a" {
			t.Error(string(b))
		}
	})
	wg.Wait()
}

func TestResetBetweenUses(t *testing.T) {
	var b bytes.Buffer
	turn := make(chan bool, 1)
	turn <- true
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			<-turn
			b.Reset()
			fmt.Fprint(&b, i)
			if b.String() != fmt.Sprint(i) {
				t.Error(b.String())
			}
			turn <- true
		})
	}
	wg.Wait()
}

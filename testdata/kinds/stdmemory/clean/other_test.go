package clean

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"example.com/other"
)

func TestOtherRegister(t *testing.T) {
	var r other.Register
	both(func() { r.Add("a"); r.Count("b") }, func() { r.Add("b"); r.Total() })
}

func TestOtherLazy(t *testing.T) {
	var l other.Lazy
	both(func() { _ = l.Value()[0] }, func() { _ = len(l.Value()) })
}

func TestOtherFlagged(t *testing.T) {
	var f other.Flagged
	both(func() { f.Set(1) }, func() { f.Get(); f.Set(2) })
	if f.Get() == 0 {
		t.Error("nothing set")
	}
}

func TestOtherQueue(t *testing.T) {
	q := other.NewQueue()
	both(func() { q.Put(&other.Counter{}) }, func() { q.Get().Inc() })
}

func TestOtherQuote(t *testing.T) {
	both(func() { _ = other.Quote("a"); _ = other.Quote("b") }, func() { _ = other.Quote("c") })
}

func TestOtherConnsErrors(t *testing.T) {
	c := other.NewConn(io.Discard)
	both(func() { c.Write([]byte("a")); _ = c.Err() }, func() { c.Fail(errors.New("closed")) })
}

func TestOtherUnderLock(t *testing.T) {
	var mu sync.Mutex
	var s other.Stack[int]
	set := other.Set{}
	use := func() {
		mu.Lock()
		defer mu.Unlock()
		s.Push(1)
		set.Add("a")
		s.Pop()
	}
	both(use, use)
}

func TestOtherReads(t *testing.T) {
	text, words := []byte("abc"), []string{"a", "b"}
	read := func() { _ = other.Checksum(text); _ = other.Map(words, strings.ToUpper) }
	both(read, read)
}

func TestOtherApart(t *testing.T) {
	text := []byte("abcd")
	both(func() { other.Fill(text[:2], 'x') }, func() { other.Fill(text[2:], 'y') })
	if string(text) != "xxyy" {
		t.Error(text)
	}
}

func TestOtherGoroutine(t *testing.T) {
	var b strings.Builder
	c := other.CopyTo(&b, "abc")
	c.Wait()
	if b.String() != "abc" {
		t.Error(b.String())
	}
}

func TestOtherHandedOver(t *testing.T) {
	c := make(chan *other.Counter)
	both(func() {
		n := &other.Counter{}
		n.Inc()
		c <- n
	}, func() {
		n := <-c
		n.Inc()
		_ = n.Value()
	})
}

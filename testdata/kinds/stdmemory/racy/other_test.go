package racy

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"example.com/other"
)

func TestOtherCounter(t *testing.T) {
	var c other.Counter
	both(func() { c.Inc() }, func() { c.Inc() })
}

func TestOtherValue(t *testing.T) {
	var c other.Counter
	both(func() { c.Inc() }, func() { _ = c.Value() })
}

func TestOtherEmbedded(t *testing.T) {
	var named struct {
		other.Counter
		name string
	}
	both(func() { named.Inc() }, func() { _ = named.Value() })
}

func TestOtherMethodValue(t *testing.T) {
	var c other.Counter
	inc := c.Inc
	both(inc, inc)
}

func TestOtherInterface(t *testing.T) {
	var c interface{ Inc() } = &other.Counter{}
	both(func() { c.Inc() }, func() { c.Inc() })
}

func TestOtherSet(t *testing.T) {
	s := other.Set{}
	both(func() { s.Add("a") }, func() { s.Add("b") })
}

func TestOtherSetHas(t *testing.T) {
	s := other.Set{}
	both(func() { s.Add("a") }, func() { _ = s.Has("a") })
}

func TestOtherSetDirectly(t *testing.T) {
	s := other.Set{}
	both(func() { _ = s.Len() }, func() { s["b"] = true })
}

func TestOtherConn(t *testing.T) {
	c := other.NewConn(io.Discard)
	both(func() { c.Write([]byte("a")) }, func() { c.Write([]byte("b")) })
}

func TestOtherConnsBuffer(t *testing.T) {
	var b bytes.Buffer
	c := other.NewConn(&b)
	both(func() { c.Write([]byte("a")) }, func() { _ = b.Len() })
}

func TestOtherConnsText(t *testing.T) {
	c := other.NewConn(io.Discard)
	text := []byte("abc")
	both(func() { c.Write(text) }, func() { text[0] = 'x' })
}

func TestOtherReads(t *testing.T) {
	text := []byte("abc")
	both(func() { _ = other.Checksum(text) }, func() { text[2] = 'x' })
}

func TestOtherWrites(t *testing.T) {
	text := []byte("abc")
	both(func() { other.Fill(text, 'x') }, func() { _ = text[2] })
}

func TestOtherCallsBack(t *testing.T) {
	numbers := []int{1, 2}
	both(func() { _ = other.Sum(2, func(i int) *int { return &numbers[i] }) }, func() { numbers[1] = 3 })
}

func TestOtherGoroutine(t *testing.T) {
	var b strings.Builder
	c := other.CopyTo(&b, "abc")
	_ = b.Len()
	c.Wait()
}

func TestOtherStack(t *testing.T) {
	var s other.Stack[string]
	both(func() { s.Push("a") }, func() { s.Push("b") })
}

func TestOtherStackLen(t *testing.T) {
	var s other.Stack[int]
	both(func() { s.Push(1) }, func() { _ = s.Len() })
}

func TestOtherMap(t *testing.T) {
	words := []string{"a", "b"}
	both(func() { _ = other.Map(words, strings.ToUpper) }, func() { words[1] = "c" })
}

package clean

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// What assembly and the runtime do for two goroutines at the same time, on memory that nobody
// writes, or on parts of one slice.

func TestCloneUnderLock(t *testing.T) {
	var mu sync.RWMutex
	m := map[string]int{"a": 1}
	both(func() {
		mu.RLock()
		_ = maps.Clone(m)
		mu.RUnlock()
	}, func() {
		mu.Lock()
		m["b"] = 2
		mu.Unlock()
	})
}

func TestBytesRead(t *testing.T) {
	b := []byte("abc,def")
	both(func() { _ = bytes.Contains(b, []byte("de")); bytes.Compare(b, b) },
		func() { _ = bytes.IndexByte(b, ','); bytes.Count(b, []byte(",")); crc32.ChecksumIEEE(b) })
}

func TestBytesApart(t *testing.T) {
	b := []byte("abc,def")
	both(func() { _ = bytes.Contains(b[:3], []byte("b")) }, func() { b[3] = ';' })
}

func TestSums(t *testing.T) {
	b := make([]byte, 1000)
	sum := func() {
		h := hmac.New(sha256.New, b[:16])
		h.Write(b)
		_ = h.Sum(nil)
	}
	both(sum, sum)
}

func TestBlocksApart(t *testing.T) {
	c, _ := aes.NewCipher(make([]byte, 16))
	b := make([]byte, 32)
	both(func() { c.Encrypt(b, b) }, func() { c.Encrypt(b[16:], b[16:]) })
}

func TestSharedAEAD(t *testing.T) {
	c, _ := aes.NewCipher(make([]byte, 16))
	g, _ := cipher.NewGCM(c)
	seal := func() { g.Seal(nil, make([]byte, 12), make([]byte, 40), nil) }
	both(seal, seal)
}

func TestStreams(t *testing.T) {
	key := make([]byte, 16)
	crypt := func() {
		s, _ := rc4.NewCipher(key)
		b := make([]byte, 64)
		s.XORKeyStream(b, b)
		subtle.ConstantTimeCompare(key, b[:16])
	}
	both(crypt, crypt)
}

func TestPrintBytes(t *testing.T) {
	b := []byte("abc")
	both(func() { _ = fmt.Sprintf("%q %x %s %v", b, b, b, b) }, func() { _ = fmt.Appendf(nil, "%s", b) })
}

func TestCommandsOutput(t *testing.T) {
	run := func() {
		var out, problems bytes.Buffer
		c := exec.Command(os.Args[0], "-test.run=^$")
		c.Stdout, c.Stderr = &out, &problems
		if err := c.Run(); err != nil {
			t.Error(err, problems.String())
		}
		_ = out.String() + c.String()
	}
	both(run, run)
}

func TestNetPipe(t *testing.T) {
	a, z := net.Pipe()
	both(func() {
		b := []byte("abc")
		a.Write(b)
		b[0] = 'x'
		a.Write(b)
		a.Close()
	}, func() {
		b := make([]byte, 8)
		for {
			if _, err := z.Read(b); err != nil {
				return
			}
			b[0] = 0
		}
	})
}

func TestCompressors(t *testing.T) {
	text := []byte(strings.Repeat("abc", 100))
	compress := func() {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(text)
		w.Close()
		f, _ := flate.NewWriter(io.Discard, 1)
		f.Write(text)
		f.Close()
		r, err := gzip.NewReader(&b)
		if err != nil {
			t.Error(err)
			return
		}
		if back, _ := io.ReadAll(r); !bytes.Equal(back, text) {
			t.Error(back)
		}
	}
	both(compress, compress)
}

func TestSharedRegexp(t *testing.T) {
	re, text := regexp.MustCompile("(a+)b"), []byte("xxaab")
	both(func() { re.Match(text) }, func() { re.FindSubmatch(text) })
}

func TestJoinedErrors(t *testing.T) {
	errs := []error{io.EOF, io.ErrClosedPipe}
	both(func() { _ = errors.Join(errs...).Error() }, func() { _ = errors.Is(errors.Join(errs...), io.EOF) })
}

package racy

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/lzw"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"crypto/subtle"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"io"
	"maps"
	"math/big"
	"mime/quotedprintable"
	"net"
	"os/exec"
	"reflect"
	"regexp"
	"strconv"
	"testing"
)

func bs(s string) []byte { return []byte(s) }

func TestMapsClone(t *testing.T) {
	m := map[string]int{"a": 1}
	both(func() { _ = maps.Clone(m) }, func() { m["b"] = 2 })
}

func TestReflectIndex(t *testing.T) {
	s := []int{1, 2}
	both(func() { _ = reflect.ValueOf(s).Index(1).Int() }, func() { s[1] = 3 })
}

func TestReflectIndexString(t *testing.T) {
	s := []string{"a", "b"}
	both(func() { _ = reflect.ValueOf(s).Index(1).String() }, func() { s[1] = "x" })
}

func TestReflectLen(t *testing.T) {
	s := []int{1}
	both(func() { _ = reflect.ValueOf(&s).Elem().Len() }, func() { s = nil })
}

func TestBytesContains(t *testing.T) {
	b := bs("abcdef")
	both(func() { _ = bytes.Contains(b, bs("de")) }, func() { b[3] = 'x' })
}

func TestBytesCompare(t *testing.T) {
	b := bs("abcdef")
	both(func() { _ = bytes.Compare(b, bs("de")) }, func() { b[0] = 'x' })
}

func TestBytesIndexByte(t *testing.T) {
	b := bs("abcdef")
	both(func() { _ = bytes.IndexByte(b, 'd') }, func() { b[0] = 'x' })
}

func TestBytesCount(t *testing.T) {
	b := bs("abcdef")
	both(func() { _ = bytes.Count(b, bs("d")) }, func() { b[0] = 'x' })
}

func TestBytesSplit(t *testing.T) {
	b := bs("abc,def")
	both(func() { _ = bytes.Split(b, bs(",")) }, func() { b[0] = 'x' })
}

func TestCRC32(t *testing.T) {
	b := bytes.Repeat(bs("abcdef"), 100)
	both(func() { _ = crc32.ChecksumIEEE(b) }, func() { b[0] = 'x' })
}

func TestCRC32Castagnoli(t *testing.T) {
	b := bytes.Repeat(bs("abcdef"), 100)
	both(func() { _ = crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }, func() { b[0] = 'x' })
}

func TestMaphash(t *testing.T) {
	b := bs("abcdef")
	both(func() { _ = maphash.Bytes(maphash.MakeSeed(), b) }, func() { b[0] = 'x' })
}

func TestSprintfQ(t *testing.T) {
	b := bs("abc")
	both(func() { _ = fmt.Sprintf("%q", b) }, func() { b[0] = 'x' })
}

func TestSprintfX(t *testing.T) {
	b := bs("abc")
	both(func() { _ = fmt.Sprintf("%x", b) }, func() { b[0] = 'x' })
}

func TestSprintfS(t *testing.T) {
	b := bs("abc")
	both(func() { _ = fmt.Sprintf("%s", b) }, func() { b[0] = 'x' })
}

func TestSprintfMap(t *testing.T) {
	m := map[string]int{"a": 1}
	both(func() { _ = fmt.Sprintf("%v", m) }, func() { m["b"] = 9 })
}

func TestAppendf(t *testing.T) {
	b := make([]byte, 1, 64)
	both(func() { _ = fmt.Appendf(b, "%d", 7) }, func() { _ = append(b, 9) })
}

func TestCmdString(t *testing.T) {
	c := exec.Command("true", "a")
	both(func() { _ = c.String() }, func() { c.Args[1] = "b" })
}

func TestCmdEnviron(t *testing.T) {
	c := exec.Command("true", "a")
	both(func() { _ = c.Environ() }, func() { c.Env = []string{"A=b"} })
}

func TestCmdStderr(t *testing.T) {
	var b bytes.Buffer
	c := exec.Command("sh", "-c", "echo hello >&2")
	c.Stderr = &b
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = b.String()
	c.Wait()
}

func TestNetPipe(t *testing.T) {
	a, z := net.Pipe()
	go io.Copy(io.Discard, z)
	b := bs("abc")
	both(func() { a.Write(b) }, func() { b[0] = 'x' })
	a.Close()
}

func TestGzipWrite(t *testing.T) {
	w := gzip.NewWriter(io.Discard)
	b := bs("abc")
	both(func() { w.Write(b) }, func() { b[0] = 'x' })
}

func TestFlateWrite(t *testing.T) {
	w, _ := flate.NewWriter(io.Discard, 6)
	b := bs("abc")
	both(func() { w.Write(b) }, func() { b[0] = 'x' })
}

func TestFlateRead(t *testing.T) {
	var z bytes.Buffer
	w, _ := flate.NewWriter(&z, 6)
	w.Write(bs("abc"))
	w.Close()
	b := make([]byte, 3)
	both(func() { flate.NewReader(&z).Read(b) }, func() { _ = b[0] })
}

func TestLzw(t *testing.T) {
	w := lzw.NewWriter(io.Discard, lzw.LSB, 8)
	b := bs("abc")
	both(func() { w.Write(b) }, func() { b[0] = 'x' })
}

func TestAESEncrypt(t *testing.T) {
	c, _ := aes.NewCipher(make([]byte, 16))
	b := make([]byte, 16)
	both(func() { c.Encrypt(b, b) }, func() { _ = b[0] })
}

func TestAESDecryptSrc(t *testing.T) {
	c, _ := aes.NewCipher(make([]byte, 16))
	b := make([]byte, 16)
	both(func() { c.Decrypt(make([]byte, 16), b) }, func() { b[0] = 'x' })
}

func TestGCMSeal(t *testing.T) {
	c, _ := aes.NewCipher(make([]byte, 16))
	g, _ := cipher.NewGCM(c)
	b := make([]byte, 40)
	both(func() { g.Seal(nil, make([]byte, 12), b, nil) }, func() { b[0] = 'x' })
}

func TestCBC(t *testing.T) {
	c, _ := aes.NewCipher(make([]byte, 16))
	s := cipher.NewCBCEncrypter(c, make([]byte, 16))
	b := make([]byte, 32)
	both(func() { s.CryptBlocks(b, b) }, func() { _ = b[0] })
}

func TestRC4(t *testing.T) {
	s, _ := rc4.NewCipher(make([]byte, 16))
	b := make([]byte, 32)
	both(func() { s.XORKeyStream(b, b) }, func() { _ = b[0] })
}

func TestConstantTimeCompare(t *testing.T) {
	b := make([]byte, 32)
	both(func() { subtle.ConstantTimeCompare(b, make([]byte, 32)) }, func() { b[0] = 1 })
}

func TestXORBytes(t *testing.T) {
	b := make([]byte, 32)
	both(func() { subtle.XORBytes(b, make([]byte, 32), make([]byte, 32)) }, func() { _ = b[0] })
}

func TestConstantTimeCopy(t *testing.T) {
	b := make([]byte, 32)
	both(func() { subtle.ConstantTimeCopy(1, b, make([]byte, 32)) }, func() { _ = b[0] })
}

func TestMD5(t *testing.T) {
	b := make([]byte, 640)
	both(func() { md5.Sum(b) }, func() { b[0] = 1 })
}

func TestSHA1(t *testing.T) {
	b := make([]byte, 640)
	both(func() { sha1.Sum(b) }, func() { b[0] = 1 })
}

func TestSHA256(t *testing.T) {
	b := make([]byte, 640)
	both(func() { sha256.Sum256(b) }, func() { b[0] = 1 })
}

func TestSHA512(t *testing.T) {
	b := make([]byte, 640)
	both(func() { sha512.Sum512(b) }, func() { b[0] = 1 })
}

func TestSHA3(t *testing.T) {
	b := make([]byte, 640)
	both(func() { sha3.Sum256(b) }, func() { b[0] = 1 })
}

func TestQuotedPrintable(t *testing.T) {
	w := quotedprintable.NewWriter(io.Discard)
	both(func() { w.Write(bs("a")) }, func() { w.Close() })
}

func TestRegexpMatch(t *testing.T) {
	re := regexp.MustCompile("a+")
	b := bs("baa")
	both(func() { re.Match(b) }, func() { b[0] = 'a' })
}

func TestStrconvQuote(t *testing.T) {
	b := make([]byte, 1, 64)
	both(func() { _ = strconv.AppendQuote(b, "abc") }, func() { _ = append(b, 'x') })
}

func TestErrorsJoin(t *testing.T) {
	s := []error{io.EOF}
	both(func() { _ = errors.Join(s...) }, func() { s[0] = nil })
}

func TestBigFloat(t *testing.T) {
	x := big.NewFloat(1)
	both(func() { x.SetInt64(3) }, func() { _ = x.String() })
}

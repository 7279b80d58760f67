package selftest

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// realAtEnd is what the real clock showed when TestWall ended.
var realAtEnd time.Time

func realNow(t *testing.T) time.Time {
	var v syscall.Timeval
	if err := syscall.Gettimeofday(&v); err != nil {
		t.Fatal(err)
	}
	return time.Unix(v.Unix())
}

// TestWall: the wall clock leaves out what is computed, as the other one does, until the
// test comes by a time of others. WALL says how.
func TestWall(t *testing.T) {
	how := os.Getenv("WALL")
	if how == "" {
		return // for the recorded run
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	begun := time.Now()
	for realNow(t).Sub(begun) < 50*time.Millisecond {
		compute()
	}
	now := time.Now()
	if d := now.Round(0).Sub(begun.Round(0)); d != now.Sub(begun) {
		t.Errorf("%v by the wall clock are %v by the other", d, now.Sub(begun))
	}
	behind := func() bool {
		real := realNow(t)
		return time.Now().Before(real)
	}
	if !behind() {
		t.Error("50 ms of computing count")
	}
	dir := os.Getenv("DIR")
	name := filepath.Join(dir, "wall")
	real := true
	switch how {
	case "create":
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	case "mkdir":
		os.Mkdir(name, 0o777)
	case "stat":
		os.Stat(name)
	case "lstat":
		os.Lstat(name)
	case "root":
		if r, err := os.OpenRoot(dir); err == nil {
			r.Close()
		}
	case "fstat":
		os.Stdout.Stat()
	case "process":
		os.StartProcess(name, nil, &os.ProcAttr{})
	case "system":
		var at syscall.Timespec
		const realtime = 0
		syscall.Syscall(syscall.SYS_CLOCK_GETTIME, realtime, uintptr(unsafe.Pointer(&at)), 0)
	case "peer":
		c, err := net.Dial("tcp", os.Getenv("PEER"))
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(c, make([]byte, 1))
		c.Close()
	case "own":
		go func() {
			if c, err := l.Accept(); err == nil {
				c.Write([]byte("x"))
				c.Close()
			}
		}()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.ReadAll(c)
		c.Close()
		real = false
	case "poll":
		for begun := time.Now().UnixMilli(); time.Now().UnixMilli() < begun+5; {
		}
		real = false
	}
	if real == behind() {
		t.Errorf("after %s: expected that the wall clock is the real one: %v", how, real)
	}
	realAtEnd = realNow(t)
}

// TestWallBegins comes after it.
func TestWallBegins(t *testing.T) {
	if time.Now().Before(realAtEnd) {
		t.Error("the wall clock is behind that of the test before")
	}
}

package recorded

import (
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"
)

// A pipe of the kernel of which this process has both ends.
//
//want:deadlock deadlock
func TestKernelPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	io.ReadAll(r)
}

// A connection whose peer waits, too.
//
//want:deadlock deadlock
func TestBothRead(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var wg sync.WaitGroup
	wg.Go(func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		c.Read(make([]byte, 1))
	})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Read(make([]byte, 1))
	wg.Wait()
}

// A pipe in memory, behind a helper of a subtest.
//
//want:deadlock deadlock
func TestMemoryPipe(t *testing.T) {
	read := func(r io.Reader) { io.Copy(io.Discard, r) }
	t.Run("read", func(t *testing.T) {
		a, b := net.Pipe()
		defer b.Close()
		read(a)
	})
}

// A server that nobody closes, beside a ticker that ends nothing.
//
//want:deadlock deadlock
func TestServes(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	go func() {
		for range tick.C {
		}
	}()
	ended := make(chan error)
	go func() { ended <- http.Serve(l, nil) }()
	<-ended
}

// A deadline ends it.
func TestDeadline(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.SetDeadline(time.Now().Add(300 * time.Millisecond))
	if c, err := l.Accept(); err == nil {
		c.Close()
		t.Error("accepted")
	}
}

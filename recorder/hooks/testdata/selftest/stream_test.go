package selftest

import (
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)

// socket returns the two ends of a connection.
func socket(t *testing.T) (client, server net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return client, server
}

func TestNetNetFDConnect(t *testing.T) { socket(t) }
func TestNetNetFDAccept(t *testing.T)  { socket(t) }

func TestInternalPollFDDestroy(t *testing.T) {
	_, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
}

// What waits for a socket is told when that is closed, and when its time is over.
func TestInternalPollFDClose(t *testing.T) {
	c, _ := socket(t)
	c.Close()
}

func TestInternalPollSetDeadlineImpl(t *testing.T) {
	c, _ := socket(t)
	c.SetDeadline(time.Now().Add(time.Hour))
}

func TestInternalPollPollDescPrepare(t *testing.T) {
	c, _ := socket(t)
	c.SetDeadline(time.Unix(1, 0))
	fails(t, func() error { _, err := c.Read(buffer); return err })
}

func TestInternalPollPollDescWait(t *testing.T) {
	c, _ := socket(t)
	time.AfterFunc(time.Millisecond, func() { c.Close() })
	fails(t, func() error { _, err := c.Read(buffer); return err })
}

func TestInternalPollFDIncref(t *testing.T) {
	c, _ := socket(t)
	c.Close()
	fails(t, func() error { return c.SetDeadline(time.Now()) })
}

func TestInternalPollFDReadLock(t *testing.T) {
	c, _ := socket(t)
	c.Close()
	fails(t, func() error { _, err := c.Read(buffer); return err })
}

func TestInternalPollFDWriteLock(t *testing.T) {
	c, _ := socket(t)
	c.Close()
	fails(t, func() error { _, err := c.Write(buffer); return err })
}

// Which of its goroutines has ended what another one does with a socket.
func TestHalts(t *testing.T) {
	closed, _ := socket(t)
	late, _ := socket(t)
	var ended sync.WaitGroup
	for _, c := range []net.Conn{closed, late} {
		ended.Go(func() {
			fails(t, func() error { _, err := c.Read(buffer); return err })
		})
	}
	time.Sleep(time.Millisecond)
	closed.Close()
	late.SetReadDeadline(time.Unix(1, 0))
	ended.Wait()
}

func fails(t *testing.T, f func() error) {
	if err := f(); err == nil {
		t.Error("expected an error, found none")
	}
}

func TestInternalPollFDShutdown(t *testing.T) {
	c, _ := socket(t)
	c.(*net.TCPConn).CloseWrite()
}

// Two writes, of which the first read takes one and a half, and the end.
func TestStreamPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stream(t, r, w)
	r.Close()
}

func TestStreamSocket(t *testing.T) {
	client, server := socket(t)
	stream(t, server, client)
}

func stream(t *testing.T, r io.Reader, w io.WriteCloser) {
	w.Write(buffer[:2])
	w.Write(buffer[:2])
	for _, n := range []int{3, 1} {
		if _, err := io.ReadFull(r, buffer[:n]); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	if _, err := r.Read(buffer); err != io.EOF {
		t.Fatal(err)
	}
}

// What the kernel moves counts as well: from one socket to another, without a buffer
// of the program's.
func TestStreamSplice(t *testing.T) {
	c1, s1 := socket(t)
	c2, s2 := socket(t)
	c1.Write(buffer)
	if _, err := io.CopyN(c2, s1, 3); err != nil {
		t.Fatal(err)
	}
	b := net.Buffers{buffer[:1], buffer[:2]}
	b.WriteTo(c2)
	if _, err := io.ReadFull(s2, make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
}

// The first to ask is the first to be accepted.
func TestStreamQueue(t *testing.T) {
	former, err := net.Listen("tcp", "127.0.0.1:0") // the port is used again
	if err != nil {
		t.Fatal(err)
	}
	former.Close()
	l, err := net.Listen("tcp", ":"+port(former))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	addr := net.JoinHostPort("127.0.0.1", port(l))
	for range 2 {
		if _, err := net.Dial("tcp", addr); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := l.Accept(); err != nil {
			t.Fatal(err)
		}
	}
}

func port(l net.Listener) string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// What TestSilent reads from, with what is written to there; made before the tests, so that
// nothing of it is in a plan.
var silentFrom, silentTo = func() (func([]byte) (int, error), io.Writer) {
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		return l
	}
	switch os.Getenv("SILENT") {
	case "pipe":
		r, w, err := os.Pipe()
		if err != nil {
			panic(err)
		}
		return r.Read, w
	case "connection":
		l := listen()
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			panic(err)
		}
		server, err := l.Accept()
		if err != nil {
			panic(err)
		}
		return server.Read, client
	case "listener":
		l := listen()
		return func([]byte) (int, error) { _, err := l.Accept(); return 0, err }, io.Discard
	case "packets":
		c, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		return c.(*net.UDPConn).Read, io.Discard
	}
	return func([]byte) (int, error) { return 0, nil }, io.Discard
}()

// A goroutine waits for what nobody has written, and one comes to a lock.
func TestSilent(t *testing.T) {
	var mu, its sync.Mutex
	go func() {
		its.Lock()
		silentFrom(buffer)
	}()
	mu.Lock()
	silentTo.Write(buffer[:1])
	time.Sleep(time.Millisecond) // so that the recording has the goroutine
}

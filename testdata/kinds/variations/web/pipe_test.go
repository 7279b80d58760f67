package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// The writer of an io.Pipe counts after its last write.
func TestIOPipe(t *testing.T) {
	r, w := io.Pipe()
	written := 0
	go func() {
		for range 2 {
			n, _ := io.WriteString(w, "line\n")
			written += n
		}
		w.Close()
	}()
	br := bufio.NewReader(r)
	for range 2 {
		if _, err := br.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if written > 10 {
		t.Error("too much was written")
	}
}

type stream struct {
	r       *io.PipeReader
	w       *io.PipeWriter
	err     error
	stopped chan struct{}
}

func (s *stream) loop() {
	defer close(s.stopped)
	_, err := io.Copy(io.Discard, s.r)
	s.err = err
}

// A stream's loop ends with an error that the closing side reads at once.
func TestIOPipeCloseWithError(t *testing.T) {
	s := &stream{stopped: make(chan struct{})}
	s.r, s.w = io.Pipe()
	go s.loop()
	io.WriteString(s.w, "x")
	s.w.CloseWithError(errors.New("gone"))
	if s.err != nil && s.err.Error() != "gone" {
		t.Error(s.err)
	}
	<-s.stopped
}

// Two sides of an os.Pipe share a counter.
func TestOSPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var moved int
	done := make(chan struct{})
	go func() {
		defer close(done)
		n, _ := w.Write([]byte("hello"))
		moved += n
		w.Close()
	}()
	b := make([]byte, 5)
	if _, err := io.ReadFull(r, b); err != nil {
		t.Fatal(err)
	}
	moved += len(b)
	<-done
}

// lineCounter counts lines; it is a Writer for a child's output.
type lineCounter struct{ lines int }

func (c *lineCounter) Write(p []byte) (int, error) {
	c.lines += strings.Count(string(p), "\n")
	return len(p), nil
}

// A child process writes to two outputs that are one counter.
func TestExecOutputs(t *testing.T) {
	c := new(lineCounter)
	cmd := exec.Command("sh", "-c", "echo out; echo err >&2")
	cmd.Stdout = c
	cmd.Stderr = struct{ io.Writer }{c}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}

// The output of a child is looked at before Wait.
func TestExecBeforeWait(t *testing.T) {
	c := new(lineCounter)
	cmd := exec.Command("echo", "hi")
	cmd.Stdout = c
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	early := c.lines
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if early > c.lines {
		t.Error("lines were lost")
	}
}

type peer struct {
	net.Conn
	frames *int
}

func (p peer) send(s string) error {
	*p.frames++
	_, err := io.WriteString(p, s+"\n")
	return err
}

// Two peers of a net.Pipe count their frames together.
func TestNetPipe(t *testing.T) {
	a, b := net.Pipe()
	frames := 0
	done := make(chan error)
	go func() {
		p := peer{b, &frames}
		line, err := bufio.NewReader(b).ReadString('\n')
		if err == nil && line != "ping\n" {
			err = fmt.Errorf("got %q", line)
		}
		done <- err
		*p.frames++
	}()
	p := peer{a, &frames}
	if err := p.send("ping"); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	frames++
	a.Close()
	b.Close()
}

// A TCP server counts its connections in the goroutine of each.
func TestTCPServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conns := 0
	var served sync.WaitGroup
	served.Add(2)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer served.Done()
				defer c.Close()
				conns++
				io.WriteString(c, "bye")
			}()
		}
	}()
	var clients sync.WaitGroup
	for range 2 {
		clients.Go(func() {
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			if _, err := io.ReadAll(c); err != nil {
				t.Error(err)
			}
		})
	}
	clients.Wait()
	served.Wait()
	l.Close()
}

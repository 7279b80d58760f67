package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// echo serves lines and counts them in a variable of its own.
func echo(l net.Listener, lines *int) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			for s := bufio.NewScanner(c); s.Scan(); {
				*lines++
				fmt.Fprintln(c, s.Text())
			}
		}()
	}
}

// talk sends two lines and waits for their echo.
func talk(t *testing.T, network, addr string) {
	c, err := net.Dial(network, addr)
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	r := bufio.NewReader(c)
	for range 2 {
		fmt.Fprintln(c, "hello")
		if _, err := r.ReadString('\n'); err != nil {
			t.Error(err)
		}
	}
}

func TestTCP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	lines := 0
	go echo(l, &lines)
	twice(func() { talk(t, "tcp", l.Addr().String()) })
}

// The server counts connections.
func TestUnix(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conns := 0
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				conns++
				io.Copy(c, c)
			}()
		}
	}()
	twice(func() { talk(t, "unix", l.Addr().String()) })
}

// The reader looks at what the writer still counts.
func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	go func() {
		fmt.Fprintln(w, "hello")
		sent++
		w.Close()
	}()
	line, _ := bufio.NewReader(r).ReadString('\n')
	if line == "" || sent > 1 {
		t.Error(line, sent)
	}
	r.Close()
}

func TestIoPipe(t *testing.T) {
	r, w := io.Pipe()
	sent := 0
	go func() {
		fmt.Fprintln(w, "hello")
		sent++
		w.Close()
	}()
	line, _ := bufio.NewReader(r).ReadString('\n')
	if line == "" || sent > 1 {
		t.Error(line, sent)
	}
}

func TestNetPipe(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	received := 0
	go func() {
		for s := bufio.NewScanner(b); s.Scan(); {
			received++
		}
	}()
	fmt.Fprintln(a, "hello")
	if received > 1 {
		t.Error(received)
	}
}

// Two children's output is counted by two goroutines.
func TestCommand(t *testing.T) {
	lines := 0
	var wg sync.WaitGroup
	for range 2 {
		cmd := exec.Command("echo", "hello")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for s := bufio.NewScanner(out); s.Scan(); {
				lines++
			}
			cmd.Wait()
		})
	}
	wg.Wait()
}

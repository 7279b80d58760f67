package outside

import (
	"net"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// A pipe is at its end once its writer is closed.
func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data := 0
	go func() {
		data = 1
		w.Close()
	}()
	var buf [1]byte
	r.Read(buf[:])
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

// Nobody is accepted before he calls.
func TestAccept(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	data := 0
	go func() {
		data = 1
		if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
			c.Close()
		}
	}()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

// A packet comes after it was sent.
func TestPacket(t *testing.T) {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	data := 0
	go func() {
		data = 1
		c.WriteTo([]byte{1}, c.LocalAddr())
	}()
	var buf [1]byte
	if _, _, err := c.ReadFrom(buf[:]); err != nil {
		t.Fatal(err)
	}
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

// The deadline ends the reading.
func TestDeadline(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	data := 0
	go func() {
		data = 1
		r.SetReadDeadline(time.Unix(1, 0))
	}()
	var buf [1]byte
	r.Read(buf[:])
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

// The signal is sent once the data is there.
func TestSignal(t *testing.T) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	defer signal.Stop(c)
	data := 0
	go func() {
		data = 1
		syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	}()
	<-c
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

// The child ends when it is killed.
func TestChild(t *testing.T) {
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	data := 0
	go func() {
		data = 1
		syscall.Kill(child.Process.Pid, syscall.SIGKILL)
	}()
	child.Wait()
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

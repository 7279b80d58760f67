// Package socket hands data over by what goes through a network connection.
package socket

import (
	"io"
	"net"
	"testing"
)

func TestEcho(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	data := 0
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		data = 1
		c.Write([]byte("x"))
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

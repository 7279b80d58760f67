// Package pipe hands data over by a byte in a pipe of the operating system.
package pipe

import (
	"os"
	"testing"
)

func pipe(t *testing.T) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return r, w
}

func TestByte(t *testing.T) {
	r, w := pipe(t)
	data := 0
	go func() {
		data = 1
		w.Write([]byte{1})
	}()
	var buf [1]byte
	if _, err := r.Read(buf[:]); err != nil {
		t.Fatal(err)
	}
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

// There and back again.
func TestBothWays(t *testing.T) {
	r1, w1 := pipe(t)
	r2, w2 := pipe(t)
	data := 0
	var buf [1]byte
	go func() {
		var buf [1]byte
		if _, err := r1.Read(buf[:]); err != nil {
			return
		}
		data++
		w2.Write(buf[:])
	}()
	data++
	w1.Write(buf[:])
	if _, err := r2.Read(buf[:]); err != nil {
		t.Fatal(err)
	}
	if data != 2 {
		t.Errorf("data is %d, want 2", data)
	}
}

// Package hidden orders accesses by channels and locks that are inside of
// packages of the standard library.
package hidden

import (
	"bufio"
	"context"
	"io"
	"log"
	"testing"
)

func TestIOPipe(t *testing.T) {
	r, w := io.Pipe()
	data := 0
	go func() {
		data = 1
		io.WriteString(w, "ready\n")
		w.Close()
	}()
	if _, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

func TestContextCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	data := 0
	go func() {
		data = 1
		cancel(io.EOF)
	}()
	for context.Cause(ctx) == nil {
		<-ctx.Done()
	}
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

type signal chan bool

func (s signal) Write(p []byte) (int, error) {
	s <- true
	return len(p), nil
}

// The logger calls its writer, and that sends.
func TestLogger(t *testing.T) {
	written := make(signal)
	logger := log.New(written, "", 0)
	data := 0
	go func() {
		data = 1
		logger.Print("done")
	}()
	<-written
	if data != 1 {
		t.Errorf("data is %d, want 1", data)
	}
}

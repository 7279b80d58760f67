package selftest

import (
	"syscall"
	"testing"
	"unsafe"
)

// A system call that computes, or waits for a processor, is part of its goroutine's turn, however
// long it takes: other programs must not decide who runs. One that waits for something is not.
func TestLongSystemCalls(t *testing.T) {
	fd, err := syscall.Open("/dev/urandom", syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	var parts [64]syscall.Iovec
	memory := make([]byte, 2<<20)
	for i := range parts {
		parts[i] = syscall.Iovec{Base: &memory[0], Len: uint64(len(memory))}
	}
	order := ""
	for _, call := range []struct {
		name string
		do   func()
	}{
		{"computes", func() { // a third of a second
			syscall.Syscall(syscall.SYS_READV, uintptr(fd), uintptr(unsafe.Pointer(&parts)), uintptr(len(parts)))
		}},
		{"waits", func() { syscall.Nanosleep(&syscall.Timespec{Nsec: 300_000_000}, nil) }},
	} {
		done := make(chan bool)
		go func() {
			order += " other"
			close(done)
		}()
		call.do()
		order += " " + call.name
		<-done
	}
	t.Log("order:" + order)
}

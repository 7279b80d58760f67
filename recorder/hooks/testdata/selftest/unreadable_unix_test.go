//go:build unix

package selftest

import (
	"syscall"
	"testing"
)

// unreadable returns memory that nobody may read, for the time of the test.
func unreadable(t *testing.T) []byte {
	page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(page) })
	return page
}

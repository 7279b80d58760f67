package selftest

import (
	"syscall"
	"testing"
	"unsafe"
)

// unreadable returns memory that nobody may read.
func unreadable(t *testing.T) []byte {
	const reserve = 0x2000 // and commit nothing
	const noAccess = 1
	page, _, err := syscall.NewLazyDLL("kernel32.dll").NewProc("VirtualAlloc").Call(0, 4096, reserve, noAccess)
	if page == 0 {
		t.Fatal(err)
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&page)), 4096)
}

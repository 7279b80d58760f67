//go:build unix || windows

package poll

import (
	"predictrt"
	"unsafe"
)

// predictBeforeClose is called before pd's file is closed.
func predictBeforeClose(pd *pollDesc, pc uintptr) {
	if predictrt.Mode != 0 {
		predictrt.BeforeFileEnd(unsafe.Pointer(pd), false, pc)
	}
}

// predictBeforeDeadline is called before pd gets a deadline.
func predictBeforeDeadline(pd *pollDesc, pc uintptr) {
	if predictrt.Mode != 0 {
		predictrt.BeforeFileEnd(unsafe.Pointer(pd), true, pc)
	}
}

// predictAfterWait is called with the result of a wait for pd.
func predictAfterWait(pd *pollDesc, result int, pc uintptr) {
	if predictrt.Mode != 0 && (result == pollErrClosing || result == pollErrTimeout) {
		predictrt.AfterFileEnd(unsafe.Pointer(pd), result == pollErrTimeout, pc)
	}
}

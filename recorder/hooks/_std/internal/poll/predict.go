//go:build unix || windows

package poll

import (
	"predictrt"
	"unsafe"
)

// predictHalts is called before pd's file is closed.
func predictHalts(pd *pollDesc, pc uintptr) {
	if predictrt.Mode != 0 {
		predictrt.BeforeFileEnd(unsafe.Pointer(pd), false, pc)
	}
}

// predictTimes is called before pd gets a deadline.
func predictTimes(pd *pollDesc, pc uintptr) {
	if predictrt.Mode != 0 {
		predictrt.BeforeFileEnd(unsafe.Pointer(pd), true, pc)
	}
}

// predictHalted is called with what waiting for pd has come to.
func predictHalted(pd *pollDesc, result int, pc uintptr) {
	if predictrt.Mode != 0 && (result == pollErrClosing || result == pollErrTimeout) {
		predictrt.AfterFileEnd(unsafe.Pointer(pd), result == pollErrTimeout, pc)
	}
}

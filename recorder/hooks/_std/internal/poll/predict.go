//go:build unix || windows

package poll

import (
	"predictrt"
	"unsafe"
)

// predictAfterWait is called with the result of a wait for pd.
func predictAfterWait(pd *pollDesc, result int, pc uintptr) {
	if predictrt.Mode != 0 && (result == pollErrClosing || result == pollErrTimeout) {
		predictrt.AfterFileEnd(unsafe.Pointer(pd), result == pollErrTimeout, pc)
	}
}

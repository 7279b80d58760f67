package time

import (
	"predictrt"
	"unsafe"
)

// predictTimerMade reports that AfterFunc has made t.
func predictTimerMade(t *Timer) *Timer {
	predictrt.TimerMade(unsafe.Pointer(t))
	return t
}

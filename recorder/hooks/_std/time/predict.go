package time

import (
	"predictrt"
	"unsafe"
)

// predictTimerStarted reports the address of the timer t, whose goroutine p describes.
func predictTimerStarted(t *Timer, p *predictrt.Timer) *Timer {
	if p != nil {
		p.SetTimer(unsafe.Pointer(t))
	}
	return t
}

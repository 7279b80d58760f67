package time

import (
	"predictrt"
	"unsafe"
)

// predictTimerStarted tells what the timer's goroutine will wait for.
func predictTimerStarted(t *Timer, p *predictrt.Timer) *Timer {
	if p != nil {
		p.Started(unsafe.Pointer(t))
	}
	return t
}

package time

import (
	"predictrt"
	"unsafe"
)

// predictStarted tells what the timer's goroutine will wait for.
func predictStarted(t *Timer, p *predictrt.Timer) *Timer {
	if p != nil {
		p.Started(unsafe.Pointer(t))
	}
	return t
}

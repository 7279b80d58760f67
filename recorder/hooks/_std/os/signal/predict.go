package signal

import (
	"os"
	"unsafe"
)

// predictIsNotified reports whether signals are sent to the channel ch. No other goroutine may run
// meanwhile.
func predictIsNotified(ch unsafe.Pointer) bool {
	_, ok := handlers.m[*(*chan<- os.Signal)(unsafe.Pointer(&ch))]
	return ok
}

package selftest

import (
	"runtime"
	"testing"
)

type object struct{ _ [64]byte }

func TestRuntimeRunFinalizers(t *testing.T) {
	done := make(chan bool)
	runtime.SetFinalizer(new(object), func(*object) { done <- true })
	runtime.GC()
	<-done
}

func TestRuntimeAddCleanup(t *testing.T) {
	done := make(chan bool)
	runtime.AddCleanup(new(object), func(int) { done <- true }, 1)
	runtime.GC()
	<-done
}

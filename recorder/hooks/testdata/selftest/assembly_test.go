//go:build amd64 || arm64

package selftest

import (
	"context"
	"iter"
	"os"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"selftest/asm"
)

// reader's methods are called by those of package sync, so that the site of an event is looked for
// in the stack.
var reader = new(sync.RWMutex).RLocker()

// spoiled are what assembly may leave in the frame pointer.
var spoiled = map[string]func() uintptr{
	"zero":      func() uintptr { return 0 },
	"small":     func() uintptr { return 9 },
	"negative":  func() uintptr { return ^uintptr(0) },
	"unaligned": func() uintptr { return asm.Here(1) + 3 },
	"below":     func() uintptr { return asm.Here(1) - 4096 },
	"above":     func() uintptr { return asm.Here(1) + 256 },
	"heap":      func() uintptr { return uintptr(unsafe.Pointer(&aWord)) },
	"text":      func() uintptr { return **(**uintptr)(unsafe.Pointer(&operationsFunc)) &^ 7 },
}

var (
	aWord          = uintptr(1)
	operationsFunc = operations
)

// TestAssembly does each form with each frame pointer. Each makes one event in its own function.
func TestAssembly(t *testing.T) {
	for name, fp := range spoiled {
		for _, form := range assemblyForms {
			t.Run(name, func(t *testing.T) { form(t, fp) })
		}
	}
}

var assemblyForms = []func(t *testing.T, fp func() uintptr){
	assemblyReturns, assemblyCalls, assemblyNested, assemblyDeferred, assemblyRecovered, assemblyPanics,
	assemblyFaults, assemblyGrows, assemblyInGoroutine, assemblyInCoroutine, assemblyInBubble, assemblyInTimer,
	assemblyInCleanup, assemblyUsesFile,
}

//go:noinline
func event() { reader.Lock(); reader.Unlock() }

func assemblyReturns(t *testing.T, fp func() uintptr) {
	asm.Spoil(fp())
	reader.Lock()
	reader.Unlock()
}

func assemblyCalls(t *testing.T, fp func() uintptr) { asm.Call(fp(), event) }

func assemblyNested(t *testing.T, fp func() uintptr) {
	asm.Call(fp(), func() {
		asm.Spoil(fp())
		asm.Call(fp(), func() { reader.Lock(); reader.Unlock() })
	})
}

func assemblyDeferred(t *testing.T, fp func() uintptr) {
	defer event()
	defer asm.Spoil(fp())
}

func assemblyRecovered(t *testing.T, fp func() uintptr) {
	func() {
		defer func() { recover() }()
		asm.Call(fp(), func() { panic("expected") })
	}()
	event()
}

func assemblyPanics(t *testing.T, fp func() uintptr) {
	defer func() { recover(); event() }()
	asm.Spoil(fp())
	panic("expected")
}

func assemblyFaults(t *testing.T, fp func() uintptr) {
	defer func() { recover(); event() }()
	asm.Fault(fp())
}

func assemblyGrows(t *testing.T, fp func() uintptr) {
	var grow func(n int)
	grow = func(n int) {
		var room [1024]byte
		switch {
		case n == 0:
			event()
		case n%5 == 0:
			asm.Spoil(0) // what lies in the stack would move with it
			grow(n - 1)
		default:
			asm.Call(9, func() { grow(n - 1) })
		}
		runtime.KeepAlive(&room)
	}
	grow(60)
}

func assemblyInGoroutine(t *testing.T, fp func() uintptr) {
	var wg sync.WaitGroup
	asm.Spoil(fp())
	wg.Go(func() { asm.Spoil(fp()); event() })
	wg.Wait()
}

func assemblyInCoroutine(t *testing.T, fp func() uintptr) {
	next, stop := iter.Pull(func(yield func(int) bool) {
		asm.Spoil(fp())
		yield(1)
		event()
	})
	asm.Spoil(fp())
	next()
	next()
	stop()
}

func assemblyInBubble(t *testing.T, fp func() uintptr) {
	synctest.Test(t, func(t *testing.T) {
		asm.Call(fp(), func() { time.Sleep(time.Second); event() })
	})
}

func assemblyInTimer(t *testing.T, fp func() uintptr) {
	ctx, cancel := context.WithCancel(context.Background())
	asm.Spoil(fp())
	time.AfterFunc(1, func() { asm.Spoil(fp()); event(); cancel() })
	<-ctx.Done()
}

func assemblyInCleanup(t *testing.T, fp func() uintptr) {
	done := make(chan bool)
	runtime.AddCleanup(new(object), func(int) { asm.Spoil(fp()); event(); close(done) }, 1)
	asm.Spoil(fp())
	runtime.GC()
	<-done
}

func assemblyUsesFile(t *testing.T, fp func() uintptr) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	asm.Spoil(fp())
	w.Write([]byte("x"))
	w.Close()
	asm.Call(fp(), func() { r.Read(make([]byte, 1)); r.Close(); event() })
}

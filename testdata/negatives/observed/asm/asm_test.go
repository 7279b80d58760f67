package asm

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

func see(t testing.TB, what string, values ...any) {
	fmt.Printf("see %s %s: %s\n", t.Name(), what, strings.TrimSpace(fmt.Sprintln(values...)))
}

func TestAssembly(t *testing.T) {
	x := 5
	see(t, "add", add(1, 2), usesBP(&x), calls(3), callsBP(4), big(7), table)
	see(t, "nosplit", tiny([20]int{1: 3}, 1), tiny2([40]int{30: 3}, 30), norace(), escapes(uintptr(unsafe.Pointer(&x))) != 0)
	see(t, "names", runtime.FuncForPC(reflect.ValueOf(add).Pointer()).Name(), runtime.FuncForPC(reflect.ValueOf(callsBP).Pointer()).Name())
	var n int64
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			xadd(&n, 1)
			callsBP(1)
		})
	}
	wg.Wait()
	see(t, "xadd", n)
	for _, f := range []func(int) int{calls, callsBP} {
		func() {
			defer func() { see(t, "panic", recover()) }()
			f(200)
		}()
	}
	see(t, "allocs", testing.AllocsPerRun(100, func() { n := int64(1); xadd(&n, int64(add(1, 2))) }))
	p, q := new(int), 3
	plain(&p, &q)
	see(t, "plain", *p)
}

// Package c calls C, and is called by it.
package c

/*
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stdint.h>

typedef int (*callback)(uintptr_t, int);
extern int goCallback(uintptr_t, int);
extern void goFromThread(uintptr_t);

static int twice(int n) { return 2 * n; }
static int fails(int n) { errno = EINVAL; return n; }
static int calls(uintptr_t h, int n) { int s = 0; for (int i = 0; i < n; i++) s += goCallback(h, i); return s; }
static void *run(void *h) { goFromThread((uintptr_t)h); return 0; }
static void thread(uintptr_t h) { pthread_t t; pthread_create(&t, 0, run, (void *)h); pthread_join(t, 0); }
static void fill(char *p, int n) { memset(p, 'x', n); }
static void nap(void) { usleep(2000); }
struct pair { int a; double b; };
static struct pair make(int a) { struct pair p = { a, a / 2.0 }; return p; }
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

//export goCallback
func goCallback(h C.uintptr_t, n C.int) C.int {
	return C.int(cgo.Handle(h).Value().(func(int) int)(int(n)))
}

//export goFromThread
func goFromThread(h C.uintptr_t) { cgo.Handle(h).Value().(func())() }

func Twice(n int) int { return int(C.twice(C.int(n))) }

func Fails(n int) (int, error) { v, err := C.fails(C.int(n)); return int(v), err }

func Calls(n int, f func(int) int) int {
	h := cgo.NewHandle(f)
	defer h.Delete()
	return int(C.calls(C.uintptr_t(h), C.int(n)))
}

func Thread(f func()) {
	h := cgo.NewHandle(f)
	defer h.Delete()
	C.thread(C.uintptr_t(h))
}

func Fill(b []byte) { C.fill((*C.char)(unsafe.Pointer(&b[0])), C.int(len(b))) }

func String(s string) string {
	p := C.CString(s)
	defer C.free(unsafe.Pointer(p))
	return C.GoString(p) + string(C.GoBytes(unsafe.Pointer(p), 2))
}

func Nap() { C.nap() }

func Pair(a int) (int, float64) { p := C.make(C.int(a)); return int(p.a), float64(p.b) }

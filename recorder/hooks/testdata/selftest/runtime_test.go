package selftest

import (
	"iter"
	"reflect"
	"runtime"
	"testing"
)

func TestRuntimeNewproc(t *testing.T) {
	done := make(chan bool)
	go close(done)
	<-done
}

func TestRuntimeGoexit1(t *testing.T) { TestRuntimeNewproc(t) }

func TestRuntimeGopanic(t *testing.T) {
	defer func() { recover() }()
	panic("expected")
}

func TestRuntimeMakechan(t *testing.T) { _ = make(chan int, len(t.Name())) }

func TestRuntimeChansend1(t *testing.T) { make(chan int, 1) <- 1 }

func TestRuntimeChanrecv1(t *testing.T) { <-full() }

func TestRuntimeChanrecv2(t *testing.T) { _, _ = <-full() }

func TestRuntimeSelectnbsend(t *testing.T) {
	select {
	case make(chan int, 1) <- 1:
	default:
	}
}

func TestRuntimeSelectnbrecv(t *testing.T) {
	select {
	case <-full():
	default:
	}
}

func TestRuntimeBlock(t *testing.T) {
	go func() { select {} }()
	runtime.Gosched()
}

func TestRuntimeReflectChansend(t *testing.T) {
	reflect.ValueOf(make(chan int, 1)).Send(reflect.ValueOf(1))
}

func TestRuntimeReflectChanrecv(t *testing.T) { reflect.ValueOf(full()).Recv() }

func TestRuntimeClosechan(t *testing.T) { close(full()) }

func TestRuntimeSelectgo(t *testing.T) {
	var none chan int
	select {
	case <-none:
	case <-full():
	}
	select {
	case make(chan int, 1) <- 1:
	case none <- 1:
	}
}

func pull() {
	next, stop := iter.Pull(func(yield func(int) bool) { yield(1) })
	next()
	stop()
}

func TestRuntimeNewcoro(t *testing.T)    { pull() }
func TestRuntimeCorostart(t *testing.T)  { pull() }
func TestRuntimeCoroexit(t *testing.T)   { pull() }
func TestRuntimeCoroswitch(t *testing.T) { pull() }

func full() chan int {
	c := make(chan int, 1)
	c <- 1
	return c
}

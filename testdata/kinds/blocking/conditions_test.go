package blocking

import (
	"sync"
	"testing"
)

// A door is opened once.
type door struct {
	mu     sync.Mutex
	opened *sync.Cond
	open   bool
}

func newDoor() *door {
	d := new(door)
	d.opened = sync.NewCond(&d.mu)
	return d
}

// pass waits until the door is opened, for all or for one.
func (d *door) pass() {
	d.mu.Lock()
	for !d.open {
		d.opened.Wait()
	}
	d.mu.Unlock()
}

func (d *door) openFor(wake func()) {
	d.mu.Lock()
	d.open = true
	d.mu.Unlock()
	wake()
}

// Who is woken before it waits is not woken.
//
//want:deadlock deadlock
func TestBugSignalLost(t *testing.T) {
	d := newDoor()
	both(func() {
		d.mu.Lock()
		d.opened.Wait()
		d.mu.Unlock()
	}, func() { d.openFor(d.opened.Signal) })
}

func TestFixedSignalLost(t *testing.T) {
	d := newDoor()
	both(d.pass, func() { d.openFor(d.opened.Signal) })
}

// Likewise, in the recorded run.
//
//want:leak leak
func TestBugSignalWasLost(t *testing.T) {
	d := newDoor()
	d.openFor(d.opened.Signal)
	go func() {
		d.mu.Lock()
		d.opened.Wait()
		d.mu.Unlock()
	}()
}

func TestFixedSignalWasLost(t *testing.T) {
	d := newDoor()
	d.openFor(d.opened.Signal)
	go d.pass()
}

// A signal is for one of the two who wait.
//
//want:leak leak
func TestBugSignalOfTwo(t *testing.T) {
	d := newDoor()
	go d.pass()
	go d.pass()
	rest()
	d.openFor(d.opened.Signal)
}

func TestFixedSignalOfTwo(t *testing.T) {
	d := newDoor()
	go d.pass()
	go d.pass()
	rest()
	d.openFor(d.opened.Broadcast)
}

// A broadcast comes before all of them wait.
//
//want:deadlock deadlock
func TestBugBroadcastEarly(t *testing.T) {
	d := newDoor()
	next := func() {
		d.mu.Lock()
		d.opened.Wait()
		d.mu.Unlock()
	}
	all(next, next, func() { d.openFor(d.opened.Broadcast) })
}

func TestFixedBroadcastEarly(t *testing.T) {
	d := newDoor()
	all(d.pass, d.pass, func() { d.openFor(d.opened.Broadcast) })
}

// Whoever waits has a lock besides, without which nobody wakes it.
//
//want:deadlock deadlock
func TestBugWaitsWithLock(t *testing.T) {
	var mu sync.Mutex
	n, d := 0, newDoor()
	both(func() {
		under(&n, &mu)()
		rest()
		rest()
		d.openFor(d.opened.Signal)
	}, func() {
		mu.Lock()
		d.pass()
		mu.Unlock()
	})
}

func TestFixedWaitsWithLock(t *testing.T) {
	var mu sync.Mutex
	n, d := 0, newDoor()
	both(func() {
		under(&n, &mu)()
		rest()
		rest()
		d.openFor(d.opened.Signal)
	}, func() {
		d.pass()
		under(&n, &mu)()
	})
}

// Who is to wake it has the lock of the condition, and waits for the other one.
//
//want:deadlock deadlock
func TestBugWakesWithLock(t *testing.T) {
	var mu sync.Mutex
	n, d := 0, newDoor()
	both(func() {
		d.mu.Lock()
		under(&n, &mu)()
		d.open = true
		d.opened.Signal()
		d.mu.Unlock()
	}, func() {
		mu.Lock()
		d.pass()
		mu.Unlock()
	})
}

package runtime

import "internal/runtime/atomic"

// The trace is written by a thread without a P, as sysmon is one, so that the
// only P goes on meanwhile. Items of work have numbers from 1.
var predictWriter struct {
	write  func(n uint32)
	thread muintptr

	given, done atomic.Uint32 // numbers of the last items
	cpu         atomic.Int64  // processor time of the thread, in nanoseconds

	lock    mutex
	asleep  bool // the thread is
	waiting bool // the program is
	work    note // ends the thread's sleep
	some    note // ends the program's
}

// PredictStartWriter starts the thread, which calls write for each item that
// is handed to it. write runs without a P: it may not allocate, nor store
// pointers.
func PredictStartWriter(write func(n uint32)) {
	predictWriter.write = write
	systemstack(func() {
		acquirem()
		mp := allocm(nil, predictWriterMain, -1)
		predictWriter.thread.set(mp)
		newm1(mp)
		lock(&sched.lock)
		sched.nmsys++ // the thread does not count as running when deadlocks are looked for
		unlock(&sched.lock)
		releasem(getg().m)
	})
}

// The writer takes no lock but its own: the thread that a signal has interrupted may
// hold any other.
//
//go:nowritebarrierrec
func predictWriterMain() {
	sigblock(true) // what ends the program waits for the writer: see PredictAwaitAllWritten
	w := &predictWriter
	for n := uint32(1); ; n++ {
		for w.given.Load() == n-1 {
			lock(&w.lock)
			w.asleep = w.given.Load() == n-1
			if !w.asleep {
				unlock(&w.lock)
				break
			}
			noteclear(&w.work)
			unlock(&w.lock)
			notesleep(&w.work)
		}
		w.write(n)
		w.cpu.Store(predictWriterCPU())
		w.done.Store(n)
		lock(&w.lock)
		if w.waiting {
			w.waiting = false
			notewakeup(&w.some)
		}
		unlock(&w.lock)
	}
}

// predictLockWriter takes the writer's lock, and predictUnlockWriter gives it back.
// In between, no signal that ends the program interrupts the thread: its handler
// waits for the writer, which may need the lock.
func predictLockWriter() (mask sigset) {
	sigsave(&mask)
	sigblock(false)
	lock(&predictWriter.lock)
	return mask
}

func predictUnlockWriter(mask sigset) {
	unlock(&predictWriter.lock)
	msigrestore(mask)
}

// PredictHandOver hands item n to the writer, if it does not have it.
func PredictHandOver(n uint32) {
	w := &predictWriter
	if w.given.Load() == n {
		return
	}
	systemstack(func() {
		mask := predictLockWriter()
		w.given.Store(n)
		if w.asleep {
			w.asleep = false
			notewakeup(&w.work)
		}
		predictUnlockWriter(mask)
	})
}

// PredictAwaitWritten blocks the thread, and with it the program, until item n has
// been written.
func PredictAwaitWritten(n uint32) {
	w := &predictWriter
	if int32(w.done.Load()-n) >= 0 {
		return
	}
	systemstack(func() {
		for {
			mask := predictLockWriter()
			if int32(w.done.Load()-n) >= 0 {
				predictUnlockWriter(mask)
				return
			}
			w.waiting = true
			noteclear(&w.some)
			predictUnlockWriter(mask)
			notesleep(&w.some)
		}
	})
}

// PredictAwaitAllWritten is PredictAwaitWritten for the end of the process, where the
// caller may be anything, a signal handler too, and for all items. It reports
// whether they were written: a disk may hang.
func PredictAwaitAllWritten() bool {
	const patience = 5e9 // nanoseconds for one item
	w := &predictWriter
	if getg().m == w.thread.ptr() {
		// A signal has come to the writer itself, which had not begun.
		for n := w.done.Load(); n != w.given.Load(); w.done.Store(n) {
			n++
			w.write(n)
		}
		return true
	}
	seen, since := w.done.Load(), nanotime()
	for ; w.done.Load() != w.given.Load(); PredictPause() {
		if done := w.done.Load(); done != seen {
			seen, since = done, nanotime()
		} else if nanotime()-since > patience {
			return false
		}
	}
	return true
}

// PredictPause lets other threads go on.
func PredictPause() { usleep(20) }

package runtime

import "internal/runtime/atomic"

// The trace is written by a thread without a P, like sysmon, so that the only P goes on meanwhile.
// Items of work have numbers from 1.
var predictWriter struct {
	write  func(n uint32)
	thread muintptr

	handedOver, written atomic.Uint32 // numbers of the last items handed over and written
	cpu                 atomic.Int64  // processor time of the thread, in nanoseconds

	lock        mutex
	isAsleep    bool // the thread sleeps
	isAwaited   bool // the program waits
	threadNote  note // ends the thread's sleep
	programNote note // ends the program's
}

// PredictStartWriter starts the thread, which calls write for each item that is handed over. write
// runs without a P: it may not allocate or store pointers.
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

// predictWriterMain takes no lock but its own: a thread that a signal has interrupted may hold any
// other.
//
//go:nowritebarrierrec
func predictWriterMain() {
	sigblock(true) // what ends the program waits for the writer: see PredictAwaitAllWritten
	w := &predictWriter
	for n := uint32(1); ; n++ {
		for w.handedOver.Load() == n-1 {
			lock(&w.lock)
			w.isAsleep = w.handedOver.Load() == n-1
			if !w.isAsleep {
				unlock(&w.lock)
				break
			}
			noteclear(&w.threadNote)
			unlock(&w.lock)
			notesleep(&w.threadNote)
		}
		w.write(n)
		w.cpu.Store(predictWriterCPU())
		w.written.Store(n)
		lock(&w.lock)
		if w.isAwaited {
			w.isAwaited = false
			notewakeup(&w.programNote)
		}
		unlock(&w.lock)
	}
}

// predictLockWriter takes the writer's lock, and predictUnlockWriter releases it. In between, no
// signal that ends the program interrupts the thread: the signal's handler waits for the writer,
// which may need the lock.
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

// PredictHandOver hands item n to the writer, unless it has it.
func PredictHandOver(n uint32) {
	w := &predictWriter
	if w.handedOver.Load() == n {
		return
	}
	systemstack(func() {
		mask := predictLockWriter()
		w.handedOver.Store(n)
		if w.isAsleep {
			w.isAsleep = false
			notewakeup(&w.threadNote)
		}
		predictUnlockWriter(mask)
	})
}

// PredictAwaitWritten blocks the thread, and with it the program, until item n is written.
func PredictAwaitWritten(n uint32) {
	w := &predictWriter
	if int32(w.written.Load()-n) >= 0 {
		return
	}
	systemstack(func() {
		for {
			mask := predictLockWriter()
			if int32(w.written.Load()-n) >= 0 {
				predictUnlockWriter(mask)
				return
			}
			w.isAwaited = true
			noteclear(&w.programNote)
			predictUnlockWriter(mask)
			notesleep(&w.programNote)
		}
	})
}

// PredictAwaitAllWritten waits for all items at the end of the process. The caller may be
// anything, also a signal handler. It reports whether they were written: a disk may hang.
func PredictAwaitAllWritten() bool {
	const patience = 5e9 // nanoseconds for one item
	w := &predictWriter
	if getg().m == w.thread.ptr() {
		// A signal has come to the writer itself, which had not begun.
		for n := w.written.Load(); n != w.handedOver.Load(); w.written.Store(n) {
			n++
			w.write(n)
		}
		return true
	}
	seen, since := w.written.Load(), nanotime()
	for ; w.written.Load() != w.handedOver.Load(); PredictPause() {
		if done := w.written.Load(); done != seen {
			seen, since = done, nanotime()
		} else if nanotime()-since > patience {
			return false
		}
	}
	return true
}

// PredictPause lets other threads go on.
func PredictPause() { usleep(20) }

package syscall

import "runtime"

// predictBeginWait is called before a system call. The result is on if the call waits for something:
// time, another process, a lock or a file.
//
//go:nosplit
func predictBeginWait(trap uintptr) (w runtime.PredictWait) {
	switch trap {
	case SYS_NANOSLEEP, SYS_CLOCK_NANOSLEEP, SYS_PSELECT6, SYS_PPOLL, SYS_EPOLL_PWAIT, SYS_WAIT4, SYS_WAITID, SYS_FLOCK, SYS_FUTEX, SYS_RT_SIGTIMEDWAIT:
		w = runtime.PredictBeginWait()
	default:
		if trap == predictSelect || trap == predictPoll {
			w = runtime.PredictBeginWait()
		}
	}
	return w
}

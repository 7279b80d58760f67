package runtime

// predictChildren are the processes that goroutines wait for, by their numbers.
var predictChildren []int

// PredictWaits notes that the running goroutine waits for a child process: a system
// call that takes long, and others must run meanwhile.
func PredictWaits(pid int) {
	if !predictOneP {
		return
	}
	mp := acquirem()
	predictChildren = append(predictChildren, pid)
	releasem(mp)
}

// PredictWaited ends what PredictWaits began.
func PredictWaited(pid int) {
	if !predictOneP {
		return
	}
	mp := acquirem()
	defer releasem(mp)
	for i, p := range predictChildren {
		if p == pid {
			predictChildren = append(predictChildren[:i:i], predictChildren[i+1:]...)
			return
		}
	}
}

// predictBusy reports whether one of these processes may be doing something: all but
// what is known to sleep, with one thread and without children of its own, until
// somebody wakes it.
func predictBusy() bool {
	for _, pid := range predictChildren {
		if !predictAsleep(pid) {
			return true
		}
	}
	return false
}

// PredictChildless reports whether no goroutine waits for another process.
func PredictChildless() bool { return len(predictChildren) == 0 }

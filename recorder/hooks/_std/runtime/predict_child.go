package runtime

// predictChildren are the ids of processes that goroutines wait for.
var predictChildren []int

// PredictWaitsForChild notes that the running goroutine waits for a child process. That system
// call takes long, and others must run meanwhile.
func PredictWaitsForChild(pid int) {
	if !predictActive {
		return
	}
	mp := acquirem()
	predictChildren = append(predictChildren, pid)
	releasem(mp)
}

// PredictWaitedForChild ends what PredictWaitsForChild has begun.
func PredictWaitedForChild(pid int) {
	if !predictActive {
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

// predictHasBusyChild reports whether one of these processes may be running.
func predictHasBusyChild() bool {
	for _, pid := range predictChildren {
		if !predictIsAsleep(pid) {
			return true
		}
	}
	return false
}

// predictProcesses counts the processes that the program has started and not waited for: they may
// connect to it.
var predictProcesses int

// PredictStartsProcess is called before the program starts a process, and PredictProcessStarted
// when it has, or has failed to.
func PredictStartsProcess() {
	predictUsesProcesses = true
	predictProcesses++
}

func PredictProcessStarted(ok bool) {
	if !ok {
		predictProcesses--
	}
}

// PredictProcessEnded is called when the program has waited for a process.
func PredictProcessEnded(ok bool) {
	if ok {
		predictProcesses--
	}
}

// PredictChildless reports whether no process runs that the program has started.
func PredictChildless() bool { return predictProcesses == 0 }

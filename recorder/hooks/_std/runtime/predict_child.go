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

// PredictChildless reports whether no goroutine waits for another process.
func PredictChildless() bool { return len(predictChildren) == 0 }

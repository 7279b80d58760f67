//go:build !linux

package runtime

// predictIsAsleep reports whether a process sleeps, which is not known here.
func predictIsAsleep(pid int) bool { return false }

// predictIsBusy reports whether a thread runs or waits for a processor, which is not known here.
func predictIsBusy(mp *m) bool { return false }

// predictHasForeignThread reports whether C has threads of its own, which is not known here.
func predictHasForeignThread() bool { return true }

//go:build !linux

package runtime

// predictIsAsleep reports whether a process sleeps, which is not known here.
func predictIsAsleep(pid int) bool { return false }

//go:build !linux && !windows

package runtime

// predictCPU is the processor time that the process has used, in nanoseconds;
// real time where it is not known.
func predictCPU() int64 { return nanotime() }

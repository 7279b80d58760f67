//go:build !linux && !windows

package runtime

// predictCPU is the processor time that the process has used, in nanoseconds;
// real time where it is not known.
func predictCPU() int64 { return nanotime() }

// predictWriterCPU is the processor time of the thread that writes the trace, of which
// nothing is known here.
func predictWriterCPU() int64 { return 0 }

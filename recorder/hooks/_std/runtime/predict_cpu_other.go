//go:build !linux && !windows

package runtime

// predictCPU returns the processor time that the process has used, in nanoseconds; real time if it
// is not known.
func predictCPU() int64 { return nanotime() }

// predictWriterCPU returns the processor time of the writer's thread, which is not known here.
func predictWriterCPU() int64 { return 0 }

package predictrt

import (
	"internal/runtime/atomic"
	"runtime"
	"unsafe"
)

// This file writes the trace: a header, chunks of definitions and events, each with a checksum,
// and a last chunk if the program has ended in an orderly way. What a killed process has written
// can be read. The format is that of recorder/trace.

var (
	traceFD = -1
	// limitLine says that the limit is reached. It is made early, as nothing can be allocated
	// then.
	limitLine      string
	isRecording    bool
	hasWriteFailed bool   // set by the writer
	unwrittenName  string // name of the file that says that the trace was not written to its end
)

// startTrace opens the trace at path.
func startTrace(path string) bool {
	unwrittenName = path + ".unwritten\x00"
	traceFD = runtime.PredictFile(path + "\x00")
	if traceFD < 0 {
		return false
	}
	magic := "GPTRACE1"
	rawWrite(unsafe.Pointer(unsafe.StringData(magic)), len(magic))
	meta := "go " + runtime.Version() + "\ndir " + runtime.PredictGetenv("PWD") + "\nbinary " + base(runtime.PredictArg0()) + "\n"
	chunk('M', unsafe.Pointer(unsafe.StringData(meta)), len(meta))
	limitLine = "limit " + itoa(logLimit) + "\n"
	runtime.PredictStartWriter(func(n uint32) { slots[(n-1)%numSlots].write() })
	isRecording = true
	return true
}

// base returns the last element of a path.
func base(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' || path[i] == '\\' {
			return path[i+1:]
		}
	}
	return path
}

// The functions below run on the writer's thread, too, where nothing may be allocated and no
// pointer stored.

// rawWrite writes n bytes at p, unless a write has failed before, as on a full disk.
func rawWrite(p unsafe.Pointer, n int) {
	if !hasWriteFailed && !runtime.PredictWrite(traceFD, p, n) {
		hasWriteFailed = true
	}
}

// write writes the slot, definitions first.
func (s *slot) write() {
	for i := range s.definitions {
		if d := &s.definitions[i]; d.committed > 0 {
			chunk(definitionKinds[i], unsafe.Pointer(&d.data), d.committed)
		}
	}
	if s.eventBytes > 0 {
		s.pack()
	}
}

// chunk writes n bytes at p as one chunk.
func chunk(kind byte, p unsafe.Pointer, n int) {
	head := chunkHead(kind, p, n)
	rawWrite(unsafe.Pointer(&head), int(unsafe.Sizeof(head)))
	rawWrite(p, n)
}

// chunkHead returns the header of a chunk of n bytes at p.
func chunkHead(kind byte, p unsafe.Pointer, n int) [2]uint64 {
	return [2]uint64{uint64(kind) | uint64(n)<<32, checksum(p, n)}
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// checksum deals the little-endian words, the last one padded with zeros, to four FNV-1a hashes,
// and hashes these.
//
//go:nocheckptr
func checksum(p unsafe.Pointer, n int) uint64 {
	a, b, c, d := uint64(fnvOffset), uint64(fnvOffset), uint64(fnvOffset), uint64(fnvOffset)
	for ; n >= 32; n -= 32 {
		w := (*[4]uint64)(p)
		a, b, c, d = (a^w[0])*fnvPrime, (b^w[1])*fnvPrime, (c^w[2])*fnvPrime, (d^w[3])*fnvPrime
		p = unsafe.Add(p, 32)
	}
	lanes := [4]uint64{a, b, c, d}
	for i := 0; n > 0; i++ {
		lanes[i] = (lanes[i] ^ readValue(p, uintptr(min(n, 8)))) * fnvPrime
		p = unsafe.Add(p, 8)
		n -= 8
	}
	h := uint64(fnvOffset)
	for _, l := range lanes {
		h = (h ^ l) * fnvPrime
	}
	return h
}

// stopRecording ends a trace that has reached its limit. Later events go into a slot that nobody
// writes.
func stopRecording() {
	runtime.PredictAwaitWritten(filledSlots)
	chunk('M', unsafe.Pointer(unsafe.StringData(limitLine)), len(limitLine))
	isRecording = false
}

// finish is called at the end of the process, maybe by the handler of a signal that has
// interrupted the program anywhere, or on another thread. The slot has whole events then, unless
// flush is replacing it.
func finish(orderly bool) {
	if isRecording && atomic.Xchg(&isEnding, 1) == 0 {
		awaitFlush()
		if !orderly {
			// The program may run on another thread. It stops at its next event, as the
			// trace will not have what it does from now on.
			hookLimit = 0
			runtime.PredictPause()
		}
		runtime.PredictHandOver(filledSlots) // if flush was interrupted before that
		if runtime.PredictAwaitAllWritten() {
			if emptiedSlots == filledSlots {
				measureSlot().write()
			}
			if isRecording = false; orderly && !hasWriteFailed {
				chunk('X', nil, 0)
			}
			if orderly && hasWriteFailed {
				runtime.PredictFile(unwrittenName)
			}
		}
	}
	finishVerdict(orderly)
}

// awaitFlush waits until the program is not in flush, but not for long: it may have been
// interrupted there. If flush goes on, on another thread, it stops before more is logged.
func awaitFlush() {
	const pauses = 5000 // some tenth of a second
	for range pauses {
		if atomic.Load(&isFlushing) == 0 {
			return
		}
		runtime.PredictPause()
	}
}

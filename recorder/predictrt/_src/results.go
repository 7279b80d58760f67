package predictrt

import (
	"runtime"
	"unsafe"
)

// This file writes what package testing says of tests into the trace, for readers who show it with
// the bugs. These are no events.

// TestOutput is called with a line, and its end, that a test logs.
func TestOutput(test string, line []byte) {
	if Mode != modeRecord || len(line) == 0 || line[len(line)-1] != '\n' {
		return
	}
	g := current()
	if g == nil || g.account.outputBytes > maxTestOutput {
		return
	}
	text := clip(unsafe.String(unsafe.SliceData(line), len(line)-1))
	if g.account.outputBytes += uint32(len(line)); g.account.outputBytes > maxTestOutput {
		text = "..."
	}
	writeTestLine("output", test, text)
}

// TestResult is called with the outcome of a test or example, "pass", "fail" or "skip", and its
// duration in nanoseconds.
func TestResult(test, outcome string, ns int64) {
	if Mode != modeRecord || current() == nil {
		return
	}
	runtime.PredictPin()
	writeTestLine(outcome, test, itoa(uint64(max(0, ns))))
	runtime.PredictUnpin()
}

// writeTestLine adds a line about a test to the trace. A program may give a test any name; the
// names of package testing have no spaces.
func writeTestLine(action, test, rest string) {
	if !isRecording || test == "" || contains(test, " ") || contains(test, "\n") {
		return
	}
	runtime.PredictPin()
	writeMeta("tested", action, clip(test), rest)
	runtime.PredictUnpin()
}

package predictrt

import (
	"runtime"
	"unsafe"
)

// What package testing says of a test is no event, but who reads the trace wants to tell it
// with the bugs.

// Logged is called with a line, and its end, that a test logs.
func TestOutput(test string, line []byte) {
	if Mode != modeRecord || len(line) == 0 || line[len(line)-1] != '\n' {
		return
	}
	g := current()
	if g == nil || g.account.outputBytes > maxTestLog {
		return
	}
	text := clip(unsafe.String(unsafe.SliceData(line), len(line)-1))
	if g.account.outputBytes += uint32(len(line)); g.account.outputBytes > maxTestLog {
		text = "..."
	}
	writeTestLine("output", test, text)
}

// Result is called with what a test, or an example, has come to, "pass", "fail" or "skip",
// and how long that has taken, in nanoseconds.
func TestResult(test, outcome string, ns int64) {
	if Mode != modeRecord || current() == nil {
		return
	}
	writeTestLine(outcome, test, itoa(uint64(max(0, ns))))
}

// tested adds a line to what the trace says of a test. One whose name a program has made
// itself may have any; those of package testing have no spaces.
func writeTestLine(action, test, rest string) {
	if !isRecording || test == "" || contains(test, " ") || contains(test, "\n") {
		return
	}
	runtime.PredictPin()
	writeMeta("tested", action, clip(test), rest)
	runtime.PredictUnpin()
}

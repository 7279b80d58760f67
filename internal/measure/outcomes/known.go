package main

// What is known of the suites, and was found by hand.

// reasons say why a result differs that is not a bug of gopredict, by the
// package and name of the test.
var reasons = map[string]string{
	"fmt TestCountMallocs": "the hook of its branch makes Errorf too large to be inlined, and its error is allocated; -race skips this test",
}

// verdicts say what came of looking at the confirmed findings of a test.
var verdicts = map[string]string{
	"TestChainDelayIfStillRunning":  byTime,
	"TestChainSkipIfStillRunning":   byTime,
	"TestJobWithZeroTimeDoesNotRun": byTime,

	"TestMockClock_NewTicker": "real: what counts the ticks runs in a goroutine of its own, for which the clock that is moved only yields",
	"TestHandshakeTimeout":    "real: the server's handler logs to the test, and closing the server does not wait for a connection that was taken over",
}

const byTime = "real, by time alone: the goroutine that a sleep or a tick is to wait for has not come so far when that is over"

package main

// What is known of the suites, and was found by hand.

// reasons say why a result differs that is not a bug of gopredict, by the
// package and name of the test.
var reasons = map[string]string{
	"fmt TestCountMallocs": "the hook of its branch makes Errorf too large to be inlined, and its error is allocated; -race skips this test",

	"github.com/alitto/pond/v2 TestTaskGroupWaitShouldNotDeadlockWhenPoolContextCanceledWithQueuedTasks": "it fails plainly in one of 3,000 runs: what is confirmed of it",
}

// verdicts say what came of looking at the confirmed findings of a test, by its name, or by
// its name and the findings' kind.
var verdicts = map[string]string{
	"TestChainDelayIfStillRunning":  byTime,
	"TestChainSkipIfStillRunning":   byTime,
	"TestJobWithZeroTimeDoesNotRun": byTime,
	"TestAddWhileRunningWithDelay":  byTime,
	"TestZeroReader":                "real, by time alone: if the goroutine takes more than the test's second, nobody receives what it sends",
	"TestLRUWithPurge":              "real, by time alone: after a sleep of 100 ms an entry is to be there that lives for 150 ms",

	"TestMockClock_NewTicker":            "real: what counts the ticks runs in a goroutine of its own, for which the clock that is moved only yields",
	"TestHandshakeTimeout":               "real: the server's handler logs to the test, and closing the server does not wait for a connection that was taken over",
	"TestHandshakeTimeoutInContext":      "real, as of TestHandshakeTimeout",
	"TestMemberlist_Join_Cancel_Passive": "real: Shutdown does not wait for what handles a connection, whose delegate logs to the test",
	"TestMemberlist_PingDelegate":        "real: Shutdown does not wait for the goroutine that probes, whose logger is the test",
	"TestFuncPanicRecovery":              byTime,
	"TestJobPanicRecovery":               byTime,

	"TestTaskGroupWaitShouldNotDeadlockWhenPoolContextCanceledWithQueuedTasks": "real: Wait returns before the worker has counted the task that was canceled",
	"TestOpenStreamTimeout": "real: the test reads the logger's buffer and the stream's state without their locks",

	"TestClientConnReserveAndConsume":        "real: shouldRunStateHook asks the connection twice, each time under its lock; no harm is seen",
	"TestTransportNoReuseAfterEarlyResponse": "real: the handler adds to the group after its response, by which the test may have come to Wait",
	"TestStopCausesJobsToNotRun":             "real, and meant: a goroutine waits for a job that must not run",

	"TestDoDupSuppress":                        "real, by time alone: a goroutine that comes to Do after the test's 100 ms receives once more what is sent once",
	"TestStatementQueryRowConcurrent":          counted,
	"TestStmtCloseDeps":                        counted,
	"TestReverseProxy_PanicClosesIncomingBody": "real, and what the test is about: the handler panics, and the transport that it has called still reads the request's body; no harm is seen",
	"TestPoolAcquireCallsConstructorWithAcquireContextValuesButNotDeadline": "real, by time alone: if the context's 100 ms pass before Acquire looks at it",

	"TestZero":                                afterGuard,
	"TestOne":                                 afterGuard,
	"TestMany":                                afterGuard,
	"TestCacheTimes":                          byTime,
	"TestClose_closeTimeout":                  byTime,
	"TestARCGetIFPresent":                     byTime,
	"TestTaskGroupMetrics":                    byTime,
	"TestHardDeadlock failure":                byTime,
	"TestHardDeadlock race":                   "real: the detector's goroutine reads the options that the test puts back",
	"TestStarvedRLockMultipleReaders race":    "real: the detector's goroutine reads the options that the test puts back",
	"TestRWMutex race":                        "real: the detector's goroutine reads the options that the test puts back",
	"TestStarvedRLockMultipleReaders":         byTime,
	"TestRWMutex":                             byTime,
	"TestRWMutexTryLock":                      byTime,
	"TestNoDeadlocks":                         "orders that happen: what the detector keeps it changes under its lock, in several calls; no harm is seen",
	"TestBuildTagRWMutexWorks":                "orders that happen: what the detector keeps it changes under its lock, in several calls; no harm is seen",
	"TestPoolWithQueueSizeZero":               "real: Wait returns before the worker has counted the task",
	"TestContextPool":                         "real: a subtest starts a worker and does not Wait for the pool; it ranges over the tasks",
	"TestMemberList_ProbeNode_Suspect":        "real: the test reads the sequence number that a probe adds to with package atomic",
	"TestMemberlist_Join_Cancel":              "real: the delegate of the node that is joined is called by a goroutine that the test does not wait for",
	"TestMemberlist_Join_Cancel_Passive race": "real, as of TestMemberlist_Join_Cancel",
	"TestSendData_Small":                      "an order that happens: the stream's state is looked at twice, each time under its lock; no harm is seen",
	"TestSession_PartialReadWindowUpdate":     "real: the test reads the window that the stream changes with package atomic",

	"TestOpenDB":              "real: the test does not close the database, whose opener waits for requests",
	"TestSendDeadlock":        "real, and meant: the codec's reader is select {}",
	"TestTicker":              "real: the test leaves the loop without Stop, and the ticker sends the next tick",
	"TestNodeStart":           "real: the first of the two nodes that the test starts is dropped, and nobody stops it",
	"TestRemoveBeforeRunning": "real, and meant: a goroutine waits for a job that was removed",
	"TestResultGroup":         "real: a subtest submits a task, and does not Wait for the pool; its worker ranges over the tasks",
	"TestBatchingChannel":     notClosed,
	"TestBlackHole":           notClosed,
	"TestDeadChannel":         "real: sends to a channel that nobody receives from, and receives from one that nobody sends to, “just for the race detector's benefit”",
	"TestInfiniteChannel":     notClosed,
	"TestOverflowingChannel":  notClosed,
	"TestResizableChannel":    notClosed,
	"TestRingChannel":         notClosed,
	"TestMessageTransformSubscriberDecorator_Subscribe":         "real: the test does not close the publisher",
	"TestRouter_nack_on_handler_failure":                        "real: the test does not close the router",
	"TestRouter_wait_for_handlers_before_shutdown":              "real, and meant: the handler is select {}",
	"TestRouter_wait_for_handlers_before_shutdown_timeout leak": "real, and meant: the handler is select {}, and what waits for it has given up waiting, but not its goroutine",
}

const (
	counted    = "orders that happen: what a statement or a connection is needed for is counted under the lock, call by call; no harm is seen"
	byTime     = "real, by time alone: the goroutine that a sleep or a tick is to wait for has not come so far when that is over"
	afterGuard = "real, by time alone: if the group's goroutine takes more than 100 ms, the test does not receive what it sends"
	notClosed  = "real: the test does not close the channel, whose goroutine waits for what comes"
)

// verdict is what came of looking at f.
func (f finding) verdict() string {
	if v := verdicts[f.Test+" "+f.Kind]; v != "" {
		return v
	}
	return verdicts[f.Test]
}

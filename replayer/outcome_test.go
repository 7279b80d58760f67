package replayer

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

const timedOut = `panic: test timed out after 1s
	running tests:
		TestX (1s)

goroutine 35 [running]:
testing.(*M).startAlarm.func1()

goroutine 1 [chan receive]:
testing.(*T).Run(0xc000003c00, {0x5435a5?, 0x0?}, 0x54c0c8)

goroutine 19 gp=0xc000007c00 m=nil [sync.Mutex.Lock, 2 minutes]:
internal/sync.runtime_SemacquireMutex(0x0?, 0x0?, 0x0?)
`

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name, output string
		exit         int
		want         Outcome
	}{
		{"pass", "panic: this is only printed\n--- FAIL: so is this\nPASS\n", 0, Outcome{Effect: bug.NoEffect}},
		{"fail", "--- FAIL: TestX (0.00s)\n    x_test.go:9: got 1,\n        want 2\n    --- FAIL: TestX/sub (0.00s)\n        x_test.go:12: no\nother output\nFAIL\n", 1,
			Outcome{Effect: bug.TestFailure, Failed: []string{"TestX", "TestX/sub"},
				Detail: []string{"--- FAIL: TestX", "    x_test.go:9: got 1,", "        want 2", "    --- FAIL: TestX/sub", "        x_test.go:12: no"}}},
		{"fail -v", "=== RUN   TestA\n    a_test.go:1: fine\n--- PASS: TestA (0.00s)\n=== RUN   TestX\n    x_test.go:9: bad\n--- FAIL: TestX (0.10s)\nFAIL\n", 1,
			Outcome{Effect: bug.TestFailure, Failed: []string{"TestX"}, Detail: []string{"--- FAIL: TestX", "    x_test.go:9: bad"}}},
		{"what the program itself prints", "    talk\n--- FAIL: TestX (0.00s)\nmore\n    x_test.go:9: bad\nFAIL\n", 1,
			Outcome{Effect: bug.TestFailure, Failed: []string{"TestX"}, Detail: []string{"--- FAIL: TestX", "    x_test.go:9: bad"}}},
		{"a test that failed before, too", "--- FAIL: TestOld (0.00s)\n    x_test.go:3: old\n--- FAIL: TestX (0.00s)\n    x_test.go:9: bad\nFAIL\n", 1,
			Outcome{Effect: bug.TestFailure, Failed: []string{"TestOld", "TestX"}, Detail: []string{"--- FAIL: TestX", "    x_test.go:9: bad"}}},
		{"exit code", "", 3, Outcome{Effect: bug.TestFailure, Detail: []string{"the test binary ended with exit status 3"}}},
		{"panic", "--- FAIL: TestX (0.00s)\npanic: boom [recovered, repanicked]\n\ngoroutine 7 [running]:\ntesting.tRunner.func1.2({0x4ef2a0, 0x53b0f8})\n\t/go/src/testing/testing.go:1872 +0x237\n" +
			"panic({0x4ef2a0?, 0x53b0f8?})\n\t/go/src/runtime/panic.go:783 +0x132\nexample.com/bank.(*Account).Withdraw(...)\n\t/home/u/bank/bank.go:17\nexit status 2\n", 2,
			Outcome{Effect: bug.Panic, Failed: []string{"TestX"}, Detail: []string{"panic: boom [recovered, repanicked]", "in example.com/bank.(*Account).Withdraw at bank.go:17"}}},
		{"panic in a line", "half a linepanic: boom\n\ngoroutine 7 [running]:\nmain.f()\n\t/x/x.go:3 +0x1\n", 2,
			Outcome{Effect: bug.Panic, Detail: []string{"panic: boom", "in main.f at x.go:3"}}},
		{"talk of panic", "don't panic: it is only text\n", 4, Outcome{Effect: bug.TestFailure, Detail: []string{"the test binary ended with exit status 4"}}},
		{"fatal", "fatal error: concurrent map writes\n\ngoroutine 7 [running]:\ninternal/runtime/maps.fatal({0x1?, 0x2?})\n\t/go/src/runtime/panic.go:1 +0x1\nmain.f(0x1)\n\t/x/x.go:3 +0x1\n", 2,
			Outcome{Effect: bug.Panic, Detail: []string{"fatal error: concurrent map writes", "in main.f at x.go:3"}}},
		{"asleep", "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\n", 2,
			Outcome{Effect: bug.Blocks, Detail: []string{"fatal error: all goroutines are asleep - deadlock!"}}},
		{"timeout, blocked", timedOut, 2, Outcome{Effect: bug.Blocks, TimedOut: true, Detail: []string{"every goroutine is blocked for ever; test timed out after 1s"}}},
		{"timeout, sleeping", timedOut + "\ngoroutine 20 [sleep]:\n", 2, Outcome{Effect: bug.NoEffect, TimedOut: true}},
		{"timeout, running", timedOut + "\ngoroutine 20 [running]:\n", 2, Outcome{Effect: bug.NoEffect, TimedOut: true}},
		{"timeout, socket", timedOut + "\ngoroutine 20 [IO wait]:\n", 2, Outcome{Effect: bug.NoEffect, TimedOut: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, judgeOutput(c.output, c.exit, "exit status "+string(rune('0'+c.exit)), []string{"TestOld"}))
		})
	}
}

func TestDetailIsBounded(t *testing.T) {
	o := judgeOutput("--- FAIL: TestX (0.00s)\n"+strings.Repeat("    "+strings.Repeat("é", 300)+"\n", 50), 1, "", nil)
	assert.Len(t, o.Detail, maxDetail)
	assert.Equal(t, "    "+strings.Repeat("é", 196)+"…", o.Detail[1])
	assert.Equal(t, "… 40 more lines …", o.Detail[maxDetail-1])
}

// What a place logs all along is left out before what another one says.
func TestDetailHasEachPlace(t *testing.T) {
	logs := func(n int) string { return strings.Repeat("    log.go:7: step\n        of it\n", n) }
	o := judgeOutput("--- FAIL: TestX (0.00s)\n"+logs(20)+"    x_test.go:9: got 1,\n        want 2\n"+logs(2), 1, "", nil)
	assert.Len(t, o.Detail, maxDetail)
	assert.Equal(t, "--- FAIL: TestX", o.Detail[0])
	assert.Equal(t, []string{"    x_test.go:9: got 1,", "        want 2", "… 36 more lines …"}, o.Detail[maxDetail-3:])

	o = judgeOutput("--- FAIL: TestX (0.00s)\n    x_test.go:8: begins\n"+strings.Repeat("    x_test.go:9: bad\n", 20), 1, "", nil)
	assert.Equal(t, append(append([]string{"--- FAIL: TestX", "    x_test.go:8: begins"}, slices.Repeat([]string{"    x_test.go:9: bad"}, 9)...), "… 11 more lines …"), o.Detail, "who fails again and again is told")
}

func TestRecorded(t *testing.T) {
	tr := &trace.Trace{
		Complete:  true,
		TestNames: []string{"TestA", "TestB", "TestB/sub"},
		Events: []trace.Event{
			{Kind: trace.TestEnd, Obj: 0}, {Kind: trace.TestEnd, Obj: 2, Val: 1}, {Kind: trace.TestEnd, Obj: 1, Val: 1}, {Kind: trace.TestEnd, Obj: 7, Val: 1},
		},
	}
	assert.Equal(t, Outcome{Effect: bug.TestFailure, Failed: []string{"TestB", "TestB/sub"}}, RecordedOutcome(tr))
	tr.Events, tr.Complete = []trace.Event{{Kind: trace.Panic}, {Kind: trace.Branch}}, false
	assert.Equal(t, bug.Panic, RecordedOutcome(tr).Effect)
	tr.Complete = true // it was recovered
	assert.Equal(t, bug.NoEffect, RecordedOutcome(tr).Effect)
}

func TestSince(t *testing.T) {
	panicked := Outcome{Effect: bug.Panic, Detail: []string{"panic: boom"}}
	assert.Equal(t, panicked, panicked.sinceRecorded(Outcome{Effect: bug.TestFailure}))
	assert.Equal(t, Outcome{Effect: bug.NoEffect}, panicked.sinceRecorded(panicked))
}

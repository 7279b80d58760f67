package replayer

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// What a replay of a failing assertion writes, and of one that has held a goroutine while
// a timer fired, and what comes where it did not.
var (
	failing = slices.Concat(stands, []string{"print --- FAIL: TestX (0.00s)"})
	late    = slices.Concat(failing, []string{"verdict late TestX:0.1 15000000 TestX:0 sleep p.TestX x_test.go:8", "late? exit 1"})
)

// assertion confirms the sample as an assertion.
func assertion(t *testing.T, opts Options, lines ...string) Result {
	t.Helper()
	w, code := sample()
	w.Kind, w.Violation = bug.Assertion, w.Violation[:1]
	r, err := Confirm(t.Context(), fake(t, lines...), w, code, opts)
	require.NoError(t, err)
	return r
}

func TestAnAssertionRestsOnTime(t *testing.T) {
	r := assertion(t, Options{}, late...)
	assert.True(t, r.IsConfirmed())
	assert.True(t, r.DependsOnTime)
	assert.Equal(t, []OvertakenGoroutine{{Goroutine: "TestX:0.1", Delay: 15 * time.Millisecond, Waiter: "TestX:0", WaitReason: "sleep", Func: "p.TestX", Position: "x_test.go:8"}}, r.Overtaken)
	assert.Equal(t, [2]int{2, 2}, [2]int{r.Replays, r.Reproduced}, "the prompt replay does not count")
}

// Who waits for a second and fails then wants to see what hangs.
func TestAnAssertionRestsOnAGuard(t *testing.T) {
	for ns, confirmed := range map[string]bool{"949999999": true, "1000000000": false} {
		guard := "verdict late TestX:0.1 " + ns + " TestX:0 select p.TestX x_test.go:8"
		r := assertion(t, Options{}, slices.Concat(failing, []string{guard, "late? exit 1"})...)
		assert.Equal(t, confirmed, r.IsConfirmed(), ns)
		assert.True(t, r.DependsOnTime)
		if !confirmed {
			assert.Equal(t, "the test fails only if goroutine 0.1 takes 1s or longer where others wait for it", r.Reason)
		}
	}
}

// A failure that needs a short delay and a long one after it is no bug; if the short one alone makes
// it, it is.
func TestAnAssertionRestsOnTwoDelays(t *testing.T) {
	delays := []string{"verdict late TestX:0.1 1000000 TestX:0 sleep p.TestX x_test.go:7", "verdict late TestX:0.1 1000000000 TestX:0 select p.TestX x_test.go:8"}
	r := assertion(t, Options{}, slices.Concat(failing, delays, []string{"late? exit 1"})...)
	assert.False(t, r.IsConfirmed())
	assert.Equal(t, "the test fails only if goroutine 0.1 takes 1s or longer where others wait for it", r.Reason)

	delays[1] = "verdict late TestX:0.1 1000000000 TestX:0.2 select p.f x.go:8"
	r = assertion(t, Options{}, slices.Concat(failing, delays, []string{"late? exit 1"})...)
	assert.False(t, r.IsConfirmed(), "another goroutine waits for the one that is late for long")

	r = assertion(t, Options{}, slices.Concat(failing, delays, []string{"soon? " + delays[0], "soon? exit 0", "exit 1"})...)
	assert.True(t, r.IsConfirmed())
	assert.Equal(t, time.Millisecond, r.Overtaken[0].Delay)
}

// So does who is late for a minute that another goroutine waits.
func TestAnAssertionRestsOnALongWait(t *testing.T) {
	minute := "verdict late TestX:0 60000000000 TestX:0.1 select p.retry x.go:8"
	r := assertion(t, Options{}, slices.Concat(failing, []string{minute, "late? exit 1"})...)
	assert.False(t, r.IsConfirmed())
	assert.Equal(t, "the test fails only if goroutine 0 takes 1m0s or longer where others wait for it", r.Reason)
}

func TestAnAssertionFailsWhoeverIsLate(t *testing.T) {
	r := assertion(t, Options{}, slices.Concat(late, []string{"exit 1"})...)
	assert.True(t, r.IsConfirmed())
	assert.False(t, r.DependsOnTime)
	assert.Empty(t, r.Overtaken)

	r = assertion(t, Options{}, slices.Concat(late, []string{"print panic: boom", "exit 2"})...)
	assert.False(t, r.DependsOnTime, "it fails in another way")
}

// A prompt replay is worth its time only where the failing goroutine has waited while
// anyone was late.
func TestAnAssertionFailsInTime(t *testing.T) {
	assert.False(t, assertion(t, Options{}, slices.Concat(failing, []string{"late? exit 1"})...).DependsOnTime)
	other := "verdict late TestX:0.1 15000000 TestX:0.2 sleep p.TestX x_test.go:8"
	assert.False(t, assertion(t, Options{}, slices.Concat(failing, []string{other, "late? exit 1"})...).DependsOnTime)
}

// blockedForEver is what the end of a program is in which the sample's goroutines are blocked.
var blockedForEver = []string{
	"verdict deadlock", "verdict stuck TestX:0 " + strconv.Itoa(int(trace.Read)) + " 101 c0",
	"verdict stuck TestX:0.1 " + strconv.Itoa(int(trace.Write)) + " 104 c0", "exit 2",
}

// deadlocked confirms the sample as a deadlock, of which a prompt replay shows something else
// than the others.
func deadlocked(t *testing.T, late string, prompt ...string) Result {
	t.Helper()
	w, code := sample()
	w.Kind = bug.Deadlock
	script := slices.Clone(stands)
	if late != "" {
		script = append(script, "verdict late "+late)
	}
	for _, l := range prompt {
		if !strings.HasPrefix(l, "long? ") {
			l = "prompt? " + l
		}
		script = append(script, l)
	}
	r, err := Confirm(t.Context(), fake(t, append(script, blockedForEver...)...), w, code, Options{})
	require.NoError(t, err)
	assert.Equal(t, bug.Blocks, r.Effect)
	return r
}

func TestADeadlockRestsOnTime(t *testing.T) {
	const held = "TestX:0.1 20000000 TestX:0 sleep p.TestX x_test.go:8"
	r := deadlocked(t, held, "exit 0")
	assert.True(t, r.IsConfirmed())
	assert.True(t, r.DependsOnTime)
	assert.Len(t, r.Overtaken, 1)
	r = deadlocked(t, held, "verdict late TestX:0.2 20000000 TestX:0 sleep p.TestX x_test.go:8", "exit 0")
	assert.Len(t, r.Overtaken, 2, "the prompt replay has let one more go")
	r = deadlocked(t, held, "print --- FAIL: TestX (0.00s)", "exit 1")
	assert.True(t, r.DependsOnTime, "the test fails for another reason")
	r = deadlocked(t, "TestX:0.1 20000000 TestX:0.7 sleep p.g x.go:8", "exit 0")
	assert.True(t, r.DependsOnTime, "another goroutine has waited")
	r = deadlocked(t, "TestX:0.1 20000000 - - - -", "exit 0")
	assert.True(t, r.DependsOnTime, "nobody has waited")
}

func TestADeadlockRestsOnALongWait(t *testing.T) {
	r := deadlocked(t, "TestX:0.1 999900000 - - - -", "verdict late TestX:0.2 1000 - - - -", "exit 0")
	assert.False(t, r.IsConfirmed())
	assert.Equal(t, "goroutines block for ever only if goroutine 0.1 takes 1s or longer where others wait for it", r.Reason)
	r = deadlocked(t, "TestX:0.2 1000 TestX:0 sleep p.TestX x_test.go:8", "exit 0")
	assert.True(t, r.IsConfirmed())
	r = deadlocked(t, "TestX:0.2 1000 TestX:0 sleep p.TestX x_test.go:8\nverdict late TestX:0.1 999900000 - - - -", "exit 0")
	assert.False(t, r.IsConfirmed(), "on a short one, too")
	r = deadlocked(t, "TestX:0.2 1000 TestX:0 sleep p.TestX x_test.go:8\nverdict late TestX:0.1 999900000 TestX:0.7 sleep p.g x.go:8", "long? print panic: boom", "long? exit 2", "exit 0")
	assert.False(t, r.IsConfirmed(), "without the long one it panics, and does not block")
}

func TestADeadlockComesWhoeverIsLate(t *testing.T) {
	assert.False(t, deadlocked(t, "", "exit 0").DependsOnTime, "nobody is")
	for _, prompt := range [][]string{
		{}, // it is the same
		{"print panic: boom", "exit 2"},
		{"verdict stuck TestX:0 1 101 c0", "print --- FAIL: TestX (0.00s)", "exit 1"},
		{"verdict stuck TestX:0 1 101 c0", "print PASS", "exit 0"},
	} {
		r := deadlocked(t, "TestX:0.1 20000000 TestX:0 sleep p.TestX x_test.go:8", prompt...)
		assert.True(t, r.IsConfirmed())
		assert.False(t, r.DependsOnTime, prompt)
	}
}

func TestAPanicRestsOnNothing(t *testing.T) {
	verdict := "verdict late TestX:0.1 15000000 TestX:0 sleep p.TestX x_test.go:8"
	r := assertion(t, Options{}, slices.Concat(stands, []string{verdict, "late? print panic: boom", "late? exit 2"})...)
	assert.Equal(t, bug.Panic, r.Effect)
	assert.False(t, r.DependsOnTime)
}

func TestARaceRestsOnNothing(t *testing.T) {
	r := confirm(t, Options{}, late...)
	assert.True(t, r.IsConfirmed())
	assert.False(t, r.DependsOnTime)
}

// Of all that are late those count that the failing goroutine has waited for.
func TestOvertaken(t *testing.T) {
	a, b := OvertakenGoroutine{Goroutine: "0.1", Waiter: "0.5", Position: "a.go:1"}, OvertakenGoroutine{Goroutine: "0.2", Waiter: "0", Position: "a.go:2"}
	c, d := OvertakenGoroutine{Goroutine: "0.3", Waiter: "0", Position: "a.go:2"}, OvertakenGoroutine{Goroutine: "0.4", Waiter: "0", Position: "a.go:3"}
	assert.Equal(t, []OvertakenGoroutine{b, c}, overtaken([]OvertakenGoroutine{a, b, c, b, d}, "0"))
	assert.Empty(t, overtaken([]OvertakenGoroutine{a, b}, "0.7"))
	timer := OvertakenGoroutine{Goroutine: "0.6"}
	assert.Equal(t, []OvertakenGoroutine{timer}, overtaken([]OvertakenGoroutine{a, timer, b}, "0"), "of time.AfterFunc")
	assert.Empty(t, overtaken(nil, "0"))
}

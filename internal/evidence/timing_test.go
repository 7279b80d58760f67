package evidence

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

func TestTime(t *testing.T) {
	w := &witness.Witness{ID: "assertion-1", Kind: bug.Assertion, Package: "p", Tests: []string{"TestX"}}
	late := func(timed bool, l ...replayer.OvertakenGoroutine) *report.Time {
		f := NewFinding(Evidence{
			Witness: w, Files: witness.Files{Root: "/src"},
			Result: replayer.Result{Replays: 2, Reproduced: 2, DependsOnTime: timed, Overtaken: l},
			Source: func(string, int) string { return "\ttime.Sleep(wait(3)) // a moment (or two)" },
		})
		return f.Time
	}
	assert.Nil(t, late(false, replayer.OvertakenGoroutine{Goroutine: "TestX:0.1"}))
	got := late(true,
		replayer.OvertakenGoroutine{Goroutine: "TestX:0.1", Delay: 15*time.Millisecond - 20*time.Microsecond, Waiter: "TestX:0", WaitReason: "sleep", Func: "p.TestX", Position: "/src/x_test.go:8"},
		replayer.OvertakenGoroutine{Goroutine: "TestX:0.2"})
	assert.Equal(t, &report.Time{
		Delayed: []string{"0.1", "0.2"}, DelayS: 0.015, Goroutine: "0", WaitKind: "sleep",
		Place: report.Place{Expr: "time.Sleep(wait(3))", Position: report.Position{Func: "TestX", File: "x_test.go", Line: 8}},
	}, got)
	assert.Equal(t, "This rests on time: it fails if one of goroutines 0.1, 0.2 takes longer than goroutine 0 waits:\n  time.Sleep(wait(3)) at x_test.go:8", got.String())
	longest := late(true, replayer.OvertakenGoroutine{Goroutine: "TestX:0.1", Delay: 2 * time.Millisecond}, replayer.OvertakenGoroutine{Goroutine: "TestX:0.2", Delay: 7600 * time.Microsecond})
	assert.Equal(t, 0.008, longest.DelayS, "that of the goroutine that must be delayed longest")
	got.Expr, got.WaitKind, got.Delayed = "", "chan receive", []string{"0.1", "0.2", "0.3", "0.4"}
	assert.Equal(t, "This rests on time: it fails if one of goroutines 0.1, 0.2, 0.3 and 1 more takes longer than goroutine 0 waits:\n  a receive that a timer ends at x_test.go:8", got.String())
	assert.Equal(t, "This rests on time: it fails if goroutine 0.1 takes longer than a timer of 1ms.", late(true, replayer.OvertakenGoroutine{Goroutine: "TestX:0.1", Delay: time.Microsecond}).String())
}

package evidence

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// What package testing does to goroutines is said in words that its users have.
func TestWhyHeldInTesting(t *testing.T) {
	own := witness.Step{Goroutine: "TestA:0", Op: trace.Write, Func: "p.TestA", File: "a_test.go", Line: 3}
	inside := func(op trace.Kind, fn, goroutine string) witness.Step {
		return witness.Step{Goroutine: goroutine, Op: op, Func: fn, File: "std/testing/testing.go", Line: 9, Expr: "t.mu"}
	}
	for _, tt := range []struct {
		hold witness.Step
		want string
	}{
		{inside(trace.Recv, "testing.(*T).Run", "TestA:0"), "waits for a subtest"},
		{inside(trace.Recv, "testing.(*T).Parallel", "TestA:0"), "waits for its turn"},
		{inside(trace.Recv, "testing.tRunner.func1", "TestA:0"), "waits for subtests"},
		{inside(trace.Acquire, "testing.tRunner.func1", "TestA:0"), "the test is over"},
		{inside(trace.AtomicStore, "testing.(*common).runCleanup", "TestA:0"), "the test is over"},
		{inside(trace.Acquire, "testing.(*common).Helper", "TestA:0"), "stopped in package testing"},
	} {
		violation := own
		violation.Goroutine = "TestA:0.1"
		f := NewFinding(Evidence{Result: replayer.Result{Replays: 2, Reproduced: 2}, Witness: &witness.Witness{
			Kind: bug.Race, Package: "p", Tests: []string{"TestA"}, Violation: []witness.Step{violation, own},
			Steps: []witness.Step{inside(trace.Acquire, "testing.(*T).Run", "TestA:0"), inside(trace.Fork, "testing.(*T).Run", "TestA:0")},
			Holds: []witness.Step{tt.hold},
		}})
		assert.Equal(t, "t.Run", f.Interleaving[0].String())
		assert.Equal(t, "0.1", f.Interleaving[1].Goroutine)
		assert.Equal(t, tt.want, builder{Evidence: &Evidence{}}.whyHeld(tt.hold))
	}
}

// The goroutine of a subtest is told by the subtest, and what a property speaks of by its
// method, where the line does not show that plainly.
func TestSubtestAndMethod(t *testing.T) {
	tr := &trace.Trace{
		Goroutines: []trace.Goroutine{
			{ID: 0, Path: "main"}, {ID: 1, Test: "TestA", Path: "0", Site: 1}, {ID: 2, Parent: 1, Test: "TestA", Path: "0.1", Site: 1},
		},
		TestNames: []string{"TestA", "TestA/sub"},
		Sites: map[trace.SiteID]trace.Site{
			1: {ID: 1, Func: "testing.(*T).Run", File: "/go/src/testing/testing.go", Line: 2101},
			2: {ID: 2, Func: "example.com/p.(*Conn).Close", File: "/m/p.go", Line: 7},
		},
	}
	number := trace.CallSiteKey("(*example.com/p.Conn).Close", 0)
	tr.Events = []trace.Event{
		{Kind: trace.TestBegin, G: 1}, {Kind: trace.Fork, G: 1, Site: 1, Obj: 2}, {Kind: trace.Begin, G: 2}, {Kind: trace.TestBegin, G: 2, Obj: 1},
		{Kind: trace.Call, G: 1, Obj: 9, Val: number}, {Kind: trace.Call, G: 2, Obj: 9, Val: number},
	}
	call := func(goroutine, expr string, line int) witness.Step {
		return witness.Step{Goroutine: goroutine, Op: trace.Call, Func: "example.com/p.TestA", File: "p_test.go", Line: line, Expr: expr, Occurrence: 1}
	}
	plain, handed := call("TestA:0", "c.Close", 3), call("TestA:0.1", "wg.Go", 4)
	f := NewFinding(Evidence{
		Witness: &witness.Witness{Kind: bug.Property, Pattern: "once", Package: "example.com/p", Tests: []string{"TestA"},
			Steps: []witness.Step{plain, handed}, Violation: []witness.Step{plain, handed}},
		Result: replayer.Result{Replays: 2, Reproduced: 2}, Trace: tr, Violation: []int{4, 5}, Files: witness.Files{Root: "/m"},
	})
	assert.Equal(t, "c.Close", f.Accesses[0].Expr)
	assert.Equal(t, "(*Conn).Close", f.Accesses[1].Expr)
	assert.Equal(t, "(*Conn).Close", f.Interleaving[1].Expr)
	assert.Equal(t, []string{"", "TestA/sub"}, []string{f.Accesses[0].Subtest, f.Accesses[1].Subtest})
	assert.Nil(t, f.Accesses[1].CreatedAt)
	text := written(t, writeText, f)
	assert.Contains(t, text, "\nGoroutine 0.1 runs TestA/sub\n")
	assert.Contains(t, written(t, report.WriteHTML, f), "goroutine 0.1 runs <code>TestA/sub</code>")
}

// What a goroutine is kept from, and what its steps are, is told in words of Go.
func TestPlainWords(t *testing.T) {
	lines := map[int]string{1: "c.once.Do(f)", 2: "time.AfterFunc(d, func() {", 3: "b := free.Get().(*buffer)", 4: "free.Put(b)", 5: "for range seq {", 7: "wg.Add(2)"}
	b := builder{Evidence: &Evidence{Source: func(_ string, line int) string { return lines[line] }}}
	for _, c := range []struct {
		op          trace.Kind
		line        int
		expr, value string
		does, about string
	}{
		{trace.OnceBegin, 1, "c.once", "", "enter c.once.Do", "about to enter c.once.Do"},
		{trace.OnceDone, 6, "", "", "call Once.Do", "about to call Once.Do"},
		{trace.Post, 2, "", "", "time.AfterFunc", "about to call time.AfterFunc"},
		{trace.Await, 2, "", "", "timer fires", "about to go on"},
		{trace.Await, 3, "", "", "free.Get", "about to call free.Get"},
		{trace.Post, 4, "", "", "free.Put", "about to call free.Put"},
		{trace.Await, 5, "", "", "synchronize", "about to go on"},
		{trace.End, 0, "", "", "goroutine ends", "about to end"},
		{trace.Read, 0, "l.lines", "", "read l.lines", "about to read l.lines"},
		{trace.AtomicRMW, 0, "n", "", "atomic update n", "about to update n"},
		{trace.WaitGroupAdd, 0, "wg", "-1", "add wg -1", "about to call wg.Done"},
		{trace.WaitGroupAdd, 7, "wg", "+2", "add wg +2", "about to call wg.Add"},
		{trace.Fork, 0, "worker", "", "go worker", "about to start worker"},
		{trace.Assert, 0, "n != 1", "", "assertion n != 1", "about to check n != 1"},
	} {
		s := witness.Step{Op: c.op, Expr: c.expr, Value: c.value, File: "a.go", Line: c.line}
		does := report.Step{Op: c.op.String(), Expr: b.operand(s), Value: c.value}
		assert.Equal(t, c.does, does.String(), c.op)
		assert.Equal(t, c.about, b.whyHeld(s), c.op)
	}
}

// The function of a timer begins with several events at the place of the call that has made the timer,
// and a Reset has several. Each is one step to readers.
func TestTimerSteps(t *testing.T) {
	lines := map[int]string{1: "var timer = time.AfterFunc(d, tick)", 2: "timer.Reset(d)", 3: "b := free.Get().(*buffer)"}
	tr := &trace.Trace{
		Goroutines: []trace.Goroutine{{ID: 0, Path: "0"}, {ID: 1, Path: "0.1", Site: 1}},
		Sites:      map[trace.SiteID]trace.Site{1: {File: "a.go", Line: 1}},
	}
	b := builder{Evidence: &Evidence{Source: func(_ string, line int) string { return lines[line] }}, recorded: runOf(tr, nil, nil)}
	for _, c := range []struct {
		goroutine  string
		op         trace.Kind
		line       int
		occurrence int
		shown      bool
	}{
		{"0", trace.Post, 1, 1, true},    // the call that makes it
		{"0.1", trace.Await, 1, 1, true}, // timer fires
		{"0.1", trace.Await, 1, 2, false},
		{"0.1", trace.Post, 1, 1, false},
		{"0.1", trace.Post, 1, 2, true}, // the function makes the next one
		{"0", trace.Await, 2, 1, false},
		{"0", trace.Post, 2, 1, true},
		{"0", trace.Await, 3, 2, true},
	} {
		w := &witness.Witness{Steps: []witness.Step{{Goroutine: c.goroutine, Op: c.op, File: "a.go", Line: c.line, Occurrence: c.occurrence}}}
		assert.Equal(t, c.shown, len(b.interleaving(w, 0)) == 1, "%s of %s in line %d, %d", c.op, c.goroutine, c.line, c.occurrence)
	}
	assert.Equal(t, "about to begin", b.whyHeld(witness.Step{Goroutine: "0.1", Op: trace.Post, File: "a.go", Line: 1, Occurrence: 1}))
}

package evidence

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// crossed is the evidence of two goroutines that each hold what the other one waits for.
func crossed(t *testing.T) Evidence {
	tr := tracetest.Parse(t, "0 fork 1\n0 fork 2\n1 begin\n2 begin\n1 acq a\n2 acq b\n0 make c\n0 recv c\n0 end")
	w := &witness.Witness{Kind: bug.Deadlock}
	for n, at := range []int{5, 4} { // who holds what is waited for
		g := trace.GID(n + 1)
		tr.Blocked = append(tr.Blocked, trace.BlockedGoroutine{
			G: g, Proof: trace.ProofDeadlock, Op: trace.Acquire, Obj: tr.Events[at].Obj, Site: tr.Events[at].Site,
			Stack: []trace.Frame{{Func: "p.f", File: "/m/x.go", Line: 10 + n}, {Func: "p.g", File: "/m/x.go", Line: 20}, {Func: "testing.tRunner"}},
		})
		w.Violation = append(w.Violation, witness.Step{Goroutine: tr.Goroutines[g].Name(), Op: trace.Acquire, Expr: "mu", File: "x.go", Line: 10 + n})
	}
	return Evidence{
		Witness: w, Trace: tr, Violation: []int{-1, -1}, Files: witness.Files{Root: "/m"},
		Result: replayer.Result{Effect: bug.Blocks, Replays: 2, Reproduced: 2},
	}
}

// A deadlock is told with the stacks and as a circle, who waits for whom.
func TestCircle(t *testing.T) {
	f := NewFinding(crossed(t))
	text := written(t, writeText, f)
	assert.Regexp(t, `(?m)^Blocked lock mu #1 by goroutine \S+:
  p.f\(\)
      x.go:10
  p.g\(\)
      x.go:20
  holding `, text)
	assert.Len(t, f.Accesses[0].Locks, 1, "what it waits for it does not hold")
	assert.NotContains(t, text, "tRunner")
	assert.Regexp(t, `(?m)^  ┌▶ \S+ holds .*
  │      waits for mu #1 \(x.go:10\), which \S+ holds \(.*\)
  │  \S+ holds .*
  └───── waits for mu #2 \(x.go:11\), which \S+ holds \(.*\)$`, text)
}

// Of a goroutine that other packages have started it is told which call of the program's
// own had them do so.
func TestCreatedFor(t *testing.T) {
	ev := crossed(t)
	for n := range 2 {
		ev.Trace.Goroutines[n+1].Site = ev.Trace.Events[n].Site // of the go statement
	}
	ev.Trace.Blocked[0].StartedBy = trace.Frame{Func: "p.asks", File: "/m/ask.go", Line: 7}
	f := NewFinding(ev)
	assert.Equal(t, &report.Place{Position: report.Position{Func: "p.asks", File: "ask.go", Line: 7}}, f.Accesses[0].CreatedFor)
	assert.Nil(t, f.Accesses[1].CreatedFor)
	text := written(t, writeText, f)
	assert.Regexp(t, `(?m)^Goroutine \S+ created at:\n.*\n.*\n  p.asks\(\)\n      ask.go:7$`, text)
	at := ev.Trace.Sites[ev.Trace.Events[0].Site]
	ev.Trace.Blocked[0].StartedBy = trace.Frame{Func: at.Func, File: at.File, Line: at.Line}
	assert.Nil(t, NewFinding(ev).Accesses[0].CreatedFor, "it is the go statement itself")
}

// Of goroutines that wait for different things there is no circle.
func TestNoCircle(t *testing.T) {
	ev := crossed(t)
	ev.Trace.Blocked[1].Op, ev.Trace.Blocked[1].Obj = trace.Send, ev.Trace.Events[7].Obj
	f := NewFinding(ev)
	text := written(t, writeText, f)
	assert.NotContains(t, text, "┌▶")
	assert.Len(t, f.Accesses[1].Partners, 1, "who has received")
	assert.True(t, f.Accesses[1].Partners[0].HasEnded)
	assert.Regexp(t, `came to receive .*at .*, and has ended\n`, text)
}

func TestLingering(t *testing.T) {
	tr := crossed(t).Trace
	tr.Blocked[0].Proof = trace.ProofLingering
	found := LingeringIn(tr, "p", witness.Files{Root: "/m"}, nil)
	assert.Equal(t, []report.Lingering{{
		Test: "TestX", Goroutine: "0.1", Op: "acq", Place: report.Place{Expr: "x", Position: report.Position{Func: "x.TestX", File: "/src/x/test.go", Line: 6}},
	}}, found)
}

// Who waits behind a deadlock, and who is blocked at the same place, is told with it: once
// for each place and function that it was started with.
func TestAlso(t *testing.T) {
	ev := crossed(t)
	tr := ev.Trace
	first := tr.Blocked[0]
	for n := range 5 {
		g := trace.GID(len(tr.Goroutines))
		tr.Goroutines = append(tr.Goroutines, trace.Goroutine{ID: g, Parent: 0, Path: fmt.Sprint("0.", n+3)})
		s := first
		s.G = g
		switch {
		case n >= 3: // behind a lock that one of the circle has, at a place of its own
			s.Site, s.Stack = 99, []trace.Frame{{Func: "p.behind", File: "/m/x.go", Line: 40}}
		case n >= 1: // at the same place, from elsewhere
			s.Stack = []trace.Frame{first.Stack[0], {Func: "p.elsewhere", File: "/m/x.go", Line: 30}}
		} // else it is like the first
		tr.Blocked = append(tr.Blocked, s)
	}
	f := NewFinding(ev)
	var started []string
	for _, a := range f.AlsoBlocked {
		started = append(started, a.Stack[len(a.Stack)-1].Func)
	}
	assert.Equal(t, []string{"p.elsewhere", "p.behind"}, started)
	text := written(t, writeText, f)
	assert.Contains(t, text, "\nGoroutine 0.4 is blocked by it as well, before ")

	// Another run may have left others behind: of those who wait as known ones do, none is added.
	of := f.AlsoBlocked
	f.AddAlsoBlocked(AlsoBlocked(ev))
	assert.Equal(t, of, f.AlsoBlocked)
	for i := range tr.Blocked {
		if tr.Blocked[i].Site == 99 {
			tr.Blocked[i].Stack = []trace.Frame{{Func: "p.late", File: "/m/x.go", Line: 50}}
		}
	}
	f.AddAlsoBlocked(AlsoBlocked(ev))
	assert.Len(t, f.AlsoBlocked, 3)
	assert.Equal(t, "p.late", f.AlsoBlocked[2].Stack[0].Func)
}

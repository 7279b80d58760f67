package evidence

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// allSteps is the evidence of an interleaving of all events of a trace, but for those that
// tell how an operation has ended.
func allSteps(t *testing.T, text string) Evidence {
	tr := tracetest.Parse(t, text)
	for id, s := range tr.Sites { // tracetest has none of their own for its goroutines
		s.Func, s.File, s.Expr = "p.f", "/m/x.go", ""
		tr.Sites[id] = s
	}
	w := &witness.Witness{Kind: bug.Assertion, Package: "p", Tests: []string{"TestX"}}
	occ := make(map[string]int)
	for _, e := range tr.Events {
		s := tr.Sites[e.Site]
		key := fmt.Sprint(e.G, e.Kind, e.Site)
		occ[key]++
		if e.Kind.CanHold() {
			w.Steps = append(w.Steps, witness.Step{Goroutine: tr.Goroutines[e.G].Name(), Op: e.Kind, Func: s.Func, File: "x.go", Line: s.Line, Occurrence: occ[key]})
		}
	}
	return Evidence{Witness: w, Trace: tr, ReplayTrace: tr, Files: witness.Files{Root: "/m"}, Result: replayer.Result{Replays: 2, Reproduced: 2}}
}

func TestEdges(t *testing.T) {
	for name, tt := range map[string]struct {
		trace string
		want  string // kind, from and to, by lines of the trace
	}{
		"go":                      {"0 fork 1\n1 w x\n1 w y", "go 1 2"},
		"a message":               {"1 send c/1\n1 sent c#1/1\n2 recv c/1\n2 recvd c#1/1", "message 1 3"},
		"who waits for a message": {"2 recv c\n1 send c\n2 recvd c#1\n1 sent c#1\n1 w x", "message 2 1"},
		"a send that ends late":   {"1 send c\n2 recv c\n2 recvd c#1\n" + strings.Repeat("0 recvd d#0\n", 9) + "1 sent c#1", "message 1 2"},
		"a message of a select":   {"1 select #2\n1 selected #1\n1 sent c#1\n2 recv c\n2 recvd c#1", "message 1 4"},
		"the second message":      {"1 send c/2\n1 sent c#1/2\n3 send c/2\n3 sent c#2/2\n3 recv c/2\n3 recvd c#1/2\n1 recv c/2\n1 recvd c#2/2", "message 1 5, message 3 7"},
		"a close":                 {"1 close c\n2 recv c\n2 recvd c#0", "close 1 2"},
		"a lock":                  {"1 acq m\n1 rel m\n2 acq m\n2 rel m\n1 acq m", "lock 2 3, lock 4 5"},
		"readers":                 {"1 racq m\n2 racq m\n2 rrel m\n1 rrel m\n3 acq m\n3 rel m\n1 racq m", "lock 4 5, lock 6 7"},
		"another lock":            {"1 acq m\n1 rel m\n2 acq n", ""},
		"the last Done":           {"0 add g#2\n0 wgwait g\n1 add g#-1\n2 add g#-1\n0 wgwaited g\n0 w x", "waitgroup 4 2"},
		"a signal":                {"1 wait c#0\n2 signal c#1\n1 wake c#0\n1 w x", "signal 2 1"},
		"a broadcast":             {"1 wait c#0\n3 wait c#1\n2 broadcast c#0/2\n3 wake c#1\n1 wake c#0\n1 w x", "signal 3 1, signal 3 2"},
		"a Once":                  {"1 oncebegin o\n1 onceend o\n2 oncedone o", "once 2 3"},
		"a value":                 {"1 w x=3\n2 r x=3", "value 1 2"},
		"a value of a part":       {"1 w x/16\n2 r x+8", "value 1 2"},
		"what is beside it":       {"1 w x/4\n2 r x+4/4", ""},
		"another value":           {"1 w x=3\n2 r x=4", ""},
		"the last value":          {"1 w x=3\n2 w x=4\n3 r x=4", "value 2 3"},
		"its own value":           {"1 w x=3\n2 w x=4\n2 r x=4", ""},
		"an atomic update":        {"1 astore x=3\n2 armw x=4\n1 aload x=4", "value 1 2, value 2 3"},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFinding(allSteps(t, tt.trace))
			var got []string
			for _, e := range f.Edges {
				got = append(got, fmt.Sprint(e.Kind, " ", f.Interleaving[e.From].Line, " ", f.Interleaving[e.To].Line))
			}
			assert.ElementsMatch(t, strings.FieldsFunc(strings.ReplaceAll(tt.want, ", ", ","), func(r rune) bool { return r == ',' }), got)
		})
	}
}

// Each step says which locks its goroutine holds then; those of others do not count.
func TestLocksOfSteps(t *testing.T) {
	ev := allSteps(t, "1 acq m\n2 w x\n1 racq n\n1 w x\n1 rel m\n1 w x\n1 rrel n\n1 w x")
	ev.Source = func(_ string, line int) string {
		return map[int]string{1: "a.m.Lock()", 3: "a.n.RLock()"}[line]
	}
	f := NewFinding(ev)
	var got []string
	for _, s := range f.Interleaving {
		got = append(got, strings.Join(s.Locks, "+"))
	}
	assert.Equal(t, []string{"a.m", "", "a.m+a.n (reading)", "a.m+a.n (reading)", "a.n (reading)", "a.n (reading)", "", ""}, got)
}

// A step at which a goroutine is blocked has no event: it holds what it held.
func TestLocksOfBlocked(t *testing.T) {
	f := NewFinding(crossed(t))
	last := f.Interleaving[len(f.Interleaving)-1]
	assert.True(t, last.Violation)
	assert.Len(t, last.Locks, 1)
}

// Of a long interleaving the last steps stay, those of the violation, and what they have to do with
// each other.
func TestLongInterleaving(t *testing.T) {
	ev := allSteps(t, "1 astore a=1 @1\n1 acq m @2"+strings.Repeat("\n1 aload a=1 @3", maxSteps)+"\n1 rel m @4\n2 acq m @5\n2 aload a=1 @6")
	w := ev.Witness
	w.Kind, w.Violation = bug.Atomicity, []witness.Step{w.Steps[0], w.Steps[len(w.Steps)-1]}
	w.Steps = w.Steps[:len(w.Steps)-1]
	f := NewFinding(ev)
	assert.Equal(t, 4, f.OmittedSteps)
	assert.Len(t, f.Interleaving, 1+maxSteps)
	assert.Equal(t, []int{1, 3}, []int{f.Interleaving[0].Line, f.Interleaving[1].Line})
	assert.True(t, f.Interleaving[0].Violation)
	assert.Len(t, f.Interleaving[1].Locks, 1)
	assert.Contains(t, f.Edges, report.Edge{From: maxSteps - 2, To: maxSteps - 1, Kind: report.EdgeLock})
	var b strings.Builder
	assert.NoError(t, report.WriteFinding(&b, &f, report.TextOptions{}))
	assert.Contains(t, b.String(), fmt.Sprintf("Interleaving (1 switch, the last %d of %d steps):", 1+maxSteps, 5+maxSteps))
}

// The report has the lines around each place, those of places that are close once.
func TestExcerpts(t *testing.T) {
	ev := allSteps(t, "1 w x @10\n2 w x @14\n1 w x @40\n0 w x @1")
	ev.Source = func(file string, line int) string {
		if file != "/m/x.go" || line > 41 {
			return ""
		}
		return fmt.Sprint("line ", line)
	}
	f := NewFinding(ev)
	var got []string
	for _, e := range f.Source {
		got = append(got, fmt.Sprintf("%s:%d %s … %s", e.File, e.Line, e.Lines[0], e.Lines[len(e.Lines)-1]))
	}
	assert.Equal(t, []string{"x.go:1 line 1 … line 4", "x.go:7 line 7 … line 17", "x.go:37 line 37 … line 41"}, got)
}

// What both orders have led to is told, each once.
func TestOutcomes(t *testing.T) {
	ev := allSteps(t, "1 w x\n2 w x")
	ev.Witness.Kind, ev.Witness.Violation, ev.Witness.Steps = bug.Race, ev.Witness.Steps, nil
	ev.Result.Verdicts = []replayer.Verdict{
		{Order: "10", Status: bug.Confirmed, Outcome: replayer.Outcome{Effect: bug.Panic, Detail: []string{"panic: x"}}},
		{Order: "01", Status: bug.Confirmed, Outcome: replayer.Outcome{Effect: bug.NoEffect}},
		{Order: "01", Status: bug.Confirmed, Outcome: replayer.Outcome{Effect: bug.TestFailure}},
	}
	assert.Equal(t, []report.Outcome{{First: 1, Effect: bug.Panic, Detail: []string{"panic: x"}}, {First: 0, Effect: bug.NoEffect, Detail: nil}}, NewFinding(ev).OrderOutcomes)
	ev.Result.Verdicts[0].Status = bug.Unconfirmed
	assert.Equal(t, []report.Outcome{{First: 0, Effect: bug.NoEffect, Detail: nil}}, NewFinding(ev).OrderOutcomes)
}

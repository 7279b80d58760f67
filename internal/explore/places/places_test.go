package places

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A violation may be the bug of a witness whose places are gone, where evidence says that it is about
// the same.
func TestMayBeBug(t *testing.T) {
	at := func(op trace.Kind, expr string, line int) witness.Step {
		return witness.Step{Op: op, Expr: expr, Func: "m.f", File: "a.go", Line: line, SiteNumber: 1}
	}
	violation := func(kind bug.Kind, accesses ...witness.Step) *witness.Witness {
		return &witness.Witness{Kind: kind, Violation: accesses}
	}
	elsewhere := at(trace.Write, "*p", 9)
	elsewhere.File = "other/a.go"
	for name, c := range map[string]struct {
		kind   bug.Kind
		others []witness.Step
		is     bool
	}{
		"the same places":                    {bug.Race, []witness.Step{at(trace.Read, "a.n", 1), at(trace.Write, "a.n", 2)}, true},
		"the other one moved":                {bug.Race, []witness.Step{at(trace.Read, "a.n", 1), at(trace.Write, "b.n", 7)}, true},
		"through a pointer":                  {bug.Race, []witness.Step{at(trace.Read, "a.n", 1), at(trace.Write, "*p", 7)}, true},
		"through a pointer, the other order": {bug.Race, []witness.Step{at(trace.Write, "*p", 7), at(trace.Read, "a.n", 1)}, true},
		"in another package":                 {bug.Race, []witness.Step{at(trace.Read, "a.n", 1), elsewhere}, false},
		"another operation":                  {bug.Race, []witness.Step{at(trace.Read, "a.n", 1), at(trace.Read, "*p", 7)}, false},
		"no place is left":                   {bug.Race, []witness.Step{at(trace.Read, "b.m", 5), at(trace.Write, "*p", 7)}, false},
		"locks are several objects":          {bug.Deadlock, []witness.Step{at(trace.Read, "a.n", 1), at(trace.Write, "*p", 7)}, false},
		"another kind":                       {bug.Channel, []witness.Step{at(trace.Read, "a.n", 1), at(trace.Write, "a.n", 2)}, false},
	} {
		w := violation(c.kind, at(trace.Read, "a.n", 1), at(trace.Write, "a.n", 2))
		if c.kind == bug.Channel {
			w.Kind = bug.Race
		}
		p := New(w, nil)
		p.ReachedByRun, p.Gone = []bool{true, false}, []int{1}
		assert.Equal(t, c.is, p.MayBeBug(violation(c.kind, c.others...)), name)
	}
}

// A goroutine that blocks in a select by now may block in what was no case of one, and the reverse.
func TestMayBeBugInASelect(t *testing.T) {
	blocked := func(op trace.Kind, expr string) *witness.Witness {
		return &witness.Witness{Kind: bug.Leak, Violation: []witness.Step{{Op: op, Expr: expr, Func: "m.f", File: "a.go", Line: 3}}}
	}
	for _, c := range []struct {
		before, now *witness.Witness
		is          bool
	}{
		{blocked(trace.Send, "results"), blocked(trace.Select, ""), true},
		{blocked(trace.Select, ""), blocked(trace.Recv, "done"), true},
		{blocked(trace.Send, "results"), blocked(trace.Recv, "results"), false},
		{blocked(trace.Acquire, "a.mu"), blocked(trace.Select, ""), false},
	} {
		p := New(c.before, nil)
		p.ReachedByRun[0], p.MayBeAnywhere = true, true
		assert.Equal(t, c.is, p.MayBeBug(c.now), "%v, %v", c.before.Violation, c.now.Violation)
	}
}

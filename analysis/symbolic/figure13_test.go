package symbolic_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/solver"
)

// merged is the formula of Figures 12 and 13 of Wang et al., FAC 2011, §8: of both
// threads both branches, with φ where they meet. As printed, t15 stores a1 and t24
// takes 1 off; here they are as in the program, Figure 11.
type merged struct {
	*solver.Formula
	engine solver.Engine
	event  map[string]solver.Event
	guard  map[string]solver.Bool // g(t)
	writes map[string][]mergedWrite
}

type mergedWrite struct {
	at    string
	value solver.Int
}

// step adds an event after others of its thread, with the condition under which a run
// comes to it.
func (m *merged) step(name string, guard solver.Bool, after ...string) {
	m.event[name], m.guard[name] = m.Event(name), guard
	for _, from := range after {
		m.engine.Assert(m.Before(m.event[from], m.event[name]))
	}
}

func (m *merged) write(at, variable string, value solver.Int) {
	m.writes[variable] = append(m.writes[variable], mergedWrite{at, value})
}

// pi is the π-function of a read: what the last write before it left, of those that
// the run comes to.
func (m *merged) pi(at, variable string) solver.Int {
	v := m.Int("π " + at + variable)
	var ways []solver.Bool
	for _, w := range m.writes[variable] {
		way := []solver.Bool{m.guard[w.at], m.Eq(v, w.value), m.Before(m.event[w.at], m.event[at])}
		for _, other := range m.writes[variable] {
			if other.at != w.at {
				way = append(way, m.Or(m.Not(m.guard[other.at]), m.Before(m.event[other.at], m.event[w.at]), m.Before(m.event[at], m.event[other.at])))
			}
		}
		ways = append(ways, m.And(way...))
	}
	m.engine.Assert(m.Implies(m.guard[at], m.Or(ways...)))
	return v
}

// newMerged makes the formula, and returns what the assertion of t5 compares.
func newMerged() (m *merged, x, y solver.Int) {
	f := solver.NewFormula()
	m = &merged{f, solver.NewBuiltin(f), map[string]solver.Event{}, map[string]solver.Bool{}, map[string][]mergedWrite{}}
	m.step("t0", f.True())
	m.write("t0", "x", f.Const(0))
	m.write("t0", "y", f.Const(0))
	names := []string{"x", "y"}
	var read, stored [2]solver.Int
	for k := range names {
		t := func(n int) string { return fmt.Sprintf("t%d%d", k+1, n) }
		read[k], stored[k] = f.Int("read "+t(1)), f.Int("stored "+t(5))
		then := f.Eq(read[k], f.Const(0))
		m.step(t(1), f.True(), "t0")
		m.step(t(3), then, t(1))
		m.step(t(4), then, t(3))
		m.step(t(5), then, t(4))
		m.step(t(7), f.Not(then), t(1))
		m.step(t(8), f.True(), t(5), t(7)) // where the branches meet
		m.write(t(3), names[k], f.Const(1))
		m.write(t(5), names[k], stored[k])
		m.write(t(7), names[k], f.Const(0))
	}
	m.step("t5", f.True(), "t18", "t28")
	for k := range names {
		t := func(n int) string { return fmt.Sprintf("t%d%d", k+1, n) }
		m.engine.Assert(f.Eq(read[k], m.pi(t(1), names[1-k])))
		m.engine.Assert(f.Eq(stored[k], f.Add(m.pi(t(4), names[k]), f.Const(1))))
		// φ: a3 is a1 where the branch at t17 was taken, and else a2.
		local, then := f.Int("φ "+t(8)), m.guard[t(5)]
		m.engine.Assert(f.Or(f.And(f.Eq(local, read[k]), f.Not(then)), f.And(f.Eq(local, stored[k]), then)))
	}
	return m, m.pi("t5", "x"), m.pi("t5", "y")
}

// TestFusionFigure13: with the branches of both runs in one formula the violation is
// found, in which both threads take their first branch; with those of one run alone
// (TestFusionFigure11) it is not. Run in the order of the model, the program comes to
// it.
func TestFusionFigure13(t *testing.T) {
	m, x, y := newMerged()
	fails := m.Eq(x, y)
	check := func(want solver.Answer, assumptions ...solver.Bool) {
		t.Helper()
		got, err := m.engine.Check(context.Background(), nil, assumptions...)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, run := range [][2]string{{"t15", "t27"}, {"t17", "t25"}} {
		check(solver.Sat, m.guard[run[0]], m.guard[run[1]])
		check(solver.Unsat, m.guard[run[0]], m.guard[run[1]], fails)
	}
	check(solver.Unsat, m.guard["t17"], m.guard["t27"])
	check(solver.Sat, fails)
	assert.True(t, m.engine.Value(m.guard["t15"]))
	assert.True(t, m.engine.Value(m.guard["t25"]))

	vars, a := map[int]int{}, [2]int{}
	for _, e := range m.engine.Order() {
		name := m.EventName(e)
		if len(name) < 3 {
			continue
		}
		k := int(name[1] - '1')
		switch then := a[k] == 0; {
		case name[2] == '1':
			a[k] = vars[1-k]
		case name[2] == '3' && then:
			vars[k] = 1
		case name[2] == '5' && then:
			vars[k]++
		case name[2] == '7' && !then:
			vars[k] = 0
		}
	}
	assert.Equal(t, vars[0], vars[1])
	assert.Equal(t, 2, vars[0])
}

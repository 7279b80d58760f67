package symbolic

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/internal/golden"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// figure2 is the trace of NFM 2011, Figure 2, where Java's wait and notifyAll are
// Go's Cond.Wait and Broadcast. The comments are the paper's events; its wait e4
// and the shadow e4' are two events of ours each. The first read tells that x is 0.
const figure2 = `
	3 r x=0 data
	1 fork 2     // e0
	1 w x=1      // e1
	1 acq o      // e2
	1 w x=0      // e3
	1 wait c#0   // e4
	1 rel o      // e4
	2 begin
	2 acq o      // e5
	2 r x=0      // e6
	2 broadcast c#0/1 // e7
	2 rel o      // e8
	2 r x=0      // e9
	1 wake c#0   // e4'
	1 acq o      // e4'
	1 rel o      // e10`

// paper is Figure 2's β and Table 2's encoding with optimization, with our
// positions for the paper's events: for o.o those of the lock, for o.w those of
// the condition.
const paper = `
	β  e6:  (or (< 9 2) (< 4 9))
	β  e9:  (or (< 12 2) (< 4 12))
	γ  e2:  (or (< 3 8) (< 11 3))
	γ  e4:  (and (or (< 8 3) (< 6 8)) (or (< 11 3) (< 6 11)))
	γ  e4': (or (and (< 6 14) (or (< 8 6) (< 14 8)) (or (< 11 6) (< 14 11))) (and (< 11 14) (< 6 11)))
	γ  e4': (and (< 10 13) (< 5 10))
	γ  e5:  (or (< 8 3) (< 15 8) (and (< 6 8) (< 8 14) (< 8 15)))
	γ  e7:  (and (or (< 3 8) (< 10 3)) (or (< 6 8) (< 10 6)) (or (< 14 8) (< 10 14)) (or (< 15 8) (< 10 15)))
	γ  e8:  (and (or (< 3 8) (< 11 3)) (or (< 6 8) (< 11 6)) (or (< 14 8) (< 11 14)) (or (< 15 8) (< 11 15)))
	γ  e10: (and (or (< 8 14) (< 15 8)) (or (< 11 14) (< 15 11)))`

// An asserted engine keeps what is asserted.
type asserted struct {
	solver.Engine
	all []solver.Bool
}

func (a *asserted) Assert(bs ...solver.Bool) { a.all = append(a.all, bs...) }

// complete asserts what an encoding leaves out until a model breaks it.
func (e *Encoding) complete() {
	for k := range e.m.locks {
		sections := slices.Collect(e.m.sections(&e.m.locks[k]))
		for k, a := range sections {
			for _, b := range sections[:k] {
				e.locks.exclude(b, a)
			}
		}
	}
	for len(e.reads.undefinedReads) > 0 {
		var reads []int32
		for i := range e.reads.undefinedReads {
			reads = append(reads, i)
		}
		slices.Sort(reads)
		for _, i := range reads {
			e.reads.defineRecorded(i)
		}
		e.taint.defineLiterals()
	}
	for _, i := range e.nodes {
		for _, ch := range e.reads.choicesOf[i] {
			for _, w := range e.writes.writersOf(ch.cell).all {
				if w != ch.writer && w != i && !slices.Contains(ch.same, w) {
					e.reads.keepOutNeighbours(ch, w)
				}
			}
		}
	}
}

// TestFigure2 compares the formula with the paper's: that of a trace of which
// all happens is the same, and what α implies is in neither.
func TestFigure2(t *testing.T) {
	tr := tracetest.Parse(t, figure2)
	o, err := order.New(tr)
	require.NoError(t, err)
	m := New(tr, o)
	cone, ok := m.WholeCone(Target{})
	require.True(t, ok)
	f := solver.NewFormula()
	a := &asserted{Engine: solver.NewBuiltin(f)}
	e, err := m.Encode(cone, f, a)
	require.NoError(t, err)
	e.complete()

	golden.Equal(t, "figure2.txt", formulas(t, f, a.all))

	var theirs []solver.Bool
	for _, line := range strings.Split(strings.TrimSpace(paper), "\n") {
		_, text, _ := strings.Cut(line, ":")
		term, rest := parse(e, tokens(text))
		require.Empty(t, rest, line)
		theirs = append(theirs, term)
	}
	// α, and all events happen.
	engine := solver.NewBuiltin(f)
	for _, i := range e.nodes {
		engine.Assert(e.happens(i))
	}
	e.engine = engine
	e.assertOrder()
	ours := f.And(a.all...)
	check := func(want solver.Answer, bs ...solver.Bool) {
		t.Helper()
		got, err := engine.Check(context.Background(), nil, bs...)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	check(solver.Sat, ours)
	check(solver.Sat, theirs...)
	for _, term := range theirs {
		check(solver.Unsat, ours, f.Not(term))
	}
	// Ours has literals for what reads find; theirs say what these mean.
	for _, b := range a.all {
		text := formulas(t, f, []solver.Bool{b})
		if !strings.ContainsAny(text, "_") {
			check(solver.Unsat, append(slices.Clone(theirs), f.Not(b))...)
		}
	}
}

var (
	order2 = regexp.MustCompile(`\(<= \|event ([^|]*)\| \|event ([^|]*)\|\)`)
	name   = regexp.MustCompile(`\|bool ([^|]*)\|`)
)

// formulas writes each of bs in one line, as the paper would. V is the moment of
// the violation.
func formulas(t *testing.T, f *solver.Formula, bs []solver.Bool) string {
	var text strings.Builder
	for _, b := range bs {
		var query bytes.Buffer
		require.NoError(t, solver.WriteSMT2(&query, f, []solver.Bool{b}, nil))
		for line := range strings.Lines(query.String()) {
			if term, ok := strings.CutPrefix(line, "(assert "); ok {
				term = strings.ReplaceAll(strings.TrimSuffix(strings.TrimSpace(term), ")"), "|event violation|", "|event V|")
				term = order2.ReplaceAllString(term, "$1<$2")
				term = name.ReplaceAllStringFunc(term, func(s string) string { return strings.ReplaceAll(s[6:len(s)-1], " ", "_") })
				written, _ := infix(tokens(term), false)
				text.WriteString(written + "\n")
			}
		}
	}
	return text.String()
}

// infix writes a term without (not ...), and returns the tokens behind it.
func infix(ts []string, negated bool) (string, []string) {
	if ts[0] != "(" {
		from, to, isOrder := strings.Cut(ts[0], "<")
		switch {
		case negated && isOrder:
			return to + "<" + from, ts[1:]
		case negated:
			return "¬" + ts[0], ts[1:]
		}
		return ts[0], ts[1:]
	}
	op, ts := ts[1], ts[2:]
	if op == "not" {
		text, ts := infix(ts, !negated)
		return text, ts[1:]
	}
	var parts []string
	for ts[0] != ")" {
		var part string
		part, ts = infix(ts, negated)
		parts = append(parts, part)
	}
	if negated {
		return "(" + strings.Join(parts, " ∨ ") + ")", ts[1:]
	}
	return "(" + strings.Join(parts, " ∧ ") + ")", ts[1:]
}

func tokens(text string) []string {
	return strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
}

// parse reads a term of the paper.
func parse(e *Encoding, ts []string) (solver.Bool, []string) {
	op, ts := ts[1], ts[2:]
	if op == "<" {
		at := func(s string) solver.Event { return e.solverEvent(e.nodeOf(int32(number(s)))) }
		return e.f.Before(at(ts[0]), at(ts[1])), ts[3:]
	}
	var terms []solver.Bool
	for ts[0] == "(" {
		var term solver.Bool
		term, ts = parse(e, ts)
		terms = append(terms, term)
	}
	if op == "and" {
		return e.f.And(terms...), ts[1:]
	}
	return e.f.Or(terms...), ts[1:]
}

func number(s string) (n int) {
	for _, c := range s {
		n = 10*n + int(c-'0')
	}
	return n
}

// table1 is Table 1 of the paper, with our positions: after each event the value
// that it assumes, of the lock's owner or of whether the first goroutine waits, the
// writes that may come last before it, and those of them that leave that value.
const table1 = `
	e2   3: owner 0: {8 11} {11}
	e4   6: owner 1: {3 8 11} {3}
	e4' 14: owner 0: {6 8 11} {6 11}
	e4' 13: waits 0: {5 10} {10}
	e5   8: owner 0: {3 6 14 15} {6 15}
	e7  10: owner 2: {3 6 8 14 15} {8}
	e8  11: owner 2: {3 6 8 14 15} {8}
	e10 15: owner 1: {8 11 14} {14}`

// TestFigure2Table1 compares the predecessor write sets by the encoding's α with
// those of the paper.
func TestFigure2Table1(t *testing.T) {
	tr := tracetest.Parse(t, figure2)
	o, err := order.New(tr)
	require.NoError(t, err)
	m := New(tr, o)
	cone, ok := m.WholeCone(Target{})
	require.True(t, ok)
	f := solver.NewFormula()
	e, err := m.Encode(cone, f, solver.NewBuiltin(f))
	require.NoError(t, err)
	written := map[string]map[int32]int{"owner": {}, "waits": {}} // by variable and event: what it leaves
	for i := range tr.Events {
		switch ev := &tr.Events[i]; ev.Kind {
		case trace.Acquire:
			written["owner"][int32(i)] = int(ev.G)
		case trace.Release:
			written["owner"][int32(i)] = 0
		case trace.CondWait:
			written["waits"][int32(i)] = 1
		case trace.CondBroadcast:
			written["waits"][int32(i)] = 0
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(table1), "\n") {
		var name, variable string
		var at int32
		var assumed int
		_, err := fmt.Sscanf(strings.ReplaceAll(line, ":", " "), "%s %d %s %d", &name, &at, &variable, &assumed)
		require.NoError(t, err)
		may := func(w int32) bool { return w != at && !e.mustPrecede(at, w) }
		all, same := []int32{}, []int32{}
		for _, w := range slices.Sorted(maps.Keys(written[variable])) {
			hidden := slices.ContainsFunc(slices.Collect(maps.Keys(written[variable])), func(l int32) bool {
				return l != w && l != at && e.mustPrecede(w, l) && e.mustPrecede(l, at)
			})
			if !may(w) || hidden {
				continue
			}
			all = append(all, w)
			if written[variable][w] == assumed {
				same = append(same, w)
			}
		}
		sets := strings.NewReplacer("[", "{", "]", "}").Replace(fmt.Sprint(all, " ", same))
		assert.Equal(t, line, line[:strings.IndexByte(line, '{')]+sets)
	}
}

package dataflow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A program that reads, stores what follows from it, counts, and asserts.
func flowTrace() *trace.Trace {
	const load, store, add, branch, other = trace.SiteRewritten | 1, trace.SiteRewritten | 2, trace.SiteRewritten | 3, trace.SiteRewritten | 4, trace.SiteRewritten | 5
	return &trace.Trace{
		Goroutines: []trace.Goroutine{{ID: 0, Path: "main"}},
		Sites: map[trace.SiteID]trace.Site{
			load:   {ID: load, Key: 1, OnlyInFormulas: true},
			store:  {ID: store, Key: 2, Formula: "(+ @1i8 1)"},
			add:    {ID: add, Key: 3, Formula: "(+ _ @1i8^1)", OnlyInFormulas: true},
			branch: {ID: branch, Key: 4, Formula: "(and (< @1i8 7) (= @5i8 2))", FailsIf: trace.IfTrue},
			other:  {ID: other, Key: 5, OnlyInFormulas: true},
		},
		Events: []trace.Event{
			{Kind: trace.Read, Flags: trace.FlagValue, Site: load, Size: 8, Obj: 8, Val: 4},       // 0
			{Kind: trace.Write, Flags: trace.FlagValue, Site: store, Size: 8, Obj: 8, Val: 5},     // 1
			{Kind: trace.Read, Flags: trace.FlagValue, Site: load, Size: 8, Obj: 8, Val: 8},       // 2
			{Kind: trace.AtomicRMW, Flags: trace.FlagValue, Site: add, Size: 8, Obj: 16, Val: 10}, // 3
			{Kind: trace.Branch, Site: branch, Val: 0},                                            // 4: @5 was not read
			{Kind: trace.Read, Flags: trace.FlagValue, Site: load, Size: 8, Obj: 8, Val: 3},       // 5
			{Kind: trace.Write, Flags: trace.FlagValue, Site: store, Size: 8, Obj: 8, Val: 9},     // 6: not 3 + 1
		},
	}
}

func TestFlow(t *testing.T) {
	f := New(flowTrace())
	assert.Equal(t, []int32{0}, f.InstanceAt(1).Reads)
	assert.Equal(t, []int32{0}, f.InstanceAt(3).Reads)
	assert.Equal(t, []int32{2, -1}, f.InstanceAt(4).Reads)
	assert.Nil(t, f.InstanceAt(6), "it does not give what was recorded")
	for i, want := range []bool{true, false, true, true, false, false, false} {
		assert.Equal(t, want, f.IsTracked(i), i)
	}
	found, ok := f.ValueBefore(flowTrace(), 3)
	assert.True(t, ok)
	assert.Equal(t, uint64(6), found, "10 without the 4 that were read at 0")
	_, ok = f.ValueBefore(flowTrace(), 1)
	assert.False(t, ok, "a store")
	v := f.InstanceAt(3).Formula.Eval(6, func(k int, r Reading) int64 { return 4 })
	assert.Equal(t, int64(10), v)
	assert.True(t, f.InstanceAt(3).Matches(&trace.Event{Kind: trace.AtomicRMW, Size: 8, Val: 10}, v))
}

// What an atomic operation stores is known only if what it found is.
func TestFlowOfUntrackedUpdates(t *testing.T) {
	tr := flowTrace()
	s := tr.Sites[trace.SiteRewritten|3]
	s.OnlyInFormulas = false
	tr.Sites[s.ID] = s
	f := New(tr)
	assert.Nil(t, f.InstanceAt(3))
	assert.Nil(t, f.AddInstanceAt(3), "it depends on the read how much that adds")
	assert.False(t, f.IsTracked(0), "where its value goes is not known")

	s.Formula = "(+ _ 4)"
	tr.Sites[s.ID] = s
	f = New(tr)
	assert.Nil(t, f.InstanceAt(3))
	assert.Equal(t, "(+ _ 4)", f.AddInstanceAt(3).Formula.String())
	found, ok := f.ValueBefore(tr, 3)
	assert.True(t, ok)
	assert.Equal(t, uint64(6), found)
}

func TestEval(t *testing.T) {
	for text, want := range map[string]int64{
		"(- 3 5)": -2, "(* 3 -5)": -15, "(+ 1 2 3)": 6, "(if (< 1 2) 7 8)": 7, "(if 0 7 8)": 8,
		"(or 0 (= 2 2))": 1, "(and 1 (<= 3 2))": 0, "(not 0)": 1, "_": 9, "(not (= @1i8 5))": 0,
	} {
		f, err := ParseFormula(text)
		assert.NoError(t, err)
		assert.Equal(t, want, f.Eval(9, func(int, Reading) int64 { return 5 }), text)
	}
}

// handTrace has a getter that is called by way of an interface, a helper that compares
// what it gets with 2, and the events in between that text names.
func handTrace(t *testing.T, between ...string) *trace.Trace {
	t.Helper()
	lines := []string{
		`gopredict trace 1`, `goroutine id=0 path="main"`,
		`site id=0x80000001 key=1 op="read" tracked`,
		`site id=0x80000002 key=2 op="return" formula="(hand (+ @1i8 1) ?)"`,
		`site id=0x80000003 key=3 op="result" tracked formula="(hand ? ?)"`,
		`site id=0x80000004 key=4 op="call" formula="(hand 3 $3.0)"`,
		`site id=0x80000005 key=5 op="enter"`,
		`site id=0x80000006 key=6 op="branch" formula="(= $5.1 $5.0)" failsfalse`,
		`site id=0x80000007 key=7 op="result"`,
		`site id=0x80000008 key=8 op="return" formula="(hand (+ @1i8 1))"`,
	}
	lines = append(lines, between...)
	tr, err := trace.ReadText(strings.NewReader(strings.Join(lines, "\n")))
	require.NoError(t, err)
	return tr
}

// Lines of handTrace.
const (
	handRead    = `0 read obj=8 size=8 val=2 value site=0x80000001`
	handReturn  = `0 operand site=0x80000002`
	handUnlock  = `0 rel obj=99`
	handResult  = `0 operand size=8 val=3 value site=0x80000003`
	handCall    = `0 operand site=0x80000004`
	handEnter   = `0 operand site=0x80000005`
	handCompare = `0 branch val=1 site=0x80000006`
)

func TestFlowOfWhatIsHandedOver(t *testing.T) {
	tr := handTrace(t, handRead, handReturn, handUnlock, handResult, handCall, handEnter, handCompare)
	f := New(tr)
	require.NotNil(t, f.InstanceAt(6))
	assert.Equal(t, "(= (+ @1i8 1) 3)", f.InstanceAt(6).Formula.String())
	assert.Equal(t, []int32{0}, f.InstanceAt(6).Reads)
	assert.True(t, f.IsTracked(0))

	tr = handTrace(t, handRead, handReturn, handResult, handCall, handEnter, handEnter, handCompare)
	assert.Nil(t, New(tr).InstanceAt(6), "the second call is from elsewhere")

	const other = `0 read obj=16 size=8 val=2 value site=0x80000001`
	for name, events := range map[string][]string{
		"something else comes before the result":    {handRead, handReturn, other, handResult, handCall, handEnter, handCompare},
		"another function returned":                 {handRead, handReturn, `0 operand site=0x80000002`, other, handResult, handCall, handEnter, handCompare},
		"another number of values comes back":       {handRead, `0 operand site=0x80000008`, handResult, handCall, handEnter, handCompare},
		"another value comes back":                  {handRead, handReturn, `0 operand size=8 val=4 value site=0x80000003`, handCall, handEnter, handCompare},
		"another call gets it":                      {handRead, handReturn, `0 operand size=8 val=3 value site=0x80000007`, handResult, handCall, handEnter, handCompare},
		"nobody gets it":                            {handRead, handReturn, `0 operand size=8 val=3 value site=0x80000007`, handCall, handEnter, handCompare},
		"something else comes before the beginning": {handRead, handReturn, handResult, handCall, handUnlock, handEnter, handCompare},
		"nothing begins":                            {handRead, handReturn, handResult, handCall},
		"nothing is returned to":                    {handRead, handReturn},
	} {
		f := New(handTrace(t, events...))
		assert.Nil(t, f.InstanceAt(len(events)-1), name)
		assert.False(t, f.IsTracked(0), name)
	}
}

package trace

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A program that reads, stores what follows from it, counts, and asserts.
func flowTrace() *Trace {
	const load, store, add, branch, other = SiteRewritten | 1, SiteRewritten | 2, SiteRewritten | 3, SiteRewritten | 4, SiteRewritten | 5
	return &Trace{
		Goroutines: []Goroutine{{ID: 0, Path: "main"}},
		Sites: map[SiteID]Site{
			load:   {ID: load, Key: 1, Tracked: true},
			store:  {ID: store, Key: 2, Formula: "(+ @1i8 1)"},
			add:    {ID: add, Key: 3, Formula: "(+ _ @1i8^1)", Tracked: true},
			branch: {ID: branch, Key: 4, Formula: "(and (< @1i8 7) (= @5i8 2))", Fails: IfTrue},
			other:  {ID: other, Key: 5, Tracked: true},
		},
		Events: []Event{
			{Kind: Read, Flags: FlagValue, Site: load, Size: 8, Obj: 8, Val: 4},       // 0
			{Kind: Write, Flags: FlagValue, Site: store, Size: 8, Obj: 8, Val: 5},     // 1
			{Kind: Read, Flags: FlagValue, Site: load, Size: 8, Obj: 8, Val: 8},       // 2
			{Kind: AtomicRMW, Flags: FlagValue, Site: add, Size: 8, Obj: 16, Val: 10}, // 3
			{Kind: Branch, Site: branch, Val: 0},                                      // 4: @5 was not read
			{Kind: Read, Flags: FlagValue, Site: load, Size: 8, Obj: 8, Val: 3},       // 5
			{Kind: Write, Flags: FlagValue, Site: store, Size: 8, Obj: 8, Val: 9},     // 6: not 3 + 1
		},
	}
}

func TestFlow(t *testing.T) {
	f := NewFlow(flowTrace())
	assert.Equal(t, []int32{0}, f.At(1).Reads)
	assert.Equal(t, []int32{0}, f.At(3).Reads)
	assert.Equal(t, []int32{2, -1}, f.At(4).Reads)
	assert.Nil(t, f.At(6), "it does not give what was recorded")
	for i, want := range []bool{true, false, true, true, false, false, false} {
		assert.Equal(t, want, f.Tracked(i), i)
	}
	found, ok := f.Found(flowTrace(), 3)
	assert.True(t, ok)
	assert.Equal(t, uint64(6), found, "10 without the 4 that were read at 0")
	_, ok = f.Found(flowTrace(), 1)
	assert.False(t, ok, "a store")
	v := f.At(3).Formula.Eval(6, func(k int, r Reading) int64 { return 4 })
	assert.Equal(t, int64(10), v)
	assert.True(t, f.At(3).Same(&Event{Kind: AtomicRMW, Size: 8, Val: 10}, v))
}

// What an atomic operation stores is known only if what it found is.
func TestFlowOfUntrackedUpdates(t *testing.T) {
	tr := flowTrace()
	s := tr.Sites[SiteRewritten|3]
	s.Tracked = false
	tr.Sites[s.ID] = s
	f := NewFlow(tr)
	assert.Nil(t, f.At(3))
	assert.False(t, f.Tracked(0), "where its value goes is not known")
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

package schedule

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// The walk passes over an access that must come before the other list's, or that is in the cone, and goes on with the
// later ones of the same list.
func TestMeetPassesOver(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n" // positions 0 to 3
	for name, test := range map[string]struct {
		text          string
		first, second []int32
		want          [][]int
	}{
		"the first one must come before":  {forks + "1 w x\n1 post p\n2 await p\n1 w x\n2 w x", []int32{4, 7}, []int32{8}, [][]int{{7, 8}}},
		"the second one must come before": {forks + "2 w x\n2 post p\n1 await p\n2 w x\n1 w x", []int32{8}, []int32{4, 7}, [][]int{{7, 8}}},
		"the cone has the first one":      {forks + "1 acq l\n1 w x\n1 rel l\n2 acq l\n2 rel l\n1 w x\n2 w x", []int32{5, 9}, []int32{10}, [][]int{{9, 10}}},
		"all must come before":            {forks + "1 w x\n1 post p\n2 await p\n2 w x", []int32{4}, []int32{7}, nil},
	} {
		tr := tracetest.Parse(t, test.text)
		p := plan(t, tr)
		var found [][]int
		for _, r := range p.Meet(test.first, test.second, p.o.BeforeReached, math.MaxInt) {
			if !slices.ContainsFunc(found, func(f []int) bool { return slices.Equal(f, r.Accesses) }) {
				found = append(found, r.Accesses)
			}
		}
		assert.Equal(t, test.want, found, name)
	}
}

// To block in an operation of a channel, a goroutine needs all operations that stand in line before it. To be about to
// execute an access, it needs only its own events.
func TestLeadNeedsLine(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n0 fork 2\n1 begin\n2 begin\n1 send c/1\n1 sent c#1/1\n2 send c/1")
	p := plan(t, tr)
	for blocks, want := range map[bool]bool{true: true, false: false} {
		v := target{accesses: []int{6}, blocks: blocks}
		c := p.newCone(p.testBase(v), allReads, nil, nil)
		assert.True(t, c.addTarget(v))
		assert.Equal(t, want, c.includes(4), "the send before it in line; blocks: %t", blocks)
		assert.True(t, c.includes(3), "what its goroutine did before")
	}
}

// The cone of an access that needs the other one of its target leads nowhere.
func TestLeadNeedsNoAccess(t *testing.T) {
	tr := tracetest.Parse(t, "0 fork 1\n0 fork 2\n1 begin\n2 begin\n1 w x\n1 post p\n2 await p\n2 w x\n2 w y")
	p := plan(t, tr)
	for accesses, want := range map[[2]int]bool{{4, 7}: false, {4, 8}: false, {5, 6}: true, {4, 6}: true, {4, 3}: true} {
		v := target{accesses: accesses[:]}
		assert.Equal(t, want, p.newCone(p.testBase(v), allReads, nil, nil).addTarget(v), "%v", accesses)
	}
}

// A sliced schedule leaves out what was within the scope of a branch that comes out otherwise, and nothing else.
func TestSlicedLeavesOutScope(t *testing.T) {
	const text = `gopredict trace 1
goroutine id=0 path="main"
goroutine id=1 path="main.1"
site id=0x80000002 key=2 func="f" file="a.go" line=2 op="branch" scope=4 iffalse
site id=0x80000003 key=3 func="f" file="a.go" line=3
site id=0x80000005 key=5 func="f" file="a.go" line=5
0 fork obj=1
1 begin
1 write obj=8 size=8 site=0x80000005
1 branch val=1 site=0x80000002
1 write obj=16 size=8 site=0x80000003
1 write obj=24 size=8 site=0x80000005
0 write obj=24 size=8 site=0x80000005`
	tr, err := trace.ReadText(strings.NewReader(text))
	require.NoError(t, err)
	p := plan(t, tr)
	p.Slice(dataflow.NewScopes(tr, dataflow.New(tr)))
	s, _, ok := p.Sliced([]int{5, 6}, nil, []int{3})
	require.True(t, ok)
	assert.Equal(t, []int{0, 1, 2, 3, 5}, s.Steps, "without the write at 4")
	s, _, ok = p.Sliced([]int{5, 6}, nil, nil)
	require.True(t, ok)
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, s.Steps)
}

// An operation that found its channel closed has no place in its line.
func TestNeeds(t *testing.T) {
	p := plan(t, tracetest.Parse(t, "1 send c/9\n1 sent c#1/9\n2 close c\n1 send c/9\n1 panic\n3 send c/9\n3 panic"))
	for at, want := range [][]int32{0: nil, 1: nil, 2: nil, 3: {0}, 4: {2}, 5: {0}, 6: {2}} {
		assert.Equal(t, want, p.needs(at, p.t.Events[at].Kind), "event %d", at)
	}
}

// Of two read locks of one goroutine the first release ends the inner section, as package facts says. So
// a writer has to wait for the end of the outer one, or to come before its begin.
func TestReleaseEndsInnerSection(t *testing.T) {
	p := plan(t, tracetest.Parse(t, "1 racq a\n1 racq a\n1 rrel a\n1 w x\n1 rrel a\n2 acq a\n2 rel a"))
	c := p.newCone(p.baseAt(0), noReads, nil, nil)
	c.lazy = true
	c.add(3)
	c.add(5)
	steps, decisions := c.execute()
	assert.Nil(t, steps)
	assert.Equal(t, []causality.Edge{{From: 6, To: 0}, {From: 4, To: 5}}, decisions)
}

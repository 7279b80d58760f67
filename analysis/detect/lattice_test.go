package detect_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/recorder/trace"
)

// The run of Figures 1 and 2 (Chen and Roşu, 2005) goes level by level (Figure 7): the write of
// e comes after that of a, which its goroutine has read, and before or after those of b and c.
func TestFigure7(t *testing.T) {
	in := input(t, `0 fork 1
0 fork 2
1 begin
2 begin
1 call o#1 // 4: a, L11
1 post k
2 await k  // L21
1 call o#2 // 7: b, L12
1 call o#3 // 8: c, L13
2 call o#4 // 9: e, L23`)
	for text, want := range map[string][][]string{
		"e -> once c": { // state 1: c was written
			{"[] 0"},
			{"[4] 0"},
			{"violated by [4 9] 2", "[4 7] 0"},
			{"violated by [4 7 9] 2", "[4 7 8] 1"},
			{"[4 7 8 9] 1"},
		},
		"e -> once a": {{"[] 0"}, {"[4] 1"}, {"[4 7] 1", "[4 9] 1"}, {"[4 7 8] 1", "[4 7 9] 1"}, {"[4 7 8 9] 1"}},
	} {
		m, err := property.Compile(property.LTL, text, []string{"a", "b", "c", "e"})
		require.NoError(t, err)
		p := &property.Property{Name: text, Calls: map[uint64]int{1: 0, 2: 1, 3: 2, 4: 3}, Monitor: m}
		levels, cut := detect.Levels(in, p, []int{4, 7, 8, 9})
		assert.Equal(t, want, levels, text)
		assert.False(t, cut)
	}
}

// The cuts of each level, and the monitor's states there, are those of the beginnings of all
// orders of the calls that keep what must come before what, up to where they are violated.
func TestLevelsAgainstEnumeration(t *testing.T) {
	merged := 0
	for seed := range uint64(300) {
		in := input(t, randomCalls(rand.New(rand.NewPCG(seed, 1))))
		p := compiled(t, []string{"(a b)*", "(a b c)*", "((a | b) c)*"}[seed%3], "a", "b", "c")
		for obj, run := range callsOf(in.Trace, &p) {
			levels, cut := detect.Levels(in, &p, run)
			require.False(t, cut)
			want := make([]map[string]bool, len(run)+1)
			begun := 0
			var walk func(done []int, state int)
			walk = func(done []int, state int) {
				begun++
				if want[len(done)] == nil {
					want[len(done)] = make(map[string]bool)
				}
				text := fmt.Sprint(slices.Sorted(slices.Values(done)), state)
				if state == p.Monitor.Violated {
					want[len(done)]["violated by "+text] = true
					return
				}
				want[len(done)][text] = true
				for _, i := range run {
					if !slices.Contains(done, i) && !slices.ContainsFunc(run, func(j int) bool { return comesBefore(in, j, i) && !slices.Contains(done, j) }) {
						walk(append(slices.Clone(done), i), p.Monitor.Step(state, p.Calls[in.Trace.Events[i].Val]))
					}
				}
			}
			walk(nil, 0)
			for n, cuts := range want {
				got := make(map[string]bool)
				if n < len(levels) {
					for _, c := range levels[n] {
						assert.False(t, got[c] && !strings.HasPrefix(c, "violated"), "seed %d: object %d: %s twice", seed, obj, c)
						got[c] = true
					}
				}
				begun -= len(got)
				if len(cuts) > 0 || len(got) > 0 {
					assert.Equal(t, cuts, got, "seed %d: object %d: level %d", seed, obj, n)
				}
			}
			if begun > 0 {
				merged++
			}
		}
	}
	assert.Greater(t, merged, 50, "runs that come to one cut in one state")
}

// comesBefore reports whether call j comes before i in all orders.
func comesBefore(in *detect.Input, j, i int) bool {
	return j != i && (in.Order.Before(j, i) || in.Trace.Events[i].G == in.Trace.Events[j].G && j < i)
}

// Where a level has more cuts than are looked at, that is said, and what is found all the same
// is an order that violates the property.
func TestWidth(t *testing.T) {
	text := func(goroutines int) string {
		var b strings.Builder
		for g := 1; g <= goroutines; g++ {
			fmt.Fprintf(&b, "0 fork %d\n%[1]d begin\n", g)
		}
		for g := 1; g <= goroutines; g++ {
			fmt.Fprintf(&b, "%d call o#1\n%[1]d call o#2\n%[1]d call o#3\n", g)
		}
		return b.String()
	}
	for goroutines, cut := range map[int]bool{3: false, 8: true} {
		in := input(t, text(goroutines))
		in.Properties = []property.Property{compiled(t, "(a | b | c)* & ~(any* c c c any*)", "a", "b", "c")}
		cs, counts := detect.Properties.Candidates(in)
		assert.Equal(t, cut, counts.Truncated, "%d goroutines", goroutines)
		require.NotEmpty(t, cs)
		for _, c := range cs {
			state := 0
			for k, i := range c.Instances[0].Accesses {
				state = in.Properties[0].Monitor.Step(state, in.Properties[0].Calls[in.Trace.Events[i].Val])
				for _, j := range c.Instances[0].Accesses[k+1:] {
					assert.False(t, comesBefore(in, j, i))
				}
			}
		}
	}
}

// A thousand goroutines that call methods of one object in any order have more cuts than can be looked
// at: the search ends where the looks do, and takes what each cut's size costs.
func TestLatticeKeepsToItsLooks(t *testing.T) {
	const goroutines = 1000
	var text strings.Builder
	for g := 1; g <= goroutines; g++ {
		fmt.Fprintf(&text, "0 fork %d\n%d begin\n", g, g)
	}
	for round := range 2 {
		for g := 1; g <= goroutines; g++ {
			fmt.Fprintf(&text, "%d call o#%d\n", g, 1+(g+round)%2)
		}
	}
	p := compiled(t, "(a b)* a?", "a", "b")
	for _, looks := range []int{1 << 10, 1 << 22} { // too few for what must come before what, and more
		in := input(t, text.String())
		in.Properties, in.LooksLeft = []property.Property{p}, looks
		_, counts := detect.Properties.Candidates(in)
		assert.True(t, counts.Truncated)
		if looks < 2*goroutines*goroutines {
			assert.Equal(t, looks, in.LooksLeft)
			continue
		}
		assert.Negative(t, in.LooksLeft)
		assert.Greater(t, in.LooksLeft, -looks/10)
	}
}

// The runs of the objects of a trace are those that each object has in a trace without the
// calls on all others: random traces, in which addresses are given to a second object when the
// first one is gone.
func TestObjectsByThemselves(t *testing.T) {
	const objects = 3
	p := noUseAfterClose(t)
	violated, again := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		var lines []string
		var of []int // by line: the object called, twice its address, one more for the second that was there; -1 for none
		add := func(obj int, format string, args ...any) {
			lines, of = append(lines, fmt.Sprintf(format, args...)), append(of, obj)
		}
		for g := 1; g <= 3; g++ {
			add(-1, "0 fork %d", g)
			add(-1, "%d begin", g)
		}
		freed := make([]int, objects) // by address: the line from which it is another object's
		lives := make([]int, objects)
		for n := range 14 {
			g, o := 1+r.IntN(3), r.IntN(objects)
			switch r.IntN(6) {
			case 0:
				add(-1, "%d post k%d", g, n)
				if other := 1 + r.IntN(3); other != g {
					add(-1, "%d await k%d", other, n)
				}
			case 1:
				if lives[o] == 0 {
					lives[o], freed[o] = 1, len(lines)
				}
			default:
				add(2*o+lives[o], "%d call o%d#%d", g, o, 1+r.IntN(2))
			}
		}
		found := func(keep func(k int) bool) map[string]bool {
			var left []string
			var at []int // by position: the line
			for k, line := range lines {
				if keep(k) {
					left, at = append(left, line), append(at, k)
				}
			}
			in := input(t, strings.Join(left, "\n"))
			for o, line := range freed {
				for i, e := range in.Trace.Events {
					if e.Kind == trace.Call && lives[o] > 0 && of[at[i]]/2 == o {
						from, _ := slices.BinarySearch(at, line)
						in.Trace.Freed = append(in.Trace.Freed, trace.FreedObjects{Position: int32(from), FirstAddr: e.Obj, Size: 8, Mask: 1})
						break
					}
				}
			}
			slices.SortFunc(in.Trace.Freed, func(a, b trace.FreedObjects) int { return int(a.Position - b.Position) })
			in.Properties = []property.Property{p}
			cs, counts := detect.Properties.Candidates(in)
			require.False(t, counts.Truncated)
			out := make(map[string]bool)
			for _, c := range cs {
				var where []int
				for _, i := range c.Instances[0].Accesses {
					where = append(where, at[i])
				}
				out[fmt.Sprint(where)] = true
			}
			return out
		}
		apart := make(map[string]bool)
		for obj := range 2 * objects {
			for violation := range found(func(k int) bool { return of[k] < 0 || of[k] == obj }) {
				apart[violation] = true
				if obj%2 == 1 {
					again++
				}
			}
		}
		violated += len(apart)
		assert.Equal(t, apart, found(func(int) bool { return true }), "seed %d:\n%s", seed, strings.Join(lines, "\n"))
	}
	assert.Greater(t, violated, 100)
	assert.Greater(t, again, 20, "of an address that another object had")
}

package detect_test

import (
	"fmt"
	"iter"
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

// compiled is a property of the calls of methods 1, 2, …, which are its events.
func compiled(t *testing.T, text string, events ...string) property.Property {
	t.Helper()
	m, err := property.Compile(property.ERE, text, events)
	require.NoError(t, err)
	p := property.Property{Name: text, Calls: make(map[uint64]int), Monitor: m}
	for k := range events {
		p.Calls[uint64(k+1)] = k
	}
	return p
}

func noUseAfterClose(t *testing.T) property.Property {
	return compiled(t, "use* close?", "use", "close")
}

// Violations are those of all orders of the calls of each object that keep what must come
// before what, as level by level all cuts are come to (Chen and Roşu, 2005, Figure 7): random goroutines, compared with the enumeration of these orders.
func TestPropertiesAgainstEnumeration(t *testing.T) {
	ps := []property.Property{
		noUseAfterClose(t), compiled(t, "(lock unlock)*", "lock", "unlock"),
		compiled(t, "open use* close?", "open", "use", "close"), compiled(t, "~(any* a any* b any* a any*)", "a", "b"), compiled(t, "a* b?", "a", "b"), compiled(t, "a* b*", "a", "b"),
	}
	violated, satisfied := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 0))
		in := input(t, randomCalls(r))
		in.Properties = ps[seed%6 : seed%6+1]
		p := &in.Properties[0]
		found := make(map[uint64][][]int)
		cs, counts := detect.Properties.Candidates(in)
		require.False(t, counts.Truncated)
		for _, c := range cs {
			for _, v := range c.Instances {
				obj := in.Trace.Events[v.Accesses[0]].Obj
				found[obj] = append(found[obj], v.Accesses)
			}
		}
		for obj, calls := range callsOf(in.Trace, p) {
			want := enumerate(in, p, calls)
			assert.Equal(t, len(want) > 0, len(found[obj]) > 0, "seed %d: object %d: found %v, want of %v", seed, obj, found[obj], want)
			for _, accesses := range found[obj] {
				assert.Contains(t, want, fmt.Sprint(accesses), "seed %d", seed)
			}
			if len(want) > 0 {
				violated++
			} else {
				satisfied++
			}
		}
	}
	assert.Greater(t, violated, 50)
	assert.Greater(t, satisfied, 50)
}

// What a goroutine waits for between two of its calls comes before the second one only.
func TestWhatComesBeforeALaterCall(t *testing.T) {
	calls := "0 fork 1\n1 begin\n0 fork 2\n2 begin\n1 call o0#1\n1 post k0\n2 call o0#1\n%s2 call o0#2\n"
	for await, violations := range map[string]int{"2 await k0\n": 0, "": 1} {
		in := input(t, fmt.Sprintf(calls, await))
		in.Properties = []property.Property{noUseAfterClose(t)}
		cs, _ := detect.Properties.Candidates(in)
		assert.Len(t, cs, violations, "between the calls: %q", await)
	}
}

// Of many calls in a row the last one is looked at as well: it is the one before which most can
// come.
func TestLastOfARow(t *testing.T) {
	in := input(t, "0 fork 1\n1 begin\n0 fork 2\n2 begin\n1 call o0#1\n1 call o0#1\n1 call o0#1\n2 call o0#2\n")
	in.Properties = []property.Property{noUseAfterClose(t)}
	cs, _ := detect.Properties.Candidates(in)
	var uses []int
	for _, c := range cs {
		uses = append(uses, c.Instances[0].Accesses[1])
	}
	assert.ElementsMatch(t, []int{4, 6}, uses)
}

// An object that violates a built-in property as recorded is none that other orders violate.
func TestBuiltinThatIsViolated(t *testing.T) {
	for calls, violations := range map[string]int{"1 call o0#1\n2 call o0#2\n": 1, "2 call o0#2\n1 call o0#1\n": 0} {
		in := input(t, "0 fork 1\n1 begin\n0 fork 2\n2 begin\n"+calls)
		p := noUseAfterClose(t)
		p.Builtin = true
		in.Properties = []property.Property{p}
		cs, _ := detect.Properties.Candidates(in)
		assert.Len(t, cs, violations, calls)
	}
}

// randomCalls is the text of a trace of goroutines that call methods of two objects, and wait
// for each other now and then.
func randomCalls(r *rand.Rand) string {
	const goroutines = 3
	var b strings.Builder
	for g := 1; g <= goroutines; g++ {
		fmt.Fprintf(&b, "0 fork %d\n%[1]d begin\n", g)
	}
	posted := 0
	again := 1 // how often calls come in a row
	if r.IntN(2) == 0 {
		again = 3
	}
	for range 9 - 2*again {
		switch g := 1 + r.IntN(goroutines); {
		case r.IntN(3) > 0:
			call := fmt.Sprintf("%d call o%d#%d\n", g, r.IntN(2), 1+r.IntN(3))
			b.WriteString(strings.Repeat(call, 1+r.IntN(again)))
		case posted > 0 && r.IntN(2) == 0:
			fmt.Fprintf(&b, "%d await k%d\n", g, r.IntN(posted))
		default:
			fmt.Fprintf(&b, "%d post k%d\n", g, posted)
			posted++
		}
	}
	return b.String()
}

// callsOf returns the positions of the calls that are events of p by object.
func callsOf(tr *trace.Trace, p *property.Property) map[uint64][]int {
	calls := make(map[uint64][]int)
	for i, e := range tr.Events {
		if _, ok := p.Calls[e.Val]; ok && e.Kind == trace.Call {
			calls[e.Obj] = append(calls[e.Obj], i)
		}
	}
	return calls
}

// enumerate goes through all orders of calls, and returns of those that violate p the calls
// that change the state of its monitor, up to the first violation.
func enumerate(in *detect.Input, p *property.Property, calls []int) map[string]bool {
	out := make(map[string]bool)
	var walk func(left []int, state int, changes []int)
	walk = func(left []int, state int, changes []int) {
		for _, i := range left {
			if slices.ContainsFunc(left, func(j int) bool {
				return j != i && (in.Order.Before(j, i) || in.Trace.Events[i].G == in.Trace.Events[j].G && j < i)
			}) {
				continue
			}
			to, changed := p.Monitor.Step(state, p.Calls[in.Trace.Events[i].Val]), changes
			if to != state {
				changed = append(slices.Clone(changes), i)
			}
			if to == p.Monitor.Violated {
				out[fmt.Sprint(changed)] = true
				continue
			}
			walk(slices.DeleteFunc(slices.Clone(left), func(j int) bool { return j == i }), to, changed)
		}
	}
	walk(calls, 0, nil)
	return out
}

// Each pair that an event makes goes through what is about both of its objects or one of them, and
// through nothing else: random goroutines, compared with the enumeration of all orders.
func TestPairsAgainstEnumeration(t *testing.T) {
	const first, second, both, operand = 1, 2, 3, 4
	texts := []string{"both second* first*", "(first | both)* second?", "second* both+ first?"}
	violated, satisfied, late := 0, 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		p := compiled(t, texts[seed%3], "first", "second", "both")
		p.Params = map[uint64]property.Param{first: {Of: 0}, second: {Of: 1}, both: {Of: 1, Operand: operand}}
		var b strings.Builder
		b.WriteString("0 fork 1\n1 begin\n0 fork 2\n2 begin\n")
		posted := 0
		for range 9 {
			switch g := 1 + r.IntN(2); r.IntN(5) {
			case 0:
				fmt.Fprintf(&b, "%d call o%d#%d\n", g, r.IntN(2), first)
			case 1:
				fmt.Fprintf(&b, "%d call o%d#%d\n", g, 2+r.IntN(2), second)
			case 2, 3:
				fmt.Fprintf(&b, "%d call o%d#%d\n%[1]d call o%[4]d#%[5]d\n", g, r.IntN(2), operand, 2+r.IntN(2), both)
			case 4:
				fmt.Fprintf(&b, "%d post k%d\n%d await k%[2]d\n", g, posted, 3-g)
				posted++
			}
		}
		in := input(t, b.String())
		in.Properties = []property.Property{p}
		cs, counts := detect.Properties.Candidates(in)
		require.False(t, counts.Truncated)
		found := make(map[string]bool)
		for _, c := range cs {
			for _, v := range c.Instances {
				found[fmt.Sprint(v.ObjectCalls)] = true
				state := 0
				for _, i := range v.Accesses[:len(v.Accesses)-1] {
					state = p.Monitor.Step(state, p.Calls[in.Trace.Events[i].Val])
				}
				assert.True(t, slices.ContainsFunc(v.Accesses, func(i int) bool { return in.Trace.Events[i].Val == both }), "seed %d", seed)
				if state == p.Monitor.Violated { // before the two were a pair
					assert.Equal(t, uint64(both), in.Trace.Events[v.Accesses[len(v.Accesses)-1]].Val)
					late++
				}
			}
		}
		want := make(map[string]bool)
		for run := range pairsOf(in.Trace, first, second, both) {
			joins := func(i int) bool { return in.Trace.Events[i].Val == both }
			if violable(in, &p, run, joins) {
				want[fmt.Sprint(run)] = true
				violated++
			} else {
				satisfied++
			}
		}
		assert.Equal(t, want, found, "seed %d:\n%s", seed, b.String())
	}
	assert.Greater(t, violated, 100)
	assert.Greater(t, satisfied, 100)
	assert.Positive(t, late)
}

// pairsOf returns the events of each pair of objects that an event is about.
func pairsOf(tr *trace.Trace, first, second, both uint64) iter.Seq[[]int] {
	objects := make(map[uint64]bool)
	for _, e := range tr.Events {
		objects[e.Obj] = true
	}
	return func(yield func([]int) bool) {
		for a := range objects {
			for b := range objects {
				var run []int
				exists := false
				for i, e := range tr.Events {
					joined := e.Val == both && e.Obj == b && tr.Events[i-1].Obj == a
					exists = exists || joined
					if e.Kind == trace.Call && (e.Val == first && e.Obj == a || e.Val == second && e.Obj == b || joined) {
						run = append(run, i)
					}
				}
				if exists && !yield(run) {
					return
				}
			}
		}
	}
}

// violable reports whether an order of calls that keeps what must come before what violates p with
// one of them that makes the pair, or after it.
func violable(in *detect.Input, p *property.Property, calls []int, joins func(int) bool) bool {
	var walk func(left []int, state int, exists bool) bool
	walk = func(left []int, state int, exists bool) bool {
		if exists && state == p.Monitor.Violated {
			return true
		}
		for _, i := range left {
			before := func(j int) bool {
				return j != i && (in.Order.Before(j, i) || in.Trace.Events[i].G == in.Trace.Events[j].G && j < i)
			}
			if !slices.ContainsFunc(left, before) &&
				walk(slices.DeleteFunc(slices.Clone(left), func(j int) bool { return j == i }), p.Monitor.Step(state, p.Calls[in.Trace.Events[i].Val]), exists || joins(i)) {
				return true
			}
		}
		return false
	}
	return walk(calls, 0, false)
}

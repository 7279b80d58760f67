package property_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/property"
)

// words is how many random words of each language are compared; 100000 takes some seconds.
var words = flag.Int("words", 20_000, "random words that monitors are compared on, of each language")

var letters = []string{"a", "b", "c"}

// A spec is a random specification: its text, and whether a word satisfies it from
// position i to j, or with LTL at position i of all of it.
type spec struct {
	text string
	ere  func(w []int, i, j int) bool
	ltl  func(w []int, i int) bool
}

// randomERE evaluates by trying all ways to split a word.
func randomERE(r *rand.Rand, depth int) spec {
	if depth == 0 || r.IntN(6) == 0 {
		switch n := r.IntN(len(letters) + 2); n {
		case len(letters):
			return spec{text: "empty", ere: func(_ []int, i, j int) bool { return i == j }}
		case len(letters) + 1:
			return spec{text: "any", ere: func(_ []int, i, j int) bool { return j == i+1 }}
		default:
			return spec{text: letters[n], ere: func(w []int, i, j int) bool { return j == i+1 && w[i] == n }}
		}
	}
	a := randomERE(r, depth-1)
	plus := func(w []int, i, j int) bool { return repeats(a, w, i, j) }
	switch r.IntN(7) {
	case 0:
		return spec{text: "~(" + a.text + ")", ere: func(w []int, i, j int) bool { return !a.ere(w, i, j) }}
	case 1:
		return spec{text: "(" + a.text + ")*", ere: func(w []int, i, j int) bool { return i == j || plus(w, i, j) }}
	case 2:
		return spec{text: "(" + a.text + ")+", ere: plus}
	case 3:
		return spec{text: "(" + a.text + ")?", ere: func(w []int, i, j int) bool { return i == j || a.ere(w, i, j) }}
	case 4:
		b := randomERE(r, depth-1)
		return spec{text: "(" + a.text + " | " + b.text + ")", ere: func(w []int, i, j int) bool { return a.ere(w, i, j) || b.ere(w, i, j) }}
	case 5:
		b := randomERE(r, depth-1)
		return spec{text: "(" + a.text + " & " + b.text + ")", ere: func(w []int, i, j int) bool { return a.ere(w, i, j) && b.ere(w, i, j) }}
	}
	b := randomERE(r, depth-1)
	return spec{text: "(" + a.text + " " + b.text + ")", ere: func(w []int, i, j int) bool {
		for k := i; k <= j; k++ {
			if a.ere(w, i, k) && b.ere(w, k, j) {
				return true
			}
		}
		return false
	}}
}

// repeats reports whether a part of a word is one or more words of a.
func repeats(a spec, w []int, i, j int) bool {
	if a.ere(w, i, j) {
		return true
	}
	for k := i + 1; k < j; k++ {
		if a.ere(w, i, k) && repeats(a, w, k, j) {
			return true
		}
	}
	return false
}

// randomLTL evaluates by the definitions, at one position of a word.
func randomLTL(r *rand.Rand, depth int, future bool) spec {
	if depth == 0 || r.IntN(7) == 0 {
		switch n := r.IntN(len(letters) + 1); n {
		case len(letters):
			return spec{text: "true", ltl: func([]int, int) bool { return true }}
		default:
			return spec{text: letters[n], ltl: func(w []int, i int) bool { return w[i] == n }}
		}
	}
	some := func(w []int, from, to int, is func([]int, int) bool) bool {
		for k := from; k < to; k++ {
			if is(w, k) {
				return true
			}
		}
		return false
	}
	ops := 4
	if future {
		ops = 8
	}
	past := r.IntN(3) == 0 || !future // the operands of the past are of the past
	if past {
		a, b := randomLTL(r, depth-1, false), randomLTL(r, depth-1, false)
		switch r.IntN(4) {
		case 0:
			return spec{text: "previously (" + a.text + ")", ltl: func(w []int, i int) bool { return i > 0 && a.ltl(w, i-1) }}
		case 1:
			return spec{text: "once (" + a.text + ")", ltl: func(w []int, i int) bool { return some(w, 0, i+1, a.ltl) }}
		case 2:
			return spec{text: "historically (" + a.text + ")", ltl: func(w []int, i int) bool {
				return !some(w, 0, i+1, func(w []int, k int) bool { return !a.ltl(w, k) })
			}}
		}
		return spec{text: "((" + a.text + ") since " + b.text + ")", ltl: func(w []int, i int) bool {
			for k := i; k >= 0; k-- {
				if b.ltl(w, k) {
					return true
				}
				if !a.ltl(w, k) {
					return false
				}
			}
			return false
		}}
	}
	a, b := randomLTL(r, depth-1, future), randomLTL(r, depth-1, future)
	switch r.IntN(ops) {
	case 0:
		return spec{text: "!(" + a.text + ")", ltl: func(w []int, i int) bool { return !a.ltl(w, i) }}
	case 1:
		return spec{text: "(" + a.text + " && " + b.text + ")", ltl: func(w []int, i int) bool { return a.ltl(w, i) && b.ltl(w, i) }}
	case 2:
		return spec{text: "(" + a.text + " || " + b.text + ")", ltl: func(w []int, i int) bool { return a.ltl(w, i) || b.ltl(w, i) }}
	case 3:
		return spec{text: "(" + a.text + " -> " + b.text + ")", ltl: func(w []int, i int) bool { return !a.ltl(w, i) || b.ltl(w, i) }}
	case 4:
		return spec{text: "next (" + a.text + ")", ltl: func(w []int, i int) bool { return i+1 < len(w) && a.ltl(w, i+1) }}
	case 5:
		return spec{text: "eventually (" + a.text + ")", ltl: func(w []int, i int) bool { return some(w, i, len(w), a.ltl) }}
	case 6:
		return spec{text: "always (" + a.text + ")", ltl: func(w []int, i int) bool {
			return !some(w, i, len(w), func(w []int, k int) bool { return !a.ltl(w, k) })
		}}
	}
	return spec{text: "((" + a.text + ") until (" + b.text + "))", ltl: func(w []int, i int) bool {
		for k := i; k < len(w); k++ {
			if b.ltl(w, k) {
				return true
			}
			if !a.ltl(w, k) {
				return false
			}
		}
		return false
	}}
}

// Monitors accept what a direct evaluation of their specification does, on random words,
// and are violated exactly where nothing that may follow is accepted.
func TestAgainstDirectEvaluation(t *testing.T) {
	for _, language := range []property.Language{property.ERE, property.LTL} {
		t.Run(string(language), func(t *testing.T) {
			const perSpec = 20
			compared, trivial := 0, 0
			for seed := uint64(0); compared < *words; seed++ {
				r := rand.New(rand.NewPCG(seed, 1))
				s := spec{}
				if language == property.ERE {
					s = randomERE(r, 4)
				} else if s = randomLTL(r, 4, true); !strings.Contains(s.text, "next") && !strings.Contains(s.text, "until") {
					s.text = "(" + s.text + ") && (next true || !next true)" // of the future: at the first event only
				}
				m, err := property.CompileAny(language, s.text, letters)
				require.NoError(t, err, s.text)
				require.Equal(t, dead(m), m.Violated, "%s\n%v", s.text, m)
				if len(m.Next) == 1 {
					trivial++
				}
				for range perSpec {
					w := make([]int, 1+r.IntN(9))
					state := 0
					for k := range w {
						w[k] = r.IntN(len(letters))
						state = m.Step(state, w[k])
					}
					want := false
					if language == property.ERE {
						want = s.ere(w, 0, len(w))
					} else {
						want = s.ltl(w, 0)
					}
					require.Equal(t, want, m.Accept[state], "%s on %v\n%v", s.text, w, m)
					compared++
				}
				if language == property.ERE {
					require.Equal(t, s.ere(nil, 0, 0), m.Accept[0], "%s on no event", s.text)
				}
			}
			assert.Less(t, trivial*perSpec, compared*2/3, "most specifications say nothing")
		})
	}
}

// dead returns the only state from which no accepting one can be reached, -1 if there is
// none.
func dead(m *property.Monitor) int {
	alive := make([]bool, len(m.Next))
	for changed := true; changed; {
		changed = false
		for s, row := range m.Next {
			for _, to := range row {
				if !alive[s] && (m.Accept[s] || alive[to] || m.Accept[to]) {
					alive[s], changed = true, true
				}
			}
		}
	}
	found := -1
	for s := range alive {
		if !alive[s] {
			if found >= 0 {
				return -2
			}
			found = s
		}
	}
	return found
}

func TestMonitors(t *testing.T) {
	events := []string{"use", "close"}
	after := "state 0: use -> 0, close -> 1\nstate 1: use violates, close violates\n"
	for name, test := range map[string]struct {
		language property.Language
		text     string
		want     string
	}{
		"expression":         {property.ERE, "use* close?", after},
		"negated expression": {property.ERE, "~(any* close any+)", after},
		"automaton":          {property.Automaton, "open: use -> open, close -> closed; closed:", after},
		"past":               {property.LTL, "!previously once close", after},
		"future":             {property.LTL, "always (close -> !next true)", after},
		"closed twice":       {property.LTL, "use -> !once close", "state 0: use -> 0, close -> 1\nstate 1: use violates, close -> 1\n"},
		"in turn":            {property.ERE, "(use close)*", "state 0: use -> 1, close violates\nstate 1: use violates, close -> 0\n"},
		"many lines":         {property.Automaton, "a:\n\tuse -> b;\nb:\n\tclose -> a;\n", "state 0: use -> 1, close violates\nstate 1: use violates, close -> 0\n"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := property.Compile(test.language, test.text, events)
			require.NoError(t, err)
			assert.Equal(t, test.want, m.String())
		})
	}
}

func TestDot(t *testing.T) {
	m, err := property.Compile(property.ERE, "use* close?", []string{"use", "close"})
	require.NoError(t, err)
	assert.Equal(t, `digraph "no use after close" {
	rankdir=LR;
	start [shape=point];
	start -> 0;
	0 [shape=doublecircle];
	0 -> 0 [label="use"];
	0 -> 1 [label="close"];
	1 [shape=doublecircle];
	1 -> 2 [label="use, close"];
	2 [label="violated", shape=octagon];
}
`, m.Dot("no use after close"))
}

// An error says where it is, what was expected, and what was found.
func TestErrors(t *testing.T) {
	events := []string{"use", "close"}
	for _, test := range []struct {
		language property.Language
		text     string
		offset   int
		want     string
	}{
		{property.ERE, "use* clos?", 5, "expected an event (use, close), found clos"},
		{property.ERE, "use* (close", 11, "expected ), found the end"},
		{property.ERE, "", 0, "expected an event (use, close), any, empty, ( or ~, found the end"},
		{property.ERE, "use )", 4, "expected the end, found )"},
		{property.ERE, "use $", 4, `expected a name or an operator, found "$"`},
		{property.ERE, strings.Repeat("(", 1000) + "use", 500, "expected parts nested at most 500 deep, found more"},
		{property.ERE, "(use | close)* use " + strings.Repeat("(use | close) ", 15), 0, "expected a monitor of at most 10000 states, found more: split the property"},
		{property.ERE, "any*", 0, "expected a property that some order of events violates, found one that each beginning of a run may still satisfy"},
		{property.ERE, "use & close", 0, "expected a property that some order of events satisfies, found none"},
		{property.LTL, "once next use", 0, "expected no operator of the future (next, eventually, always, until) under once, found one"},
		{property.LTL, "use since eventually close", 4, "expected no operator of the future (next, eventually, always, until) under since, found one"},
		{property.LTL, "always (use ->", 14, "expected an event (use, close), an operator or (, found the end"},
		{property.LTL, "until use", 0, "expected an event (use, close), an operator or (, found until"},
		{property.LTL, "eventually close", 0, "expected a property that some order of events violates, found one that each beginning of a run may still satisfy"},
		{property.Automaton, "a: use -> b", 10, `expected a list of successors for each state, as in "b: …", found none for b`},
		{property.Automaton, "a: use -> a; a: use -> a", 13, "expected one list of successors for state a, found a second one"},
		{property.Automaton, "a: use -> a, use -> a", 13, "expected one successor of state a for each event, found a second one for use"},
		{property.Automaton, "a: use a", 7, "expected ->, found a"},
		{property.Automaton, "a use", 2, "expected :, found use"},
		{"TLA", "use", 0, `expected ERE, LTL or Automaton, found "TLA"`},
	} {
		t.Run(fmt.Sprintf("%s %.20s", test.language, test.text), func(t *testing.T) {
			_, err := property.Compile(test.language, test.text, events)
			var e *property.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, test.want, e.Text)
			assert.Equal(t, test.offset, e.Offset)
		})
	}
}

func TestNamesOfEvents(t *testing.T) {
	for _, test := range []struct {
		language property.Language
		events   []string
		want     string
	}{
		{property.ERE, []string{"use", "use"}, "expected a name for each event, found use twice"},
		{property.ERE, []string{"a b"}, `expected names of letters, digits and _ for events, found "a b"`},
		{property.ERE, []string{"any"}, "any is a word of ERE: give the event another name"},
		{property.LTL, []string{"once"}, "once is a word of LTL: give the event another name"},
	} {
		_, err := property.Compile(test.language, "use", test.events)
		assert.EqualError(t, err, test.want)
	}
}

// No text makes a parser panic or go on for ever, and what it takes has a whole monitor.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{"a* b?", "~(a b) & c+", "always (a -> !once b)", "a until next b since c", "s: a -> s, b -> t; t:", "(a|b)* a (a|b)(a|b)(a|b)"} {
		for k := range 3 {
			f.Add(uint8(k), text)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		language := []property.Language{property.ERE, property.LTL, property.Automaton}[which%3]
		m, err := property.CompileAny(language, text, letters)
		if err != nil {
			var e *property.Error
			require.ErrorAs(t, err, &e)
			require.LessOrEqual(t, e.Offset, len(text))
			return
		}
		require.LessOrEqual(t, len(m.Next), property.MaxStates)
		require.Equal(t, dead(m), m.Violated)
	})
}

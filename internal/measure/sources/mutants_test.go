package sources

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// Each mistake of the list can be made in exactly one place: whoever renames or rewrites what
// it quotes writes it anew there.
func TestMutantsAreOfTheseSources(t *testing.T) {
	all := parseMutants(mutantList)
	assert.GreaterOrEqual(t, len(all), 200)
	assert.NoError(t, applyAll(all, "../../.."))
}

func TestParseMutants(t *testing.T) {
	mutants := parseMutants("# A comment.\n\nIt breaks.\n\tanalysis/order (*T).M, tests of analysis: a => b\n")
	require.Len(t, mutants, 1)
	m := mutants[0]
	assert.Equal(t, []string{"It breaks", "analysis/order", "(*T).M", "analysis"}, []string{m.breaks, m.room, m.name, m.tests})
	assert.Equal(t, tokenEdit{"a", "b"}, m.edit)
	for name, text := range map[string]string{
		"no declaration": "It breaks.\n\troom: a => b\n",
		"no edit":        "It breaks.\n\troom F\n",
		"no operator":    "It breaks.\n\troom F: change a\n",
		"no reason":      "\n\troom F: a => b\n",
	} {
		err := run.Catch(func() { parseMutants(text) })
		assert.ErrorContains(t, err, "mutants.txt:2: expected what the mutant breaks", name)
	}
	err := run.Catch(func() { parseMutants("It breaks.\nIt breaks.\n") })
	assert.ErrorContains(t, err, "mutants.txt:2: expected a mutant")
}

// A mutant is found by the tokens of its snippet, in its declaration only.
func TestTokenEdit(t *testing.T) {
	const text = `package p

const most = 3

type list[T any] struct{ n int }

func (l *list[T]) full() bool {
	if l.n > most || // a comment
		l.n < 0 {
		return true
	}
	return false
}

func full(n int) bool { return n > most }
`
	s := parseSource("p.go", text)
	for _, c := range []struct{ decl, edit, was, is string }{
		{"(*list).full", "l.n > most || l.n < 0 => l.n > most", "l.n > most || // a comment\n\t\tl.n < 0", "l.n > most"},
		{"(*list).full", "negate l.n < 0", "l.n < 0", "!(l.n < 0)"},
		{"(*list).full", "{ return true }; return false => { return false }; return true", "{\n\t\treturn true\n\t}\n\treturn false", "{ return false }; return true"},
		{"(*list).full", "delete return true", "return true", ""},
		{"full", "n > most => n >= most", "return n > most", "return n >= most"},
		{"most", "3 => 4", "most = 3", "most = 4"},
	} {
		e, ok := parseEdit(c.edit)
		require.True(t, ok)
		_, got := e.apply([]*source{s}, c.decl)
		assert.Equal(t, strings.Replace(text, c.was, c.is, 1), string(got), c.edit)
	}
	for decl, want := range map[string]string{
		"(*list).full": "expected once in (*list).full, found 2 times: l.n",
		"other":        "expected a declaration of other, found none",
	} {
		err := run.Catch(func() { tokenEdit{"l.n", "0"}.apply([]*source{s}, decl) })
		assert.EqualError(t, err, want)
	}
}

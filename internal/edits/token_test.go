package edits

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A token edit is found by the tokens of its snippet, in its declaration only.
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
	f, err := NewFile("p.go", text)
	require.NoError(t, err)
	for _, c := range []struct{ decl, edit, was, is string }{
		{"(*list).full", "l.n > most || l.n < 0 => l.n > most", "l.n > most || // a comment\n\t\tl.n < 0", "l.n > most"},
		{"(*list).full", "negate l.n < 0", "l.n < 0", "!(l.n < 0)"},
		{"(*list).full", "{ return true }; return false => { return false }; return true", "{\n\t\treturn true\n\t}\n\treturn false", "{ return false }; return true"},
		{"(*list).full", "delete return true", "return true", ""},
		{"full", "n > most => n >= most", "return n > most", "return n >= most"},
		{"most", "3 => 4", "most = 3", "most = 4"},
	} {
		e, ok := ParseTokenEdit(c.edit)
		require.True(t, ok)
		_, got, err := e.Apply([]*File{f}, c.decl)
		require.NoError(t, err, c.edit)
		assert.Equal(t, strings.Replace(text, c.was, c.is, 1), string(got), c.edit)
	}
	for decl, want := range map[string]string{
		"(*list).full": "expected once in (*list).full, found 2 times: l.n",
		"other":        "expected a declaration of other, found none",
	} {
		_, _, err := TokenEdit{"l.n", "0"}.Apply([]*File{f}, decl)
		assert.EqualError(t, err, want)
	}
}

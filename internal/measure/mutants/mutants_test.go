package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each mistake of the list can still be made: whoever changes lines that it has writes
// them anew there.
func TestListIsOfTheseSources(t *testing.T) {
	mutants, err := parse(list)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(mutants), 60)
	t.Chdir("../../..")
	for _, m := range mutants {
		_, err := m.change()
		assert.NoError(t, err)
	}
}

func TestParseErrors(t *testing.T) {
	for name, text := range map[string]string{
		"no file":         "room\nIt breaks.\n-a\n+b\n",
		"nothing becomes": "room f.go\nIt breaks.\n-a\n",
		"nothing was":     "room f.go\nIt breaks.\n+b\n",
		"mixed":           "room f.go\nIt breaks.\n-a\n+b\n-c\n",
	} {
		_, err := parse(text)
		assert.ErrorContains(t, err, "list.txt:1: expected a room and a file", name)
	}
}

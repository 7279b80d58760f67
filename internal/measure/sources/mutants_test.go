package sources

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/edits"
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
	assert.Equal(t, edits.TokenEdit{Is: "a", Becomes: "b"}, m.edit)
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

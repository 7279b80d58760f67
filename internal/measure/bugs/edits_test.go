package bugs

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// The edits of each subject's own fit its sources, and there are enough of each truth.
func TestOwnEdits(t *testing.T) {
	t.Chdir("../../..")
	all := readEdited()
	assert.Len(t, all, 10)
	for _, s := range all {
		counts, names := make(map[answer]int), make(map[string]bool)
		for _, e := range s.edits {
			assert.False(t, names[e.name], "%s has two edits %s, of which one row tells", s.name, e.name)
			names[e.name] = true
			counts[e.expected]++
			if e.suffix == "" && len(e.parts) == 0 || e.expected == bugFixed && len(e.neutral) > 0 {
				continue
			}
			dir := s.copy(filepath.Join(t.TempDir(), s.name))
			e.neutral = nil
			assert.True(t, e.apply(dir), "%s, %s", s.name, e.name)
		}
		assert.GreaterOrEqual(t, counts[bugPresent], editsPerAnswer[bugPresent], s.name)
		assert.Equal(t, editsPerAnswer[bugFixed], counts[bugFixed], s.name)
	}
}

func TestEditPage(t *testing.T) {
	p := newEditPage([]editRow{{"a", "x", bugPresent, bugPresent, ""}, {"a", "y", bugFixed, cannotTell, "no run"}, {"b", "x", bugFixed, bugFixed, ""}})
	text := run.Render(pages, "edits.md", p)
	assert.Contains(t, text, "| a | 1 | 0 | 0 | 0 | 0 | 1 |\n| b | 0 | 0 | 0 | 1 | 0 | 0 |\n| all | 1 | 0 | 0 | 1 | 0 | 1 |\n\n3 of the 0 edits have been tried; after 1 the answer")
	assert.Contains(t, text, "| a | y | fixed | cannot tell | no run |\n")
	assert.False(t, p.good(), "more than a fifth cannot be told")
	assert.False(t, newEditPage([]editRow{{"a", "x", bugPresent, bugFixed, ""}}).good())
}

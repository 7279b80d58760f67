package bugs

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/measure/run"
)

func TestFormIsRight(t *testing.T) {
	for _, c := range []struct {
		want, said string
		right      bool
	}{
		{"", "", true},
		{"", "race none", false},
		{"race none", "race none", true},
		{"race none", "race panic", false},
		{"race", "failure panic, race panic", true},
		{"race", "", false},
		{"failure test-failure", "assertion test-failure", true},
		{"deadlock deadlock", "infeasible", false},
	} {
		assert.Equal(t, c.right, form{Want: c.want, Said: c.said}.IsRight(), "%+v", c)
	}
}

func TestFormPage(t *testing.T) {
	p := formPage{Plain: 20, Race: 50, Kinds: []formKind{{"k", []formRow{{"k", "forms/k", []form{
		{"TestA", "A race.", "race none", "race none", failures{0, 20}, failures{50, 50}},
		{"TestB", "", "leak leak", "", failures{2, 2}, failures{2, 2}},
		{"TestC", "", "", "", failures{0, 20}, failures{0, 50}},
	}}}}}}
	text := run.Render(pages, "forms.md", p)
	assert.Contains(t, text, "2 forms have something to be told: `go test` fails in 1, `-race` in 2, gopredict says it of 1.\n1 are correct: gopredict says nothing of 1.\n")
	assert.Contains(t, text, "| k | 2 | 1 | 2 | 1 | 1 | 1 |\n")
	assert.Contains(t, text, "| TestA | A race. | 0 of 20 | 50 of 50 | race none |\n| TestB |  | 2 of 2 | 2 of 2 | **nothing**, not leak leak |\n| TestC |  | 0 of 20 | 0 of 50 | nothing |\n")
}

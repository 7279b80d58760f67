package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/bug"

	"github.com/gopredict/gopredict/internal/golden"
)

// What a terminal shows of five reports: the first finding fits on a screen, and no table
// is wider than that.
func TestScreen(t *testing.T) {
	for _, subject := range []string{"bank", "abba", "leftbehind", "crowd", "many"} {
		r := hundreds(t, 12)
		if subject != "many" {
			r = stored(t, subject)
		}
		for _, width := range []int{80, 120} {
			text := render(t, r, TextOptions{Width: width, Screen: true})
			golden.Equal(t, fmt.Sprintf("screen/%s-%d.txt", subject, width), text)
			first, _, _ := strings.Cut(strings.TrimPrefix(text, "==================\n"), "\n==================\n")
			assert.LessOrEqual(t, strings.Count(first, "\n")+1, screenLines, subject)
			for line := range strings.Lines(text) {
				if strings.Contains(line, " │ ") || strings.Contains(line, "─┼─") || strings.Contains(line, "      > ") {
					assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width)
				}
			}
			colored := render(t, r, TextOptions{Width: width, Screen: true, Color: true})
			golden.Equal(t, fmt.Sprintf("screen/%s-%d-color.txt", subject, width), colored)
		}
	}
}

// Of hundreds of warnings the first twenty are shown, and -v shows all.
func TestManyWarnings(t *testing.T) {
	r := &Report{}
	for i := range 50 {
		r.Findings = append(r.Findings, Finding{ID: fmt.Sprintf("deadlock-%06d", i), Kind: bug.Atomicity, Status: bug.Confirmed, Effect: bug.NoEffect,
			Test: "TestLocks", Accesses: []Access{{Op: "read", Position: Position{File: "a.go", Line: i + 1}}}})
	}
	for _, screen := range []bool{false, true} {
		text := render(t, r, TextOptions{Screen: screen})
		assert.Contains(t, text, "deadlock-000019")
		assert.NotContains(t, text, "deadlock-000020")
		assert.Contains(t, text, "\n30 more warnings without an effect on their tests; -v shows all, and -predict.json=FILE has them.\n")
		assert.Contains(t, render(t, r, TextOptions{Screen: screen, Verbose: true}), "deadlock-000049")
	}
}

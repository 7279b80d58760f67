package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

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

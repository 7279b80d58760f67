package edits

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A LineEdit replaces the lines Was of a file, without regard to indentation, by the lines Is.
// Without lines Was, these come at the end.
type LineEdit struct{ Was, Is []string }

// Apply edits a file, which has to have the lines once.
func (e LineEdit) Apply(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	at, n := len(lines), 1
	if len(e.Was) > 0 {
		n = 0
		for i := range len(lines) - len(e.Was) + 1 {
			if slices.EqualFunc(lines[i:i+len(e.Was)], e.Was, func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }) {
				at = i
				n++
			}
		}
	}
	if n != 1 {
		return fmt.Errorf("%s: expected these lines once, found them %d times: %q", file, n, e.Was)
	}
	return os.WriteFile(file, []byte(strings.Join(slices.Replace(lines, at, at+len(e.Was), e.Is...), "\n")), 0o666)
}

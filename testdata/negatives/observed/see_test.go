// Package observed prints what code can observe of itself. Lines that begin with "see" are the
// same in a plain run and in a recorded one.
package observed

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func see(t testing.TB, what string, values ...any) {
	fmt.Printf("see %s %s: %s\n", t.Name(), what, strings.TrimSpace(fmt.Sprintln(values...)))
}

var numbers = regexp.MustCompile(`0x[0-9a-f]+|\b[0-9]+(\.[0-9]+)?(ns|µs|ms|s)\b|goroutine [0-9]+`)

// steady replaces addresses, times and the numbers of goroutines.
func steady(text string) string {
	return numbers.ReplaceAllStringFunc(text, func(n string) string {
		if strings.HasPrefix(n, "gor") {
			return "goroutine N"
		}
		return "N"
	})
}

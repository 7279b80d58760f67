package run

import (
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"sync"
)

// A lockedWriter may be written to by several goroutines.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// Results are "pass", "fail" or "skip" by a test's package and name, "p TestA", and by the
// package for the package itself.
type Results map[string]string

// addresses, in the names of subtests, are others in each run.
var addresses = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// ReadResults reads the output of go test -json. Of several results of a test the first counts:
// gopredict reports a confirmed bug as another result of the same name.
func ReadResults(stdout string) Results {
	r := make(Results)
	for line := range strings.Lines(stdout) {
		var event struct{ Action, Package, Test string }
		if json.Unmarshal([]byte(line), &event) != nil {
			continue // the output of a program
		}
		switch event.Action {
		case "pass", "fail", "skip":
			name := event.Package
			if event.Test != "" {
				name += " " + addresses.ReplaceAllString(event.Test, "0x")
			}
			if r[name] == "" {
				r[name] = event.Action
			}
		}
	}
	return r
}

// Count returns how many tests, not packages, have that result.
func (r Results) Count(result string) (n int) {
	for name, got := range r {
		if strings.Contains(name, " ") && got == result {
			n++
		}
	}
	return n
}

package trace

import (
	"slices"
	"strings"
	"time"
)

// A TestEvent is a message of package testing about a test, subtest or example, as described in `go
// doc test2json`.
type TestEvent struct {
	Action  string // output, or how the test ended: pass, fail, skip
	Test    string // its whole name, which has no spaces
	Output  string // a line that it logged, without the end; of a long log only the beginning is there
	Elapsed time.Duration
}

var testActions = []string{"output", "pass", "fail", "skip"}

// check returns what was expected if e is not valid, or else "".
func (e TestEvent) check() (expected string) {
	switch {
	case !slices.Contains(testActions, e.Action):
		return "of a test one of " + strings.Join(testActions, ", ")
	case e.Test == "" || strings.ContainsAny(e.Test, " \n"):
		return "the name of a test, without spaces"
	case strings.Contains(e.Output, "\n") || e.Action != "output" && e.Output != "":
		return "a line of output, and nothing with pass, fail and skip"
	case e.Elapsed < 0 || e.Action == "output" && e.Elapsed != 0:
		return "nanoseconds with pass, fail and skip"
	}
	return ""
}

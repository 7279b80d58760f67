package trace

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A TestEvent is a message of package testing about a test, subtest or example, as described in `go
// doc test2json`.
type TestEvent struct {
	Action  string // output, or what the test has come to: pass, fail, skip
	Test    string // its whole name, which has no spaces
	Output  string // a line that it has logged, without the end; of a long log only the beginning is there
	Elapsed time.Duration
}

var testActions = []string{"output", "pass", "fail", "skip"}

// sound returns nil if e is valid, or else an error that says what was expected.
func (e TestEvent) sound() error {
	switch {
	case !slices.Contains(testActions, e.Action):
		return errors.New("of a test one of " + strings.Join(testActions, ", "))
	case e.Test == "" || strings.ContainsAny(e.Test, " \n"):
		return errors.New("the name of a test, without spaces")
	case strings.Contains(e.Output, "\n") || e.Action != "output" && e.Output != "":
		return errors.New("a line of output, and nothing with pass, fail and skip")
	case e.Elapsed < 0 || e.Action == "output" && e.Elapsed != 0:
		return errors.New("nanoseconds with pass, fail and skip")
	}
	return nil
}

// decodeTested returns what a line of meta says of a test: action, test, and the output or
// nanoseconds.
func decodeTested(value string) (TestEvent, error) {
	action, rest, _ := strings.Cut(value, " ")
	test, rest, ok := strings.Cut(rest, " ")
	e := TestEvent{Action: action, Test: test}
	if action == "output" {
		e.Output = rest
	} else if ns, err := strconv.ParseInt(rest, 10, 64); err == nil {
		e.Elapsed = time.Duration(ns)
	} else {
		ok = false
	}
	if !ok {
		return e, errors.New("tested with action, test, and a line or nanoseconds")
	}
	return e, e.sound()
}

// tested writes e in the form that decodeTested reads.
func (c *chunkWriter) tested(e TestEvent) {
	if err := e.sound(); err != nil && c.err == nil {
		c.err = fmt.Errorf("trace: expected %w, found %+v", err, e)
	}
	c.begin(metaChunk)
	rest := e.Output
	if e.Action != "output" {
		rest = strconv.FormatInt(e.Elapsed.Nanoseconds(), 10)
	}
	c.p = append(c.p, fmt.Sprintf("tested %s %s %s\n", e.Action, e.Test, rest)...)
}

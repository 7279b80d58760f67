package recording

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file has the names of tests and what they read from outside. A test is a top-level one:
// its subtests belong to it.

// TestFunction returns the name of the function of a test. A package and its external tests
// may both have a function of that name; the trace then numbers the tests, as in "TestX#2".
func TestFunction(test string) string {
	name, _, _ := strings.Cut(test, "#")
	return name
}

// Tests returns the functions of the tests of t, in their order.
func Tests(t *trace.Trace) (tests []string) {
	for _, g := range t.Goroutines {
		if name := TestFunction(g.Test); name != "" && !slices.Contains(tests, name) {
			tests = append(tests, name)
		}
	}
	return tests
}

// CountTests returns how many tests t holds.
func CountTests(t *trace.Trace) int {
	tests := make(map[string]bool)
	for _, g := range t.Goroutines {
		if g.Test != "" {
			tests[g.Test] = true
		}
	}
	return len(tests)
}

// HasTest reports whether t has a goroutine of a test.
func HasTest(t *trace.Trace, test string) bool {
	return slices.ContainsFunc(t.Goroutines, func(g trace.Goroutine) bool { return g.Test == test })
}

// lastTest returns the test that began last.
func lastTest(t *trace.Trace) string {
	for _, e := range slices.Backward(t.Events) {
		if e.Kind == trace.TestBegin && !strings.Contains(t.TestNames[e.Obj], "/") {
			return t.TestNames[e.Obj]
		}
	}
	return outsideTests
}

// outsideTests names the events that belong to no test.
const outsideTests = "what runs outside of tests"

// ListTests names the first of some tests, up to most, and counts the others: "A, B and 3
// more tests".
func ListTests(tests []string, most int) string {
	if more := len(tests) - most; more > 1 {
		return fmt.Sprintf("%s and %d more tests", strings.Join(tests[:most], ", "), more)
	}
	return strings.Join(tests, ", ")
}

// PackageOfFunction returns the import path of a function by its symbol's name, in which the linker
// has escaped the dots of the path's last element; "" if there is none.
func PackageOfFunction(fn string) string {
	slash := strings.LastIndexByte(fn, '/') + 1
	name, _, _ := strings.Cut(fn[slash:], ".")
	path, err := url.PathUnescape(fn[:slash] + name)
	if err != nil {
		return ""
	}
	return path
}

// OutsideInputs returns what a test of t read from outside of the program, which no order of
// goroutines decides: the sources of [trace.HiddenInput].
func OutsideInputs(t *trace.Trace, test string) (all []string) {
	for _, h := range t.HiddenInputs {
		if TestFunction(h.Test) == test && h.IsOutside() {
			all = append(all, h.Source)
		}
	}
	return all
}

// OutsideInputsText names what a test of t read from outside of the program, to be appended to
// a reason; "" if it read nothing.
func OutsideInputsText(t *trace.Trace, test string) string {
	var all []string
	for _, h := range t.HiddenInputs {
		if TestFunction(h.Test) == test && h.IsOutside() {
			all = append(all, h.Describe())
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "; it has looked at " + strings.Join(all, ", ")
}

// LooksAtChance names what the tests of t have looked at that may be another in each run of go test,
// whatever the order of goroutines, and the tests that have.
func LooksAtChance(t *trace.Trace, note func(what, test string)) {
	for _, h := range t.HiddenInputs {
		if test := TestFunction(h.Test); test != "" && h.IsChance() {
			note(h.Describe(), test)
		}
	}
}

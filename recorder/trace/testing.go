package trace

import "strings"

// This file knows what there is of package testing in a trace.

// RunsTests reports whether g is the goroutine that runs all tests.
func (g *Goroutine) RunsTests() bool { return g.Test == "" && g.Path == "main" }

// IsTest reports whether g is the goroutine of a top-level test.
func (g *Goroutine) IsTest() bool { return g.Path == "0" && g.Test != "" }

// OfTesting reports whether the function of that full name is one of package testing.
func OfTesting(function string) bool { return strings.HasPrefix(function, "testing.") }

// AdmitsParallel reports whether the function of that full name is by which package testing lets parallel tests
// begin as others end.
func AdmitsParallel(function string) bool {
	return OfTesting(function) && (strings.HasSuffix(function, ").waitParallel") || strings.HasSuffix(function, ").release"))
}

package trace

import "strings"

// This file recognizes goroutines and functions of package testing.

// RunsTests reports whether g is the goroutine that runs all tests.
func (g *Goroutine) RunsTests() bool { return g.Test == "" && g.Path == "main" }

// IsTest reports whether g is the goroutine of a top-level test.
func (g *Goroutine) IsTest() bool { return g.Path == "0" && g.Test != "" }

// IsTestingFunction reports whether the function with this full name belongs to package testing.
func IsTestingFunction(function string) bool { return strings.HasPrefix(function, "testing.") }

// StartsParallelTests reports whether package testing calls the function with this full name to
// let parallel tests start when others end.
func StartsParallelTests(function string) bool {
	return IsTestingFunction(function) && (strings.HasSuffix(function, ").waitParallel") || strings.HasSuffix(function, ").release"))
}

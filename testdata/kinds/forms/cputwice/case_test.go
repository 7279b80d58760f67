// Package cputwice has tests that pass in each of the runs that -count and -cpu ask for.
package cputwice

import "testing"

func add(a, b int) int { return a + b }

// Passes, with one goroutine.
func TestAdd(t *testing.T) {
	if add(1, 2) != 3 {
		t.Fatal("1 + 2")
	}
}

package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What the standard library does is no row of its own, but where a goroutine stops or starts
// another one; in loops it does not count.
func TestFoldInside(t *testing.T) {
	std := func(s Step) Step { s.File = "std/net/http/server.go"; return s }
	steps := []Step{std(Step{Op: "acq"}), std(Step{Op: "fork"}), {Op: "read", Position: Position{File: "a.go"}}}
	for range 5 {
		steps = append(steps, Step{Op: "read", Position: Position{File: "a.go", Line: 1}}, std(Step{Op: "acq"}), Step{Op: "write", Position: Position{File: "a.go", Line: 2}})
	}
	steps = append(steps, std(Step{Op: "rel", Goroutine: "0.1", Switch: &Switch{}}), std(Step{Op: "acq", Goroutine: "0.1"}),
		std(Step{Op: "write", Goroutine: "0.1", Violation: true}))
	var got []int
	folded := 0
	for _, r := range fold(steps) {
		got, folded = append(got, r.number), folded+r.folded
	}
	assert.Equal(t, []int{2, 3, 4, 6, 0, 16, 18, 19, 21}, got)
	assert.Equal(t, 9, folded)
}

// Where package testing starts a subtest says nothing.
func TestPositionInside(t *testing.T) {
	at := layout{folder: "bank/"}
	assert.Equal(t, "a.go:3", at.position(Step{Position: Position{File: "bank/a.go", Line: 3}}))
	assert.Equal(t, "std/net/http/server.go:9", at.position(Step{Position: Position{File: "std/net/http/server.go", Line: 9}}))
	assert.Empty(t, at.position(Step{Op: "fork", Position: Position{File: "std/testing/testing.go", Line: 2101}, Expr: SubtestStart}))
}

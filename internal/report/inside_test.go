package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/bug"
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

// The goroutines of a cycle come in the order in which they wait for each other, whatever the
// order of the accesses is. Two locks of one line are held, not waited for.
func TestWaitCycle(t *testing.T) {
	at := func(line int) Place { return Place{Position: Position{File: "a.go", Line: line}} }
	access := func(g string, line int, by OtherGoroutine) Access {
		return Access{Goroutine: g, Op: "acq", Expr: "mu", Position: at(line).Position, HeldBy: []OtherGoroutine{by}}
	}
	heldBy := func(g string, line int) OtherGoroutine {
		return OtherGoroutine{Goroutine: g, Op: "acq", Place: at(line)}
	}
	writer := OtherGoroutine{Goroutine: "2", Op: "acq", Place: at(9), WaitsToWrite: true}
	for _, test := range []struct {
		name     string
		accesses []Access
		want     []string // goroutine and text
	}{
		{"of one line", []Access{access("1", 5, heldBy("2", 6)), access("2", 6, heldBy("1", 5))},
			[]string{"1 waits for mu (a.go:5), which 2 holds (a.go:6)", "2 waits for mu (a.go:6), which 1 holds (a.go:5)"}},
		{"of three", []Access{access("1", 5, heldBy("3", 8)), access("2", 6, heldBy("1", 4)), access("3", 7, heldBy("2", 5))},
			[]string{"1 waits for mu (a.go:5), which 3 holds (a.go:8)", "3 waits for mu (a.go:7), which 2 holds (a.go:5)", "2 waits for mu (a.go:6), which 1 holds (a.go:4)"}},
		{"with a writer", []Access{access("2", 9, heldBy("1", 4)), access("1", 5, writer)},
			[]string{"2 waits for mu (a.go:9), which 1 holds (a.go:4)", "1 waits for mu (a.go:5), which 2 waits for as a writer: readers that come later wait for it"}},
		{"of itself", []Access{access("1", 5, heldBy("1", 4))}, []string{"1 waits for mu (a.go:5), which it holds itself (a.go:4)"}},
		{"one that only waits for it", []Access{access("1", 5, heldBy("2", 6)), access("2", 6, heldBy("2", 5))}, nil},
		{"one beside it", []Access{access("1", 5, heldBy("1", 4)), access("2", 6, heldBy("1", 4))}, nil},
		{"no locks", []Access{{Goroutine: "1", Op: "recv"}}, nil},
		{"nothing", nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, w := range (&Finding{Accesses: test.accesses}).waitCycle() {
				got = append(got, w.Goroutine+" "+w.Text)
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// What a bug does in both orders is no effect of one of them.
func TestEffectOfEachOrder(t *testing.T) {
	f := &Finding{Effect: bug.Panic, Detail: []string{"boom"}, OrderOutcomes: []Outcome{{First: 0, Effect: bug.Panic, Detail: []string{"boom"}}, {First: 1, Effect: bug.Panic, Detail: []string{"boom"}}}}
	assert.True(t, f.eachOrderHasEffect())
	f.OrderOutcomes[1].Detail = []string{"bang"}
	assert.False(t, f.eachOrderHasEffect())
	f.OrderOutcomes[1] = Outcome{First: 1, Effect: bug.NoEffect}
	assert.False(t, f.eachOrderHasEffect())
	f.OrderOutcomes = f.OrderOutcomes[:1]
	assert.False(t, f.eachOrderHasEffect())
}

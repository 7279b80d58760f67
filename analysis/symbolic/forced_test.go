package symbolic_test

import (
	"testing"

	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// TestForced has traces in which one rule alone keeps a run from the target: few of the
// random ones do.
func TestForced(t *testing.T) {
	for _, test := range []struct {
		name, text string
		accesses   []int
	}{
		{"a signal wakes who has waited longest", `
			1 acq l
			1 w f=1
			1 wait c
			1 rel l
			2 acq l
			2 r f=1
			2 branch
			2 wait c#1
			2 rel l
			3 signal c#1
			3 w y
			3 signal c#2
			1 wake c
			2 wake c#1
			2 r y`, []int{10, 14}},
		{"a receive that finds the channel closed comes after one of the closes", `
			1 w x
			1 post p
			1 close c
			3 await p
			3 close c
			3 panic
			2 recv c
			2 recvd c#0
			2 r x`, []int{0, 8}},
		{"what is sent by who has read something else is not known", `
			1 r x=0 data
			1 send c/1
			1 sent c#1/1
			2 recv c/1
			2 recvd c#1/1
			2 branch
			2 r y
			3 w x=5`, []int{7, 0, 6}},
	} {
		tr := tracetest.Parse(t, test.text)
		target := symbolic.Sequence(test.accesses...)
		if len(test.accesses) == 2 {
			target = symbolic.Simultaneous(test.accesses[0], test.accesses[1])
		}
		t.Run(test.name, func(t *testing.T) {
			decide(t, 0, tr, []goal{{target, test.accesses, len(test.accesses) == 2, false}})
		})
	}
}

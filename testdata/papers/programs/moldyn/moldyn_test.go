package moldyn

import "testing"

func TestBox(t *testing.T) {
	n, steps := 4, 9
	if testing.Short() {
		n, steps = 2, 2
	}
	b := New(n, 2)
	b.Run(steps)
	if b.Interactions == 0 || b.Energy == 0 {
		t.Errorf("%d interactions, energy %g", b.Interactions, b.Energy)
	}
}

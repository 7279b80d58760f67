package montecarlo

import (
	"math"
	"testing"
)

func TestPrices(t *testing.T) {
	tasks, steps := 60, 16
	if testing.Short() {
		tasks, steps = 6, 4
	}
	a := New(tasks, steps)
	a.Run(2)
	if mean, moved := a.Mean(); len(a.results) != tasks || math.Abs(mean) > 1 || moved == 0 {
		t.Errorf("%d results with a mean return of %g, moved by %g", len(a.results), mean, moved)
	}
}

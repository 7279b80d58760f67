package symbolic

import (
	"errors"

	"github.com/gopredict/gopredict/analysis/solver"
)

// An effort counts the work that goes into a formula, so that making it comes out of the budget like
// searching it.
//
// steps only grows, and spent follows it. A limit is compared with all steps since the encoding
// began, so a question adds its budget to what was spent before.
type effort struct {
	steps int64 // so far
	spent int64 // steps that budgets know of
	limit int64 // how many steps it may take now; 0 is no limit
	err   error // why the encoding is not whole
}

// errOver is why there is no encoding where the budget did not suffice for it.
var errOver = errors.New("symbolic: steps")

// addWork counts n pieces of work of that weight.
func (e *effort) addWork(weight int64, n int) { e.steps += weight * int64(n) }

// overLimit reports whether to stop encoding, as it takes too much.
func (e *effort) overLimit() bool {
	if e.err == nil && e.limit > 0 && e.steps > e.limit {
		e.err = errOver
	}
	return e.err != nil
}

// spend takes the steps since the last call off the budget.
func (e *effort) spend(budget *solver.Budget) {
	budget.Spend(e.steps - e.spent)
	e.spent = e.steps
}

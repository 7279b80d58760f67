package symbolic

import (
	"errors"

	"github.com/gopredict/gopredict/analysis/solver"
)

// An effort counts what goes into a formula, so that making it comes out of the budget like
// searching it.
type effort struct {
	readSources   int // literals that say what a read finds
	keptOut       int // writers that are kept from coming between a read and what it finds
	readLookups   int // writes that were looked at for these
	readWrites    int // writes that reads with computed values may find, counted for each read
	valueLookups  int // writes that were looked at for these
	alternatives  int // numbers that stand for a choice between two
	productCases  int
	lockPairs     int // sections and releases of loose locks that are compared
	conditionWays int // that condition variables have to wake a waiter

	spent int64 // steps that budgets know of
	limit int64 // how many steps it may take now; 0: any
	err   error // why the encoding is not whole
}

// errOver is why there is no encoding where the budget did not suffice for it.
var errOver = errors.New("symbolic: steps")

// steps returns how many steps it took so far.
func (e *effort) steps() int64 {
	choices := e.readSources + e.keptOut + e.readWrites + e.alternatives + e.productCases
	return perChoice*int64(choices) + perLookup*int64(e.valueLookups+e.readLookups) +
		perPair*int64(e.lockPairs) + perConditionWay*int64(e.conditionWays)
}

// overLimit reports whether to stop encoding, as it takes too much.
func (e *effort) overLimit() bool {
	if e.err == nil && e.limit > 0 && e.steps() > e.limit {
		e.err = errOver
	}
	return e.err != nil
}

// spend takes the steps since the last call off the budget.
func (e *effort) spend(budget *solver.Budget) {
	steps := e.steps()
	budget.Spend(steps - e.spent)
	e.spent = steps
}

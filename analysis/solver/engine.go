package solver

import "context"

// An Engine holds assertions about the terms of one [Formula] and says whether they, and
// the assumptions of a check, can hold together. What holds for some questions only is
// assumed, so that what an engine has learned stays right. The same
// formula and the same calls give the same answers, models and cores, whatever
// the machine and its load; the budget counts steps. An Engine is not safe for
// concurrent use.
type Engine interface {
	// Assert adds bs to what must hold.
	Assert(bs ...Bool)

	// Check says whether the assertions and assumptions can hold together. An
	// error means that the question was not answered: the context ended, a term
	// left the range of integers, or the engine failed. What the check took is
	// taken off the budget.
	Check(ctx context.Context, budget *Budget, assumptions ...Bool) (Answer, error)

	// Why says after Unknown which limit was reached: "steps" or "memory".
	Why() string

	// Order returns after Sat all events of the formula, in an order that satisfies the assertions
	// and assumptions.
	Order() []Event
	// Value returns after Sat what b is in the model. Order, Value and IntValue
	// speak of one model, in which all assertions and assumptions hold.
	Value(b Bool) bool
	// IntValue returns after Sat the number that x has in the model. It is an
	// int64 for a variable; that of a sum that leaves the range wraps around.
	IntValue(x Int) int64

	// Core returns after Unsat those assumptions that contradict the assertions:
	// a subset of those given to Check, in their order, which is Unsat as well.
	// It is empty if the assertions contradict each other.
	Core() []Bool

	// Close frees what the engine holds. It must not be used any more.
	Close()
}

// An Answer is what a check found.
type Answer uint8

const (
	Unknown Answer = iota // undecided within the budget
	Sat                   // all can hold together: there is a model
	Unsat                 // they contradict each other: there is a core
)

func (a Answer) String() string {
	return [...]string{"unknown", "sat", "unsat"}[a]
}

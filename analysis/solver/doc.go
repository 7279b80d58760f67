// Package solver decides formulas over the order of events, over booleans and
// over linear integers, and answers with a model or with the assumptions that
// contradict each other. It is the last tier of the analysis: package symbolic
// encodes what a run may do and the violation that is looked for, and a model is
// the order of a witness.
//
// A [Formula] holds the terms, an [Engine] the assertions. There are two engines:
// the built-in one, pure Go, where the order of events is a theory of its own
// (consistency is the absence of cycles, so that no event ever gets a number),
// and Z3, which package z3 loads from the system when it is asked for. [NewBoth]
// checks one against the other, and [NewWritten] writes the questions out.
//
// # The built-in engine
//
// It is a DPLL(T) solver (Nieuwenhuis, Oliveras, Tinelli, JACM 2006). A file holds a part:
//
//	formula.go, integer.go    terms, simplified and shared as they are made
//	encode.go                 from terms to clauses (Plaisted and Greenbaum)
//	clause.go                 clauses in one slice of words
//	search.go                 the assignment: propagation and backtracking
//	learn.go                  conflict analysis: 1-UIP, minimization, reducing the database
//	decide.go                 the loop: restarts, what to decide next
//	justify.go                when the assignment, though partial, is a model
//	order.go                  the theory of a strict total order
//	linear.go, whole.go       the theory of linear integers: simplex, and branching
//	budget.go                 steps, the only clock that there is
//
// What is asked is incremental: the targets of one trace share all but a few assertions,
// so that what is learned for one helps with the next.
//
// Everything counts its work in steps, about one for a literal or edge that is looked at,
// and stops when the budget's are over: equal questions have equal answers on slow
// machines, too. So nothing here may depend on the order of a map, or on time.
package solver

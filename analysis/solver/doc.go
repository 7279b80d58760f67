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
package solver

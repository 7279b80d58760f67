package provenance

import (
	"go/token"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A Role is what an event does at a place.
type Role uint8

// The roles of events.
const (
	Reads             Role = iota // a load; at the name, bracket or star of its operand
	Writes                        // a store, likewise
	Atomics                       // an atomic operation; at its opening parenthesis
	Asserts                       // a call of an assertion, likewise
	Branches                      // the condition of an if, for or switch; at its beginning
	Guards                        // a value that is not nil, not zero or in range, so that nothing panics; as Evaluates
	Evaluates                     // an operand; at its name, operator or parenthesis
	PassesArguments               // a call passes its arguments; at its opening parenthesis
	ReceivesArguments             // a function receives its arguments; at the brace of its body
	ReturnsResults                // a function returns its results; at its return statement
	ReceivesResults               // a call receives its results; at its opening parenthesis
)

// A Spot is a place in a source file at which an event may come to be.
type Spot struct {
	Fset *token.FileSet
	Pos  token.Pos
	Role Role
	// Number is the index of an argument or result that is passed there: arguments are
	// counted from the last one.
	Number int
}

// A Formula is a formula of a trace whose keys of readings stand for spots: see [Facts.SpotOfKey].
type Formula = dataflow.Formula

// Facts are the formulas, and what goes into them. The zero value has none.
// They are safe for concurrent use.
type Facts struct {
	spots           []Spot // of readings: key k stands for spots[k-1]
	formulas        map[Spot]Formula
	failingOutcomes map[Spot]trace.Outcome // of conditions: the outcome that leads to a failure
	endsGoroutine   map[Spot]bool          // of conditions: whether that failure ends the goroutine
	operands        map[Spot]bool          // values of names that a formula needs
	needsDigest     map[Spot]bool          // accesses to strings, interfaces and slices whose digests a formula needs
	tracked         map[Spot][]Spot        // by reading: the stores, conditions and assertions that its value goes into
	handedCounts    map[Spot]int           // how many arguments or results are passed at a spot
	scopes          map[Spot]trace.Scope   // control scopes, by the conditions of ifs and switches
}

// Formula returns what the value that is stored at s, or the condition that is
// decided or asserted there, follows from; false if that is not known.
func (f *Facts) Formula(s Spot) (Formula, bool) {
	formula, ok := f.formulas[s]
	return formula, ok
}

// SpotOfKey returns the spot that a formula's reading stands for with its key.
func (f *Facts) SpotOfKey(key uint64) Spot { return f.spots[key-1] }

// FailingOutcome says which outcome of the condition at s leads to a failure.
func (f *Facts) FailingOutcome(s Spot) trace.Outcome { return f.failingOutcomes[s] }

// FailureEndsGoroutine reports whether the failure that the condition at s leads to ends the goroutine.
func (f *Facts) FailureEndsGoroutine(s Spot) bool { return f.endsGoroutine[s] }

// Scope returns the control scope of the condition of an if or switch at s, if one was asked for.
func (f *Facts) Scope(s Spot) trace.Scope { return f.scopes[s] }

// IsOperand reports whether a formula needs the value of the name at s.
func (f *Facts) IsOperand(s Spot) bool { return f.operands[s] }

// HandedCount returns how many values are handed over at s, 0 if no event tells of them.
func (f *Facts) HandedCount(s Spot) int { return f.handedCounts[s] }

// NeedsDigest reports whether a formula needs the digest of what is accessed at s.
func (f *Facts) NeedsDigest(s Spot) bool { return f.needsDigest[s] }

// TrackedReads returns for each spot at which a value is read that goes into nothing
// but the formulas of stores, conditions and assertions, which ones these are.
func (f *Facts) TrackedReads() map[Spot][]Spot { return f.tracked }

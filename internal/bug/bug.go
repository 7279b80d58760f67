// Package bug is the vocabulary of what gopredict finds: the kinds of bugs, what
// becomes of a finding, and the harm that it does.
//
// Each of the three is one table here. The analysis looks for kinds, a replay proves
// them by what [Kind.Proof] asks for, the report takes its words from here, and the
// command its gates, help and docs. A new kind is a row of kinds and what finds it.
package bug

import (
	"slices"
	"strings"
)

// A Kind is a kind of bug, by the word that reports and witnesses have for it.
type Kind string

// The kinds, from what does most harm to a program.
const (
	Deadlock   Kind = "deadlock"
	Channel    Kind = "channel"
	LockMisuse Kind = "lock-misuse"
	WaitGroup  Kind = "waitgroup"
	Assertion  Kind = "assertion"
	Failure    Kind = "failure"
	Race       Kind = "race"
	Atomicity  Kind = "atomicity"
	AtomicSet  Kind = "atomic-set"
	Property   Kind = "property"
	Leak       Kind = "leak"
)

// A Proof is what a replay must show at the end of a schedule, so that the bug is
// confirmed.
type Proof int

const (
	// Meeting: goroutines stand at all accesses of the violation at once, and nothing
	// orders them (PECAN §5).
	Meeting Proof = iota
	// InOrder: the accesses of the violation come in their order, on the variables and
	// in the atomic regions of the pattern.
	InOrder
	// FailedTest: the assertion fails, and the test or the program with it.
	FailedTest
	// Misused: the run-time library finds that an operation is misuse, as an unlock of
	// what is not locked.
	Misused
	// Monitored: the accesses come in their order, and the monitor of a property, which
	// runs in the program, comes to where the property is violated.
	Monitored
	// Stuck: goroutines block for ever in the operations of the violation, whoever
	// goes on besides.
	Stuck
)

// A row is what is known of a kind.
type row struct {
	kind  Kind
	title string // heads a finding
	gates bool   // a confirmed one fails a run by default, whatever its effect
	proof Proof
	// first and other are what the first access of a violation is called, and the
	// others.
	first, other string
	// legend says what the marked steps of an interleaving are; "" where the pattern
	// says that.
	legend string
	// single is set if one access may be a violation, too, as an operation on a channel
	// that meets no other and is misuse by itself.
	single *single
	help   string // what it is and how it is mended, for who does not know the kind
}

// A single is what differs of a violation of one access.
type single struct {
	proof  Proof
	legend string
	// innocent is why a replay confirms nothing in which the operation was no misuse.
	innocent string
}

const (
	meet  = "Both stand here at once: nothing orders the two."
	wrong = "Here it goes wrong."
	alone = "Here it panics, whoever else is about."
	loose = "The lock is not locked here: to unlock it is fatal."
	fails = "Here it fails, in this order of the goroutines."
	stuck = "From here it waits for ever."
)

// kinds has a row for each kind, in the order of their harm.
var kinds = [...]row{
	{Deadlock, "DEADLOCK", true, Stuck, "blocked", "blocked", stuck, nil, "Goroutines wait for each other in a circle, and none of them can ever go on. Take locks in the same order everywhere, and do not wait for a message or a group while holding what the other side needs."},
	{Channel, "CHANNEL MISUSE", true, Meeting, "", "conflicting", meet, &single{Misused, alone, "the channel was open, or another case of the select went first"}, "A close of a channel meets a send to it or another close, which panics. Let only the sender close, once all sends are done."},
	{LockMisuse, "LOCK MISUSE", false, Misused, "fatal", "fatal", loose, &single{Misused, loose, "the lock was locked"}, "A lock is unlocked that is not locked, which is fatal. Unlock where it was locked, by defer."},
	{WaitGroup, "WAITGROUP MISUSE", true, Meeting, "", "conflicting", "Both stand here at once: whether this Wait waits for what this Add begins is left to chance.", &single{Misused, alone, "the counter did not fall below zero"}, "An Add meets a Wait, which may then return too early, or the counter falls below zero, which panics. Add before the goroutine is started, or use WaitGroup.Go."},
	{Assertion, "ASSERTION FAILURE", false, FailedTest, "failing", "failing", "By what was read this fails.", nil, "What the test asserts does not hold in another order of the goroutines. Order what it reads before it is read."},
	{Failure, "TEST USED AFTER ITS END", true, Meeting, "", "", "Both stand here at once. What uses a test after its end is lost, or panics.", &single{FailedTest, fails, ""}, "The test fails in another order of the goroutines, or is used after its end. Let the test wait for its goroutines."},
	{Race, "DATA RACE", true, Meeting, "", "conflicting", meet, nil, "Two goroutines access the same memory, at least one of them writes, and nothing orders them. Guard it by a lock, pass it through a channel, or use sync/atomic."},
	{Atomicity, "ATOMICITY VIOLATION", false, InOrder, "", "", "", nil, "What was meant to be atomic is parted by an access of another goroutine. Hold the lock from the first access to the last one."},
	{AtomicSet, "ATOMIC-SET VIOLATION", false, InOrder, "", "", "", nil, "Variables that belong together are seen or changed one by one. Hold the lock for all of them."},
	{Property, "PROPERTY VIOLATION", true, Monitored, "", "", "", nil, "An object goes through what a property forbids that the tests declare, or that is built in. Order the calls of its methods, or let one goroutine own it."},
	{Leak, "GOROUTINE LEAK", false, Stuck, "blocked", "blocked", stuck, nil, "A goroutine is left behind that nothing can wake any more. Give it a way to end: a context, a close of its channel, or a buffer for what it sends."},
}

// row returns what is known of k. A witness may have a word of another version: of
// that nothing is known but the word.
func (k Kind) row() row {
	for _, r := range kinds {
		if r.kind == k {
			return r
		}
	}
	return row{kind: k, title: strings.ToUpper(string(k)), legend: wrong}
}

// Kinds returns all kinds that a report may hold, from what does most harm.
func Kinds() []Kind { return where(func(row) bool { return true }) }

// Gating returns the kinds of which a confirmed bug fails a run by default, whatever
// its effect.
func Gating() []Kind { return where(func(r row) bool { return r.gates }) }

func where(is func(row) bool) []Kind {
	var out []Kind
	for _, r := range kinds {
		if is(r) {
			out = append(out, r.kind)
		}
	}
	return out
}

// Words returns the kinds as words, for lists of options.
func Words(ks []Kind) []string {
	words := make([]string, len(ks))
	for i, k := range ks {
		words[i] = string(k)
	}
	return words
}

// Rank is the place of k among [Kinds], from 0 for what does most harm; unknown kinds
// come last.
func (k Kind) Rank() int {
	at := slices.IndexFunc(kinds[:], func(r row) bool { return r.kind == k })
	if at < 0 {
		return len(kinds)
	}
	return at
}

// Title heads a finding of kind k, of so many accesses: "DATA RACE".
func (k Kind) Title(accesses int) string {
	if k == Failure && k.ProofOf(accesses) == FailedTest {
		return "TEST FAILURE"
	}
	return k.row().title
}

// Help says what bugs of kind k are, and how they are mended.
func (k Kind) Help() string { return k.row().help }

// Gates reports whether a confirmed bug of kind k fails a run by default, whatever its
// effect.
func (k Kind) Gates() bool { return k.row().gates }

// Proof is what a replay must show.
func (k Kind) Proof() Proof { return k.row().proof }

// ProofOf is what a replay must show of a violation of so many accesses: one operation on
// a channel or WaitGroup meets no other, and is misuse by itself; and one place of a
// failure is where a recorded run has failed.
func (k Kind) ProofOf(accesses int) Proof {
	if r := k.row(); accesses == 1 && r.single != nil {
		return r.single.proof
	}
	return k.Proof()
}

// Innocent is why a replay confirms nothing in which an operation was no misuse of kind k.
func (k Kind) Innocent() string {
	if r := k.row(); r.single != nil {
		return r.single.innocent
	}
	return ""
}

// InOrder reports whether the accesses of a violation of kind k must come in the
// order in which it lists them. Else goroutines stand at all of them at once.
func (k Kind) InOrder() bool { return k.Proof() == InOrder || k.Proof() == Monitored }

// Word is what access i, from 0, of a violation of kind k is called: "conflicting" for
// the second one of a race; "" for no word.
func (k Kind) Word(i int) string {
	if i == 0 {
		return k.row().first
	}
	return k.row().other
}

// Legend says what the marked steps of an interleaving are, in a violation of so many
// accesses; "" where the pattern of the violation says that.
func (k Kind) Legend(accesses int) string {
	r := k.row()
	if accesses == 1 && r.single != nil {
		return r.single.legend
	}
	return r.legend
}

// warnings are the built-in properties whose violation is only a warning, unless the test fails
// by it: what comes too late gets an error, and may have lost something.
var warnings = []string{
	"no read of a request's body that is closed",
	"no statement in a transaction that has ended",
	"no use of rows that are closed",
	"no use of a statement that is closed",
}

// WarnsOnly reports whether a violation of the property of that name is only a warning, unless
// the test fails by it.
func WarnsOnly(property string) bool { return slices.Contains(warnings, property) }

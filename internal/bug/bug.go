// Package bug is the vocabulary of findings: the kinds of bugs, the statuses of findings, and the
// effects of bugs.
//
// Each of the three is a table. The analysis looks for kinds, replays confirm them by
// [Kind.Proof], and reports, gates, help and docs take their words from here. A new kind is a row
// of kinds, and a detector.
package bug

import (
	"slices"
	"strings"
)

// A Kind is a kind of bug. Its text is the word of reports and witnesses.
type Kind string

// The kinds, from the most severe.
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

// A Proof is what a replay must show at the end of a schedule to confirm the bug.
type Proof int

const (
	// Meeting: goroutines are about to execute all accesses of the violation at once, and nothing
	// orders them (PECAN §5).
	Simultaneous Proof = iota
	// InOrder: the accesses of the violation come in their order, on the variables and
	// in the atomic regions of the pattern.
	InOrder
	// FailedTest: the assertion fails, and the test or the program with it.
	FailedTest
	// Misused: the run-time library finds that an operation is misuse, as an unlock of a lock that
	// is not locked.
	Misused
	// Monitored: the accesses come in their order, and the monitor of a property, which runs in the
	// program, reaches a violation.
	Monitored
	// Stuck: goroutines block for ever in the operations of the violation, whatever other
	// goroutines do.
	BlockedForever
)

// A row is what is known of a kind.
type row struct {
	kind  Kind
	title string // heads a finding
	gates bool   // a confirmed one fails a run by default, whatever its effect
	proof Proof
	// first and other are words for the first access of a violation, and for the others.
	first, other string
	// legend explains the marked steps of an interleaving; "" if the pattern does.
	legend string
	// single is set if one access alone may be a violation, as a channel operation that is misuse by
	// itself.
	single *single
	help   string // what the kind is, and how to fix it
}

// A single is what differs for a violation of one access.
type single struct {
	proof  Proof
	legend string
	// innocent says why a replay confirms nothing if the operation was no misuse in it.
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
	{Deadlock, "DEADLOCK", true, BlockedForever, "blocked", "blocked", stuck, nil, "Goroutines wait for each other in a circle, and none of them can ever go on. Take locks in the same order everywhere, and do not wait for a message or a group while holding what the other side needs."},
	{Channel, "CHANNEL MISUSE", true, Simultaneous, "", "conflicting", meet, &single{Misused, alone, "the channel was open, or another case of the select went first"}, "A close of a channel meets a send to it or another close, which panics. Let only the sender close, once all sends are done."},
	{LockMisuse, "LOCK MISUSE", false, Misused, "fatal", "fatal", loose, &single{Misused, loose, "the lock was locked"}, "A lock is unlocked that is not locked, which is fatal. Unlock where it was locked, by defer."},
	{WaitGroup, "WAITGROUP MISUSE", true, Simultaneous, "", "conflicting", "Both stand here at once: whether this Wait waits for what this Add begins is left to chance.", &single{Misused, alone, "the counter did not fall below zero"}, "An Add meets a Wait, which may then return too early, or the counter falls below zero, which panics. Add before the goroutine is started, or use WaitGroup.Go."},
	{Assertion, "ASSERTION FAILURE", false, FailedTest, "failing", "failing", "By what was read this fails.", nil, "What the test asserts does not hold in another order of the goroutines. Order what it reads before it is read."},
	{Failure, "TEST USED AFTER ITS END", true, Simultaneous, "", "", "Both stand here at once. What uses a test after its end is lost, or panics.", &single{FailedTest, fails, ""}, "The test fails in another order of the goroutines, or is used after its end. Let the test wait for its goroutines."},
	{Race, "DATA RACE", true, Simultaneous, "", "conflicting", meet, nil, "Two goroutines access the same memory, at least one of them writes, and nothing orders them. Guard it by a lock, pass it through a channel, or use sync/atomic."},
	{Atomicity, "ATOMICITY VIOLATION", false, InOrder, "", "", "", nil, "What was meant to be atomic is parted by an access of another goroutine. Hold the lock from the first access to the last one."},
	{AtomicSet, "ATOMIC-SET VIOLATION", false, InOrder, "", "", "", nil, "Variables that belong together are seen or changed one by one. Hold the lock for all of them."},
	{Property, "PROPERTY VIOLATION", true, Monitored, "", "", "", nil, "An object goes through what a property forbids that the tests declare, or that is built in. Order the calls of its methods, or let one goroutine own it."},
	{Leak, "GOROUTINE LEAK", false, BlockedForever, "blocked", "blocked", stuck, nil, "A goroutine is left behind that nothing can wake any more. Give it a way to end: a context, a close of its channel, or a buffer for what it sends."},
}

// row returns the row of k. For an unknown word, as a witness of another version may have, it makes
// one.
func (k Kind) row() row {
	for _, r := range kinds {
		if r.kind == k {
			return r
		}
	}
	return row{kind: k, title: strings.ToUpper(string(k)), legend: wrong}
}

// Kinds returns all kinds, from the most severe.
func Kinds() []Kind { return where(func(row) bool { return true }) }

// Gating returns the kinds of which a confirmed bug fails a run by default, whatever
// its effect.
func GatingKinds() []Kind { return where(func(r row) bool { return r.gates }) }

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
func KindNames(ks []Kind) []string {
	words := make([]string, len(ks))
	for i, k := range ks {
		words[i] = string(k)
	}
	return words
}

// Rank returns the index of k in [Kinds], 0 for the most severe. Unknown kinds come last.
func (k Kind) Rank() int {
	at := slices.IndexFunc(kinds[:], func(r row) bool { return r.kind == k })
	if at < 0 {
		return len(kinds)
	}
	return at
}

// Title returns the heading of a finding of kind k with that number of accesses: "DATA RACE".
func (k Kind) Title(accesses int) string {
	if k == Failure && k.ProofOf(accesses) == FailedTest {
		return "TEST FAILURE"
	}
	return k.row().title
}

// Help says what bugs of kind k are, and how to fix them.
func (k Kind) Help() string { return k.row().help }

// Gates reports whether a confirmed bug of kind k fails a run by default, whatever its
// effect.
func (k Kind) Gates() bool { return k.row().gates }

// Proof returns what a replay must show.
func (k Kind) Proof() Proof { return k.row().proof }

// ProofOf returns what a replay must show for a violation with that number of accesses. One
// operation on a channel or WaitGroup is misuse by itself, and one place of a failure is where a
// recorded run failed.
func (k Kind) ProofOf(accesses int) Proof {
	if r := k.row(); accesses == 1 && r.single != nil {
		return r.single.proof
	}
	return k.Proof()
}

// Innocent says why a replay confirms nothing if the operation of kind k was no misuse in it.
func (k Kind) NoMisuseReason() string {
	if r := k.row(); r.single != nil {
		return r.single.innocent
	}
	return ""
}

// InOrder reports whether the accesses of a violation of kind k must come in the listed order.
// Otherwise goroutines are about to execute all of them at once.
func (k Kind) InOrder() bool { return k.Proof() == InOrder || k.Proof() == Monitored }

// HasOneObject reports whether all accesses of a violation of kind k are to one object: a variable, a
// channel, a WaitGroup.
func (k Kind) HasOneObject() bool { return k == Race || k == Channel || k == WaitGroup }

// Word returns the word for access i, from 0, of a violation of kind k: "conflicting" for the second
// one of a race; "" for no word.
func (k Kind) Role(i int) string {
	if i == 0 {
		return k.row().first
	}
	return k.row().other
}

// Legend explains the marked steps of an interleaving with that number of violating accesses; "" if
// the pattern of the violation does.
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

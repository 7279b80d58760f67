// Package property turns specifications of what a program must never do into monitors:
// finite automata that read the events of one object, in the order of one run, and say
// from which event on nothing that could follow would satisfy the specification.
//
// There are three languages over the names of events (Chen and Roşu, 2005, §4: monitors
// from LTL and ERE): extended regular expressions, linear temporal logic of past and
// future on finite runs, and automata. The analysis runs monitors on the runs that are
// consistent with a trace; the replay runs the same monitor on what really happens.
//
// # Extended regular expressions
//
//	use* close?          use, as often as one likes, then perhaps close
//	(lock unlock)*       in turn
//	~(any* close use)    not: negation
//	a | b, a & b         one of them, both of them
//	any, empty           any one event, no event at all
//
// Events that follow each other are written with space between. From the tightest:
// * + ?, ~, what follows each other, &, |. The events of a run, from its first, must be
// a beginning of a word of the expression.
//
// # Linear temporal logic
//
//	always (use -> !once close)
//	!use until open
//
// From the tightest: the unary operators ! next eventually always previously once
// historically; until since, which lean to the right; &&; ||; ->, which leans to the right,
// too. At each event its own name is true and all others are false. The run is finite:
// next is false at its last event, previously at its first. A formula without an operator
// of the future is meant to hold at each event.
//
// # Automata
//
//	closed: open -> opened; opened: use -> opened, close -> closed
//
// The first state is the one that runs begin in. An event for which a state has no
// successor violates the property.
package property

import (
	"fmt"
	"slices"
)

// A Property is what the tests of a package declare of objects.
type Property struct {
	Name        string
	Package     string         // import path of the package
	Builtin     bool           // no package declares it: it holds for all
	OnlyIfFails bool           // a violation counts only if the test fails by it
	Calls       map[uint64]int // the events by the number of the method that is called (trace.Call)
	Monitor     *Monitor
	// Params says of a property of pairs which of their two objects the events are about, by the
	// number of the method; nil of others.
	Params map[uint64]Param
}

// A Param says which of the two objects of a pair an event is about.
type Param struct {
	Of int // 0 or 1: the one that the method is called on
	// Operand is the number of the call that the goroutine has made right before, on the other
	// one, if the event is about both; 0 if it is not.
	Operand uint64
}

// IsFor reports whether p is for the tests of a package.
func (p *Property) IsFor(pkg string) bool { return p.Builtin || p.Package == pkg }

// Named returns the first of the properties that has this name and is for the tests of a
// package, nil if there is none.
func Named(all []Property, name, pkg string) *Property {
	for i := range all {
		if p := &all[i]; p.Name == name && p.IsFor(pkg) {
			return p
		}
	}
	return nil
}

// A Language is one in which a specification is written.
type Language string

// The languages, by the names of the methods of package gotestplugin/property.
const (
	ERE       Language = "ERE"
	LTL       Language = "LTL"
	Automaton Language = "Automaton"
)

// MaxStates bounds the states of a monitor.
const MaxStates = 10_000

// An Error is a mistake in a specification. Its text says what was expected and what was
// found.
type Error struct {
	Offset int // of the place in the text, in bytes
	Text   string
}

func (e *Error) Error() string { return e.Text }

func errorf(offset int, format string, args ...any) error {
	return &Error{offset, fmt.Sprintf(format, args...)}
}

// tooLarge is the error for a specification of too many states.
func tooLarge() error {
	return errorf(0, "expected a monitor of at most %d states, found more: split the property", MaxStates)
}

// Compile returns the monitor for a text in a language, over events of the given names. It
// returns an [*Error] if the text is not a specification, if no finite run violates it, or if
// all runs do.
func Compile(language Language, text string, events []string) (*Monitor, error) {
	m, err := compile(language, text, events)
	if err != nil {
		return nil, err
	}
	switch {
	case m.Violated < 0:
		return nil, errorf(0, "expected a property that some order of events violates, found one that each beginning of a run may still satisfy")
	case m.Violated == 0:
		return nil, errorf(0, "expected a property that some order of events satisfies, found none")
	}
	return m, nil
}

// compile is Compile for any text.
func compile(language Language, text string, events []string) (*Monitor, error) {
	for k, name := range events {
		switch {
		case !isName(name):
			return nil, errorf(0, "expected names of letters, digits and _ for events, found %q", name)
		case slices.Contains(events[:k], name):
			return nil, errorf(0, "expected a name for each event, found %s twice", name)
		case language == LTL && reserved[name], language == ERE && (name == "empty" || name == "any"):
			return nil, errorf(0, "%s is a word of %s: give the event another name", name, language)
		}
	}
	toks, err := scan(text)
	if err != nil {
		return nil, err
	}
	p := &parser{toks: toks, events: events}
	switch language {
	case ERE:
		return p.ere()
	case LTL:
		return p.ltl()
	case Automaton:
		return p.automaton()
	}
	return nil, errorf(0, "expected ERE, LTL or Automaton, found %q", language)
}

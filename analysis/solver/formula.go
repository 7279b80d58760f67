package solver

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
)

// A Formula holds terms: booleans, events and integers. Equal terms are the same
// handle, and terms are simplified as they are made, so that comparing handles
// with == compares simplified terms. Handles of one Formula mean nothing to
// another. A Formula may grow while engines use it; it is not safe for
// concurrent use.
type Formula struct {
	// The terms form a directed graph without cycles. Children are made first, so the number of a
	// node is greater than those of its children.
	nodes []node // nodes[0] is the constant true
	args  []Bool // children of conjunctions, one after the other
	// Equal terms are one node (hash consing). A conjunction has the bytes of its children as key.
	atoms        map[node]Bool
	conjunctions map[string]Bool

	names      []string
	boolNames  map[string]Bool
	eventNames map[string]Event
	intNames   map[string]Int
	events     []int32 // name of each event, or ^n of the nth one, see Events
	ints       []int32 // name of each integer variable

	// Integer terms: sums of variables, each once, and these plus a number.
	sums    [][]summand // each sorted by variable; sums[0] is the empty one
	sumKeys map[string]int32
	exprs   []expr
	exprIDs map[expr]Int

	err error
}

// A Bool is a boolean term of a [Formula].
type Bool int32 // twice the node, plus one if it is negated

// An Event is one point in the strict total order of all events of a [Formula].
type Event int32

// An Int is a linear integer term of a [Formula].
type Int int32

// A kind is what a node says. There is no or, and no implication: they are ands of negated
// terms.
type kind uint8

const (
	constant kind = iota
	variable      // a: name
	before        // a, b: events, a < b
	atMost        // the sum a is at most k
	equal         // the sum a is k
	and           // args[a:b], ascending, at least two
	iff           // the terms a and b are equal, a < b, neither negated
)

// A node is a term. Two of one kind with equal fields are the same node.
type node struct {
	kind kind
	a, b int32
	k    int64
}

// NewFormula returns an empty formula.
func NewFormula() *Formula {
	f := &Formula{
		nodes:        []node{{kind: constant}},
		atoms:        map[node]Bool{},
		conjunctions: map[string]Bool{},
		boolNames:    map[string]Bool{},
		eventNames:   map[string]Event{},
		intNames:     map[string]Int{},
		sumKeys:      map[string]int32{},
		exprIDs:      map[expr]Int{},
	}
	f.sum(nil)
	return f
}

// Err returns the first error made in building terms: a coefficient or constant
// that left the range of int64. Terms made since mean nothing, and every
// Check of an engine on the formula returns this error.
func (f *Formula) Err() error { return f.err }

// fail keeps the first error; terms that come later are made all the same, so that callers
// need not look at each.
func (f *Formula) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// True returns the constant true.
func (f *Formula) True() Bool { return 0 }

// False returns the constant false.
func (f *Formula) False() Bool { return 1 }

// Bool returns the boolean variable of that name.
func (f *Formula) Bool(name string) Bool {
	b, ok := f.boolNames[name]
	if !ok {
		b = f.atom(node{kind: variable, a: f.name(name)})
		f.boolNames[name] = b
	}
	return b
}

// Event returns the event of that name.
func (f *Formula) Event(name string) Event {
	e, ok := f.eventNames[name]
	if !ok {
		e = Event(len(f.events))
		f.events = append(f.events, f.name(name))
		f.eventNames[name] = e
	}
	return e
}

// Events makes events in a row, of which it returns the first: one for each of the numbers, which no other event
// has. Their names follow from these, as nobody asks for most of them.
func (f *Formula) Events(numbers []int32) Event {
	first := Event(len(f.events))
	for _, n := range numbers {
		f.events = append(f.events, ^n)
	}
	return first
}

// EventName returns the name that the event was made with, or e and its number.
func (f *Formula) EventName(e Event) string {
	name := f.events[e]
	if name < 0 {
		return "e" + strconv.Itoa(int(^name))
	}
	return f.names[name]
}

// name keeps a name, for text and Z3.
func (f *Formula) name(s string) int32 {
	f.names = append(f.names, s)
	return int32(len(f.names) - 1)
}

// atom returns the term of n, which is no conjunction, made once.
func (f *Formula) atom(n node) Bool {
	b, ok := f.atoms[n]
	if !ok {
		b = f.add(n)
		f.atoms[n] = b
	}
	return b
}

// add makes a node.
func (f *Formula) add(n node) Bool {
	f.nodes = append(f.nodes, n)
	return Bool(len(f.nodes)-1) << 1
}

// Before says that a comes before b. The order is strict and total: nothing is
// before itself, and of two different events one is before the other.
func (f *Formula) Before(a, b Event) Bool {
	switch {
	case a == b:
		return f.False()
	case a < b:
		return f.atom(node{kind: before, a: int32(a), b: int32(b)})
	default:
		return f.Not(f.atom(node{kind: before, a: int32(b), b: int32(a)}))
	}
}

// Not negates b.
func (f *Formula) Not(b Bool) Bool { return b ^ 1 }

// And says that all of bs hold; of none, it is true. Conjunctions in it are taken apart, so
// that one of a whole path's conditions has no depth; what is false by itself or by two
// children becomes false.
func (f *Formula) And(bs ...Bool) Bool {
	children := make([]Bool, 0, len(bs))
	for _, b := range bs {
		if n := f.nodes[b>>1]; n.kind == and && b&1 == 0 {
			children = append(children, f.args[n.a:n.b]...)
		} else {
			children = append(children, b)
		}
	}
	slices.Sort(children)
	kept := children[:0]
	for i, b := range children {
		if b == f.False() || i > 0 && b == children[i-1]^1 && b&1 == 1 {
			return f.False()
		}
		if b != f.True() && (i == 0 || b != children[i-1]) {
			kept = append(kept, b)
		}
	}
	switch len(kept) {
	case 0:
		return f.True()
	case 1:
		return kept[0]
	}
	return f.conjunction(kept)
}

// conjunction returns the node of the sorted children, made once.
func (f *Formula) conjunction(children []Bool) Bool {
	key := make([]byte, 0, 128)
	for _, c := range children {
		key = binary.LittleEndian.AppendUint32(key, uint32(c))
	}
	b, ok := f.conjunctions[string(key)]
	if !ok {
		start := int32(len(f.args))
		f.args = append(f.args, children...)
		b = f.add(node{kind: and, a: start, b: int32(len(f.args))})
		f.conjunctions[string(key)] = b
	}
	return b
}

// Or says that one of bs holds; of none, it is false.
func (f *Formula) Or(bs ...Bool) Bool {
	negated := make([]Bool, len(bs))
	for i, b := range bs {
		negated[i] = f.Not(b)
	}
	return f.Not(f.And(negated...))
}

// Implies says that b holds if a does.
func (f *Formula) Implies(a, b Bool) Bool { return f.Not(f.And(a, f.Not(b))) }

// Iff says that a and b both hold or both do not. Negations go outside: not a iff b is not
// (a iff b).
func (f *Formula) Iff(a, b Bool) Bool {
	sign := a&1 ^ b&1
	a, b = a&^1, b&^1
	if a > b {
		a, b = b, a
	}
	switch {
	case a == b:
		return f.True() ^ sign
	case a == f.True():
		return b ^ sign
	}
	return f.atom(node{kind: iff, a: int32(a), b: int32(b)}) ^ sign
}

// children returns the terms that a connective joins.
func (f *Formula) children(n node) []Bool {
	switch n.kind {
	case and:
		return f.args[n.a:n.b]
	case iff:
		return []Bool{Bool(n.a), Bool(n.b)}
	}
	return nil
}

package solver

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteSMT2 writes the question whether all of assertions and assumptions can
// hold together as SMT-LIB 2.6 text, for any solver. Events are integers: one is
// before another if its number is smaller, or if the numbers are the same and it
// is declared first. Assumptions are named assertions, for a solver that is told to
// produce unsat cores. Equal questions give equal text. That event e3 comes before e7, and
// that what the latter reads is more than 0, is
//
//	(set-logic QF_LIA)
//	(declare-const |event e3| Int)
//	(declare-const |event e7| Int)
//	(declare-const |int read 7| Int)
//	(assert (<= (- 9223372036854775808) |int read 7| 9223372036854775807))
//	(assert (<= |event e3| |event e7|))
//	(assert (! (not (<= |int read 7| 0)) :named a1))
//	(check-sat)
func WriteSMT2(w io.Writer, f *Formula, assertions, assumptions []Bool) error {
	if err := f.Err(); err != nil {
		return err
	}
	t := &smt2{f: f, w: bufio.NewWriter(w), uses: make([]int, len(f.nodes))}
	for _, b := range slices.Concat(assertions, assumptions) {
		t.count(int32(b >> 1))
	}
	t.head()
	t.declare()
	t.define()
	for _, b := range assertions {
		t.line("(assert ", t.term(b), ")")
	}
	for i, b := range assumptions {
		t.line("(assert (! ", t.term(b), fmt.Sprintf(" :named a%d))", i+1))
	}
	t.line("(check-sat)")
	return t.w.Flush()
}

// An smt2 writes one question. Terms that are used more than once get a name, as written
// out again and again they could be exponentially long.
type smt2 struct {
	f    *Formula
	w    *bufio.Writer
	uses []int // of each node
}

// line writes a line. Errors are the buffer's to keep; Flush returns the first.
func (t *smt2) line(parts ...string) {
	for _, p := range parts {
		t.w.WriteString(p)
	}
	t.w.WriteByte('\n')
}

// count notes how often each node is used.
func (t *smt2) count(id int32) {
	if t.uses[id]++; t.uses[id] > 1 {
		return
	}
	for _, c := range t.f.children(t.f.nodes[id]) {
		t.count(int32(c >> 1))
	}
}

// head says which way events are numbers, and the smallest logic that has the terms.
func (t *smt2) head() {
	t.line("; one event is before another if its number is smaller, or if the numbers are")
	t.line("; the same and it is declared first")
	logic := "QF_IDL"
	for id, n := range t.f.nodes {
		if t.uses[id] > 0 && (n.kind == atMost || n.kind == equal) {
			logic = "QF_LIA"
		}
	}
	t.line("(set-logic ", logic, ")")
}

// declare declares the variables that are used, and the range of integers.
func (t *smt2) declare() {
	events := make([]bool, len(t.f.events))
	ints := make([]bool, len(t.f.ints))
	for id, n := range t.f.nodes {
		if t.uses[id] == 0 {
			continue
		}
		switch n.kind {
		case before:
			events[n.a], events[n.b] = true, true
		case atMost, equal:
			for _, s := range t.f.sums[n.a] {
				ints[s.v] = true
			}
		case variable:
			t.line("(declare-const ", t.symbol("bool", t.f.names[n.a]), " Bool)")
		}
	}
	for e, used := range events {
		if used {
			t.line("(declare-const ", t.event(int32(e)), " Int)")
		}
	}
	for v, used := range ints {
		if used {
			x := t.symbol("int", t.f.names[t.f.ints[v]])
			t.line("(declare-const ", x, " Int)")
			t.line("(assert (<= (- 9223372036854775808) ", x, " 9223372036854775807))")
		}
	}
}

// define gives the connectives that are used several times a name.
func (t *smt2) define() {
	for id, n := range t.f.nodes {
		if t.uses[id] > 1 && (n.kind == and || n.kind == iff) {
			t.line(fmt.Sprintf("(define-fun t%d () Bool ", id), t.text(n), ")")
		}
	}
}

// term is the text of b, by its name if it has one.
func (t *smt2) term(b Bool) string {
	n := t.f.nodes[b>>1]
	text := ""
	if t.uses[b>>1] > 1 && (n.kind == and || n.kind == iff) {
		text = fmt.Sprint("t", b>>1)
	} else {
		text = t.text(n)
	}
	if b&1 == 1 {
		return "(not " + text + ")"
	}
	return text
}

// text is that of a node, in full, with what is below it. That a is before b is (<= a b): the
// atom has the event that was declared first on its left, and that one wins a draw.
func (t *smt2) text(n node) string {
	switch n.kind {
	case constant:
		return "true"
	case variable:
		return t.symbol("bool", t.f.names[n.a])
	case before:
		return "(<= " + t.event(n.a) + " " + t.event(n.b) + ")"
	case atMost:
		return "(<= " + t.sum(n.a) + " " + number(n.k) + ")"
	case equal:
		return "(= " + t.sum(n.a) + " " + number(n.k) + ")"
	}
	var text strings.Builder
	text.WriteString("(and")
	if n.kind == iff {
		text.Reset()
		text.WriteString("(=")
	}
	for _, c := range t.f.children(n) {
		text.WriteByte(' ')
		text.WriteString(t.term(c))
	}
	text.WriteByte(')')
	return text.String()
}

// event is the name of an event's number.
func (t *smt2) event(e int32) string { return t.symbol("event", t.f.EventName(Event(e))) }

// symbol returns the name of a variable in SMT-LIB: quoted, so that it is no word of the language,
// and with all characters replaced that a quoted name may not have.
func (t *smt2) symbol(kind, name string) string {
	var text strings.Builder
	text.WriteString("|" + kind + " ")
	for _, c := range []byte(name) {
		if c < ' ' || c > '~' || c == '|' || c == '\\' || c == '%' {
			fmt.Fprintf(&text, "%%%02X", c)
		} else {
			text.WriteByte(c)
		}
	}
	text.WriteByte('|')
	return text.String()
}

// sum is the text of a sum of integers.
func (t *smt2) sum(id int32) string {
	var parts []string
	for _, s := range t.f.sums[id] {
		x := t.symbol("int", t.f.names[t.f.ints[s.v]])
		if s.coef != 1 {
			x = "(* " + number(s.coef) + " " + x + ")"
		}
		parts = append(parts, x)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(+ " + strings.Join(parts, " ") + ")"
}

// number is that of a number; SMT-LIB has no negative ones, (- 3) is an application.
func number(n int64) string {
	if n < 0 {
		return fmt.Sprintf("(- %d)", magnitude(n))
	}
	return fmt.Sprint(n)
}

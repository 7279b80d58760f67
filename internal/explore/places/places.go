// Package places finds the bug of a witness in sources that were edited since. Code may have
// moved to another function, and variables may have other names.
package places

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Places are the places of the violation of a witness.
type Places struct {
	// Current is the witness with its places in the current sources.
	Current *witness.Witness
	// Gone are the indices of those that are no longer there.
	Gone          []int
	ReachedByRun  []bool // those that some run has reached
	MayBeAnywhere bool   // all of them may have moved

	// sites are those of the current sources, by function.
	sites map[string][]trace.Site
}

// New returns the places of the violation of a witness in the current sources. No run has
// reached one yet. Sites are those of the current sources, by function.
func New(now *witness.Witness, sites map[string][]trace.Site) *Places {
	return &Places{Current: now, ReachedByRun: make([]bool, len(now.Violation)), sites: sites}
}

// MissingPlaces returns the places that may have moved: those that the sources no longer have,
// those that no run has reached, and those that the violation has twice. These are all if
// MayBeAnywhere is set.
func (p *Places) MissingPlaces() (all []int) {
	for i, reached := range p.ReachedByRun {
		if p.MayBeAnywhere || !reached || p.isRepeated(i) || slices.Contains(p.Gone, i) {
			all = append(all, i)
		}
	}
	return all
}

// isRepeated reports whether another access of the violation has the same place as the i-th.
func (p *Places) isRepeated(i int) bool {
	s := p.Current.Violation[i]
	for k, o := range p.Current.Violation {
		if k != i && o.File == s.File && o.Line == s.Line && o.Col == s.Col {
			return true
		}
	}
	return false
}

// MayBeBug reports whether the violation of v may be the same bug: it has the same places, but
// for missing ones, which it has others like.
func (p *Places) MayBeBug(v *witness.Witness) bool {
	w := p.Current
	if v.Kind != w.Kind || v.Pattern != w.Pattern || len(v.Violation) != len(w.Violation) {
		return false
	}
	missing := p.MissingPlaces()
	same := func(a, b witness.Step) bool {
		return a.File == b.File && a.Line == b.Line && a.Op == b.Op && witness.Shape(a.Expr) == witness.Shape(b.Expr)
	}
	// Where one of the places is there, the other access is to the same object, whatever that is
	// called there: through a pointer, or as a parameter.
	sameObject := w.Kind.HasOneObject() && slices.ContainsFunc(w.Violation, func(a witness.Step) bool {
		return slices.ContainsFunc(v.Violation, func(b witness.Step) bool { return same(a, b) })
	})
	is := func(i, k int) bool { // the i-th place is that of v's k-th
		a, b := w.Violation[i], v.Violation[k]
		if same(a, b) {
			return true
		}
		inPackage := path.Dir(a.File) == path.Dir(b.File)
		return slices.Contains(missing, i) && mayBeSameOperation(a.Op, b.Op) && (sameObject && inPackage || p.MayBeRenamed(a, b))
	}
	// A pattern of accesses names its accesses in their order.
	if w.InOrder() {
		for i := range w.Violation {
			if !is(i, i) {
				return false
			}
		}
		return true
	}
	// Accesses that are made simultaneously have no order, so that each may have taken the
	// place of each.
	taken := make([]bool, len(v.Violation))
	var fits func(i int) bool
	fits = func(i int) bool {
		if i == len(w.Violation) {
			return true
		}
		for k := range v.Violation {
			if !taken[k] && is(i, k) {
				if taken[k] = true; fits(i + 1) {
					return true
				}
				// With this choice the later places do not fit. Another choice may leave room for all.
				taken[k] = false
			}
		}
		return false
	}
	return fits(0)
}

// mayBeSameOperation reports whether a may be b in code that was edited: what is sent or received may
// be a case of a select now, or no longer be one.
func mayBeSameOperation(a, b trace.Kind) bool {
	message := func(k trace.Kind) bool { return k == trace.Send || k == trace.Recv }
	return a == b || a == trace.Select && message(b) || b == trace.Select && message(a)
}

// MayBeRenamed reports whether the operand of b may be that of a under other names, in the
// same package: fields have the same names, or the package no longer has the operand of a, and
// nothing but names differs.
func (p *Places) MayBeRenamed(a, b witness.Step) bool {
	// Code is taken to stay in its package.
	if path.Dir(a.File) != path.Dir(b.File) { // a report's functions may have no package in their names
		return false
	}
	shape := witness.Shape(a.Expr)
	if shape == witness.Shape(b.Expr) || b.Expr == "" || a.Op != b.Op { // the operands of selects and of some calls are not known
		return true
	}
	// The shapes _.total[_] and _.sum[_] differ by a name only: without names both are _._[_].
	if identifier.ReplaceAllString(shape, "_") != identifier.ReplaceAllString(witness.Shape(b.Expr), "_") {
		return false
	}
	// If the package still has the operand of a, b is another one.
	for fn, sites := range p.sites {
		if recording.PackageOfFunction(fn) == recording.PackageOfFunction(a.Func) && slices.ContainsFunc(sites, func(s trace.Site) bool { return witness.Shape(s.Expr) == shape }) {
			return false
		}
	}
	return true
}

var identifier = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

// SharedPlace names a place that the violations of both v and w have; "" if there is none.
func SharedPlace(v, w *witness.Witness) string {
	for _, s := range v.Violation {
		for _, o := range w.Violation {
			if s.File == o.File && s.Line == o.Line && witness.Shape(s.Expr) == witness.Shape(o.Expr) {
				return PlaceText(s)
			}
		}
	}
	return ""
}

// PlaceText names the place of a step: "a.balance (bank.go:12)".
func PlaceText(s witness.Step) string {
	return strings.TrimSpace(fmt.Sprintf("%s (%s:%d)", s.Expr, filepath.Base(s.File), s.Line))
}

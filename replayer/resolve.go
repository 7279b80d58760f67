package replayer

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// ErrStale is wrapped by the errors of NewPlan: the sources have changed so that
// the witness no longer fits.
var ErrStale = errors.New("witness is stale")

// A resolver finds the sites of a witness in the current build.
type resolver struct {
	groups map[group][]trace.Site
	moved  []shift
}

// A group is the sites that witness.Step.Nth counts among.
type group struct{ fn, op, expr string }

// A shift is a site of the witness that was found again, and by how many
// lines it has moved.
type shift struct {
	fn    string
	file  string
	line  int // where the witness has it
	delta int
}

func newResolver(w *witness.Witness, sites []trace.Site) *resolver {
	r := &resolver{groups: make(map[group][]trace.Site)}
	for _, list := range places(w) {
		for _, s := range list {
			if s.Nth > 0 {
				r.groups[groupOf(s)] = nil
			}
		}
	}
	for _, s := range sites {
		g := group{s.Func, s.Op, s.Expr}
		if list, ok := r.groups[g]; ok {
			r.groups[g] = append(list, s)
		}
	}
	for _, list := range r.groups {
		witness.SortSites(list)
	}
	for _, list := range places(w) {
		for _, s := range list {
			if site, ok := r.site(s); ok {
				r.moved = append(r.moved, shift{s.Func, s.File, s.Line, site.Line - s.Line})
			}
		}
	}
	return r
}

func groupOf(s witness.Step) group { return group{s.Func, s.SiteWord(), s.Expr} }

// site returns the site of a step at a place that the rewriter instruments.
func (r *resolver) site(s witness.Step) (trace.Site, bool) {
	list := r.groups[groupOf(s)]
	if s.Nth < 1 || s.Nth > len(list) {
		return trace.Site{}, false
	}
	return list[s.Nth-1], true
}

// key returns the key of the step's site in the current build. The rewriter's
// sites are found by function, operation, expression and number. Of a call
// site only function and line are known: its line moves as the nearest site of
// the same function has moved.
func (r *resolver) key(s witness.Step) (uint64, bool) {
	if s.Nth > 0 {
		site, ok := r.site(s)
		return site.Key, ok
	}
	if s.Func == "" && s.Line == 0 { // events that have no site
		return 0, true
	}
	return trace.KeyOf(s.Func, s.Line+r.delta(s)), true
}

// delta returns by how many lines the nearest site in the step's function has
// moved, or else in its file; 0 if none is known.
func (r *resolver) delta(s witness.Step) int {
	near := func(same func(shift) bool) (delta int, ok bool) {
		best := 0
		for _, m := range r.moved {
			if d := abs(m.line - s.Line); same(m) && (!ok || d < best) {
				delta, best, ok = m.delta, d, true
			}
		}
		return delta, ok
	}
	if delta, ok := near(func(m shift) bool { return m.fn == s.Func }); ok {
		return delta
	}
	delta, _ := near(func(m shift) bool { return m.file == s.File })
	return delta
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// describe names a step in messages: "write of a.balance in
// bank.(*Account).Deposit (bank.go:12, occurrence 2)".
func describe(s witness.Step) string {
	d := witness.Word(s.Op.String())
	if s.Expr != "" {
		d += " of " + s.Expr
	}
	if s.Func != "" {
		d += " in " + path.Base(s.Func)
	}
	if s.Line > 0 {
		d += fmt.Sprintf(" (%s:%d", filepath.Base(s.File), s.Line)
		if s.Occ > 1 {
			d += fmt.Sprintf(", occurrence %d", s.Occ)
		}
		d += ")"
	}
	return d
}

// stale returns the error for violating steps that no longer exist.
func stale(w *witness.Witness, missing []witness.Step) error {
	var what []string
	for _, s := range missing {
		what = append(what, describe(s))
	}
	return fmt.Errorf("%w: %s: the sources no longer have %s; delete the file, or record it anew", ErrStale, w.ID, strings.Join(what, ", nor "))
}

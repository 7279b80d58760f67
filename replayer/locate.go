package replayer

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"

	"github.com/gopredict/gopredict/replayer/witness"
)

// operand returns what the line of a call site, which is in file now, calls its
// operand.
func (c Code) operand(s witness.Step, file string) string {
	if c.Source == nil || s.Expr == "" {
		return s.Expr
	}
	return cmp.Or(witness.Operand(s.Op, c.Source.Line(file, s.Line)), s.Expr)
}

// locate returns a copy of w with the positions that its steps have in the code,
// and the names that variables have there. Steps that are not found stay as they
// are.
func (r *resolver) locate(w *witness.Witness) *witness.Witness {
	out := *w
	move := func(list []witness.Step) []witness.Step {
		list = slices.Clone(list)
		for i, s := range list {
			place := asPlace(s)
			now, ok := r.now[place]
			if !ok {
				now = r.moved(place)
				r.now[place] = now
			}
			list[i] = at(now, s)
		}
		return list
	}
	out.Steps, out.Hold, out.Violation = move(w.Steps), move(w.Hold), move(w.Violation)
	out.Pooled, out.Anchors = move(w.Pooled), move(w.Anchors)
	return &out
}

// moved is where a place is in the code.
func (r *resolver) moved(s witness.Step) witness.Step {
	file := ""
	if site, fit := r.site(s); fit != absent {
		file, s.Line, s.Col, s.Expr = site.File, site.Line, site.Col, site.Expr
	} else if s.Nth == 0 && s.Line > 0 {
		at := r.call(s)
		file, s.Line = at.file, at.line
		s.Expr = r.code.operand(s, file)
	}
	s.File = r.nameNow(file, s.File)
	return s
}

// nameNow is the name of a file that was called so before.
func (r *resolver) nameNow(file, before string) string {
	if name := r.code.Files.Name(file); filepath.IsAbs(file) && !filepath.IsAbs(name) {
		return name
	}
	if base := filepath.Base(file); file != "" && base != filepath.Base(before) {
		return path.Join(path.Dir(before), base) // moved within its package
	}
	return before
}

package replayer

import (
	"cmp"
	"path"
	"path/filepath"

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
		var moved []witness.Step
		for _, s := range list {
			file := ""
			if site, fit := r.site(s); fit != absent {
				file, s.Line, s.Col, s.Expr = site.File, site.Line, site.Col, site.Expr
			} else if s.Nth == 0 && s.Line > 0 {
				at := r.call(s)
				file, s.Line = at.file, at.line
				s.Expr = r.code.operand(s, file)
			}
			if name := r.code.Files.Name(file); filepath.IsAbs(file) && !filepath.IsAbs(name) {
				s.File = name
			} else if base := filepath.Base(file); file != "" && base != filepath.Base(s.File) {
				s.File = path.Join(path.Dir(s.File), base) // moved within its package
			}
			moved = append(moved, s)
		}
		return moved
	}
	out.Steps, out.Hold, out.Violation = move(w.Steps), move(w.Hold), move(w.Violation)
	out.Pooled, out.Anchors = move(w.Pooled), move(w.Anchors)
	return &out
}

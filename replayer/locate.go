package replayer

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"

	"github.com/gopredict/gopredict/replayer/witness"
)

// operand returns the operand of a call site as its line, which is in file now, names it.
func (c Program) operand(s witness.Step, file string) string {
	if c.Source == nil || s.Expr == "" {
		return s.Expr
	}
	return cmp.Or(witness.Operand(s.Op, c.Source.Line(file, s.Line)), s.Expr)
}

// locate returns a copy of w with the positions that its steps have in the program, and the names
// that variables have there. Steps that are not found stay as they are. Lists in which nothing has
// moved are those of w.
func (r *resolver) locate(w *witness.Witness) *witness.Witness {
	out := *w
	move := func(list []witness.Step, its []*position) []witness.Step {
		if !slices.ContainsFunc(its, func(p *position) bool { return r.currentStep(p) != &p.Step }) {
			return list
		}
		list = slices.Clone(list)
		for i, s := range list {
			list[i] = stepAt(*r.currentStep(its[i]), s)
		}
		return list
	}
	out.Steps, out.Holds, out.Violation = move(w.Steps, r.steps), move(w.Holds, r.hold), move(w.Violation, r.violation)
	out.PoolSteps, out.Anchors = move(w.PoolSteps, r.pooled), move(w.Anchors, r.anchors)
	return &out
}

// currentStep returns the step of p where it is in the program; &p.Step if it has not moved.
func (r *resolver) currentStep(p *position) *witness.Step {
	if p.current == nil {
		p.current = &p.Step
		if now := r.findCurrentStep(p); now != p.Step {
			p.current = &now
		}
	}
	return p.current
}

// findCurrentStep finds what currentStep returns.
func (r *resolver) findCurrentStep(p *position) witness.Step {
	s, file := p.Step, ""
	if site, fit := r.siteOf(p); fit != absent {
		file, s.Line, s.Col, s.Expr = site.File, site.Line, site.Col, site.Expr
	} else if s.SiteNumber == 0 && s.Line > 0 {
		at := r.callSiteOf(p)
		file, s.Line = at.file, at.line
		s.Expr = r.program.operand(s, file)
	}
	s.File = r.currentName(file, s.File)
	return s
}

// currentName returns the name in witnesses of a file whose name was before.
func (r *resolver) currentName(file, before string) string {
	if name := r.program.Files.Name(file); filepath.IsAbs(file) && !filepath.IsAbs(name) {
		return name
	}
	if base := filepath.Base(file); file != "" && base != filepath.Base(before) {
		return path.Join(path.Dir(before), base) // moved within its package
	}
	return before
}

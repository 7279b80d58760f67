package replayer

import (
	"path"
	"path/filepath"

	"github.com/gopredict/gopredict/replayer/witness"
)

// locate returns a copy of w with the positions that its steps have in code.
// Steps that are not found stay as they are.
func locate(w *witness.Witness, code Code) *witness.Witness {
	r := newResolver(w, code)
	out := *w
	move := func(list []witness.Step) []witness.Step {
		var moved []witness.Step
		for _, s := range list {
			file := ""
			if site, ok := r.site(s); ok {
				file, s.Line, s.Col = site.File, site.Line, site.Col
			} else if s.Nth == 0 && s.Line > 0 {
				file, s.Line, _ = r.call(s)
			}
			if base := filepath.Base(file); file != "" && base != filepath.Base(s.File) {
				s.File = path.Join(path.Dir(s.File), base) // moved within its package
			}
			moved = append(moved, s)
		}
		return moved
	}
	out.Steps, out.Hold, out.Violation = move(w.Steps), move(w.Hold), move(w.Violation)
	out.Anchors = move(w.Anchors)
	return &out
}

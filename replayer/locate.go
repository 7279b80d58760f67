package replayer

import (
	"path"
	"path/filepath"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// locate returns a copy of w with the positions that its steps have in the
// current build, whose rewriter's sites are given. Steps that are not found
// stay as they are.
func locate(w *witness.Witness, sites []trace.Site) *witness.Witness {
	r := newResolver(w, sites)
	out := *w
	move := func(list []witness.Step) []witness.Step {
		var moved []witness.Step
		for _, s := range list {
			if site, ok := r.site(s); ok {
				if base := filepath.Base(site.File); base != filepath.Base(s.File) {
					s.File = path.Join(path.Dir(s.File), base) // moved within its package
				}
				s.Line, s.Col = site.Line, site.Col
			} else if s.Nth == 0 && s.Line > 0 {
				s.Line += r.delta(s)
			}
			moved = append(moved, s)
		}
		return moved
	}
	out.Steps, out.Hold, out.Violation = move(w.Steps), move(w.Hold), move(w.Violation)
	out.Anchors = move(w.Anchors)
	return &out
}

// Package known suppresses confirmed bugs that a team knows already, so that they fail no run:
// those of a baseline, those that a comment in the program ignores, and those in lines that were
// not changed.
//
// internal/explore has filled the report before. internal/command then calls [Baseline.Mark],
// [Comments.Mark] and [Changes.Mark], which set report.Finding.Suppressed, and decides the exit
// code. Suppressed findings stay in the report.
package known

import (
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
)

// suppress suppresses the confirmed findings of r that are known and not suppressed yet.
func suppress(r *report.Report, by report.SuppressedBy, known func(f *report.Finding) (reason string, ok bool)) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Status != bug.Confirmed {
			continue
		}
		// All are asked, so that a bug that is known in two ways counts as used in both.
		if reason, ok := known(f); ok && f.Suppressed == nil {
			f.Suppressed = &report.Suppression{By: by, Reason: reason}
		}
	}
}

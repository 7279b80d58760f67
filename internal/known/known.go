// Package known holds which of the confirmed bugs a run need not fail for, as a team knows
// them: those of a baseline, those that a comment in the program tells to ignore, and those
// that touch no line that was changed.
//
// It stands between internal/explore, which has filled the report, and the exit code:
// internal/command calls [Baseline.Mark], [Comments.Mark] and [Changes.Mark], which set
// report.Finding.Suppressed. What is suppressed stays in the report.
package known

import (
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
)

// suppress suppresses the confirmed findings of r that are known, as far as nothing has done
// that before.
func suppress(r *report.Report, by report.SuppressedBy, known func(f *report.Finding) (reason string, ok bool)) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Status != bug.Confirmed {
			continue
		}
		// Asked of each, so that what is known in two ways counts as used in both.
		if reason, ok := known(f); ok && f.Suppressed == nil {
			f.Suppressed = &report.Suppression{By: by, Reason: reason}
		}
	}
}

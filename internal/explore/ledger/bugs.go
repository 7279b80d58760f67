package ledger

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/report"
)

// This file keeps one entry of the report for each bug. Findings at the same sites are one bug
// for the user who fixes it: a race and a pattern of accesses, or the findings of two tests.

// IsConfirmed reports whether the bug at the sites is confirmed.
func (l *Ledger) IsConfirmed(sites string) bool { return l.confirmedBugs[sites] }

// Unsettled returns those of the findings that are worth a replay. A confirmed bug settles all
// candidates at its sites.
func (l *Ledger) Unsettled(findings []finding.Finding) (open []finding.Finding) {
	for _, f := range findings {
		if l.confirmedBugs[finding.BugKey(f.Witness)] {
			l.Candidates.MarkSettled(f.Name)
		}
		if l.Candidates.KnowledgeOf(f.Name) != analysis.Settled {
			open = append(open, f)
		}
	}
	return open
}

// CountShown counts the bugs that are confirmed, or suspected to make a test fail.
func (l *Ledger) CountShown() int {
	places := make(map[string]bool)
	for _, s := range l.SuspectRuns {
		places[s.Bug] = true
	}
	return len(l.confirmedBugs) + len(places)
}

// reportedFinding returns the report's entry of the bug that f is of; nil if there is none.
func (l *Ledger) reportedFinding(f *report.Finding) *report.Finding {
	if pos, ok := l.findingIndex[f.BugKey()]; ok {
		return &l.Report.Findings[pos]
	}
	return nil
}

// HasBetter reports whether the report has an entry of the bug of f that shows as much as f or
// more.
func (l *Ledger) HasBetter(f *report.Finding) bool {
	before := l.reportedFinding(f)
	return before != nil && (f.Status == bug.Infeasible || !f.IsBetterThan(before) && before.Status != bug.Infeasible)
}

// AddEntry puts an entry into the report, in the place of an earlier entry of the same bug.
// The list of goroutines that the bug blocks is kept.
func (l *Ledger) AddEntry(e finding.Entry) {
	if e.ConfirmedBug != "" {
		l.confirmedBugs[e.ConfirmedBug] = true
	}
	l.Violations[e.BugKey()] = e.Violation
	if before := l.reportedFinding(&e.Finding); before != nil {
		if e.Status == bug.Confirmed {
			e.AddAlsoBlocked(before.AlsoBlocked)
		}
		*before = e.Finding
		return
	}
	l.findingIndex[e.BugKey()] = len(l.Report.Findings)
	l.Report.Findings = append(l.Report.Findings, e.Finding)
}

// JoinBlocked adds other goroutines that a confirmed bug blocks to its entry.
func (l *Ledger) JoinBlocked(f *report.Finding, others []report.Access) {
	if before := l.reportedFinding(f); before != nil && before.Status == bug.Confirmed {
		before.AddAlsoBlocked(others)
	}
}

// Explains reports whether a confirmed bug makes a test fail in the way in which f does: the
// output names the same lines of the sources.
func Explains(confirmed, f *report.Finding) bool {
	return confirmed.Status == bug.Confirmed && confirmed.Effect.Severity() >= bug.TestFailure.Severity() &&
		confirmed.Package == f.Package && confirmed.Test == f.Test && slices.Equal(SourceLines(confirmed.Detail), SourceLines(f.Detail))
}

// IsExplained reports whether a confirmed bug of the report makes a test fail as f does.
func (l *Ledger) IsExplained(f *report.Finding) bool {
	return slices.ContainsFunc(l.Report.Findings, func(o report.Finding) bool { return Explains(&o, f) })
}

// DropExplained removes failures that were confirmed before the bug that explains them was:
// one bug is reported once. Nothing may be added after that.
func (l *Ledger) DropExplained() {
	all := slices.Clone(l.Report.Findings)
	l.Report.Findings = slices.DeleteFunc(l.Report.Findings, func(f report.Finding) bool {
		if f.Kind != bug.Failure || f.Status != bug.Confirmed || f.Package != l.FirstRun.Package.Path || l.Witnesses.isCommitted(l.Witnesses.Paths.Absolute(f.Witness)) ||
			!slices.ContainsFunc(all, func(o report.Finding) bool { return o.Kind != bug.Failure && Explains(&o, &f) }) {
			return false
		}
		l.Witnesses.dropDraft(l.Witnesses.Paths.Absolute(f.Witness))
		return true
	})
}

// DropReported removes the confirmed bugs that another package has shown before, by their
// sites, and the drafts of their witnesses, but for those that renew a committed one.
func (l *Ledger) DropReported(sites map[string]bool) {
	l.Report.Findings = slices.DeleteFunc(l.Report.Findings, func(f report.Finding) bool {
		if f.Status != bug.Confirmed || !sites[f.BugKey()] {
			return false
		}
		if file := l.Witnesses.Paths.Absolute(f.Witness); f.Witness != "" && !l.Witnesses.isCommitted(file) {
			l.Witnesses.dropDraft(file)
		}
		return true
	})
}

// RenameWitness replaces the witness file of a finding by another name, "" for none, and
// returns the heading of the finding.
func (l *Ledger) RenameWitness(file, to string) []string {
	for k := range l.Report.Findings {
		if f := &l.Report.Findings[k]; f.Witness == l.Witnesses.Paths.Relative(file) {
			f.Witness = to
			return f.Heading()
		}
	}
	return nil
}

var sourceLinePattern = regexp.MustCompile(`[\w.-]+\.go:\d+`)

// SourceLines returns the lines of sources that the detail of an effect names.
func SourceLines(detail []string) []string {
	lines := sourceLinePattern.FindAllString(strings.Join(detail, "\n"), -1)
	slices.Sort(lines)
	return slices.Compact(lines)
}

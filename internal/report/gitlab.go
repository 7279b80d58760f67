package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/gopredict/gopredict/internal/bug"
)

// A gitlabIssue is an entry of GitLab's code quality report, with GitLab's names.
type gitlabIssue struct {
	Description string `json:"description"`
	Check       string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// WriteGitLab writes the confirmed findings of r as a code quality report of GitLab. GitLab compares
// those of two branches by fingerprint. So a fingerprint comes from the id of a finding, and does
// not change with line numbers.
func WriteGitLab(w io.Writer, r *Report) error {
	out := []gitlabIssue{}
	for _, f := range r.confirmedFindings() {
		sum := sha256.Sum256([]byte(f.Package + "\x00" + f.ID))
		issue := gitlabIssue{Description: f.message(), Check: "gopredict/" + string(f.Kind), Fingerprint: hex.EncodeToString(sum[:16]), Severity: f.severity()}
		at := f.mainPosition()
		issue.Location.Path, issue.Location.Lines.Begin = at.File, max(at.Line, 1)
		out = append(out, issue)
	}
	return writeIndented(w, out)
}

// severity returns GitLab's word for the severity of the effect.
func (f *Finding) severity() string {
	switch {
	case !f.FailsRun:
		return "minor"
	case f.Effect == bug.Panic || f.Effect == bug.Blocks:
		return "blocker"
	case f.Effect.Severity() > 0:
		return "critical"
	}
	return "major"
}

// mainPosition returns the position of f for formats that show one: the first access in the module, or
// else the first creation of a goroutine there, or else the first access.
func (f *Finding) mainPosition() Position {
	for _, a := range f.Accesses {
		if a.File != "" && inModule(a.File) {
			return a.Position
		}
	}
	for _, a := range f.Accesses {
		if c := a.CreatedAt; c != nil && inModule(c.File) {
			return c.Position
		}
	}
	if len(f.Accesses) > 0 {
		return f.Accesses[0].Position
	}
	return Position{}
}

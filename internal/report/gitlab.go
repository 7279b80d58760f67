package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/gopredict/gopredict/internal/bug"
)

// A gitlabIssue is an entry of GitLab's code quality report, with GitLab's names.
type gitlabIssue struct {
	Description string         `json:"description"`
	Check       string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
}

// WriteGitLab writes the confirmed findings of r as a code quality report of GitLab. GitLab compares
// those of two branches by fingerprint. So a fingerprint comes from the id of a finding, and does
// not change with line numbers.
func WriteGitLab(w io.Writer, r *Report) error {
	out := []gitlabIssue{}
	for _, f := range r.confirmedFindings() {
		at := f.mainPlace()
		sum := sha256.Sum256([]byte(f.Package + "\x00" + f.ID))
		out = append(out, gitlabIssue{
			Description: f.message(), Check: "gopredict/" + string(f.Kind), Fingerprint: hex.EncodeToString(sum[:16]), Severity: f.severity(),
			Location: gitlabLocation{at.File, gitlabLines{max(at.Line, 1)}},
		})
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

// mainPlace returns the place of f for formats that show one: the first access in the module, or else
// the first creation of a goroutine there, or else the first access.
func (f *Finding) mainPlace() Place {
	for _, a := range f.Accesses {
		if a.File != "" && inModule(a.File) {
			return a.place()
		}
	}
	for _, a := range f.Accesses {
		if c := a.CreatedAt; c != nil && inModule(c.File) {
			return *c
		}
	}
	if len(f.Accesses) > 0 {
		return f.Accesses[0].place()
	}
	return Place{}
}

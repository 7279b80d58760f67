package explore

import (
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/replayer"
)

// This file says in words what the replays of a committed witness have shown.

// Strays reports whether the replays of a witness did not reach its bug, be it by a crash, or
// were not made because places of its violation are gone: [Exploration.Recheck] tells what
// became of the bug.
func Strays(r replayer.Result) bool {
	status := r.WitnessStatus()
	return status == bug.Diverged || crashes(r) || status == bug.Stale && (r.Replays > 0 || len(r.MissingAccesses) > 0)
}

// crashes reports whether a test crashed or hung in its replays without reaching the
// violation, which may be the very bug.
func crashes(r replayer.Result) bool {
	return r.Reproduced == 0 && r.WitnessStatus() == bug.Unconfirmed
}

// Both joins two reasons.
func Both(a, b string) string { return strings.TrimPrefix(a+"; "+b, "; ") }

// Why says why replays did not reach their bug: first what of the witness no longer fits,
// last how the test failed, if it did so all the same.
func Why(r replayer.Result) string {
	parts := slices.Clone(r.Stale)
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	for _, v := range r.Verdicts {
		if v.Outcome.Effect != bug.NoEffect && r.Status != bug.Confirmed {
			words := []string{"in this order the test still fails:"}
			for _, l := range v.Outcome.Detail {
				words = append(words, strings.TrimSpace(l))
			}
			parts = append(parts, strings.TrimSuffix(strings.Join(words, " "), ":"))
			break
		}
	}
	return strings.Join(parts, "; ")
}

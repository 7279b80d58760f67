package detect

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/internal/bug"
)

// patterns returns the candidates that match patterns.
func patterns(in *Input, counts *Counts) []Candidate {
	found := resultFor(in.early.matches, in.LooksLeft, in.findMatches, func(m patternMatches) int { return m.Spent })
	in.LooksLeft -= found.Spent
	counts.Locked, counts.Ordered, counts.Truncated = found.Locked, found.Ordered, found.Truncated
	var cs []Candidate
	for _, a := range found.Found {
		switch {
		case found.isUserPattern[a.Pattern]:
		case in.isIntended(a.Pattern, found.regions, a.Matches[0]):
			counts.Intended++
			continue
		case in.isRace(a):
			counts.PartOfRace++
			continue
		}
		instances := make([]Instance, len(a.Matches))
		for k, m := range a.Matches {
			instances[k] = Instance{Accesses: m, Pattern: a.Pattern}
		}
		cs = append(cs, Candidate{Kind: a.Pattern.Kind(), Instances: instances, Exhaustive: a.Exhaustive, Tuples: []anomaly.Tuple{a.Tuple()}})
	}
	return cs
}

// maxMatches bounds the candidates that are looked at further. Each takes a replay in the end.
const maxMatches = 512

// isRace reports whether two accesses of a are a known race, or one is the end of a test, which is no access
// of the program. Such a match is no bug of its own: whoever fixes the race fixes it, or sees it again.
func (in *Input) isRace(a anomaly.Anomaly) bool {
	if slices.ContainsFunc(a.Matches[0], in.endsTest) {
		return true
	}
	for k, i := range a.Matches[0] {
		for _, j := range a.Matches[0][:k] {
			if in.Trace.Events[i].G != in.Trace.Events[j].G && in.IsKnownRace(in.nameOf(bug.Race, []int{j, i})) {
				return true
			}
		}
	}
	return false
}

package detect

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/internal/bug"
)

// patterns returns the candidates that match patterns of several accesses.
func patterns(in *Input, counts *Counts) []Candidate {
	found := with(in.ahead.matches, in.LooksLeft, in.matches, func(m matches) int { return m.Spent })
	in.LooksLeft -= found.Spent
	counts.Locked, counts.Ordered, counts.Truncated = found.Locked, found.Ordered, found.Truncated
	var cs []Candidate
	for _, a := range found.Found {
		switch {
		case found.mine[a.Pattern]:
		case in.intended(a.Pattern, found.regions, a.Matches[0]):
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

// maxMatches is the number of sets of places that match patterns which are looked
// at any further. Each takes a replay in the end.
const maxMatches = 512

// isRace reports whether accesses of a are one of the races, or the end of a test is
// among them, which is no access of the program's: then a is no bug of
// its own, for whoever mends the race mends it or will see it again.
func (in *Input) isRace(a anomaly.Anomaly) bool {
	if slices.ContainsFunc(a.Matches[0], in.endsTest) {
		return true
	}
	for k, i := range a.Matches[0] {
		for _, j := range a.Matches[0][:k] {
			if in.Trace.Events[i].G != in.Trace.Events[j].G && in.IsKnownRace(in.name(bug.Race, []int{j, i})) {
				return true
			}
		}
	}
	return false
}

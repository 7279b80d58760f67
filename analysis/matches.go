package analysis

import (
	"cmp"
	"context"
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/internal/bug"
)

// A matchSearch looks at all matches of patterns at the places of a candidate, as a pairSearch does at
// all pairs.
type matchSearch struct {
	*decider
}

// allMatches looks at all matches of those undecided candidates of patterns that have more of
// them than instances, of which of has what the detectors say. It returns those that are
// undecided then.
func (s *matchSearch) allMatches(ctx context.Context, fs []Finding, of []detect.Candidate, undecided []candidate) ([]candidate, error) {
	var tuples []anomaly.Tuple
	for _, c := range undecided {
		if s.isPartial(c.Candidate) {
			tuples = append(tuples, c.Tuples...)
		}
	}
	if len(tuples) == 0 || !s.opts.uses(StepMatches) {
		return undecided, nil
	}
	direct := s.work.Part(s.work.Steps - s.work.Steps/proofsPart)
	finder := anomaly.NewMatchFinder(s.t, s.o, anomaly.FindRegions(s.t, s.o), tuples)
	first := make([]int, len(undecided)) // by candidate: the number of its first tuple
	n := 0
	for k, c := range undecided {
		if first[k] = n; s.isPartial(c.Candidate) {
			n += len(c.Tuples)
		}
	}
	wanted := func(k int) bool {
		return s.isPartial(undecided[k].Candidate) && fs[undecided[k].finding].Status == bug.Undecided
	}
	if err := s.inRounds(ctx, direct, undecided, wanted, func(k int) {
		c := &undecided[k]
		s.decideMatches(&fs[c.finding], c, finder, first[k])
		of[c.finding] = c.Candidate
		if s.opts.known(c.Name) == TriedBefore {
			c.open = nil
		}
	}); err != nil {
		return nil, err
	}
	return stillOpen(fs, undecided), nil
}

// decideMatches looks at all matches of c, whose tuples are those of finder from first on, and
// notes in the finding f if that decides c. If not, and there are not too many of them left, these
// are its instances from now on.
func (s *matchSearch) decideMatches(f *Finding, c *candidate, finder *anomaly.MatchFinder, first int) {
	var sets []anomaly.MatchSet
	over := false
	for k := range c.Tuples {
		var bs []anomaly.MatchSet
		whole := false
		for most := firstAccesses; !whole; most *= 8 {
			if !s.charge() {
				return
			}
			before := finder.Spent()
			bs, whole = finder.MatchSets(first+k, most)
			s.allowance.Spend(matchStep * int64(finder.Spent()-before))
			if g, ok := s.recorded(c, bs); ok {
				*f = g
				return
			}
		}
		sets, over = append(sets, bs...), over || bs == nil
	}
	var tried []detect.Instance
	if len(c.Instances) > maxTried {
		tried = c.Instances
		if s.decideRest(f, c); f.Status == bug.Predicted {
			return
		}
	}
	if over || len(sets) == 0 || s.opts.known(c.Name) == TriedBefore {
		return
	}
	var all []detect.Instance
	for _, b := range sets {
		if s.allowance.Spend(int64(b.CountFragments())); s.allowance.Over() {
			return
		}
		for events := range b.Matches(s.mustOrder()) {
			if len(all) == maxRemaining {
				return
			}
			all = append(all, detect.Instance{Accesses: events, Pattern: b.Pattern})
		}
	}
	if groups, ok := s.matchPerTests(sets); ok {
		s.decideRemaining(f, c, all, tried, groups)
	}
}

// recorded looks for a match that came in the order of the pattern, the one to which fewest events
// of its tests led.
func (s *matchSearch) recorded(c *candidate, sets []anomaly.MatchSet) (Finding, bool) {
	var all []detect.Instance
	for _, b := range sets {
		for events := range b.Recorded() {
			all = append(all, detect.Instance{Accesses: events, Pattern: b.Pattern})
			break
		}
	}
	way := func(v detect.Instance) int { return v.Accesses[len(v.Accesses)-1] - s.planner.From(v.Accesses...) }
	slices.SortStableFunc(all, func(a, b detect.Instance) int { return cmp.Compare(way(a), way(b)) })
	for _, v := range all[:min(len(all), maxMet)] {
		if !s.charge() {
			break
		}
		if f, _ := s.decide(detect.Candidate{Kind: c.Kind, Name: c.Name, Instances: []detect.Instance{v}}); f.Status == bug.Predicted {
			return f, true
		}
	}
	return Finding{}, false
}

// matchPerTests is groups for matches.
func (s *matchSearch) matchPerTests(sets []anomaly.MatchSet) (groups []detect.Instance, ok bool) {
	var all []detect.Instance
	for _, b := range sets {
		first, last := b.FirstAndLast()
		if !slices.Equal(s.tests.TestsOf(first), s.tests.TestsOf(last)) {
			return nil, false
		}
		all = append(all, detect.Instance{Accesses: first, Pattern: b.Pattern})
	}
	return s.onePerTests(all)
}

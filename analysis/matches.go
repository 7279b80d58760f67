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
	finder     *anomaly.MatchFinder
	firstTuple map[*candidate]int // index in the finder's tuples
}

// allMatches looks at all matches of those undecided candidates that have more matches than instances.
// It returns the candidates that are undecided then.
func (s *matchSearch) allMatches(ctx context.Context, undecided []*candidate) ([]*candidate, error) {
	var tuples []anomaly.Tuple
	s.firstTuple = make(map[*candidate]int)
	for _, c := range undecided {
		if c.isPartial() {
			s.firstTuple[c] = len(tuples)
			tuples = append(tuples, c.Tuples...)
		}
	}
	if len(tuples) == 0 || !s.opts.uses(StepMatches) {
		return undecided, nil
	}
	budget := s.work.Part(s.work.Steps - s.work.Steps/proofsPart)
	s.finder = anomaly.NewMatchFinder(s.trace, s.order, anomaly.FindRegions(s.trace, s.order), tuples)
	isFor := func(c *candidate) bool { return c.isPartial() && c.isOpen() }
	if err := s.forEach(ctx, budget, undecided, isFor, func(c *candidate) {
		s.decideMatches(c)
		if s.opts.knownOf(c.Name) == TriedBefore {
			c.open = nil
		}
	}); err != nil {
		return nil, err
	}
	return stillOpen(undecided), nil
}

// decideMatches looks at all matches of c. If that does not decide c, and not too many matches are left,
// these are its instances from now on.
func (s *matchSearch) decideMatches(c *candidate) {
	var sets []anomaly.MatchSet
	tooMany := false
	for k := range c.Tuples {
		var found []anomaly.MatchSet
		whole := false
		for most := firstAccesses; !whole; most *= 8 {
			if !s.charge() {
				return
			}
			before := s.finder.Spent()
			found, whole = s.finder.MatchSets(s.firstTuple[c]+k, most)
			s.allowance.Spend(matchStep * int64(s.finder.Spent()-before))
			if f, ok := s.decideRecorded(c, found); ok {
				*c.finding = f
				return
			}
		}
		sets, tooMany = append(sets, found...), tooMany || found == nil
	}
	var tried []detect.Instance
	if len(c.Instances) > maxTried {
		tried = c.Instances
		if s.decideUntried(c); !c.isOpen() {
			return
		}
	}
	if tooMany || len(sets) == 0 || s.opts.knownOf(c.Name) == TriedBefore {
		return
	}
	var all []detect.Instance
	for _, set := range sets {
		if s.allowance.Spend(int64(set.CountFragments())); s.allowance.Over() {
			return
		}
		for events := range set.Matches(s.mustOrder()) {
			if len(all) == maxRemaining {
				return
			}
			all = append(all, detect.Instance{Accesses: events, Pattern: set.Pattern})
		}
	}
	if groups, ok := s.matchPerTests(sets); ok {
		s.decideRemaining(c, all, tried, groups)
	}
}

// decideRecorded decides c by matches that came in the order of the pattern, those first to which fewest
// events of their tests led.
func (s *matchSearch) decideRecorded(c *candidate, sets []anomaly.MatchSet) (Finding, bool) {
	var all []detect.Instance
	for _, set := range sets {
		for events := range set.Recorded() {
			all = append(all, detect.Instance{Accesses: events, Pattern: set.Pattern})
			break
		}
	}
	eventsBefore := func(v detect.Instance) int {
		return v.Accesses[len(v.Accesses)-1] - s.planner.RecordedPrefix(v.Accesses...)
	}
	slices.SortStableFunc(all, func(a, b detect.Instance) int { return cmp.Compare(eventsBefore(a), eventsBefore(b)) })
	for _, v := range all[:min(len(all), maxConePairs)] {
		if !s.charge() {
			break
		}
		if f, _ := s.decide(c.withInstances(v)); f.Status == bug.Predicted {
			return f, true
		}
	}
	return Finding{}, false
}

// matchPerTests is pairPerTests for matches.
func (s *matchSearch) matchPerTests(sets []anomaly.MatchSet) (groups []detect.Instance, ok bool) {
	var all []detect.Instance
	for _, set := range sets {
		first, last := set.FirstAndLast()
		if !slices.Equal(s.tests.TestsOf(first), s.tests.TestsOf(last)) {
			return nil, false
		}
		all = append(all, detect.Instance{Accesses: first, Pattern: set.Pattern})
	}
	return s.onePerTests(all)
}

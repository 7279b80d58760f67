package analysis

import (
	"maps"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A candidate is events that may be a bug, all at the same places.
type candidate struct {
	kind       bug.Kind
	leads      []lead
	exhaustive bool // these are all that there are
}

// alone reports whether c is events each of which is a violation by itself.
func (c *candidate) alone() bool { return len(c.leads[0].accesses) == 1 }

// meets reports whether c is pairs of accesses at which two goroutines may stand at once.
func (c *candidate) meets() bool { return len(c.leads[0].accesses) == 2 && c.leads[0].pattern == nil }

// A lead is events that may be a bug, and what must come before what if they are.
type lead struct {
	accesses []int
	pattern  *anomaly.Pattern // nil for a race
	guide    []causality.Edge
}

// maxFailures is how many events of one site, as in the rounds of a loop, are looked
// at of those that are a violation by themselves.
const maxFailures = 64

// A bySite gathers the candidates of a kind whose events are each a violation by
// itself: one for each site.
type bySite struct {
	kind       bug.Kind
	candidates []candidate
	of         map[trace.SiteID]int
}

func newBySite(kind bug.Kind) *bySite {
	return &bySite{kind: kind, of: make(map[trace.SiteID]int)}
}

// add takes event i, of a site, up.
func (s *bySite) add(site trace.SiteID, i int) {
	k, ok := s.of[site]
	if !ok {
		k = len(s.candidates)
		s.of[site] = k
		s.candidates = append(s.candidates, candidate{kind: s.kind, exhaustive: true})
	}
	c := &s.candidates[k]
	if len(c.leads) == maxFailures {
		c.exhaustive = false
		return
	}
	c.leads = append(c.leads, lead{accesses: []int{i}})
}

// races returns the candidates for accesses that may meet, and counts in r those
// that are none.
func (p *predictor) races(r *Result) []candidate {
	if !slices.ContainsFunc([]bug.Kind{bug.Race, bug.Channel, bug.Failure}, p.opts.wants) {
		return nil
	}
	found := anomaly.FindRaces(p.t, p.o)
	r.Locked += found.Locked
	r.Ordered += found.Ordered
	var cs []candidate
	for _, c := range found.Candidates {
		leads := make([]lead, len(c.Pairs))
		for k, pair := range c.Pairs {
			leads[k] = lead{accesses: pair[:]}
		}
		if kind := p.meeting(c.Pairs[0]); p.opts.wants(kind) {
			cs = append(cs, candidate{kind, leads, c.Exhaustive})
		}
	}
	return p.merge(cs)
}

// meeting is the kind of bug of two accesses that meet. It is a race, or else channel:
// a close of a channel that meets a send to it or another close, which panics if the
// close goes first; or failure: a test's end that meets what uses the test, which
// panics behind it or is told of another test.
func (p *predictor) meeting(pair [2]int) bug.Kind {
	for _, i := range pair {
		switch {
		case p.t.Events[i].Kind == trace.Close:
			return bug.Channel
		case p.endsTest(i):
			return bug.Failure
		}
	}
	return bug.Race
}

// endsTest reports whether event i is what package testing does last when a test has
// ended: it writes that down, under no lock.
func (p *predictor) endsTest(i int) bool {
	e := &p.t.Events[i]
	return e.Kind == trace.Write && strings.HasPrefix(p.t.Sites[e.Site].Func, "testing.tRunner")
}

// matches returns the candidates that match patterns of several accesses, and
// counts in r those that are none. Of r it knows the races.
func (p *predictor) matches(r *Result) []candidate {
	var patterns []anomaly.Pattern
	for _, b := range anomaly.Builtin() {
		if p.opts.wants(b.Kind()) {
			patterns = append(patterns, b)
		}
	}
	builtin := len(patterns)
	patterns = append(patterns, p.opts.Patterns...)
	mine := make(map[*anomaly.Pattern]bool) // what the user asks for
	for k := range patterns[builtin:] {
		mine[&patterns[builtin+k]] = true
	}
	regions := anomaly.FindRegions(p.t, p.o)
	found := anomaly.Search(p.t, p.o, regions, patterns)
	r.Locked += found.Locked
	r.Ordered += found.Ordered
	r.Cut = found.Cut
	racing := p.racing(r.Findings)
	var cs []candidate
	for _, a := range found.Found {
		switch {
		case mine[a.Pattern]:
		case p.intended(a.Pattern, regions, a.Matches[0]):
			r.Intended++
			continue
		case p.isRace(a, racing):
			r.Raced++
			continue
		}
		leads := make([]lead, len(a.Matches))
		for k, m := range a.Matches {
			leads[k] = lead{accesses: m, pattern: a.Pattern}
		}
		cs = append(cs, candidate{a.Pattern.Kind(), leads, a.Exhaustive})
	}
	cs = p.merge(cs)
	if len(cs) > maxMatches {
		cs, r.Cut = cs[:maxMatches], true
	}
	return cs
}

// maxMatches is the number of sets of places that match patterns which are looked
// at any further. Each takes a replay in the end.
const maxMatches = 512

// racing returns the names of predicted races, also of those that are known.
func (p *predictor) racing(fs []Finding) map[string]bool {
	racing := maps.Clone(p.settled)
	for _, f := range fs {
		if f.Status == bug.Predicted {
			racing[f.Name] = true
		}
	}
	return racing
}

// isRace reports whether accesses of a are one of the races, or the end of a test is
// among them, which is no access of the program's: then a is no bug of
// its own, for whoever mends the race mends it or will see it again.
func (p *predictor) isRace(a anomaly.Anomaly, racing map[string]bool) bool {
	if slices.ContainsFunc(a.Matches[0], p.endsTest) {
		return true
	}
	for k, i := range a.Matches[0] {
		for _, j := range a.Matches[0][:k] {
			if p.t.Events[i].G != p.t.Events[j].G && racing[p.name(candidate{bug.Race, []lead{{accesses: []int{j, i}}}, false})] {
				return true
			}
		}
	}
	return false
}

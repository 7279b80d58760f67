package detect

import (
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// maxFailures is how many events of one site, as in the rounds of a loop, are looked
// at of those that are a violation by themselves, maxAssertions of assertions, and maxUnlocks of
// unlocks: of most of these little has to be looked at.
const maxFailures, maxAssertions, maxUnlocks = 64, 1 << 16, 1 << 16

// A bySite gathers the candidates of a kind whose events are each a violation by
// itself: one for each site.
type bySite struct {
	kind       bug.Kind
	most       int // events of a site
	candidates []Candidate
	of         map[trace.SiteID]int
}

func newBySite(kind bug.Kind, most int) *bySite {
	return &bySite{kind: kind, most: most, of: make(map[trace.SiteID]int)}
}

// add takes event i, of a site, up.
func (s *bySite) add(site trace.SiteID, i int) {
	k, ok := s.of[site]
	if !ok {
		k = len(s.candidates)
		s.of[site] = k
		s.candidates = append(s.candidates, Candidate{Kind: s.kind, Exhaustive: true})
	}
	c := &s.candidates[k]
	if len(c.Instances) == s.most {
		c.Exhaustive = false
		return
	}
	c.Instances = append(c.Instances, Instance{Accesses: []int{i}})
}

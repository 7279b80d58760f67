package detect

import (
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// maxFailures bounds the events of one site, as in the rounds of a loop, that are each a violation by
// themselves. Assertions and unlocks have bounds of their own: most of them need little work.
const maxFailures, maxAssertions, maxUnlocks = 64, 1 << 16, 1 << 16

// candidatesBySite collects candidates of events that are each a violation by themselves: one for each site.
type candidatesBySite struct {
	kind       bug.Kind
	maxEvents  int // events of a site
	candidates []Candidate
	index      map[trace.SiteID]int
}

func newCandidatesBySite(kind bug.Kind, most int) *candidatesBySite {
	return &candidatesBySite{kind: kind, maxEvents: most, index: make(map[trace.SiteID]int)}
}

// add adds event i of a site.
func (s *candidatesBySite) add(site trace.SiteID, i int) {
	k, ok := s.index[site]
	if !ok {
		k = len(s.candidates)
		s.index[site] = k
		s.candidates = append(s.candidates, Candidate{Kind: s.kind, Exhaustive: true})
	}
	c := &s.candidates[k]
	if len(c.Instances) == s.maxEvents {
		c.Exhaustive = false
		return
	}
	c.Instances = append(c.Instances, Instance{Accesses: []int{i}})
}

package trace

import (
	"maps"
	"math/bits"
	"slices"
)

// A SiteIndex has the sites of a trace for those who ask about each event: Trace.Sites takes several
// times as long.
type SiteIndex struct {
	// slots are four times as many as there are sites, or more, and a power of two: each site is in the
	// first one, from that on which its number leads to, that was free.
	slots []siteSlot
	shift int // of what a number leads to
}

type siteSlot struct {
	id   SiteID
	site *Site // nil: the slot is free
}

// noSite is what there is of one that the trace does not define.
var noSite Site

// NewSiteIndex makes the index of t.
func NewSiteIndex(t *Trace) *SiteIndex { return IndexSites(t.Sites) }

// IndexSites makes the index of sites.
func IndexSites(sites map[SiteID]Site) *SiteIndex {
	room := bits.Len(uint(4 * len(sites)))
	s := &SiteIndex{slots: make([]siteSlot, 1<<room), shift: 32 - room}
	for _, id := range slices.Sorted(maps.Keys(sites)) { // so that equal traces have equal ones
		site := sites[id]
		*s.slot(id) = siteSlot{id, &site}
	}
	return s
}

// slot returns that of a site, or the one that is free for it.
func (s *SiteIndex) slot(id SiteID) *siteSlot {
	for at := int(uint32(id) * 0x9e3779b1 >> s.shift); ; at++ {
		if slot := &s.slots[at&(len(s.slots)-1)]; slot.id == id || slot.site == nil {
			return slot
		}
	}
}

// Of returns the site of that number; one without anything if the trace does not define it. The caller
// must not change it.
func (s *SiteIndex) Of(id SiteID) *Site {
	if slot := s.slot(id); slot.site != nil {
		return slot.site
	}
	return &noSite
}

package trace

import (
	"maps"
	"math/bits"
	"slices"
)

// A SiteIndex finds the sites of a trace by their IDs. Lookups in the map Trace.Sites take several
// times as long, and some analyses look up the site of each event.
type SiteIndex struct {
	// slots is a hash table with linear probing. Its length is a power of two, and at least four times the
	// number of sites.
	slots []siteSlot
	shift int // number of hash bits to drop, so that the rest indexes slots
}

// A siteSlot is an entry of the hash table.
type siteSlot struct {
	id   SiteID
	site *Site // nil: the slot is free
}

// noSite stands for each site that the trace does not define.
var noSite Site

// NewSiteIndex returns the index of the sites of t.
func NewSiteIndex(t *Trace) *SiteIndex { return IndexSites(t.Sites) }

// IndexSites returns the index of sites.
func IndexSites(sites map[SiteID]Site) *SiteIndex {
	room := bits.Len(uint(4 * len(sites)))
	s := &SiteIndex{slots: make([]siteSlot, 1<<room), shift: 32 - room}
	for _, id := range slices.Sorted(maps.Keys(sites)) { // so that equal traces have equal ones
		site := sites[id]
		*s.slot(id) = siteSlot{id, &site}
	}
	return s
}

// slot returns the slot of a site, or the free slot where it belongs.
func (s *SiteIndex) slot(id SiteID) *siteSlot {
	for at := int(uint32(id) * 0x9e3779b1 >> s.shift); ; at++ {
		if slot := &s.slots[at&(len(s.slots)-1)]; slot.id == id || slot.site == nil {
			return slot
		}
	}
}

// Of returns the site with this ID, or a zero Site if the trace does not define it. The caller must
// not change it.
func (s *SiteIndex) Of(id SiteID) *Site {
	if slot := s.slot(id); slot.site != nil {
		return slot.site
	}
	return &noSite
}

package trace

import (
	"maps"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// A SiteIndex finds the sites of a trace by their IDs. Lookups in the map Trace.Sites take several
// times as long, and some analyses look up the site of each event.
type SiteIndex struct {
	sites numbering.Table[numbering.Word, Site]
}

// noSite is returned for sites that the trace does not define.
var noSite Site

// NewSiteIndex returns the index of the sites of t.
func NewSiteIndex(t *Trace) *SiteIndex { return IndexSites(t.Sites) }

// IndexSites returns the index of sites.
func IndexSites(sites map[SiteID]Site) *SiteIndex {
	s := new(SiteIndex)
	for _, id := range slices.Sorted(maps.Keys(sites)) { // so that equal traces have equal indexes
		*s.sites.Of(numbering.Word(id)) = sites[id]
	}
	return s
}

// Of returns the site with this ID, or a zero Site if the trace does not define it. The caller must
// not change it.
func (s *SiteIndex) Of(id SiteID) *Site {
	if site := s.sites.Known(numbering.Word(id)); site != nil {
		return site
	}
	return &noSite
}

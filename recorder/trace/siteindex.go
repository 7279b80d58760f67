package trace

// A SiteIndex has the sites of a trace for those who ask about each event: Trace.Sites takes several
// times as long.
type SiteIndex struct {
	dense [2][]*Site // by number: the runtime's, and the rewriter's
	rest  map[SiteID]*Site
}

// noSite is what there is of one that the trace does not define.
var noSite Site

// NewSiteIndex makes the index of t.
func NewSiteIndex(t *Trace) *SiteIndex {
	s := &SiteIndex{rest: make(map[SiteID]*Site)}
	most := SiteID(2*len(t.Sites) + 64) // else the numbers have gaps
	for id, site := range t.Sites {
		which, n := halves(id)
		if n >= most {
			s.rest[id] = &site
			continue
		}
		if s.dense[which] == nil {
			s.dense[which] = make([]*Site, most)
		}
		s.dense[which][n] = &site
	}
	return s
}

// halves returns whose site id is, and which one of these.
func halves(id SiteID) (which int, n SiteID) { return int(id / SiteRewritten), id &^ SiteRewritten }

// Of returns the site of that number; one without anything if the trace does not define it. The caller
// must not change it.
func (s *SiteIndex) Of(id SiteID) *Site {
	which, n := halves(id)
	var site *Site
	if d := s.dense[which]; int(n) < len(d) {
		site = d[n]
	} else {
		site = s.rest[id]
	}
	if site == nil {
		return &noSite
	}
	return site
}

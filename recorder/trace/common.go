package trace

// CommonSites gives the sites of several traces of one program common IDs. Sites that the rewriter
// made have the same ID in all traces, but each trace numbers its call sites in the order in which
// they occur.
type CommonSites struct {
	Sites map[SiteID]Site // by their common ID
	byKey map[uint64]SiteID
}

// NewCommonSites returns an empty CommonSites.
func NewCommonSites() *CommonSites {
	return &CommonSites{Sites: make(map[SiteID]Site), byKey: make(map[uint64]SiteID)}
}

// Of returns the common ID of a site of t: the ID of a rewritten site, or else one by the order of the
// calls of Of. An ID that t does not define is returned as it is.
func (c *CommonSites) Of(t *Trace, id SiteID) SiteID {
	s, ok := t.Sites[id]
	if !ok {
		return id
	}
	own, ok := c.byKey[s.Key]
	if !ok {
		if own = id; id&SiteRewritten == 0 {
			own = SiteID(len(c.byKey) + 1)
		}
		s.ID = own
		c.byKey[s.Key], c.Sites[own] = own, s
	}
	return own
}

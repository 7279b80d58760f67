package trace

// CommonSites are the sites of several traces of one program, which number them alike only
// where the rewriter has: a trace numbers its call sites as it comes to them.
type CommonSites struct {
	Sites map[SiteID]Site // by their common numbers
	byKey map[uint64]SiteID
}

// NewCommonSites returns those of no trace.
func NewCommonSites() *CommonSites {
	return &CommonSites{Sites: make(map[SiteID]Site), byKey: make(map[uint64]SiteID)}
}

// Of returns the common number of a site of t: that of the rewriter, or one by the order in
// which sites were asked for. What is no site of t stays as it is.
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

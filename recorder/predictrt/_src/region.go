package predictrt

// This file has the hooks of atomic regions that the program marks (PECAN, section 3).

// A Section is an atomic region that has begun: the number of its site.
type Section uint32

// Region logs that an atomic region begins.
func Region(site uint32) Section {
	if Mode != 0 {
		logRegionBound(KindRegionBegin, site)
	}
	return Section(site)
}

// End logs that it ends.
func (s Section) End() {
	if Mode != 0 {
		logRegionBound(KindRegionEnd, uint32(s))
	}
}

// logBound logs the beginning or end of an atomic region, which is a step of its own.
func logRegionBound(kind uint8, site uint32) {
	if g := enter(kind, site); g != nil {
		g.log(kind, 0, site, 0, 0, 0)
	}
}

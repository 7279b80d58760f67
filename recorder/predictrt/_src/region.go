package predictrt

// This file has the hooks of atomic regions that the program marks (PECAN, section 3).

// A Section is the number of the site of an atomic region that has begun.
type Section uint32

// Region logs that an atomic region begins.
func Region(site uint32) Section {
	if Mode != 0 {
		logRegionBound(KindRegionBegin, site)
	}
	return Section(site)
}

// End logs that the atomic region ends.
func (s Section) End() {
	if Mode != 0 {
		logRegionBound(KindRegionEnd, uint32(s))
	}
}

// logRegionBound logs the beginning or end of an atomic region.
func logRegionBound(kind uint8, site uint32) {
	if g := enter(kind, site); g != nil {
		g.log(kind, 0, site, 0, 0, 0)
	}
}

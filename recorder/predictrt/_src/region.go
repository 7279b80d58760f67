package predictrt

// A Section is an atomic region that has begun: the number of its site.
type Section uint32

// Region logs that an atomic region begins.
func Region(site uint32) Section {
	if Mode != 0 {
		bound(RegionBegin, site)
	}
	return Section(site)
}

// End logs that it ends.
func (s Section) End() {
	if Mode != 0 {
		bound(RegionEnd, uint32(s))
	}
}

func bound(kind uint8, site uint32) {
	if g := enter(kind, site); g != nil {
		g.log(kind, 0, site, 0, 0, 0)
	}
}

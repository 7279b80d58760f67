package anomaly

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
)

// A matcher chooses chunks for the blocks of a plan.
type matcher struct {
	s      *searcher
	plan   int
	chosen []*chunk // by block
	kinds  []*kind
	open   int // blocks that have none
	// barren is set as long as nothing was found that chunks of the chosen kinds may go with, other ones
	// neither: locks exclude all, or enough was seen at these places.
	barren bool
	// past is what must come before the events of chosen chunks, by those of the pattern.
	past []order.Past
	// What was chosen last: of the many chunks of the same kinds all are at the same places.
	last   *anomaly
	of     []*kind
	events []int // scratch
}

// with looks for what goes with chunk c of kind k for block b.
func (m *matcher) with(b int, k *kind, c *chunk) {
	m.kinds[b], m.chosen[b] = k, c
	for n, e := range m.s.plans[m.plan].blocks[b].events {
		m.past[e] = m.s.o.Past(int(c.events[n]))
	}
	m.open--
	m.next()
	m.open++
	m.kinds[b], m.chosen[b] = nil, nil
}

// next chooses a chunk for a block that has none, one that shares a variable
// with those that have one if there is such a block.
func (m *matcher) next() {
	if m.s.left <= 0 {
		return
	}
	blocks := m.s.plans[m.plan].blocks
	free := -1
	for b := range blocks {
		if m.chosen[b] != nil {
			continue
		}
		free = b
		for n, k := range blocks[b].events {
			loc, ok := m.bound(m.s.plans[m.plan].Events[k].Variable)
			if !ok {
				continue
			}
			next, also := int32(-1), false
			if n == 0 && len(blocks[b].events) > 1 {
				next, also = m.bound(m.s.plans[m.plan].Events[blocks[b].events[1]].Variable)
			}
			m.s.left -= m.s.overlaps.Count(loc) / lookupsPerLook
			for l := range m.s.overlaps.Of(loc) {
				at := anchor{blocks[b].shape, n, l, -1}
				// Of a wide access there are many that overlap with it.
				if its := m.s.at[at]; !also || len(its) <= m.s.overlaps.Count(next) {
					m.tryAll(b, its)
					continue
				}
				for at.next = range m.s.overlaps.Of(next) {
					m.tryAll(b, m.s.at[at])
				}
			}
			return
		}
	}
	if free < 0 {
		m.barren = false // a pattern of one region
		if a := m.anomaly(); a.seen < maxSeen {
			m.done(a, -1)
		}
		return
	}
	m.s.left -= m.s.overlaps.Len() / lookupsPerLook
	for l := range m.s.overlaps.Len() {
		m.tryAll(free, m.s.at[anchor{blocks[free].shape, 0, int32(l), -1}])
	}
}

func (m *matcher) tryAll(b int, kinds []*kind) {
	for _, k := range kinds {
		m.try(b, k)
	}
}

// bound returns a location that is chosen for a variable of the pattern.
func (m *matcher) bound(v int) (loc int32, ok bool) {
	for b, k := range m.kinds {
		if k == nil {
			continue
		}
		for n, e := range m.s.plans[m.plan].blocks[b].events {
			if m.s.plans[m.plan].Events[e].Variable == v {
				return k.posts[n].loc, true
			}
		}
	}
	return 0, false
}

// try goes on with chunks of kind k for block b.
func (m *matcher) try(b int, k *kind) {
	m.s.left -= choiceLooks
	if !m.agrees(b, k) {
		return
	}
	if m.open == 1 {
		m.finish(b, k)
		return
	}
	m.barren = false
	for n := range k.latest {
		if m.s.left -= choiceLooks; m.fitsIn(b, &k.latest[n]) {
			m.with(b, k, &k.latest[n])
		}
	}
}

// finish looks at the choices of chunks of kind k for block b, the last one that has none.
func (m *matcher) finish(b int, k *kind) {
	m.kinds[b] = k
	barren := m.kept()
	for n := range k.latest {
		if m.s.left -= choiceLooks; m.s.left <= 0 || !m.fitsIn(b, &k.latest[n]) {
			continue
		}
		a := m.anomaly()
		if barren = barren || a.seen >= maxSeen; barren {
			break
		}
		m.chosen[b] = &k.latest[n]
		m.done(a, b)
	}
	m.barren = m.barren && barren
	m.kinds[b], m.chosen[b] = nil, nil
}

// agrees reports whether kind k, for block b, accesses the memory that is chosen for the
// variables of the block, and for no other one.
func (m *matcher) agrees(b int, k *kind) bool {
	p := &m.s.plans[m.plan]
	for n, e := range p.blocks[b].events {
		for v := range p.vars {
			if loc, ok := m.bound(v); ok && m.s.overlaps.Share(loc, k.posts[n].loc) != (p.Events[e].Variable == v) {
				return false
			}
		}
	}
	return true
}

// fitsIn reports whether the goroutine and the region of c can be those of
// block b, given the other blocks.
func (m *matcher) fitsIn(b int, c *chunk) bool {
	blocks := m.s.plans[m.plan].blocks
	for o, other := range m.chosen {
		if other == nil || o == b {
			continue
		}
		same := other.g == c.g
		// Outside of regions, each access is one of its own.
		one := same && other.region == c.region && (c.region != 0 || other.events[0] == c.events[0])
		if same != (blocks[o].goroutine == blocks[b].goroutine) || one {
			return false
		}
	}
	return true
}

// done looks at a choice for all blocks, of which block b came last; a has its places.
func (m *matcher) done(a *anomaly, b int) {
	if m.ordered(b) {
		a.free = true
		return
	}
	p := &m.s.plans[m.plan]
	for b := range p.blocks {
		for n, e := range p.blocks[b].events {
			m.events[e] = int(m.chosen[b].events[n])
		}
	}
	if a.seen > MaxPairs && spread(m.events) > spread(a.nearest[MaxPairs-1]) {
		a.seen++ // whether locks exclude it or not: there are nearer ones
		return
	}
	if !m.locked() {
		a.free = true
		a.add(m.events)
	}
}

// anomaly returns the one at the places of what is chosen.
func (m *matcher) anomaly() *anomaly {
	if m.last != nil && slices.Equal(m.kinds, m.of) {
		return m.last
	}
	p := &m.s.plans[m.plan]
	m.s.key = m.s.key[:0]
	m.s.number(int32(m.plan))
	for b := range p.blocks {
		for n, e := range p.blocks[b].events {
			m.s.number(int32(e))
			m.s.number(m.kinds[b].posts[n].site)
		}
	}
	a := m.s.found[string(m.s.key)]
	if a == nil {
		a = &anomaly{plan: m.plan}
		for _, k := range m.kinds {
			for _, p := range k.posts {
				a.sites = append(a.sites, p.site)
			}
		}
		m.s.found[string(m.s.key)] = a
	}
	m.last = a
	copy(m.of, m.kinds)
	return a
}

// add keeps the nearest matches.
func (a *anomaly) add(events []int) {
	a.seen++
	at, _ := slices.BinarySearchFunc(a.nearest, events, func(x, y []int) int {
		return cmp.Or(cmp.Compare(spread(x), spread(y)), slices.Compare(x, y))
	})
	if at < MaxPairs {
		a.nearest = slices.Insert(a.nearest[:min(len(a.nearest), MaxPairs-1)], at, slices.Clone(events))
	}
}

func spread(events []int) int { return slices.Max(events) - slices.Min(events) }

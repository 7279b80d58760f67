package anomaly

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
)

// A matcher combines fragments, one for each block of a plan, to matches of its pattern.
type matcher struct {
	s          *searcher
	plan       int
	chosen     []*fragment // by block; nil if none is chosen yet
	kinds      []*fragmentKind
	openBlocks int // blocks without a chosen fragment
	// barren stays set while no fragment of any kind can complete the chosen kinds: locks exclude
	// all, or enough matches at these places were seen.
	fruitless bool
	// eventPasts is, by event of the pattern, the events that must happen before the chosen one.
	eventPasts []order.Past
	// lastAnomaly is the last result of method anomaly, for lastKinds. Fragments of the same kinds
	// are at the same places, so it is often the same again.
	lastAnomaly *anomaly
	lastKinds   []*fragmentKind
	events      []int // scratch
}

// extend chooses fragment c of kind k for block b, and searches for fragments of the other blocks.
func (m *matcher) extend(b int, k *fragmentKind, c *fragment) {
	m.kinds[b], m.chosen[b] = k, c
	for n, e := range m.s.plans[m.plan].blocks[b].events {
		m.eventPasts[e] = m.s.o.Past(int(c.events[n]))
	}
	m.openBlocks--
	m.chooseNext()
	m.openBlocks++
	m.kinds[b], m.chosen[b] = nil, nil
}

// chooseNext tries the fragments for an open block. It prefers a block that shares a variable with
// the chosen ones. Without open blocks, the match is complete.
func (m *matcher) chooseNext() {
	if m.s.stepsLeft <= 0 {
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
			loc, ok := m.locationOfVariable(m.s.plans[m.plan].Events[k].Variable)
			if !ok {
				continue
			}
			next, also := int32(-1), false
			if n == 0 && len(blocks[b].events) > 1 {
				next, also = m.locationOfVariable(m.s.plans[m.plan].Events[blocks[b].events[1]].Variable)
			}
			m.s.stepsLeft -= m.s.overlaps.Count(loc) / lookupsPerStep
			for l := range m.s.overlaps.Of(loc) {
				at := anchor{blocks[b].shape, n, l, -1}
				// A wide access overlaps many locations: look each up only if that is cheaper.
				if its := m.s.kindsByAnchor[at]; !also || len(its) <= m.s.overlaps.Count(next) {
					m.tryKinds(b, its)
					continue
				}
				for at.next = range m.s.overlaps.Of(next) {
					m.tryKinds(b, m.s.kindsByAnchor[at])
				}
			}
			return
		}
	}
	if free < 0 {
		m.fruitless = false // the pattern has a single region
		if a := m.anomaly(); a.seen < maxComparedPairs {
			m.addMatch(a, -1)
		}
		return
	}
	m.s.stepsLeft -= m.s.overlaps.Len() / lookupsPerStep
	for l := range m.s.overlaps.Len() {
		m.tryKinds(free, m.s.kindsByAnchor[anchor{blocks[free].shape, 0, int32(l), -1}])
	}
}

// tryKind tries the fragments of kind k for block b.
func (m *matcher) tryKinds(b int, kinds []*fragmentKind) {
	for _, k := range kinds {
		m.tryKind(b, k)
	}
}

// locationOfVariable returns the location that the chosen fragments access as variable v, if they
// do.
func (m *matcher) locationOfVariable(v int) (loc int32, ok bool) {
	for b, k := range m.kinds {
		if k == nil {
			continue
		}
		for n, e := range m.s.plans[m.plan].blocks[b].events {
			if m.s.plans[m.plan].Events[e].Variable == v {
				return k.attributes[n].loc, true
			}
		}
	}
	return 0, false
}

// tryKind tries the fragments of kind k for block b.
func (m *matcher) tryKind(b int, k *fragmentKind) {
	m.s.stepsLeft -= stepsPerChoice
	if !m.sharesChosenLocations(b, k) {
		return
	}
	if m.openBlocks == 1 {
		m.finish(b, k)
		return
	}
	m.fruitless = false
	for n := range k.latest {
		if m.s.stepsLeft -= stepsPerChoice; m.fitsIn(b, &k.latest[n]) {
			m.extend(b, k, &k.latest[n])
		}
	}
}

// finish tries the fragments of kind k for block b, the only open one.
func (m *matcher) finish(b int, k *fragmentKind) {
	m.kinds[b] = k
	barren := m.isExcludedByHeldLocks()
	for n := range k.latest {
		if m.s.stepsLeft -= stepsPerChoice; m.s.stepsLeft <= 0 || !m.fitsIn(b, &k.latest[n]) {
			continue
		}
		a := m.anomaly()
		if barren = barren || a.seen >= maxComparedPairs; barren {
			break
		}
		m.chosen[b] = &k.latest[n]
		m.addMatch(a, b)
	}
	m.fruitless = m.fruitless && barren
	m.kinds[b], m.chosen[b] = nil, nil
}

// sharesChosenLocations reports whether kind k, chosen for block b, accesses the same memory as the
// chosen fragments where the pattern has the same variable, and different memory elsewhere.
func (m *matcher) sharesChosenLocations(b int, k *fragmentKind) bool {
	p := &m.s.plans[m.plan]
	for n, e := range p.blocks[b].events {
		for v := range p.vars {
			if loc, ok := m.locationOfVariable(v); ok && m.s.overlaps.Share(loc, k.attributes[n].loc) != (p.Events[e].Variable == v) {
				return false
			}
		}
	}
	return true
}

// fitsIn reports whether fragment c can be chosen for block b: it has the same goroutine as the
// other chosen fragments exactly if the pattern says so, and a region of its own.
func (m *matcher) fitsIn(b int, c *fragment) bool {
	blocks := m.s.plans[m.plan].blocks
	for o, other := range m.chosen {
		if other == nil || o == b {
			continue
		}
		same := other.g == c.g
		// Outside of regions, each access is a region of its own.
		one := same && other.region == c.region && (c.region != 0 || other.events[0] == c.events[0])
		if same != (blocks[o].goroutine == blocks[b].goroutine) || one {
			return false
		}
	}
	return true
}

// addMatch checks a choice for all blocks and adds it to anomaly a, unless the order or locks
// exclude it. Block b was chosen last.
func (m *matcher) addMatch(a *anomaly, b int) {
	if m.violatesOrder(b) {
		a.someUnlocked = true
		return
	}
	p := &m.s.plans[m.plan]
	for b := range p.blocks {
		for n, e := range p.blocks[b].events {
			m.events[e] = int(m.chosen[b].events[n])
		}
	}
	if a.seen > MaxPairs && spread(m.events) > spread(a.nearest[MaxPairs-1]) {
		a.seen++ // a match with closer events is known, so the locks need no check
		return
	}
	if !m.isExcludedByLocks() {
		a.someUnlocked = true
		a.add(m.events)
	}
}

// anomaly returns the anomaly at the places of the chosen kinds, which it creates if it is new.
func (m *matcher) anomaly() *anomaly {
	if m.lastAnomaly != nil && slices.Equal(m.kinds, m.lastKinds) {
		return m.lastAnomaly
	}
	p := &m.s.plans[m.plan]
	m.s.key = m.s.key[:0]
	m.s.appendNumber(int32(m.plan))
	for b := range p.blocks {
		for n, e := range p.blocks[b].events {
			m.s.appendNumber(int32(e))
			m.s.appendNumber(m.kinds[b].attributes[n].site)
		}
	}
	a := m.s.found[string(m.s.key)]
	if a == nil {
		a = &anomaly{plan: m.plan}
		for _, k := range m.kinds {
			for _, p := range k.attributes {
				a.sites = append(a.sites, p.site)
			}
		}
		m.s.found[string(m.s.key)] = a
	}
	m.lastAnomaly = a
	copy(m.lastKinds, m.kinds)
	return a
}

// add counts a match, and keeps it if its events are among the closest.
func (a *anomaly) add(events []int) {
	a.seen++
	at, _ := slices.BinarySearchFunc(a.nearest, events, func(x, y []int) int {
		return cmp.Or(cmp.Compare(spread(x), spread(y)), slices.Compare(x, y))
	})
	if at < MaxPairs {
		a.nearest = slices.Insert(a.nearest[:min(len(a.nearest), MaxPairs-1)], at, slices.Clone(events))
	}
}

// spread returns the distance between the first and the last of the events.
func spread(events []int) int { return slices.Max(events) - slices.Min(events) }

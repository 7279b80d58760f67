package anomaly

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
)

// A matcher combines fragments, one for each block of a plan, to matches of its pattern.
//
// Example: for pattern r-w-r, a read and a later read of x in one region fill block 0. Each fragment
// that writes x, of another goroutine, fills block 1. The match is these three events.
type matcher struct {
	s          *searcher
	plan       int
	chosen     []*fragment // by block; nil if none is chosen yet
	kinds      []*fragmentKind
	openBlocks int // blocks without a chosen fragment
	// fruitless stays set while no fragment of any kind can complete the chosen kinds: locks exclude
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
	// The choice is undone on return, so that the same matcher tries the next fragment.
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
	// This is the pattern-directed search of PECAN §5.2: shared variables lead from block to block.
	// It fills one block and leaves; the recursion through extend fills the others. So no set of
	// fragments is tried in two orders.
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
			// Locations without any kind cost a lookup all the same.
			m.s.stepsLeft -= m.s.overlaps.Count(loc) / lookupsPerStep
			for l := range m.s.overlaps.Of(loc) {
				if !m.s.hasKinds(l) {
					continue
				}
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
	// No open block shares a variable with the chosen ones, so kinds of all locations are tried. Each
	// one is at one anchor for its first event, and is tried once.
	m.s.stepsLeft -= m.s.overlaps.Len() / lookupsPerStep
	for l := range m.s.overlaps.Len() {
		if !m.s.hasKinds(int32(l)) {
			continue
		}
		m.tryKinds(free, m.s.kindsByAnchor[anchor{blocks[free].shape, 0, int32(l), -1}])
	}
}

// tryKinds tries the fragments of several kinds for block b.
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
	// For the last block, two kinds may exclude each other as a whole, before any fragment is tried.
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
	// The locks of two kinds can exclude all their fragments at once. Else the next fragment may
	// match where this one does not.
	barren := m.isExcludedByHeldLocks()
	for n := range k.latest {
		if m.s.stepsLeft -= stepsPerChoice; m.s.stepsLeft <= 0 || !m.fitsIn(b, &k.latest[n]) {
			continue
		}
		// The anomaly is created even where locks exclude all: [Anomalies] counts it as locked.
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
// chosen fragments where the pattern has the same variable, and different memory elsewhere. Without
// this test, x alone would match a pattern of two variables: r1-w2 as r x and w x. Events of one
// block were compared with each other when the fragment was chosen.
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
		// Two regions of one goroutine are two blocks: a fragment must not be its own partner.
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
	// The order excludes the match, whatever the locks do. An anomaly with only such matches counts
	// as ordered.
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
	// The count may then include matches that locks exclude. That does no harm: an anomaly with so
	// many matches is not exhaustive.
	if a.seen > MaxPairs && spread(m.events) > spread(a.nearest[MaxPairs-1]) {
		a.seen++ // a match with closer events is known, so the locks need no check
		return
	}
	// This test comes last, as it may walk through all events between two of the match.
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
	// The key is the plan and the place of each event. Kinds that differ in locations or locks are
	// one anomaly, since for the reader they are one bug.
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
			// The order is that of blocks, not of the pattern. It does not matter: sites only tells
			// which places must be complete.
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

// spread returns the distance between the first and the last of the events. The unit is positions in
// the trace. The order in the pattern plays no part: [2 9 6] has spread 7.
func spread(events []int) int { return slices.Max(events) - slices.Min(events) }

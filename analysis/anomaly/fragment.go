package anomaly

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A fragmentChooser chooses events of one region that match a shape.
//
// Example: the region is "r x, w y, w x", and the shape a read and a write of one variable. The only
// choice is accesses 0 and 2, since y is other memory than x.
//
// The slices events and attributes are parallel. picked ascends, as the events of a shape are in
// program order.
type fragmentChooser struct {
	s          *searcher
	g          trace.GID
	events     []int32
	attributes []attributes
	shape      int
	picked     []int           // indices into events
	stored     storedFragments // the fragments chosen so far
}

// choose completes the picked events in all ways, with events from index from on. A region of 64
// accesses has 41,664 choices of three, so the bound on steps matters here.
func (c *fragmentChooser) choose(from int) {
	sh := &c.s.shapes[c.shape]
	n := len(c.picked)
	if n == len(sh.writes) {
		c.s.addFragment(c)
		return
	}
	for k := from; k < len(c.events) && c.s.stepsLeft > 0; k++ {
		if c.fits(sh, n, k) {
			c.picked = append(c.picked, k)
			c.choose(k + 1)
			c.picked = c.picked[:n]
		}
	}
}

// fits reports whether event k of the region can be event n of the shape, after the picked ones.
func (c *fragmentChooser) fits(sh *shape, n, k int) bool {
	// A read-modify-write fits a read as well as a write. A failed compare-and-swap fits a read only.
	e := &c.s.t.Events[c.events[k]]
	if sh.writes[n] && !e.Stores() || !sh.writes[n] && (e.Kind == trace.Write || e.Kind == trace.AtomicStore) {
		return false
	}
	// Equal variables of the shape need memory that overlaps, different ones memory that does not.
	for m, p := range c.picked {
		if same := c.s.overlaps.Share(c.attributes[p].loc, c.attributes[k].loc); same != (sh.vars[m] == sh.vars[n]) {
			return false
		}
	}
	return true
}

// addFragment stores the fragment that c has picked, and searches for fragments that complete a
// pattern together with it. It replaces the last fragment of its kind and goroutine. If both are in the
// same segments, all matches of the new one were matches of the old one, and no search is needed.
func (s *searcher) addFragment(c *fragmentChooser) {
	// The key has no goroutine: a kind has a slot for the latest fragment of each one.
	s.key = s.key[:0]
	s.appendNumber(int32(c.shape))
	for _, p := range c.picked {
		s.appendAttributes(c.attributes[p])
	}
	s.locks = s.o.AppendHeldThroughout(s.locks[:0], c.events[c.picked[0]], c.events[c.picked[len(c.picked)-1]])
	s.appendLocks(s.locks)
	k := s.kinds[string(s.key)]
	if k == nil {
		k = &fragmentKind{shape: c.shape, attributes: make([]attributes, 0, len(c.picked)), fruitlessAt: make([]int, len(s.usesOfShape[c.shape])), heldThroughout: slices.Clone(s.locks)}
		for n, p := range c.picked {
			k.attributes = append(k.attributes, c.attributes[p])
			// A partner looks for the kind by any location that the two share: the index of PECAN
			// §5.1 by location. For two events it may know both, and then finds fewer kinds.
			a := anchor{c.shape, n, c.attributes[p].loc, -1}
			s.kindsByAnchor[a] = append(s.kindsByAnchor[a], k)
			if n == 0 && len(c.picked) > 1 {
				a.next = c.attributes[c.picked[1]].loc
				s.kindsByAnchor[a] = append(s.kindsByAnchor[a], k)
			}
		}
		s.kinds[string(s.key)] = k
		// A search that found no partner so far may find this kind.
		s.noteChange(k)
	}
	s.stepsLeft--
	to := storedFragment{k, s.indexOf(k, c.g)}
	known := false
	if to.index < len(k.latest) { // later fragments are combined with the latest only
		known = s.inSameSegments(k.latest[to.index].events, c)
		// The fragment replaced here is not combined with later ones, so some matches will be
		// missing.
		for _, p := range k.attributes {
			s.incomplete[p.site] = true
		}
	} else if k.latest = append(k.latest, fragment{}); len(k.latest) == 2 {
		s.noteChange(k)
	}
	// In the same segments there are no new partners. The newer events still replace the older ones,
	// as they are closer to what follows.
	if !known {
		k.latest[to.index].events = make([]int32, len(c.picked))
	}
	ch := &k.latest[to.index]
	ch.g, ch.region = c.g, s.regions.regionOf.At(int(c.events[0]))
	c.stored.slots = append(c.stored.slots, to)
	for n, p := range c.picked {
		ch.events[n] = c.events[p]
		c.stored.picked = append(c.stored.picked, int32(p))
	}
	if known {
		return
	}
	// The stamp is taken before the search. An equal one later means that the same kinds are within
	// reach.
	stamp := s.changeCount(k)
	for n, use := range s.usesOfShape[c.shape] {
		if k.fruitlessAt[n] == stamp {
			continue
		}
		m := &s.plans[use[0]].matcher
		m.fruitless = true
		if m.extend(use[1], k, ch); m.fruitless {
			k.fruitlessAt[n] = stamp
		}
	}
}

// noteChange records that kind k has changed. All kinds that share memory with it have to search
// for partners anew.
func (s *searcher) noteChange(k *fragmentKind) {
	for _, p := range k.attributes {
		s.changes[p.loc]++
	}
}

// hasKinds reports whether kinds have an event at a location. Most locations of arrays have none, and
// to look one up takes long.
func (s *searcher) hasKinds(loc int32) bool { return s.changes[loc] > 0 }

// changeCount returns the number of changes of kinds that share memory with kind k. It is never 0,
// as k itself was created. The counts only grow. So an equal sum means that none of them has changed.
func (s *searcher) changeCount(k *fragmentKind) (n int) {
	for _, p := range k.attributes {
		for l := range s.overlaps.Of(p.loc) {
			n += s.changes[l]
		}
	}
	return n
}

// inSameSegments reports whether the events of a stored fragment are in the same segments as those
// that c has picked. Both are then ordered alike with events of other goroutines.
//
// Example: in "w x, r y, w x" the writes are in one segment. With a send between them they are not:
// another goroutine may wait for it.
func (s *searcher) inSameSegments(events []int32, c *fragmentChooser) bool {
	for n, i := range events {
		if s.o.Segment(int(i)) != s.o.Segment(int(c.events[c.picked[n]])) {
			return false
		}
	}
	return true
}

package anomaly

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A chooser chooses events of a region for a shape.
type chooser struct {
	s      *searcher
	g      trace.GID
	events []int32
	posts  []post
	shape  int
	picked []int // indices into events
	chunks chunks
}

func (c *chooser) choose(from int) {
	sh := &c.s.shapes[c.shape]
	n := len(c.picked)
	if n == len(sh.writes) {
		c.s.visit(c)
		return
	}
	for k := from; k < len(c.events) && c.s.left > 0; k++ {
		if c.fits(sh, n, k) {
			c.picked = append(c.picked, k)
			c.choose(k + 1)
			c.picked = c.picked[:n]
		}
	}
}

// fits reports whether event k of the region can be event n of the shape.
func (c *chooser) fits(sh *shape, n, k int) bool {
	e := &c.s.t.Events[c.events[k]]
	if sh.writes[n] && !e.Stores() || !sh.writes[n] && (e.Kind == trace.Write || e.Kind == trace.AtomicStore) {
		return false
	}
	for m, p := range c.picked {
		if same := c.s.overlaps.Share(c.posts[p].loc, c.posts[k].loc); same != (sh.vars[m] == sh.vars[n]) {
			return false
		}
	}
	return true
}

// visit notes the chunk that c has picked, and looks for others to go with it.
func (s *searcher) visit(c *chooser) {
	s.key = s.key[:0]
	s.number(int32(c.shape))
	for _, p := range c.picked {
		s.postKey(c.posts[p])
	}
	s.locks = s.held(s.locks[:0], c.events[c.picked[0]], c.events[c.picked[len(c.picked)-1]])
	s.lockKey(s.locks)
	k := s.kinds[string(s.key)]
	if k == nil {
		k = &kind{shape: c.shape, posts: make([]post, 0, len(c.picked)), barren: make([]int, len(s.uses[c.shape])), through: slices.Clone(s.locks)}
		for n, p := range c.picked {
			k.posts = append(k.posts, c.posts[p])
			a := anchor{c.shape, n, c.posts[p].loc, -1}
			s.at[a] = append(s.at[a], k)
			if n == 0 && len(c.picked) > 1 {
				a.next = c.posts[c.picked[1]].loc
				s.at[a] = append(s.at[a], k)
			}
		}
		s.kinds[string(s.key)] = k
		s.change(k)
	}
	s.left--
	to := slot{k, k.of(c.g)}
	known := false
	if to.at < len(k.latest) { // what comes later meets the latest only
		known = s.together(k.latest[to.at].events, c)
		for _, p := range k.posts {
			s.lossy[p.site] = true
		}
	} else if k.latest = append(k.latest, chunk{}); len(k.latest) == 2 {
		s.change(k)
	}
	if !known {
		k.latest[to.at].events = make([]int32, len(c.picked))
	}
	ch := &k.latest[to.at]
	ch.g, ch.region = c.g, s.regions.of.At(int(c.events[0]))
	c.chunks.slots = append(c.chunks.slots, to)
	for n, p := range c.picked {
		ch.events[n] = c.events[p]
		c.chunks.picked = append(c.chunks.picked, int32(p))
	}
	if known {
		return
	}
	stamp := s.stamp(k)
	for n, use := range s.uses[c.shape] {
		if k.barren[n] == stamp {
			continue
		}
		m := &s.plans[use[0]].matcher
		m.barren = true
		if m.with(use[1], k, ch); m.barren {
			k.barren[n] = stamp
		}
	}
}

// change notes that what kind k goes with is to be found out again by all that share memory with it.
func (s *searcher) change(k *kind) {
	for _, p := range k.posts {
		s.changes[p.loc]++
	}
}

// stamp is another one for each change of what kind k may go with. It is never 0.
func (s *searcher) stamp(k *kind) (n int) {
	for _, p := range k.posts {
		for l := range s.overlaps.Of(p.loc) {
			n += s.changes[l]
		}
	}
	return n
}

// together reports whether a chunk has the same order to all that others do as
// what c has picked of the same kind and goroutine.
func (s *searcher) together(events []int32, c *chooser) bool {
	for n, i := range events {
		if s.o.Segment(int(i)) != s.o.Segment(int(c.events[c.picked[n]])) {
			return false
		}
	}
	return true
}

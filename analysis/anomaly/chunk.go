package anomaly

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
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
	slots  []slot
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
	if sh.writes[n] && !order.Writes(e) || !sh.writes[n] && (e.Kind == trace.Write || e.Kind == trace.AtomicStore) {
		return false
	}
	for m, p := range c.picked {
		if same := slices.Contains(c.s.overlaps[c.posts[p].loc], c.posts[k].loc); same != (sh.vars[m] == sh.vars[n]) {
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
	k := s.kinds[string(s.key)]
	if k == nil {
		k = &kind{shape: c.shape, through: s.held(nil, c.events[c.picked[0]], c.events[c.picked[len(c.picked)-1]])}
		for n, p := range c.picked {
			k.posts = append(k.posts, c.posts[p])
			a := anchor{c.shape, n, c.posts[p].loc}
			s.at[a] = append(s.at[a], k)
		}
		s.kinds[string(s.key)] = k
	}
	s.left--
	to := slot{k, slices.Index(k.by, c.g), make([]int32, len(c.picked))}
	for n, p := range c.picked {
		to.picked[n] = int32(p)
	}
	known := to.at >= 0 && s.together(k.latest[to.at].events, c)
	if to.at >= 0 { // what comes later meets the latest only
		for _, p := range k.posts {
			s.lossy[p.site] = true
		}
	}
	if to.at < 0 {
		to.at = len(k.by)
		k.by, k.latest = append(k.by, c.g), append(k.latest, chunk{})
	}
	if !known {
		k.latest[to.at].events = make([]int32, len(c.picked))
	}
	ch := &k.latest[to.at]
	ch.g, ch.region = c.g, s.regions.of[c.events[0]]
	to.move(c.events)
	s.hold(k, ch.events)
	c.slots = append(c.slots, to)
	if known {
		return
	}
	for _, use := range s.uses[c.shape] {
		s.plans[use[0]].with(use[1], k, ch)
	}
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

package anomaly

import (
	"iter"
	"math"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Row is accesses of two goroutines to the same memory: any of First conflicts with any of
// Second, and no lock excludes them.
type Row struct{ First, Second []int32 } // positions, ascending

// maxRows bounds the rows of two places.
const maxRows = 1 << 12

// Rows returns for each of the given pairs of places ([Candidate.Places]) all accesses
// that may race there, those of one place in each of the lists of a row, but for what the must-order says: nothing is passed over, as it is
// for [FindRaces]. Rows are in the order of their memory; nil stands for too many.
func Rows(t *trace.Trace, o *order.Order, places [][2]uint64) [][]Row {
	s := &rows{finder: finder{t: t, o: o, sites: o.Sites()}, of: make(map[[2]uint64]int), wanted: make(map[uint64]bool), rows: make([][]Row, len(places)), over: make([]bool, len(places)), most: maxRows}
	for k, p := range places {
		s.of[p] = k
		s.wanted[p[0]], s.wanted[p[1]] = true, true
	}
	s.place = func(i int32) (uint64, bool) {
		site := s.site(t.Events[i].Site)
		return site, s.wanted[site]
	}
	groups := o.Groups()
	for k := range groups {
		s.group(&groups[k])
	}
	for k, over := range s.over {
		if over {
			s.rows[k] = nil
		}
	}
	return s.rows
}

// Conflicts returns all accesses that may race, but for what the must-order says, wherever
// they are in the program. Rows are in the order of their memory.
func Conflicts(t *trace.Trace, o *order.Order) []Row {
	s := &rows{finder: finder{t: t, o: o, sites: o.Sites()}, of: map[[2]uint64]int{{}: 0}, rows: make([][]Row, 1), over: make([]bool, 1), most: math.MaxInt}
	s.place = func(int32) (uint64, bool) { return 0, true }
	groups := o.Groups()
	for k := range groups {
		s.group(&groups[k])
	}
	return s.rows[0]
}

// rows is the search for them.
type rows struct {
	finder
	of     map[[2]uint64]int // by places
	wanted map[uint64]bool
	place  func(i int32) (place uint64, wanted bool) // of an access
	rows   [][]Row
	over   []bool
	most   int // rows of two places
}

// A file is the accesses of a class by one goroutine, in their order.
type file struct {
	class
	g  trace.GID
	at []int32
}

func (s *rows) group(g *order.Group) {
	var locks map[order.LockSet]int32 // made when it is needed
	type key struct {
		class
		g trace.GID
	}
	files := make(map[key]*file)
	var byLoc [][]*file
	for k, i := range g.Events {
		e := &s.t.Events[i]
		site, ok := s.place(i)
		if !ok {
			continue
		}
		if locks == nil {
			locks, byLoc = s.sharedLocks(g), make([][]*file, len(g.Locations))
		}
		c := class{g.LocationOf[k], site, locks[s.o.LockSet(int(i))], g.Accesses[k]}
		f := files[key{c, e.G}]
		if f == nil {
			f = &file{class: c, g: e.G}
			files[key{c, e.G}] = f
			byLoc[c.at] = append(byLoc[c.at], f)
		}
		f.at = append(f.at, i)
	}
	for at, fs := range byLoc {
		for n, f := range fs {
			for other := range g.Overlaps.Of(int32(at)) {
				if other < int32(at) {
					continue
				}
				from := 0
				if other == int32(at) {
					from = n + 1
				}
				for _, h := range byLoc[other][from:] {
					s.meet(f, h)
				}
			}
		}
	}
}

func (s *rows) meet(f, h *file) {
	k, ok := s.of[[2]uint64{min(f.site, h.site), max(f.site, h.site)}]
	if !ok || s.over[k] || f.g == h.g || !f.how.Conflicts(h.how) || order.Exclude(s.sets[f.locks], s.sets[h.locks]) {
		return
	}
	if len(s.rows[k]) == s.most {
		s.over[k] = true
		return
	}
	s.rows[k] = append(s.rows[k], Row{f.at, h.at})
}

// An Ordering says which accesses must come before which, as [order.Order] does.
type Ordering interface {
	// BeforeReached reports whether event i must happen before the goroutine of event j
	// can stand at j.
	BeforeReached(i, j int) bool
}

// open yields for each access of r.First, by its index, those of r.Second that may meet it,
// by the must-order: the indices from lo on and below hi, where these are some. Neither
// ever goes down.
func (r *Row) open(o Ordering, yield func(k, lo, hi int) bool) {
	lo, hi := 0, 0
	for k, i := range r.First {
		// What is before i is so for all later ones, and what is behind i was so for all before.
		for lo < len(r.Second) && r.Second[lo] < i && o.BeforeReached(int(r.Second[lo]), int(i)) {
			lo++
		}
		for hi = max(hi, lo); hi < len(r.Second) && !o.BeforeReached(int(i), int(r.Second[hi])); hi++ {
		}
		if lo < hi && !yield(k, lo, hi) {
			return
		}
	}
}

// Earlier yields each access of r.Second, with those of r.First that came before it in the trace
// and may meet it, by the must-order.
func (r *Row) Earlier(o Ordering) iter.Seq2[int32, []int32] {
	return func(yield func(int32, []int32) bool) {
		lo, hi := 0, 0
		for _, j := range r.Second {
			for hi < len(r.First) && r.First[hi] < j {
				hi++
			}
			for lo < hi && o.BeforeReached(int(r.First[lo]), int(j)) {
				lo++
			}
			if lo < hi && !yield(j, r.First[lo:hi]) {
				return
			}
		}
	}
}

// Near yields the pairs of r with no other access of r between them, the earlier access first.
func (r *Row) Near() iter.Seq[[2]int] {
	return func(yield func([2]int) bool) {
		first, second := r.First, r.Second
		for len(first) > 0 && len(second) > 0 {
			if first[0] > second[0] {
				first, second = second, first
			}
			// The last one before the other list goes on is the neighbour.
			for len(first) > 1 && first[1] < second[0] {
				first = first[1:]
			}
			if !yield([2]int{int(first[0]), int(second[0])}) {
				return
			}
			first = first[1:]
		}
	}
}

// Pairs is how many pairs of r may meet, by the must-order.
func (r *Row) Pairs(o Ordering) (n int) {
	r.open(o, func(_, lo, hi int) bool {
		n = min(n+hi-lo, math.MaxInt32)
		return true
	})
	return n
}

// Add appends the pairs of r that may meet to pairs, the earlier access first, as long as
// these are not more than most.
func (r *Row) Add(pairs [][2]int, o Ordering, most int) [][2]int {
	r.open(o, func(k, lo, hi int) bool {
		for _, j := range r.Second[lo:hi] {
			if len(pairs) > most {
				return false
			}
			i, j := int(r.First[k]), int(j)
			pairs = append(pairs, [2]int{min(i, j), max(i, j)})
		}
		return true
	})
	return pairs
}

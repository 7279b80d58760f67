package feasible

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Interleavings yields the feasible orders of the events of t, as positions,
// that no further event can extend, until yield returns false. Orders of all
// events are among them, and such that end early because some goroutine would
// go another way than recorded, or is blocked; every feasible schedule is a
// prefix of one of them. Their number grows exponentially: this is an oracle
// for traces of some twenty events. The order is only lent to yield.
func Interleavings(t *trace.Trace, yield func(order []int) bool) {
	p := compile(t)
	p.extend(p.initial(), make([]int, 0, len(t.Events)), yield)
}

// extend yields all orders that start with order, which leads to s. It returns
// false if yield did.
func (p *program) extend(s *state, order []int, yield func([]int) bool) bool {
	longest := true
	for _, next := range p.successors(s) {
		longest = false
		if !p.extend(next.state, append(order, next.pos), yield) {
			return false
		}
	}
	return !longest || yield(order)
}

type successor struct {
	pos   int
	state *state
}

// successors returns the states one step after s.
func (p *program) successors(s *state) []successor {
	var all []successor
	for g := range p.first {
		pos, reason := s.next(g)
		if reason != "" {
			continue
		}
		if c := s.clone(); c.step(pos) == "" {
			all = append(all, successor{int(pos), c})
		}
	}
	return all
}

// Races returns all pairs of conflicting accesses of t, as positions, at which
// two goroutines stand at once in some feasible interleaving: by definition
// the predictable races. At least one of the two writes and at least one is
// not atomic. The pairs are sorted, the lower position first. Like
// [Interleavings] it is for small traces, though it visits equal states once.
func Races(t *trace.Trace) [][2]int {
	p := compile(t)
	found := map[[2]int]bool{}
	start := p.initial()
	seen := map[string]bool{start.key(): true}
	for todo := []*state{start}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p.collect(s, found)
		for _, next := range p.successors(s) {
			if k := next.state.key(); !seen[k] {
				seen[k] = true
				todo = append(todo, next.state)
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
}

// key tells states apart.
func (s *state) key() string {
	all := *s
	all.p = nil
	return fmt.Sprint(all)
}

// collect adds the pairs of goroutines that stand at a race in s.
func (p *program) collect(s *state, found map[[2]int]bool) {
	for g := range p.first {
		a, ok := s.stands(g)
		if !ok {
			continue
		}
		for h := range g {
			if b, ok := s.stands(h); ok && conflict(&p.t.Events[a], &p.t.Events[b]) {
				found[[2]int{int(min(a, b)), int(max(a, b))}] = true
			}
		}
	}
}

// stands returns the access at which goroutine g stands, if it does.
func (s *state) stands(g int) (pos int32, ok bool) {
	pos, reason := s.next(g)
	if reason != "" {
		return none, false
	}
	e := &s.p.t.Events[pos]
	return pos, e.Kind.IsAccess() && s.misses(e) == ""
}

// conflict reports whether two accesses of different goroutines form a race
// when they meet.
func conflict(a, b *trace.Event) bool {
	aStart, aEnd := extent(a)
	bStart, bEnd := extent(b)
	return aStart < bEnd && bStart < aEnd &&
		(writes(a) || writes(b)) && (a.Kind.IsPlain() || b.Kind.IsPlain())
}

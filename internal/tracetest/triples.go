package tracetest

import "github.com/gopredict/gopredict/recorder/trace"

// UnserializableTriples counts the marked regions of t, and returns the triples of accesses to
// one variable that are unserializable (Lu et al., AVIO, 2006): the first and the last in a
// region, the other one of another goroutine.
func UnserializableTriples(t *trace.Trace) (regions int, triples [][3]int) {
	inside := make(map[trace.GID]int) // its region
	members := make(map[int][]int)
	accesses := make(map[uint64][]int)
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case e.Kind == trace.RegionBegin:
			regions++
			inside[e.G] = regions
		case e.Kind == trace.RegionEnd:
			inside[e.G] = 0
		case e.Kind.IsAccess():
			accesses[e.Obj] = append(accesses[e.Obj], i)
			if r := inside[e.G]; r > 0 {
				members[r] = append(members[r], i)
			}
		}
	}
	for r := range regions {
		own := members[r+1]
		for k, first := range own {
			for _, last := range own[k+1:] {
				for _, other := range accesses[t.Events[first].Obj] {
					if t.Events[last].Obj == t.Events[first].Obj && t.Events[other].G != t.Events[first].G && unserializable(t, first, other, last) {
						triples = append(triples, [3]int{first, other, last})
					}
				}
			}
		}
	}
	return regions, triples
}

// unserializable reports whether three accesses to one variable, the second one
// another goroutine's, have an effect that they have in no order in which the second
// one is not between the others.
func unserializable(t *trace.Trace, first, other, last int) bool {
	w := func(i int) bool { return t.Events[i].Kind.IsWrite() }
	return w(other) != (w(first) && w(last))
}

package solver

// Reachability by chains is the vector clocks of package order once more, of a relation that
// grows and shrinks with the search (Jagadish, A Compression Technique to Materialize
// Transitive Closure, TODS 1990). The chains are mostly the goroutines, as program order is
// among the facts; a is before b if a's place in its chain is at most what b's clock has for
// that chain.

// A closure tells which events come before which as things stand. The events are
// dealt out to chains, each in its order; a clock has for each event and chain how
// many of the chain come before it.
type closure struct {
	chain, rank []int32 // of each event: its chain, and its place in it, from 1
	clock       []int32 // of each event by chain
	tail        []int32 // of each chain: its last event
}

// mostChains and largestClosure bound the clocks: of all of them the numbers.
const mostChains, largestClosure = 64, 1 << 22

// saturate gives all atoms their values that follow from the edges there are, and
// reports whether there were some. An edge alone only gives values where the order of
// events changes (see infer); each of the others may cost a conflict.
func (o *order) saturate(s *search) bool {
	if !o.newClosure() {
		return false
	}
	width := len(o.tail)
	known := len(s.trail)
	for a := range o.atoms {
		o.looked += int64(len(o.atoms[a]))
		for _, x := range o.atoms[a] {
			if s.value[x.first] == 0 && o.rank[a] <= o.clock[int(x.other)*width+int(o.chain[a])] {
				s.enqueue(x.first, byOrder)
			}
		}
	}
	return len(s.trail) > known
}

// newClosure computes the closure of the edges, event by event in topological order: what
// comes before an event is known of all that edges lead from to it. It returns false if that
// is too much.
func (o *order) newClosure() bool {
	n := len(o.at)
	o.chain, o.rank, o.tail = resized(o.chain, n), resized(o.rank, n), o.tail[:0]
	for _, e := range o.at {
		o.chain[e] = -1
		for id := o.in[e]; id >= 0; id = o.edges[id].nextIn {
			o.looked++
			if p := o.edges[id].from; o.tail[o.chain[p]] == p {
				o.chain[e], o.rank[e] = o.chain[p], o.rank[p]+1
				break
			}
		}
		if o.chain[e] < 0 {
			o.chain[e], o.rank[e] = int32(len(o.tail)), 1
			o.tail = append(o.tail, e)
		}
		o.tail[o.chain[e]] = e
	}
	width := len(o.tail)
	if width > mostChains || width*n > largestClosure {
		return false
	}
	o.clock = resized(o.clock, n*width)
	clear(o.clock)
	for _, e := range o.at {
		own := o.clock[int(e)*width : int(e+1)*width]
		for id := o.in[e]; id >= 0; id = o.edges[id].nextIn {
			o.looked += int64(width) / 4
			p := o.edges[id].from
			for c, k := range o.clock[int(p)*width : int(p+1)*width] {
				own[c] = max(own[c], k)
			}
			own[o.chain[p]] = max(own[o.chain[p]], o.rank[p])
		}
	}
	return true
}

// resized returns a slice of n elements, s itself if it has room. What is in it is anything.
func resized(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	return s[:n]
}

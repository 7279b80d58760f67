package solver

// The closure of the order has vector clocks, as package order has, for a relation that grows and
// shrinks with the search (Jagadish, A Compression Technique to Materialize Transitive Closure,
// TODS 1990). Its chains are mostly the goroutines, as program order is among the facts. Event a is
// before b if a's rank in its chain is at most what b's clock has for that chain.

// A closure tells which events are before which by the present edges. The events are divided into
// chains, each in order. A clock has by event and chain how many of the chain come before.
type closure struct {
	chain, rank []int32 // of each event: its chain, and its place in it, from 1
	clock       []int32 // of each event by chain
	tail        []int32 // of each chain: its last event
}

// saturate gives all atoms the values that follow from the present edges, and reports whether there
// were any. A new edge alone gives values only where it changes the order (see infer); each of the
// others may cost a conflict.
func (o *order) saturate(s *search) bool {
	if !o.newClosure() {
		return false
	}
	width := len(o.tail)
	known := len(s.trail)
	for a := range o.atoms {
		o.work += int64(len(o.atoms[a]))
		for _, x := range o.atoms[a] {
			if s.value[x.first] == 0 && o.rank[a] <= o.clock[int(x.other)*width+int(o.chain[a])] {
				s.enqueue(x.first, byOrder)
			}
		}
	}
	return len(s.trail) > known
}

// newClosure computes the closure, event by event in topological order, from those that edges lead
// from. It returns false if it is too large.
func (o *order) newClosure() bool {
	n := len(o.eventAt)
	o.chain, o.rank, o.tail = resized(o.chain, n), resized(o.rank, n), o.tail[:0]
	for _, e := range o.eventAt {
		o.chain[e] = -1
		for id := o.in[e]; id >= 0; id = o.edges[id].nextIn {
			o.work++
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
	if width > maxChains || width*n > maxClosure {
		return false
	}
	o.clock = resized(o.clock, n*width)
	clear(o.clock)
	for _, e := range o.eventAt {
		own := o.clock[int(e)*width : int(e+1)*width]
		for id := o.in[e]; id >= 0; id = o.edges[id].nextIn {
			o.work += int64(width) / 4
			p := o.edges[id].from
			for c, k := range o.clock[int(p)*width : int(p+1)*width] {
				own[c] = max(own[c], k)
			}
			own[o.chain[p]] = max(own[o.chain[p]], o.rank[p])
		}
	}
	return true
}

// resized returns a slice of n elements, s itself if it has room. Its contents are undefined.
func resized(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	return s[:n]
}

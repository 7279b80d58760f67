package witness

import "github.com/gopredict/gopredict/recorder/trace"

// An Index is what is the same for all witnesses of one trace.
type Index struct {
	begins []int    // see testBegins
	extent [][2]int // by goroutine, see [Index.EventRange]
	// The rewriter's sites, in source order, and where each stands.
	byFunc, byFile map[string][]trace.Site
	ranks          map[trace.SiteID]rank
	pools          map[uint64]bool // see sharedPools
	asked          map[int]int     // see asked
}

// A rank is where a site stands among those of its function and operation: see
// Step.SiteNumber, Step.AlikeNumber and Step.AlikeCount.
type rank struct{ nth, which, of int }

// NewIndex makes the index of t.
func NewIndex(t *trace.Trace) *Index {
	x := &Index{
		begins: testBegins(t), pools: sharedPools(t), asked: asked(t), ranks: make(map[trace.SiteID]rank),
		byFunc: make(map[string][]trace.Site), byFile: make(map[string][]trace.Site),
	}
	x.extent = make([][2]int, len(t.Goroutines))
	for i := range t.Events {
		g := t.Events[i].G
		if int(g) >= len(x.extent) {
			continue
		}
		if x.extent[g][1] == 0 {
			x.extent[g][0] = i
		}
		x.extent[g][1] = i + 1
	}
	for g := range x.extent {
		if x.extent[g][1] == 0 {
			x.extent[g][0] = len(t.Events)
		}
	}
	for id, s := range t.Sites {
		if id&trace.SiteRewritten != 0 {
			x.byFunc[s.Func] = append(x.byFunc[s.Func], s)
			x.byFile[s.File] = append(x.byFile[s.File], s)
		}
	}
	for _, list := range x.byFile {
		SortSites(list)
	}
	for _, list := range x.byFunc {
		SortSites(list)
		x.rank(list)
	}
	return x
}

// Extent returns the position of the first event of goroutine g of t, and that after its last one;
// the length of the trace and 0 if it has none. Of no index it is all of t.
func (x *Index) EventRange(t *trace.Trace, g trace.GID) (first, end int) {
	if x == nil {
		return 0, len(t.Events)
	}
	return x.extent[g][0], x.extent[g][1]
}

// Range returns where the events of the goroutines of steps are in t, of which it is the index: the
// position of the first one, and that after the last one. Of no index it is all of t.
func (x *Index) Range(t *trace.Trace, steps []Step) (first, end int) {
	if x == nil {
		return 0, len(t.Events)
	}
	its := make(map[string]bool)
	for _, s := range steps {
		its[s.Goroutine] = true
	}
	first = len(t.Events)
	var name []byte
	for g := range t.Goroutines {
		name = t.Goroutines[g].AppendName(name[:0])
		if its[string(name)] {
			a, b := x.EventRange(t, trace.GID(g))
			first, end = min(first, a), max(end, b)
		}
	}
	return min(first, end), end
}

// rank ranks the sites of one function.
func (x *Index) rank(sites []trace.Site) {
	type group struct{ op, expr string }
	same, alike := make(map[group]int), make(map[group]int)
	for _, s := range sites {
		expr, shape := group{s.Op, s.Expr}, group{s.Op, Shape(s.Expr)}
		same[expr]++
		alike[shape]++
		x.ranks[s.ID] = rank{nth: same[expr], which: alike[shape]}
	}
	for _, s := range sites {
		r := x.ranks[s.ID]
		r.of = alike[group{s.Op, Shape(s.Expr)}]
		x.ranks[s.ID] = r
	}
}

// rankByName is the number of a site, from 1, among those that are alike (see
// Step.AlikeNumber), of which one expression in one line counts once.
func (x *Index) rankByName(site trace.Site) int {
	type place struct {
		file, expr string
		line       int
	}
	seen := make(map[place]bool)
	for _, s := range x.byFunc[site.Func] {
		if s.Op != site.Op || Shape(s.Expr) != Shape(site.Expr) {
			continue
		}
		seen[place{s.File, s.Expr, s.Line}] = true
		if s.File == site.File && s.Expr == site.Expr && s.Line == site.Line {
			break
		}
	}
	return len(seen)
}

package witness

import "github.com/gopredict/gopredict/recorder/trace"

// An Index is what all witnesses of one trace have in common.
type Index struct {
	begins []int      // by goroutine, see testBegins
	ranges []posRange // by goroutine: where its events are
	// byFunc and byFile have the sites that the rewriter made, in source order.
	byFunc, byFile map[string][]trace.Site
	ranks          map[trace.SiteID]rank
	pools          map[uint64]bool // pools that several goroutines use
	requestedCases map[int]int     // see requestedCases
}

// A posRange has positions in a trace, without end.
type posRange struct{ first, end int }

// A rank is the place of a site among those of its function and operation: see
// Step.SiteNumber, Step.AlikeNumber and Step.AlikeCount.
type rank struct{ number, alikeNumber, alikeCount int }

// NewIndex returns the index of t.
func NewIndex(t *trace.Trace) *Index {
	x := &Index{
		begins: testBegins(t), pools: sharedPools(t), requestedCases: requestedCases(t), ranks: make(map[trace.SiteID]rank),
		byFunc: make(map[string][]trace.Site), byFile: make(map[string][]trace.Site),
	}
	x.ranges = make([]posRange, len(t.Goroutines))
	for g := range x.ranges {
		x.ranges[g].first = len(t.Events)
	}
	for i := range t.Events {
		if g := t.Events[i].G; int(g) < len(x.ranges) {
			x.ranges[g] = posRange{min(x.ranges[g].first, i), i + 1}
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

// testBegins is the function of that name for t, the trace of x; x may be nil.
func (x *Index) testBegins(t *trace.Trace) []int {
	if x == nil {
		return testBegins(t)
	}
	return x.begins
}

// EventRange returns the position of the first event of goroutine g of t, the trace of x, and that
// after its last one. It returns the length of the trace and 0 if g has none, and the range of all
// events if x is nil.
func (x *Index) EventRange(t *trace.Trace, g trace.GID) (first, end int) {
	if x == nil {
		return 0, len(t.Events)
	}
	return x.ranges[g].first, x.ranges[g].end
}

// stepRange returns the range of the events of all goroutines of steps, likewise.
func (x *Index) stepRange(t *trace.Trace, steps []Step) (first, end int) {
	if x == nil {
		return 0, len(t.Events)
	}
	goroutines := make(map[string]bool)
	for _, s := range steps {
		goroutines[s.Goroutine] = true
	}
	first = len(t.Events)
	var name []byte
	for g := range t.Goroutines {
		name = t.Goroutines[g].AppendName(name[:0])
		if goroutines[string(name)] {
			first, end = min(first, x.ranges[g].first), max(end, x.ranges[g].end)
		}
	}
	return min(first, end), end
}

// rank ranks the sites of one function, which are in source order.
func (x *Index) rank(sites []trace.Site) {
	type group struct{ op, expr string }
	same, alike := make(map[group]int), make(map[group]int)
	for _, s := range sites {
		expr, shape := group{s.Op, s.Expr}, group{s.Op, Shape(s.Expr)}
		same[expr]++
		alike[shape]++
		x.ranks[s.ID] = rank{number: same[expr], alikeNumber: alike[shape]}
	}
	for _, s := range sites {
		r := x.ranks[s.ID]
		r.alikeCount = alike[group{s.Op, Shape(s.Expr)}]
		x.ranks[s.ID] = r
	}
}

// rankByName returns the number of a site, from 1, among those that are alike (see
// Step.AlikeNumber), counting one expression in one line once.
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

package trace

// A Scope is what is known of the control scope of a branch: of what its outcome decides
// (Chen and Roşu, Predictive Runtime Analysis of Multithreaded Programs, 2005, Definition
// 8). The zero value stands for one that does not end: all that comes after the branch.
type Scope struct {
	// Last is the last line of the statement, in the branch's function and file, with
	// which the scope ends: whichever way is gone, the goroutine comes to what is behind
	// it, with the same local variables. It is at least the line of the branch.
	Last int
	// IfTrue and IfFalse say of each outcome that what it leads to within the scope ends
	// and does nothing that is seen after it, or by others: the goroutine may go there
	// although the recorded run did not.
	IfTrue, IfFalse bool
	// Calls is set where the scope has calls of functions that have events themselves.
	Calls bool
}

// MayTurn reports whether what the branch e, whose scope it is, leads to if it comes out otherwise than recorded is
// not seen behind the scope.
func (s Scope) MayTurn(e *Event) bool {
	return e.Val != 0 && s.IfFalse || e.Val == 0 && s.IfTrue
}

// A Slice says for the branches of one trace where their control scopes ended: from there
// on a run may have what was recorded although the branch has come out otherwise.
//
// An event belongs to the scopes of those branches of its goroutine that have not ended
// before it. One ends with the first event that cannot be within: of the same function at
// another line, or at the branch itself; of another function, if the scope has no calls.
// Functions that may come to be called again from within their scopes have none.
type Slice struct {
	ends  map[int32]int32 // by branch: the first event of its goroutine that is behind its scope
	loose map[int32]bool  // reads that go only into branches that are there
}

// NewSlice finds the scopes of the branches of t, whose flow is f.
func NewSlice(t *Trace, f *Flow) *Slice {
	s := &Slice{ends: make(map[int32]int32), loose: make(map[int32]bool)}
	open := make(map[GID][]openScope)
	scoped, sites := false, tables{t.Sites}
	for _, site := range t.Sites {
		scoped = scoped || site.Scope.Last != 0
	}
	if !scoped {
		return s
	}
	for i := range t.Events {
		e := &t.Events[i]
		if in := open[e.G]; len(in) > 0 {
			left := in[:0]
			for _, o := range in {
				switch {
				case o.site.endsAt(e.Site, sites):
					if len(o.held) == 0 {
						s.ends[o.at] = int32(i)
					}
				case o.pass(e):
					left = append(left, o)
				}
			}
			open[e.G] = left
		}
		if site := t.Sites[e.Site]; e.Kind == Branch && site.Scope.Last != 0 {
			open[e.G] = append(open[e.G], openScope{int32(i), site, make(map[uint64]int)})
		}
	}
	if f.Empty() {
		return s
	}
	into := make(map[int32]bool) // reads: whether they go into other things
	for k, i := range f.formulas.All {
		_, ends := s.ends[int32(i)]
		for _, r := range f.instances[k].Reads {
			into[r] = into[r] || !ends
		}
	}
	for r, other := range into {
		if r >= 0 && !other && f.Tracked(int(r)) {
			s.loose[r] = true
		}
	}
	return s
}

// Empty reports whether no scope ends.
func (s *Slice) Empty() bool { return len(s.ends) == 0 }

// End returns the first event of the goroutine of the branch at position i that is behind
// the branch's scope, where what lies between can be left out: it is there, ends what it
// begins, and does nothing that others wait for.
func (s *Slice) End(i int) (end int, ok bool) {
	at, ok := s.ends[int32(i)]
	return int(at), ok
}

// Loose reports whether what the event at position i reads goes only into branches whose
// scopes end.
func (s *Slice) Loose(i int) bool { return s.loose[int32(i)] }

// An openScope is that of a branch that has been passed.
type openScope struct {
	at   int32
	site Site
	held map[uint64]int // locks that were acquired within it, how often
}

// endsAt reports whether what the goroutine that has passed the branch s does at a site, which may be in the tables, is
// behind the branch's scope.
func (s *Site) endsAt(site SiteID, in tables) bool {
	if site == s.ID {
		return true
	}
	at, ok := in.of(site)
	switch {
	case !ok:
		return false
	case at.Func != s.Func || at.File != s.File:
		return !s.Scope.Calls
	}
	return at.Line < s.Line || at.Line > s.Scope.Last
}

// Tables of sites: each is in the first one that has it.
type tables []map[SiteID]Site

func (ts tables) of(id SiteID) (site Site, ok bool) {
	for _, sites := range ts {
		if site, ok = sites[id]; ok {
			break
		}
	}
	return site, ok
}

// pass takes e into the scope. It reports whether it can be left out.
func (o *openScope) pass(e *Event) bool {
	switch k := e.Kind; {
	case k == Acquire || k == RAcquire:
		o.held[e.Obj]++
	case k == Release || k == RRelease:
		if o.held[e.Obj]--; o.held[e.Obj] == 0 {
			delete(o.held, e.Obj)
		}
		return o.held[e.Obj] >= 0
	case k == Branch || k == Operand || k == Call || k.IsAccess():
	default:
		return false
	}
	return true
}

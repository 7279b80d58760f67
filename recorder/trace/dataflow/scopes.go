package dataflow

import "github.com/gopredict/gopredict/recorder/trace"

// A Slice says for the branches of one trace where their control scopes ended: from there
// on a run may have what was recorded although the branch has come out otherwise.
//
// An event belongs to the scopes of those branches of its goroutine that have not ended
// before it. One ends with the first event that cannot be within: of the same function at
// another line, or at the branch itself; of another function, if the scope has no calls.
// Functions that may come to be called again from within their scopes have none.
type Scopes struct {
	ends             map[int32]int32 // by branch: the first event of its goroutine that is behind its scope
	readsForBranches map[int32]bool  // reads that go only into branches that are there
}

// NewSlice finds the scopes of the branches of t, whose flow is f.
func NewScopes(t *trace.Trace, f *Flow) *Scopes {
	s := &Scopes{ends: make(map[int32]int32), readsForBranches: make(map[int32]bool)}
	open := make(map[trace.GID][]openScope)
	scoped := false
	for _, site := range t.Sites {
		scoped = scoped || site.Scope.Last != 0
	}
	if !scoped {
		return s
	}
	for i := range t.Events {
		e := &t.Events[i]
		if in := open[e.G]; len(in) > 0 {
			next := t.Sites[e.Site]
			left := in[:0]
			for _, o := range in {
				switch {
				case o.site.ScopeEndsAt(&next):
					if len(o.heldLocks) == 0 {
						s.ends[o.branch] = int32(i)
					}
				case o.extend(e):
					left = append(left, o)
				}
			}
			open[e.G] = left
		}
		if site := t.Sites[e.Site]; e.Kind == trace.Branch && site.Scope.Last != 0 {
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
			s.readsForBranches[r] = true
		}
	}
	return s
}

// Empty reports whether no scope ends.
func (s *Scopes) Empty() bool { return len(s.ends) == 0 }

// End returns the first event of the goroutine of the branch at position i that is behind
// the branch's scope, where what lies between can be left out: it is there, ends what it
// begins, and does nothing that others wait for.
func (s *Scopes) End(i int) (end int, ok bool) {
	at, ok := s.ends[int32(i)]
	return int(at), ok
}

// Loose reports whether what the event at position i reads goes only into branches whose
// scopes end.
func (s *Scopes) ReadsForScopedBranches(i int) bool { return s.readsForBranches[int32(i)] }

// An openScope is that of a branch that has been passed.
type openScope struct {
	branch    int32
	site      trace.Site
	heldLocks map[uint64]int // locks that were acquired within it, how often
}

// pass takes e into the scope. It reports whether it can be left out.
func (o *openScope) extend(e *trace.Event) bool {
	switch k := e.Kind; {
	case k == trace.Acquire || k == trace.RAcquire:
		o.heldLocks[e.Obj]++
	case k == trace.Release || k == trace.RRelease:
		if o.heldLocks[e.Obj]--; o.heldLocks[e.Obj] == 0 {
			delete(o.heldLocks, e.Obj)
		}
		return o.heldLocks[e.Obj] >= 0
	case k == trace.Branch || k == trace.Operand || k == trace.Call || k.IsAccess():
	default:
		return false
	}
	return true
}

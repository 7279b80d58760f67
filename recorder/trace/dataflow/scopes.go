package dataflow

import "github.com/gopredict/gopredict/recorder/trace"

// Scopes tell for the branches of one trace where their control scopes ended. After that event, a run
// may continue as recorded even if the branch had another outcome.
//
// An event belongs to the scopes of the branches of its goroutine that have not ended before it. A
// scope ends at the first event that cannot be within it: in the same function at a line outside of
// the scope, or at the branch itself; in another function, if the scope has no calls. Functions that
// may be called again from within their scopes have no scopes.
type Scopes struct {
	ends             map[int32]int32 // by branch: the first event of its goroutine after its scope
	readsForBranches map[int32]bool  // reads whose values reach only branches with a scope that ends
}

// NewScopes finds the scopes of the branches of t. The flow of t is f.
func NewScopes(t *trace.Trace, f *Flow) *Scopes {
	s := &Scopes{ends: make(map[int32]int32), readsForBranches: make(map[int32]bool)}
	open := make(map[trace.GID][]openScope)
	scoped := false
	for _, site := range t.Sites {
		scoped = scoped || site.Scope.LastLine != 0
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
		if site := t.Sites[e.Site]; e.Kind == trace.Branch && site.Scope.LastLine != 0 {
			open[e.G] = append(open[e.G], openScope{int32(i), site, make(map[uint64]int)})
		}
	}
	if f.IsEmpty() {
		return s
	}
	into := make(map[int32]bool) // by read: whether its value reaches anything but branches with a scope that ends
	for k, i := range f.formulas.All {
		_, ends := s.ends[int32(i)]
		for _, r := range f.instances[k].Reads {
			into[r] = into[r] || !ends
		}
	}
	for r, other := range into {
		if r >= 0 && !other && f.IsTracked(int(r)) {
			s.readsForBranches[r] = true
		}
	}
	return s
}

// IsEmpty reports whether no scope ends in the trace.
func (s *Scopes) IsEmpty() bool { return len(s.ends) == 0 }

// ScopeEnd returns the first event of its goroutine after the scope of the branch at position i. ok is
// false unless the events in between can be left out: then the scope ends in the trace, releases the
// locks it acquires, and does nothing that others wait for.
func (s *Scopes) ScopeEnd(i int) (end int, ok bool) {
	at, ok := s.ends[int32(i)]
	return int(at), ok
}

// ReadsForScopedBranches reports whether the value that event i reads reaches only branches whose
// scopes end.
func (s *Scopes) ReadsForScopedBranches(i int) bool { return s.readsForBranches[int32(i)] }

// An openScope is the scope of a branch that has not ended yet.
type openScope struct {
	branch    int32
	site      trace.Site
	heldLocks map[uint64]int // by lock acquired within the scope: how often it is held
}

// extend adds event e to the scope. It reports whether the scope can still be left out.
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

package trace

// A Scope is what is known of the control scope of a branch: of what its outcome decides
// (Chen and Roşu, Predictive Runtime Analysis of Multithreaded Programs, 2005, Definition
// 8). The zero value stands for one that does not end: all that comes after the branch.
type Scope struct {
	// Last is the last line of the statement, in the branch's function and file, with
	// which the scope ends: whichever way is gone, the goroutine comes to what is behind
	// it, with the same local variables. It is at least the line of the branch.
	LastLine int
	// IfTrue and IfFalse say of each outcome that what it leads to within the scope ends
	// and does nothing that is seen after it, or by others: the goroutine may go there
	// although the recorded run did not.
	HarmlessIfTrue, HarmlessIfFalse bool
	// Calls is set where the scope has calls of functions that have events themselves.
	HasCalls bool
}

// MayTurn reports whether the goroutine may take the other outcome of branch e, whose scope is s,
// without an effect that is seen after the scope or by others.
func (s Scope) MayFlip(e *Event) bool {
	return e.Val != 0 && s.HarmlessIfFalse || e.Val == 0 && s.HarmlessIfTrue
}

// ScopeEndsAt reports whether an event at the site next is after the scope of the branch at s. It
// returns false if the trace does not define next.
func (s *Site) ScopeEndsAt(next *Site) bool {
	switch {
	case next.ID == 0:
		return false
	case next.ID == s.ID:
		return true
	case next.Func != s.Func || next.File != s.File:
		return !s.Scope.HasCalls
	}
	return next.Line < s.Line || next.Line > s.Scope.LastLine
}

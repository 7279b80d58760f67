package trace

// A Scope describes the control scope of a branch: the events that its outcome decides (Chen and
// Roşu, Predictive Runtime Analysis of Multithreaded Programs, 2005, Definition 8). The zero value
// is a scope that does not end: it has all events after the branch.
type Scope struct {
	// LastLine is the last line of the statement that ends the scope, in the function and file of
	// the branch. Both ways from the branch reach the code after it, with the same local
	// variables. It is not before the line of the branch.
	LastLine int
	// HarmlessIfTrue and HarmlessIfFalse say of an outcome that what follows it within the scope
	// ends, and has no effect after the scope or on other goroutines. So the goroutine may take
	// this outcome although the recorded run did not.
	HarmlessIfTrue, HarmlessIfFalse bool
	// HasCalls is set if the scope calls functions that have events themselves.
	HasCalls bool
}

// MayFlip reports whether the goroutine may take the other outcome of branch e, whose scope is s,
// without an effect after the scope or on other goroutines.
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

package feasible

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A countersState is the state of conditions, WaitGroups, Onces and tokens.
type countersState struct {
	// The program whose state it is.
	program *program
	// By condition: the goroutines that wait, first come first served.
	queues [][]trace.GID
	// By goroutine: a signal has removed it from the queue of a condition.
	signalled []bool
	// By WaitGroup: its counter.
	groups []int64
	// By goroutine: the WaitGroup's counter was zero when its Wait began.
	wasZero []bool
	// By Once.
	onces []onceState
	// By token: the number of posts that are done, counted up to the first that
	// is not.
	posts []int32
	// By post: it is done.
	posted []bool
}

type onceState uint8

const (
	onceNotBegun onceState = iota
	onceRunning
	onceReturned
)

func newCounters(p *program) countersState {
	n := len(p.forked)
	return countersState{
		program: p, queues: make([][]trace.GID, p.conds), signalled: make([]bool, n), groups: make([]int64, p.waitGroups), wasZero: make([]bool, n),
		onces: make([]onceState, len(p.onceEnds)), posts: make([]int32, len(p.tokens)), posted: make([]bool, p.posts),
	}
}

// set makes s what o is.
func (s *countersState) set(o *countersState) {
	for c := range s.queues {
		s.queues[c] = slices.Clone(o.queues[c])
	}
	copy(s.signalled, o.signalled)
	copy(s.groups, o.groups)
	copy(s.wasZero, o.wasZero)
	copy(s.onces, o.onces)
	copy(s.posts, o.posts)
	copy(s.posted, o.posted)
}

// cond executes an operation of a condition, which wakes those that wait
// first come first served.
func (s *countersState) cond(e *trace.Event, ref int32) string {
	q := &s.queues[ref]
	switch e.Kind {
	case trace.CondWait:
		*q = append(*q, e.G)
		s.signalled[e.G] = false
	case trace.CondWake:
		if !s.signalled[e.G] {
			return fmt.Sprintf("expected a signal or broadcast for this waiter, found none (%d wait)", len(*q))
		}
	default:
		n := min(mostWoken(e), len(*q))
		for _, g := range (*q)[:n] {
			s.signalled[g] = true
		}
		*q = slices.Delete(*q, 0, n)
	}
	return ""
}

// everybody is how many waiters a broadcast wakes.
const everybody = 1 << 30

// mostWoken is how many waiters for a condition e wakes at most.
func mostWoken(e *trace.Event) int {
	switch e.Kind {
	case trace.CondSignal:
		return 1
	case trace.CondBroadcast:
		return everybody
	}
	return 0
}

// delta is what e adds to the counter of a WaitGroup: of other events
// nothing.
func delta(e *trace.Event) int64 {
	if mayAdd(e.Kind) {
		return int64(e.Val)
	}
	return 0
}

// mayAdd reports whether operations of kind k change the counter of a
// WaitGroup.
func mayAdd(k trace.Kind) bool { return k == trace.WaitGroupAdd }

// waitGroup executes an operation of a WaitGroup.
func (s *countersState) waitGroup(pos int32, e *trace.Event, ref int32) string {
	n := &s.groups[ref]
	switch e.Kind {
	case trace.WaitGroupWait:
		s.wasZero[e.G] = *n == 0
	case trace.WaitGroupWaited:
		if *n != 0 && !s.wasZero[e.G] {
			return fmt.Sprintf("expected the WaitGroup's counter to be zero, found %d", *n)
		}
	default:
		*n += delta(e)
		if *n < 0 && !s.program.unfinished(pos) { // else it has panicked
			return fmt.Sprintf("expected a counter from zero up, found %d", *n)
		}
	}
	return ""
}

// once executes an operation of a Once.
func (s *countersState) once(k trace.Kind, ref int32) string {
	if ref == none {
		return "" // its function ran before the trace began
	}
	o := &s.onces[ref]
	switch {
	case k == trace.OnceBegin:
		*o = onceRunning
	case k == trace.OnceEnd:
		*o = onceReturned
	case *o == onceNotBegun:
		return "expected Once's function to have run, found that it has not begun"
	case *o == onceRunning && s.program.onceEnds[ref]:
		return "expected Once's function to have returned, found it running"
	}
	return ""
}

// token executes a post or an await. An await needs all posts of its token
// that came before it in the recorded run, so only posts without a gap count.
func (s *countersState) token(k trace.Kind, c count) string {
	tok, posts := s.program.tokens[c.token], &s.posts[c.token]
	switch {
	case k == trace.Post:
		s.posted[tok.first+c.posts-1] = true
		// If the first and the third post are done, only one counts until the second is done.
		for *posts < tok.n && s.posted[tok.first+*posts] {
			*posts++
		}
	case *posts < c.posts:
		return fmt.Sprintf("expected %d posts of the token before, found %d", c.posts, *posts)
	}
	return ""
}

// noAddAtZero returns why an operation of a WaitGroup is no misuse while another
// goroutine waits: only an Add at zero is.
func (s *countersState) noAddAtZero(k trace.Kind, ref int32) string {
	if n := s.groups[ref]; mayAdd(k) && n != 0 {
		return fmt.Sprintf("expected the WaitGroup's counter to be zero, found %d", n)
	}
	return ""
}

// staysAboveZero returns why an Add is no misuse: the counter does not fall
// below zero.
func (s *countersState) staysAboveZero(e *trace.Event, ref int32) string {
	if n := s.groups[ref]; n+delta(e) >= 0 {
		return fmt.Sprintf("expected the counter to fall below zero, found it at %d", n)
	}
	return ""
}

// waitReturns returns why Wait is not blocked for ever: the counter is zero, or
// Dones that still happen make it zero.
func (s *countersState) waitReturns(ref int32, f *remainingEffects) string {
	if n := s.groups[ref] + f.dones[ref]; n <= 0 {
		return fmt.Sprintf("expected a WaitGroup of which goroutines that wait in turn have Dones left, found %d", n)
	}
	return ""
}

// isWoken returns why goroutine g, which waits for a condition, is not blocked
// for ever: it was signalled, or more signals still happen than goroutines wait
// before it.
func (s *countersState) isWoken(g trace.GID, ref int32, f *remainingEffects) string {
	before := slices.Index(s.queues[ref], g)
	switch {
	case before < 0:
		return "expected a goroutine that waits for the condition, found that it was woken"
	case f.signals[ref] > before:
		return fmt.Sprintf("expected no signals to come but for the %d that wait before, found %d", before, f.signals[ref])
	}
	return ""
}

// doReturns returns why Do is not blocked for ever: no goroutine runs the Once's
// function, or the function still returns.
func (s *countersState) doReturns(ref int32, f *remainingEffects) string {
	switch {
	case ref == none || s.onces[ref] != onceRunning || !s.program.onceEnds[ref]:
		return "expected a Once of which the function is running, found another one"
	case f.ends[ref]:
		return "expected that the Once's function cannot return, found that it does"
	}
	return ""
}

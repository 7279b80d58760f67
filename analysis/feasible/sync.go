package feasible

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// lock executes an operation of a mutex, or of either side of an RWMutex. Who
// releases does not matter: Go's mutexes are not bound to goroutines.
func (s *state) lock(k trace.Kind, l *lockState) string {
	switch k {
	case trace.Acquire:
		if l.held {
			return "expected the lock to be free, found it held"
		}
		if l.readers > 0 {
			return fmt.Sprintf("expected the lock to be free, found it held by %d readers", l.readers)
		}
		l.held = true
	case trace.Release:
		if !l.held {
			return "expected the lock to be held, found it free"
		}
		l.held = false
	case trace.RAcquire:
		if l.held {
			return "expected the lock to be free for readers, found it held by a writer"
		}
		l.readers++
	case trace.RRelease:
		if l.readers == 0 {
			return "expected the lock to be held by a reader, found none"
		}
		l.readers--
	}
	return ""
}

// misusable reports whether an operation of kind k can be a violation by itself.
func misusable(k trace.Kind) bool {
	switch k {
	case trace.Release, trace.RRelease, trace.Send, trace.SelectSend, trace.Close, trace.WaitGroupAdd:
		return true
	}
	return false
}

// proper tells why the operation at pos, by which its goroutine alone violates
// something, is no misuse: a release of a lock that nobody holds, a send to or close of
// a channel that is closed, a Done that takes the counter below zero.
func (s *state) proper(pos int32) string {
	e, ref := &s.p.t.Events[pos], s.p.refs[pos]
	if ref == none {
		return "expected a channel, found nil"
	}
	switch e.Kind {
	case trace.Release, trace.RRelease:
		if l := s.locks[ref]; e.Kind == trace.Release && l.held || e.Kind == trace.RRelease && l.readers > 0 {
			return "expected the lock to be free, found it held"
		}
	case trace.WaitGroupAdd:
		if n := s.waitGroups[ref]; n+int64(e.Val) >= 0 {
			return fmt.Sprintf("expected the counter to fall below zero, found it at %d", n)
		}
	case trace.Send:
		ref = s.p.ops[ref].ch
		fallthrough
	default:
		if !s.chans[ref].closed {
			return "expected a closed channel, found it open"
		}
	}
	return ""
}

// cond executes an operation of a condition: a queue, first come first served.
func (s *state) cond(e *trace.Event, ref int32) string {
	q := &s.conds[ref]
	switch e.Kind {
	case trace.CondWait:
		*q = append(*q, e.G)
		s.signalled[e.G] = false
	case trace.CondSignal:
		if len(*q) > 0 {
			s.signalled[(*q)[0]] = true
			*q = slices.Delete(*q, 0, 1)
		}
	case trace.CondBroadcast:
		for _, g := range *q {
			s.signalled[g] = true
		}
		*q = (*q)[:0]
	case trace.CondWake:
		if !s.signalled[e.G] {
			return fmt.Sprintf("expected a signal or broadcast for this waiter, found none (%d wait)", len(*q))
		}
	}
	return ""
}

// channel executes an event of a channel or select.
func (s *state) channel(pos int32, e *trace.Event, ref int32) string {
	switch e.Kind {
	case trace.ChanMake:
		if ref != none {
			s.chans[ref].made = true
		}
	case trace.Send, trace.Recv, trace.Select:
		return s.beginChanOp(e.G, ref)
	case trace.Close:
		mayPanic := s.p.unfinished(pos)
		return s.close(ref, mayPanic)
	case trace.SendDone, trace.RecvDone:
		return s.endChanOp(e.G, ref, e.Kind == trace.RecvDone, s.p.t.Element(e))
	}
	return ""
}

func (s *state) waitGroup(pos int32, e *trace.Event, ref int32) string {
	n := &s.waitGroups[ref]
	switch e.Kind {
	case trace.WaitGroupAdd:
		*n += int64(e.Val)
		panics := s.p.unfinished(pos)
		if *n < 0 && !panics {
			return fmt.Sprintf("expected a counter from zero up, found %d", *n)
		}
	case trace.WaitGroupWait:
		s.wasZero[e.G] = *n == 0
	case trace.WaitGroupWaited:
		if *n != 0 && !s.wasZero[e.G] {
			return fmt.Sprintf("expected the WaitGroup's counter to be zero, found %d", *n)
		}
	}
	return ""
}

func (s *state) once(k trace.Kind, ref int32) string {
	if ref == none {
		return "" // its function ran before the trace began
	}
	o := &s.onces[ref]
	switch {
	case k == trace.OnceBegin:
		*o = onceRuns
	case k == trace.OnceEnd:
		*o = onceIsDone
	case *o == onceFresh:
		return "expected Once's function to have run, found that it has not begun"
	case *o == onceRuns && s.p.onceEnds[ref]:
		return "expected Once's function to have returned, found it running"
	}
	return ""
}

// awaits tells why not as many posts of a token have happened as before an await.
func (s *state) awaits(c count) string {
	if posts := s.posts[c.token]; posts < c.posts {
		return fmt.Sprintf("expected %d posts of the token before, found %d", c.posts, posts)
	}
	return ""
}

// post executes a post. An await needs all earlier posts of its token, so
// only those without a gap count.
func (s *state) post(c count) string {
	tok, posts := s.p.tokens[c.token], &s.posts[c.token]
	s.posted[tok.first+c.posts-1] = true
	for *posts < tok.n && s.posted[tok.first+*posts] {
		*posts++
	}
	return ""
}

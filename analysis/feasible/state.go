package feasible

import (
	"fmt"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A state is the state of a program after some steps. States share nothing but
// the program.
type state struct {
	// The program.
	program *program
	// By goroutine: its next event, or none.
	next []int32
	// By goroutine: its go statement was executed.
	started []bool
	// The next step is the last one of its goroutine.
	lastOfGoroutine bool
	// The branches that must come out differently than recorded, as the steps
	// leave out the events within their scopes. Saved states have none.
	flipped map[int32]bool

	mem memoryState
	// The reads that did not find the recorded value, and what depends on them.
	taints taintsState
	locks  locksState
	chans  chansState
	// Conditions, WaitGroups, Onces and tokens.
	counters countersState
}

// initial returns the state before the first step.
func (p *program) initial() *state {
	s := p.initialExceptContents()
	s.mem.cells = make([]cellState, len(p.mem.cells))
	for c := range s.mem.cells {
		s.mem.cells[c] = cellState{writer: none, taint: none}
	}
	if !p.flow.IsEmpty() {
		s.mem.vals = make([]uint64, len(s.mem.cells))
	}
	return s
}

// initialExceptContents returns the state before the first step without the
// contents of memory.
func (p *program) initialExceptContents() *state {
	n := len(p.forked)
	s := &state{
		program: p, next: make([]int32, n), started: make([]bool, n), mem: memoryState{program: p},
		taints: newTaints(p), locks: newLocks(p), chans: newChans(p), counters: newCounters(p),
	}
	for g := range s.next {
		s.next[g] = int32(p.order.Of(trace.GID(g)).First())
	}
	return s
}

// clone returns a copy of s.
func (s *state) clone() *state {
	c := s.program.initial()
	c.copyFrom(s)
	return c
}

// cloneWithoutContents returns a copy of s without the contents of memory.
func (s *state) cloneWithoutContents() *state {
	c := s.program.initialExceptContents()
	c.copyExceptContents(s)
	return c
}

// copyFrom makes s equal to o, a state of the same program.
func (s *state) copyFrom(o *state) {
	s.mem.contents.set(&o.mem.contents)
	s.copyExceptContents(o)
}

// copyExceptContents makes s equal to o, a state of the same program, except
// for the contents of memory.
func (s *state) copyExceptContents(o *state) {
	copy(s.next, o.next)
	copy(s.started, o.started)
	s.lastOfGoroutine, s.flipped = o.lastOfGoroutine, o.flipped
	s.taints.set(&o.taints)
	s.locks.set(&o.locks)
	s.chans.set(&o.chans)
	s.counters.set(&o.counters)
}

// nextOf returns the next event of goroutine g, and why the goroutine is not at
// it: there is none, or the goroutine was not started.
func (s *state) nextOf(g int) (pos int32, reason string) {
	switch pos = s.next[g]; {
	case pos == none:
		return none, "expected no more events of the goroutine, all are done"
	case s.program.forked[g] && !s.started[g]:
		return none, "expected the goroutine's fork first"
	}
	return pos, ""
}

// step executes the event at pos, which must be the next of its goroutine. It
// returns why that is impossible, and "" if it is not; after a failure the
// state is of no use.
func (s *state) step(pos int32) string {
	e := &s.program.t.Events[pos]
	reason := s.taints.cannotReach(e)
	if reason == "" {
		reason = s.execute(pos, e)
	}
	if reason == "" {
		s.next[e.G] = s.program.next(pos)
		if s.flipped[pos] {
			end, _ := s.program.slice.ScopeEnd(int(pos))
			s.next[e.G] = int32(end)
		}
	}
	return reason
}

// execute executes the event at pos by what it is about.
func (s *state) execute(pos int32, e *trace.Event) string {
	ref := s.program.refs[pos]
	switch k := e.Kind; k.Class() {
	case trace.ClassAccess:
		return s.access(pos, e, ref)
	case trace.ClassGoroutine:
		if k == trace.Fork && e.Obj < uint64(len(s.started)) {
			s.started[e.Obj] = true
			s.taints.infect(trace.GID(e.Obj), s.taints.goroutineTaints[e.G])
		}
	case trace.ClassControl:
		if k == trace.Branch || k == trace.Assert || k == trace.Panic || k == trace.Operand && s.program.flow.InstanceAt(int(pos)) != nil {
			return s.decide(pos, e)
		}
	case trace.ClassLock:
		return s.locks.execute(e, ref)
	case trace.ClassCond:
		return s.counters.cond(e, ref)
	case trace.ClassChannel:
		return s.chans.execute(pos, e, ref, &s.taints)
	case trace.ClassWaitGroup:
		return s.counters.waitGroup(pos, e, ref)
	case trace.ClassOnce:
		return s.counters.once(k, ref)
	case trace.ClassToken:
		switch {
		case ref != none:
			return s.counters.token(k, s.program.counts[ref])
		case k == trace.Await:
			return s.missingPredecessor(pos)
		}
	}
	return ""
}

// missingPredecessor returns why not all events before pos have happened, or "".
func (s *state) missingPredecessor(pos int32) string {
	for _, next := range s.next {
		if next != none && next < pos {
			return fmt.Sprintf("expected %s before, found that it has not happened", s.program.describe(int(next)))
		}
	}
	return ""
}

// decide executes an event whose outcome depends on values that its goroutine
// has read.
func (s *state) decide(pos int32, e *trace.Event) string {
	in := s.program.flow.InstanceAt(int(pos))
	otherwise, known := false, false
	if in != nil {
		otherwise, known = s.taints.comesOutDifferently(e, in)
	}
	if end, ok := s.program.slice.ScopeEnd(int(pos)); ok && s.program.t.Sites[e.Site].Scope.MayFlip(e) {
		if int32(end) == s.program.next(pos) || s.flipped[pos] && otherwise {
			return "" // the steps leave out the events within its scope
		}
	}
	switch {
	case s.flipped[pos]:
		return "expected the other outcome, found that it is not known to come"
	case in != nil && (!known || otherwise):
		return "expected the recorded outcome, found what may be the other one, by what was read"
	}
	if reason := s.taints.mayComeOutDifferently(e.G); reason != "" {
		return reason
	}
	if e.Kind == trace.Panic {
		return s.chans.panicked(e.G)
	}
	return ""
}

// noViolation returns why the event at pos, the next one of its goroutine, cannot
// be part of a violation: an assertion that holds, a send or close on a closed
// channel, or an Add to a WaitGroup whose counter is not zero.
func (s *state) noViolation(pos int32) string {
	e, ref := &s.program.t.Events[pos], s.program.refs[pos]
	switch k := e.Kind; {
	case s.program.t.Sites[e.Site].FailsIf != trace.NoOutcome:
		return s.taints.assertionHolds(pos, e)
	case ref == none:
	case k.Class() == trace.ClassWaitGroup:
		return s.counters.noAddAtZero(k, ref)
	case k == trace.Send || k == trace.SelectSend || k == trace.Close:
		if s.chans.states[s.program.channelOf(k, ref)].closed {
			return "expected an open channel, found it closed"
		}
	}
	return ""
}

// misusable reports whether a single operation of kind k can be a violation.
func misusable(k trace.Kind) bool {
	switch k {
	case trace.Release, trace.RRelease, trace.Send, trace.SelectSend, trace.Close:
		return true
	}
	return mayAdd(k)
}

// noMisuse returns why the operation at pos is not a violation by itself. That is
// a release of a lock that is not held, a send on or close of a closed channel,
// or a Done that makes the counter negative.
func (s *state) noMisuse(pos int32) string {
	e, ref := &s.program.t.Events[pos], s.program.refs[pos]
	switch k := e.Kind; {
	case ref == none:
		return "expected a channel, found nil"
	case k.Class() == trace.ClassLock:
		return s.locks.isHeld(k, ref)
	case k.Class() == trace.ClassWaitGroup:
		return s.counters.staysAboveZero(e, ref)
	case !s.chans.states[s.program.channelOf(k, ref)].closed:
		return "expected a closed channel, found it open"
	}
	return ""
}

// isViolation reports whether the event at pos, at which its goroutine stands, is a
// violation by itself.
func (s *state) isViolation(pos int32, e *trace.Event) bool {
	if misusable(e.Kind) {
		return s.taints.cannotReach(e) == "" && s.noMisuse(pos) == ""
	}
	return s.taints.assertionHolds(pos, e) == ""
}

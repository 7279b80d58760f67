package feasible

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A remainingEffects has the events that still happen, by the trace, if some
// goroutines are blocked for ever.
type remainingEffects struct {
	// By channel: there are such operations to come.
	sends, recvs, closes []bool
	// By WaitGroup: what Dones to come take away.
	dones []int64
	// By condition: how many waiters the signals to come wake at most.
	signals []int
	// By Once: its function returns.
	ends []bool
}

// A stoppage finds the events that do not happen if some goroutines are blocked
// for ever, in the order of the trace.
type stoppage struct {
	*state
	// By goroutine: it is blocked for ever.
	stopped []bool
	// By lock: how blocked goroutines hold it.
	lockedBy []lockSide
	// By number of a ranked operation on a channel (channel.number): it does
	// not happen.
	begins []bool
	// By channel: its close does not happen.
	closes []bool
	// By WaitGroup: one of its Dones does not happen.
	groups []bool
	// By token: one of its posts does not happen.
	tokens []bool
	// By Once: the end of its function does not happen.
	onces []bool
	// By condition: the number of waiters that may still be woken.
	wakers []int
	// By goroutine: its wait for a condition begins after the first goroutines
	// are blocked.
	waitsForCond []bool
}

// A lockSide is how a lock is held, 0 if it is not.
type lockSide uint8

const (
	forReading lockSide = 1 + iota
	forWriting
)

// effectsWithout returns the events that still happen if the goroutines that are
// about to execute ops are blocked for ever. These are the events that do not
// depend, directly or by other goroutines, on later events of the blocked
// goroutines or on locks that these hold. The begins of the operations count as
// well. The result is nil if all operations are acquires: only locks matter for
// these.
func (s *state) effectsWithout(ops []int32) *remainingEffects {
	if !slices.ContainsFunc(ops, func(pos int32) bool { return s.program.t.Events[pos].Kind.Class() != trace.ClassLock }) {
		return nil
	}
	n, groups, conds, onces := len(s.program.chans), s.program.waitGroups, s.program.conds, len(s.program.onceEnds)
	f := &remainingEffects{sends: make([]bool, n), recvs: make([]bool, n), closes: make([]bool, n), dones: make([]int64, groups), signals: make([]int, conds), ends: make([]bool, onces)}
	h := &stoppage{
		state: s, stopped: make([]bool, len(s.next)), lockedBy: make([]lockSide, s.program.locks), begins: make([]bool, s.program.ranked), closes: make([]bool, n),
		groups: make([]bool, groups), tokens: make([]bool, len(s.program.tokens)), onces: make([]bool, onces), wakers: make([]int, conds), waitsForCond: make([]bool, len(s.next)),
	}
	h.countWakers()
	h.keepLocks(ops)
	s.toCome(func(pos int32, e *trace.Event) {
		// One pass in recorded order is enough: what an event needs came before it in the recorded run.
		begins := slices.Contains(ops, pos)
		h.stopped[e.G] = h.stopped[e.G] || begins || h.needsStopped(pos, e)
		if h.stopped[e.G] {
			h.stop(pos, e)
		}
		if begins || !h.stopped[e.G] {
			f.add(s.program, pos, e)
		}
	})
	return f
}

// toCome calls f for the events that have not happened, in the order of the
// trace.
func (s *state) toCome(f func(pos int32, e *trace.Event)) {
	for i := s.toComeFrom(); i < len(s.program.t.Events); i++ {
		pos, e := int32(i), &s.program.t.Events[i]
		if next := s.next[e.G]; next != none && pos >= next {
			f(pos, e)
		}
	}
}

// toComeFrom returns the position of the first event that has not happened.
func (s *state) toComeFrom() int {
	from := len(s.program.t.Events)
	for _, next := range s.next {
		if next != none {
			from = min(from, int(next))
		}
	}
	return from
}

// countWakers counts the signals that have not happened.
func (h *stoppage) countWakers() {
	if h.program.conds == 0 {
		return
	}
	h.toCome(func(pos int32, e *trace.Event) {
		if e.Kind.Class() == trace.ClassCond {
			h.wakers[h.program.refs[pos]] += mostWoken(e)
		}
	})
}

// keepLocks records the locks that the goroutines at ops hold. A writer that
// waits keeps readers out.
func (h *stoppage) keepLocks(ops []int32) {
	for _, pos := range ops {
		e := &h.program.t.Events[pos]
		for held := range h.locks.heldBy(e.G) {
			how := forWriting
			if held.shared {
				how = forReading
			}
			h.lockedBy[held.lock] = max(h.lockedBy[held.lock], how)
		}
		if e.Kind == trace.Acquire {
			h.lockedBy[h.program.refs[pos]] = forWriting
		}
	}
}

// needsStopped reports whether event e needs an event that does not happen.
func (h *stoppage) needsStopped(pos int32, e *trace.Event) bool {
	ref := h.program.refs[pos]
	switch k := e.Kind; {
	case k == trace.CondWait:
		h.waitsForCond[e.G] = true
	case k == trace.CondWake:
		return h.wakers[ref] == 0 && (h.waitsForCond[e.G] || !h.counters.signalled[e.G])
	case ref == none:
	case k == trace.Acquire:
		return h.lockedBy[ref] > 0
	case k == trace.RAcquire:
		return h.lockedBy[ref] == forWriting
	case k.Class() == trace.ClassChannel:
		if n, ok := h.program.partner(e, ref); ok {
			return h.begins[n]
		}
		return findsClosed(e) && h.closes[ref]
	case k == trace.WaitGroupWaited:
		return h.groups[ref]
	case k == trace.Await:
		return h.tokens[h.program.counts[ref].token]
	case k == trace.OnceDone:
		return h.onces[ref]
	}
	return false
}

// stop records that event e does not happen.
func (h *stoppage) stop(pos int32, e *trace.Event) {
	ref := h.program.refs[pos]
	switch k := e.Kind; {
	case k == trace.Fork && e.Obj < uint64(len(h.stopped)):
		h.stopped[e.Obj] = true
	case ref == none:
	case k == trace.Send || k == trace.Recv || k == trace.Select:
		o := &h.program.ops[ref]
		if n, ok := h.program.chans[o.ch].number(o.recv, o.rank); ok {
			h.begins[n] = true
		}
	case k == trace.Close:
		h.closes[ref] = true
	case k.Class() == trace.ClassWaitGroup:
		h.groups[ref] = h.groups[ref] || delta(e) < 0
	case k == trace.Post:
		h.tokens[h.program.counts[ref].token] = true
	case k == trace.OnceEnd:
		h.onces[ref] = true
	case k.Class() == trace.ClassCond:
		h.wakers[ref] -= mostWoken(e)
	}
}

// add records that event e still happens.
func (f *remainingEffects) add(p *program, pos int32, e *trace.Event) {
	ref := p.refs[pos]
	switch k := e.Kind; {
	case ref == none:
	case k == trace.Send || k == trace.Recv || k == trace.Select:
		if o := &p.ops[ref]; o.recv {
			f.recvs[o.ch] = true
		} else {
			f.sends[o.ch] = true
		}
	case k == trace.SelectSend:
		f.sends[ref] = true
	case k == trace.Close:
		f.closes[ref] = true
	case k.Class() == trace.ClassWaitGroup:
		f.dones[ref] += min(0, delta(e))
	case k.Class() == trace.ClassCond:
		f.signals[ref] += mostWoken(e)
	case k == trace.OnceEnd:
		f.ends[ref] = true
	}
}

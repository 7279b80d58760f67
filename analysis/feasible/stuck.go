package feasible

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// StuckFrom is [Judge.CheckFrom] for a deadlock: after the steps goroutines stand before
// the operations at the given positions, one of each goroutine, and none of them can go
// on as long as the others do not. What other goroutines do by then or later does not
// free them, as far as the trace tells. Who waits for a condition stands before it wakes,
// and who waits for a Once's function before Do returns.
func (j *Judge) StuckFrom(from int, steps, operations []int) error {
	if err := j.CheckFrom(from, steps, operations); err != nil {
		return err
	}
	ops := make([]int32, len(operations))
	for k, pos := range operations {
		ops[k] = int32(pos)
	}
	h := j.s.halt(ops)
	if h != nil {
		j.spent += len(j.p.t.Events) - j.s.toComeFrom()
	}
	for _, pos := range ops {
		if reason := j.s.goesOn(pos, ops, h); reason != "" {
			return j.infeasible(len(steps), int(pos), reason)
		}
	}
	return nil
}

// goesOn tells why the operation at pos, at which its goroutine stands, is not blocked
// as long as all those that stand at ops do not go on, so that h is what happens.
func (s *state) goesOn(pos int32, ops []int32, h *halted) string {
	e, ref := &s.p.t.Events[pos], s.p.refs[pos]
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		if e.Flags&trace.FlagTry != 0 {
			return "expected an operation that waits for the lock, found one that gives up"
		}
		others := slices.DeleteFunc(slices.Clone(ops), func(o int32) bool { return o == pos })
		return s.free(ref, e.Kind == trace.RAcquire, others)
	case trace.CondWake:
		return s.wakes(e.G, ref, h)
	case trace.OnceDone:
		return s.returns(ref, h)
	case trace.Send, trace.Recv, trace.Select, trace.WaitGroupWait:
		switch {
		case e.Flags&trace.FlagDefault != 0:
			return "expected a select that waits, found one with a default"
		case ref == none:
			return "" // a nil channel
		case s.p.unfinished(pos):
			return "expected an operation that was completed in the recorded run, found one that was not"
		case e.Kind == trace.WaitGroupWait:
			return s.counts(ref, h)
		}
		if e.Kind != trace.Select {
			return s.passes(&s.p.ops[ref], h)
		}
		for at := s.p.firstCase(pos); at != none && at != pos; at = s.p.next(at) {
			if other := s.p.refs[at]; other != none { // another case
				if reason := s.passes(&chanOp{ch: other}, h); reason != "" {
					return reason
				}
			}
		}
		return s.passes(&s.p.ops[ref], h)
	}
	return "expected an operation that can block for ever, found another one"
}

// counts tells why Wait returns: the WaitGroup's counter is zero, or others take away
// all of it.
func (s *state) counts(ref int32, h *halted) string {
	if n := s.waitGroups[ref] + h.dones[ref]; n <= 0 {
		return fmt.Sprintf("expected a WaitGroup of which goroutines that wait in turn have Dones left, found %d", n)
	}
	return ""
}

// wakes tells why goroutine g, which waits for a condition, is woken: it was, or there are
// more signals to come than goroutines in line before it.
func (s *state) wakes(g trace.GID, ref int32, h *halted) string {
	line := slices.Index(s.conds[ref], g)
	switch {
	case line < 0:
		return "expected a goroutine that waits for the condition, found that it was woken"
	case h.signals[ref] > line:
		return fmt.Sprintf("expected no signals to come but for the %d that wait before, found %d", line, h.signals[ref])
	}
	return ""
}

// returns tells why Do returns: nobody runs the Once's function, or it comes to its end.
func (s *state) returns(ref int32, h *halted) string {
	switch {
	case ref == none || s.onces[ref] != onceRuns || !s.p.onceEnds[ref]:
		return "expected a Once of which the function is running, found another one"
	case h.ends[ref]:
		return "expected that the Once's function cannot return, found that it does"
	}
	return ""
}

// passes tells why an operation that begins now on a channel completes.
func (s *state) passes(o *chanOp, h *halted) string {
	c, ch := &s.chans[o.ch], &s.p.chans[o.ch]
	n, others := uint64(c.sends)+1, uint64(c.recvs)+ch.cap
	if o.recv {
		n, others = uint64(c.recvs)+1, uint64(c.sends)
	}
	switch {
	case ch.external:
		return "expected a channel of which all elements come from sends, found one that others send to"
	case c.closed || h.closes[o.ch]:
		return "expected a channel that stays open, found it closed"
	case n <= others || c.strays != [2]uint32{}:
		return fmt.Sprintf("expected a channel on which operation number %d has to wait, found %d of the other side", n, others)
	case o.recv && h.sends[o.ch], !o.recv && h.recvs[o.ch]:
		return "expected that nobody but those who wait in turn could come to the channel's other side, found one"
	}
	return ""
}

// free tells why a lock is not kept from a goroutine that wants it, for reading or for
// writing, by those that stand at others: none of them has it, and none waits for it
// and so shuts out a reader (sync.RWMutex).
func (s *state) free(lock int32, read bool, others []int32) string {
	for _, pos := range others {
		e := &s.p.t.Events[pos]
		writes, reads := s.has(e.G, lock)
		waits := e.Kind == trace.Acquire && s.p.refs[pos] == lock
		if writes || !read && reads || read && waits {
			return ""
		}
	}
	l := &s.locks[lock]
	return fmt.Sprintf("expected the lock to be kept by one that waits in turn, found none (held: %t, readers: %d)", l.held, l.readers)
}

// Deadlocks returns by goroutine, in ascending order, the operations of the sets of goroutines that
// are stuck in some feasible interleaving of t: each stands at an operation that is blocked
// as long as the others of the set do not go on. It returns each largest such set of a
// state once. Like [Races] it is for small traces.
func Deadlocks(t *trace.Trace) (sets [][]int) {
	p := compiled(t)
	found := map[string]bool{}
	p.visit(func(s *state) bool {
		if set := s.stuck(); len(set) > 0 && !found[fmt.Sprint(set)] {
			found[fmt.Sprint(set)] = true
			sets = append(sets, set)
		}
		return true
	})
	return sets
}

// stuck returns the operations of the largest set of goroutines that are stuck.
func (s *state) stuck() (set []int) {
	var ops []int32
	for g := range s.p.forked {
		if pos, reason := s.next(g); reason == "" {
			ops = append(ops, pos)
		}
	}
	for n := 0; n != len(ops); {
		n = len(ops)
		h, all := s.halt(ops), ops
		ops = slices.DeleteFunc(slices.Clone(all), func(pos int32) bool { return s.goesOn(pos, all, h) != "" })
	}
	for _, pos := range ops {
		set = append(set, int(pos))
	}
	return set
}

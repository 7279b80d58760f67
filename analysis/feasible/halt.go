package feasible

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// halted is what still happens, by the trace, where some goroutines do not go on.
type halted struct {
	sends, recvs, closes []bool  // by channel: there are some to come
	dones                []int64 // by WaitGroup: what Dones to come take away
	signals              []int   // by condition: how many waiters those to come wake at most
	ends                 []bool  // by Once: its function returns
}

// A halting follows what does not happen, in the order of the trace.
type halting struct {
	*state
	stops  []bool     // by goroutine: it has come to where it does not go on
	kept   []lockSide // by lock: how those who do not go on hold it
	begins []bool     // by number of a ranked operation on a channel, see channel.number: it does not happen
	closes []bool     // by channel: its close does not
	groups []bool     // by WaitGroup: one of its Dones does not
	tokens []bool     // by token: one of its posts does not
	onces  []bool
	wakers []int  // by condition: how many waiters may be woken yet
	waits  []bool // by goroutine: it has not begun to wait for a condition when the others stop
}

// lockSide is how a lock is held, 0 if it is not.
type lockSide uint8

const (
	forReading lockSide = 1 + iota
	forWriting
)

// halt returns what still happens if the goroutines that stand at ops do not go on: of all
// events that have not happened those that need none of theirs, nor a lock that these
// keep, directly or by others that wait for them; and that they begin the operations. It
// is nil where all these are acquires, to which nothing else matters.
func (s *state) halt(ops []int32) *halted {
	if !slices.ContainsFunc(ops, func(pos int32) bool { return s.p.t.Events[pos].Kind.Class() != trace.ClassLock }) {
		return nil
	}
	n := len(s.p.chans)
	h := &halted{sends: make([]bool, n), recvs: make([]bool, n), closes: make([]bool, n), dones: make([]int64, s.p.waitGroups), signals: make([]int, s.p.conds), ends: make([]bool, len(s.onces))}
	x := &halting{
		state: s, stops: make([]bool, len(s.cur)), kept: make([]lockSide, s.p.locks), begins: make([]bool, s.p.ranked),
		closes: make([]bool, n), groups: make([]bool, s.p.waitGroups), tokens: make([]bool, len(s.p.tokens)), onces: make([]bool, len(s.onces)),
		wakers: make([]int, s.p.conds), waits: make([]bool, len(s.cur)),
	}
	if s.p.conds > 0 {
		s.toCome(func(pos int32, e *trace.Event) {
			if e.Kind.Class() == trace.ClassCond {
				x.wakers[s.p.refs[pos]] += woken(e)
			}
		})
	}
	for _, pos := range ops {
		for h := range s.holding(s.p.t.Events[pos].G) {
			how := forWriting
			if h.shared {
				how = forReading
			}
			x.kept[h.lock] = max(x.kept[h.lock], how)
		}
	}
	for _, pos := range ops { // a writer that waits keeps readers out
		if s.p.t.Events[pos].Kind == trace.Acquire {
			x.kept[s.p.refs[pos]] = forWriting
		}
	}
	s.toCome(func(pos int32, e *trace.Event) {
		begins := slices.Contains(ops, pos)
		x.stops[e.G] = x.stops[e.G] || begins || x.needs(pos, e)
		if x.stops[e.G] {
			x.drop(pos, e)
		}
		if begins || !x.stops[e.G] {
			h.add(s.p, pos, e)
		}
	})
	return h
}

// toCome calls f with the events that have not happened, in the order of the trace.
func (s *state) toCome(f func(pos int32, e *trace.Event)) {
	for i := s.toComeFrom(); i < len(s.p.t.Events); i++ {
		pos, e := int32(i), &s.p.t.Events[i]
		if next := s.cur[e.G]; next != none && pos >= next {
			f(pos, e)
		}
	}
}

// toComeFrom is the first of the events that have not happened.
func (s *state) toComeFrom() int {
	from := len(s.p.t.Events)
	for _, next := range s.cur {
		if next != none {
			from = min(from, int(next))
		}
	}
	return from
}

// everybody is how many waiters a broadcast wakes.
const everybody = 1 << 30

// woken is how many waiters for a condition e wakes at most.
func woken(e *trace.Event) int {
	switch e.Kind {
	case trace.CondSignal:
		return 1
	case trace.CondBroadcast:
		return everybody
	}
	return 0
}

// needs reports whether event e needs one that does not happen.
func (x *halting) needs(pos int32, e *trace.Event) bool {
	ref := x.p.refs[pos]
	switch e.Kind {
	case trace.Acquire:
		return x.kept[ref] > 0
	case trace.RAcquire:
		return x.kept[ref] == forWriting
	case trace.SendDone:
		c, n := x.p.chans, x.p.t.Element(e)
		return ref != none && n > c[ref].cap && x.drops(ref, true, n-c[ref].cap)
	case trace.RecvDone:
		return ref != none && (x.drops(ref, false, x.p.t.Element(e)) || e.Val == 0 && x.closes[ref])
	case trace.WaitGroupWaited:
		return x.groups[ref]
	case trace.Await:
		return ref != none && x.tokens[x.p.counts[ref].token]
	case trace.OnceDone:
		return ref != none && x.onces[ref]
	case trace.CondWait:
		x.waits[e.G] = true
	case trace.CondWake:
		return x.wakers[ref] == 0 && (x.waits[e.G] || !x.signalled[e.G])
	}
	return false
}

// drops reports whether the operation of that rank on one side of a channel does not happen.
func (x *halting) drops(ch int32, recv bool, rank uint64) bool {
	n, ok := x.p.chans[ch].number(recv, rank)
	return ok && x.begins[n]
}

// drop notes that event e does not happen.
func (x *halting) drop(pos int32, e *trace.Event) {
	ref := x.p.refs[pos]
	switch {
	case e.Kind == trace.Fork && e.Obj < uint64(len(x.stops)):
		x.stops[e.Obj] = true
	case ref == none:
	case e.Kind == trace.Send || e.Kind == trace.Recv || e.Kind == trace.Select:
		o := &x.p.ops[ref]
		if n, ok := x.p.chans[o.ch].number(o.recv, o.rank); ok {
			x.begins[n] = true
		}
	case e.Kind == trace.Close:
		x.closes[ref] = true
	case e.Kind == trace.WaitGroupAdd:
		x.groups[ref] = x.groups[ref] || int64(e.Val) < 0
	case e.Kind == trace.Post:
		x.tokens[x.p.counts[ref].token] = true
	case e.Kind == trace.OnceEnd:
		x.onces[ref] = true
	case e.Kind.Class() == trace.ClassCond:
		x.wakers[ref] -= woken(e)
	}
}

// add notes that event e happens.
func (h *halted) add(p *program, pos int32, e *trace.Event) {
	ref := p.refs[pos]
	switch {
	case ref == none:
	case e.Kind == trace.Send || e.Kind == trace.Recv || e.Kind == trace.Select:
		if o := &p.ops[ref]; o.recv {
			h.recvs[o.ch] = true
		} else {
			h.sends[o.ch] = true
		}
	case e.Kind == trace.SelectSend:
		h.sends[ref] = true
	case e.Kind == trace.Close:
		h.closes[ref] = true
	case e.Kind == trace.WaitGroupAdd:
		h.dones[ref] += min(0, int64(e.Val))
	case e.Kind.Class() == trace.ClassCond:
		h.signals[ref] += woken(e)
	case e.Kind == trace.OnceEnd:
		h.ends[ref] = true
	}
}

package symbolic

import (
	"maps"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// This file says which selects may choose another case than they chose, in runs that are as
// recorded up to there: a case must be ready then. The recorded operations on its channel tell, in
// whatever order they come.
//
// It counts. A receive can be ready if more sends may have begun than receives are done in each run.
// So it may say that a case can be ready that never is. Then a proof is given up for nothing, but no
// proof is wrong.

// selectChoices is what is known of the channels that selects have cases on.
type selectChoices struct {
	m          *Model
	channels   map[uint64]*channelUse
	effortLeft int // of maxChoosing
	// unawaited are the posts without an await, such as timers that have not fired. The trace does
	// not show what they would have done.
	unawaited []int32
}

// A channelUse is the operations on one channel.
type channelUse struct {
	known bool // no element comes or goes without an event
	cap   int
	// sends and recvs are where operations begin, those that never completed and all cases of
	// selects included. sent and received are where elements were passed.
	sends, recvs, sent, received, closes []int32
}

func newChoosing(m *Model) *selectChoices {
	c := &selectChoices{m: m, channels: make(map[uint64]*channelUse), effortLeft: maxChoosing}
	for k := range m.channels {
		c.addChannel(&m.channels[k])
	}
	started := make(map[uint64]int32)
	for i := range m.t.Events {
		e, pos := &m.t.Events[i], int32(i)
		switch e.Kind {
		case trace.SelectSend:
			c.of(e.Obj).sends = append(c.of(e.Obj).sends, pos)
		case trace.SelectRecv:
			c.of(e.Obj).recvs = append(c.of(e.Obj).recvs, pos)
		case trace.Post:
			if e.Val == 0 { // else it belongs to a sync.Pool
				started[e.Obj] = pos
			}
		case trace.Await:
			delete(started, e.Obj)
		}
	}
	c.unawaited = slices.Sorted(maps.Values(started))
	return c
}

// addChannel takes over what the table of facts has of a channel.
func (c *selectChoices) addChannel(ch *channel) {
	m := c.m
	to := c.of(m.facts.Objects(trace.ClassChannel).Object(ch.number))
	if made := m.facts.Channel(ch.number).Made; made != none {
		// The library itself sends on the channels of package time.
		to.known = !ch.unaccounted && !strings.HasPrefix(m.t.Sites[m.event(made).Site].Func, "time.")
	}
	to.cap, to.closes = ch.capacity, ch.closes
	for op := range m.operationsOn(ch) {
		begun, done := &to.sends, &to.sent
		if op.Receive {
			begun, done = &to.recvs, &to.received
		}
		if m.event(op.Begin).Kind != trace.Select {
			*begun = append(*begun, op.Begin)
		}
		if op.Outcome == facts.Passed {
			*done = append(*done, op.Done)
		}
	}
}

func (c *selectChoices) of(obj uint64) *channelUse { return findOrMake(c.channels, obj) }

// A selectState is one select.
//
// An example: a select waits to receive from c or d, and chose d. Another goroutine may have begun
// one send on c by then. No receive must be done before the choice, so the case of c can be ready:
// one is more than none. If the send must follow the select, no send can have begun, and d was the
// only choice.
type selectState struct {
	*selectChoices
	g           trace.GID
	begin, done int32 // where it begins, and where it has chosen; the former if it never did
}

// chooses reports whether the select at position i may choose another case than it did.
func (m *departureFinder) chooses(i int32) bool {
	if m.selects == nil {
		m.selects = newChoosing(m.Model)
	}
	return m.selects.chooses(i)
}

// chooses reports whether the select at position i may choose another case than it did.
func (c *selectChoices) chooses(i int32) bool {
	m, e := c.m, c.m.event(i)
	none := e.Flags&trace.FlagDefault != 0 // it may find no case ready
	if e.Val <= 1 && !none {
		return false
	}
	s := selectState{c, e.G, i, i}
	var chosen *trace.Event // the operation of the case; nil for the default
	if d := m.next(i); d >= 0 && m.event(d).Kind == trace.SelectDone {
		s.done = d
		if m.event(d).Val == 0 {
			none = false
		} else if d = m.next(d); d >= 0 {
			chosen = m.event(d)
		}
	}
	cases := uint64(0)
	for k := m.prev(i); k >= 0; k = m.prev(k) {
		o := m.event(k)
		recv := o.Kind == trace.SelectRecv
		if !recv && o.Kind != trace.SelectSend || o.Site != e.Site {
			break
		}
		cases++
		ch := s.of(o.Obj)
		switch {
		case chosen != nil && chosen.Obj == o.Obj && chosen.Kind.Receives() == recv:
			if chosen = nil; none && !s.mustBeReady(ch, recv) {
				return true
			}
		case o.Obj != 0 && s.canBeReady(ch, recv): // the nil channel is never ready
			return true
		}
	}
	// Val is how many cases the source has. What the trace does not show may have been ready.
	return cases != e.Val || chosen != nil // some cases are not in the trace
}

// canBeReady reports whether the case can be ready.
func (s *selectState) canBeReady(ch *channelUse, recv bool) bool {
	if s.effortLeft -= len(ch.sends) + len(ch.recvs) + len(ch.sent) + len(ch.received); s.effortLeft < 0 {
		return true
	}
	if !ch.known || slices.ContainsFunc(ch.closes, func(i int32) bool { return !s.after(i) }) || s.mayBeTriggered() {
		return true
	}
	if recv {
		return s.mostBegun(ch.sends, ch.sent) > s.leastDone(ch.received)
	}
	return s.mostBegun(ch.recvs, ch.received)+ch.cap > s.leastDone(ch.sent)
}

// mustBeReady reports whether the chosen case is ready in each run.
func (s *selectState) mustBeReady(ch *channelUse, recv bool) bool {
	switch {
	case !ch.known:
		return false
	case len(ch.closes) > 0:
		return recv && slices.ContainsFunc(ch.closes, s.before)
	case recv:
		return s.leastDone(ch.sent) > s.mostBegun(ch.recvs, ch.received)
	}
	return s.leastDone(ch.received)+ch.cap > s.mostBegun(ch.sends, ch.sent)
}

// mostBegun returns how many operations can have begun by then: of other goroutines all that need
// not follow the select, of its own those that are done.
func (s *selectState) mostBegun(begins, dones []int32) (n int) {
	for _, i := range begins {
		if s.m.gid(i) != s.g && !s.after(i) {
			n++
		}
	}
	return n + s.ownDone(dones)
}

// leastDone returns how many operations are done by then in each run.
func (s *selectState) leastDone(dones []int32) (n int) {
	for _, i := range dones {
		if s.m.gid(i) != s.g && s.before(i) {
			n++
		}
	}
	return n + s.ownDone(dones)
}

// ownDone returns how many of the operations the goroutine itself has done by then.
func (s *selectState) ownDone(dones []int32) (n int) {
	for _, i := range dones {
		if s.m.gid(i) == s.g && i < s.begin {
			n++
		}
	}
	return n
}

// mayBeTriggered reports whether something that has no event may still happen.
func (s *selectState) mayBeTriggered() bool {
	test := s.m.t.Goroutines[s.g].Test
	return slices.ContainsFunc(s.unawaited, func(i int32) bool {
		its := s.m.t.Goroutines[s.m.gid(i)].Test
		return (its == test || its == "") && !s.after(i)
	})
}

// after reports whether event i follows the choice in each run that is as recorded up to there.
func (s *selectState) after(i int32) bool { return i > s.begin && s.mustPrecede(s.done, i) }

// before reports whether event i precedes the select in each such run.
func (s *selectState) before(i int32) bool { return i < s.begin && s.mustPrecede(i, s.begin) }

// mustPrecede reports whether event i precedes the point at which event j is next, as far as the
// effort suffices to find out.
func (s *selectState) mustPrecede(i, j int32) bool {
	if s.effortLeft--; s.effortLeft < 0 {
		return false
	}
	return s.m.orderedReads.mustPrecede(i, j)
}

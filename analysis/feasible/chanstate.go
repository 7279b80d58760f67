package feasible

import (
	"fmt"
	"maps"
	"math"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A chansState is the state of all channels, and of the operations on them
// that are underway.
type chansState struct {
	program *program
	// By channel.
	states []chanState
	// By goroutine: the operation that it has begun and not completed.
	underway []chanWait
	// The taints of the elements that were sent.
	elements map[element]int32
}

// A chanState is the state of a channel. The runtime passes elements as soon as
// it can. So the numbers of operations that have begun determine which of them
// have taken effect. A trace has fewer than 2^31 of them.
type chanState struct {
	made, closed bool
	// The numbers of ranked operations that have begun.
	sends, recvs uint32
	// The number of elements that were sent before the close.
	sentBeforeClose uint32
	// The number of the last element that passes as in the trace. The queue has
	// after it an operation that found the channel closed in the trace and found
	// it open now.
	lastUnchanged uint32
	// The numbers of sends and receives without a rank that began while the
	// channel was open.
	unrankedBegun [2]uint32
	// The number of elements that could be sent before the close, and the number
	// of sends that had begun, including those without a rank.
	roomBeforeClose, begunBeforeClose uint32
}

// A chanWait is a channel operation that a goroutine has begun.
type chanWait struct {
	// The operation, an index of program.ops, or none.
	op int32
	// It began while the channel was open.
	open bool
	// The number of operations of its side that began before it.
	before uint32
}

// An element identifies an element of a channel.
type element struct {
	ch int32
	n  uint64 // its number
}

func newChans(p *program) chansState {
	s := chansState{program: p, states: make([]chanState, len(p.chans)), underway: make([]chanWait, len(p.forked)), elements: map[element]int32{}}
	for c := range s.states {
		s.states[c] = chanState{lastUnchanged: math.MaxUint32, closed: p.chans[c].closed}
	}
	for g := range s.underway {
		s.underway[g].op = none
	}
	return s
}

// set makes s what o is.
func (s *chansState) set(o *chansState) {
	copy(s.states, o.states)
	copy(s.underway, o.underway)
	s.elements = maps.Clone(o.elements)
}

// sentSoFar returns the number of sends that have taken effect.
func (c *chanState) sentSoFar(ch *channel) uint64 {
	if c.closed {
		return uint64(c.sentBeforeClose)
	}
	return min(uint64(c.sends), uint64(c.recvs)+ch.cap)
}

// begin begins an operation of goroutine g, which has the given taint.
func (s *chansState) begin(g trace.GID, ref, taint int32) string {
	s.underway[g] = chanWait{op: ref}
	if ref == none {
		return ""
	}
	o := &s.program.ops[ref]
	c := &s.states[o.ch]
	count, side, word := &c.sends, 0, "send"
	if o.recv {
		count, side, word = &c.recvs, 1, "receive"
	}
	s.underway[g] = chanWait{op: ref, open: !c.closed, before: *count}
	if taint != none && !o.recv {
		s.elements[element{o.ch, o.rank}] = taint
	}
	switch {
	case s.program.chans[o.ch].made && !c.made:
		return "expected the channel to be made before, found that it is not"
	case o.rank == 0:
		if !c.closed || o.recv && c.recvs < c.sentBeforeClose {
			c.lastUnchanged = min(c.lastUnchanged, *count)
		}
		if c.closed {
			return ""
		}
		c.unrankedBegun[side]++
		if c.unrankedBegun[1-side] > 0 {
			return "expected the channel to be closed, found that this operation completes one that waits"
		}
	case o.rank != uint64(*count)+1:
		return fmt.Sprintf("expected %s number %d of the channel next, found number %d: elements would change places", word, *count+1, o.rank)
	default:
		*count++
	}
	return ""
}

// complete completes the operation that goroutine g has begun; n is the number
// of the element.
func (s *chansState) complete(g trace.GID, ref int32, recv bool, n uint64) string {
	w := s.underway[g]
	s.underway[g] = chanWait{op: none}
	if ref == none {
		return "expected an operation on a nil channel to block for ever, found that it completes"
	}
	if w.op == none {
		return "expected an operation on the channel to have begun, found none"
	}
	c, ch := &s.states[ref], &s.program.chans[ref]
	if ch.external {
		return ""
	}
	sent := c.sentSoFar(ch)
	switch {
	case recv && n == 0 && !c.closed:
		return "expected a closed channel, found it open"
	case recv && n == 0 && c.begunBeforeClose > w.before:
		return fmt.Sprintf("expected an empty channel, found element %d for this receive", w.before+1)
	case recv && n == 0:
		return ""
	case n > uint64(c.lastUnchanged):
		return fmt.Sprintf("expected element %d to pass as recorded, found that another operation came before", n)
	case n > sent && c.closed:
		return fmt.Sprintf("expected element %d to be sent, found the channel closed after %d", n, sent)
	case n > sent && n > uint64(c.sends):
		return fmt.Sprintf("expected send number %d of the channel to have begun, found %d", n, c.sends)
	case n > sent:
		return fmt.Sprintf("expected receive number %d of the channel to have begun (capacity %d), found %d", n-ch.cap, ch.cap, c.recvs)
	case recv && n > uint64(c.recvs):
		return fmt.Sprintf("expected receive number %d of the channel to have begun, found %d", n, c.recvs)
	}
	return ""
}

// close closes a channel. mayPanic is set if the goroutine has no further event
// in the trace but a panic.
func (s *chansState) close(ref int32, mayPanic bool) string {
	if ref == none {
		return ""
	}
	c := &s.states[ref]
	if c.closed {
		if mayPanic {
			return ""
		}
		return "expected an open channel, found it closed"
	}
	c.sentBeforeClose = uint32(c.sentSoFar(&s.program.chans[ref]))
	c.roomBeforeClose = uint32(min(uint64(c.recvs)+s.program.chans[ref].cap, math.MaxUint32))
	c.begunBeforeClose = min(c.sends+c.unrankedBegun[0], c.roomBeforeClose)
	c.closed = true
	return ""
}

// panicked returns why goroutine g's operation, which panicked in the trace,
// does not panic now. A send panics if the channel is closed, or is closed
// while it waits.
func (s *chansState) panicked(g trace.GID) string {
	w := s.underway[g]
	if w.op == none || s.program.ops[w.op].recv {
		return ""
	}
	c := &s.states[s.program.ops[w.op].ch]
	switch {
	case !c.closed:
		return "expected a send on a closed channel, found it open"
	case w.open && w.before < c.roomBeforeClose:
		return "expected the send to wait until the channel is closed, found room for its element"
	}
	return ""
}

// completesLater returns why an operation that begins now on a channel is not
// blocked for ever, if f still happens.
func (s *chansState) completesLater(ch int32, recv bool, f *remainingEffects) string {
	c, of := &s.states[ch], &s.program.chans[ch]
	n, others := uint64(c.sends)+1, uint64(c.recvs)+of.cap
	if recv {
		n, others = uint64(c.recvs)+1, uint64(c.sends)
	}
	switch {
	case of.external:
		return "expected a channel of which all elements come from sends, found one that others send to"
	case c.closed || f.closes[ch]:
		return "expected a channel that stays open, found it closed"
	case n <= others || c.unrankedBegun != [2]uint32{}:
		return fmt.Sprintf("expected a channel on which operation number %d has to wait, found %d of the other side", n, others)
	case recv && f.sends[ch], !recv && f.recvs[ch]:
		return "expected that nobody but those who wait in turn could come to the channel's other side, found one"
	}
	return ""
}

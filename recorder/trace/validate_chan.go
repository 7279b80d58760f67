package trace

import "fmt"

// channelState is the state of a channel, without its elements.
type channelState struct{ closed bool }

// completions are the kinds that complete operations on channels.
var completions = map[Kind]Kind{Send: SendDone, Recv: RecvDone, Select: SelectDone}

// checkCompletion checks that the operation that the goroutine has begun completes
// next, or panics, as a send on a closed channel does.
func (v *validator) checkCompletion(g *goroutineState, e *Event) (expected, found string) {
	op := g.pendingOp
	if op.Kind == SelectDone { // with a case chosen: either may follow
		if e.Kind == SendDone || e.Kind == RecvDone {
			return "", ""
		}
		return "sent or recvd of the chosen case", e.Kind.String()
	}
	want := completions[op.Kind]
	completion := e.Kind == SendDone || e.Kind == RecvDone || e.Kind == SelectDone
	switch {
	case want == None && completion:
		return "the begin of the operation before", "none"
	case want == None:
		return "", ""
	case e.Kind == Panic:
		g.pendingOp = Event{}
		return "", ""
	case e.Kind != want:
		return fmt.Sprintf("%s after %s", want, op.Kind), e.Kind.String()
	case e.Obj != op.Obj:
		return fmt.Sprintf("%s of channel %#x", want, op.Obj), fmt.Sprintf("%#x", e.Obj)
	}
	return "", ""
}

func (v *validator) channel(i int, g *goroutineState, e *Event) (expected, found string) {
	op := g.pendingOp
	g.pendingOp = Event{}
	switch e.Kind {
	case Send, Recv, Select:
		g.pendingOp, g.pendingOpPosition = *e, i
	case SelectDone:
		if e.Val > op.Val || e.Val == 0 && op.Flags&FlagDefault == 0 {
			return fmt.Sprintf("a case from 1 to %d, or 0 for a default", op.Val), fmt.Sprint(e.Val)
		}
		if e.Val != 0 {
			g.pendingOp = *e
		}
		return "", ""
	}
	if e.Kind == Select || e.Obj == 0 {
		return "", ""
	}
	return v.onChannel(i, g, e)
}

// onChannel checks the numbers of one channel's elements: the k-th send begins
// before the k-th receive completes, and the k-th receive begins before the
// (k+capacity)-th send completes.
func (v *validator) onChannel(i int, g *goroutineState, e *Event) (expected, found string) {
	if e.Kind == ChanMake && v.channels[e.Obj] != nil {
		return "a new channel", "an operation on it before"
	}
	c := stateOf(v.channels, e.Obj)
	element := objectNumber{e.Obj, e.Val}
	switch e.Kind {
	case Close:
		if c.closed {
			g.mustPanic = "close of a closed channel"
		}
		c.closed = true
	case SendDone:
		_, twice := v.sent[element]
		received, ok := v.received[element]
		switch {
		case e.Val == 0 || twice:
			return "a new number from 1", fmt.Sprint(e.Val)
		case ok && received < g.pendingOpPosition:
			return "the send to begin before its element is received", fmt.Sprint("the receive in event ", received)
		}
		v.sent[element] = i
	case RecvDone:
		_, twice := v.received[element]
		full, ok := v.sent[objectNumber{e.Obj, e.Val + uint64(e.Size)}]
		switch {
		case e.Val == 0 && c.closed:
			return "", ""
		case e.Val == 0:
			return "a closed channel", "an open one"
		case twice:
			return "an element that was not received before", fmt.Sprint(e.Val)
		case ok && full < g.pendingOpPosition:
			return "the receive to begin before a later send takes its room", fmt.Sprint("that send's end in event ", full)
		}
		v.received[element] = i
	}
	return "", ""
}

type ticketState uint8

const (
	ticketWaits ticketState = iota + 1
	ticketWoken
)

// cond checks that each wake follows a signal or broadcast of its ticket.
func (v *validator) cond(e *Event) (expected, found string) {
	ticket := objectNumber{e.Obj, e.Val}
	switch e.Kind {
	case CondWait:
		if v.tickets[ticket] != 0 {
			return "a ticket that nobody waits with", fmt.Sprint(e.Val)
		}
		v.tickets[ticket] = ticketWaits
	case CondSignal:
		return v.wake(e.Obj, e.Val-1, min(e.Val, 1))
	case CondBroadcast:
		return v.wake(e.Obj, e.Val, uint64(e.Size))
	case CondWake:
		if v.tickets[ticket] != ticketWoken {
			return "a signal or broadcast for the ticket before", "none"
		}
		delete(v.tickets, ticket)
	}
	return "", ""
}

// wake wakes n tickets of a condition.
func (v *validator) wake(condition, first, n uint64) (expected, found string) {
	for t := first; t < first+n; t++ {
		ticket := objectNumber{condition, t}
		if v.tickets[ticket] != ticketWaits {
			return "tickets that wait", fmt.Sprintf("ticket %d, which does not", t)
		}
		v.tickets[ticket] = ticketWoken
	}
	return "", ""
}

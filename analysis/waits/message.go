package waits

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A message is an operation that waits for an event of another goroutine: a send or receive,
// also as the chosen case of a select; a wait for a WaitGroup; a wait for a condition (the
// event is the wake); or a wait for a Once's function (the event is the return of Do).
type message struct {
	position int32
	// enablers are the events that ended the wait in the recorded run: the receive that made
	// room for the element, the send of the element or the close, each Done, the signal, or
	// the end of the function. The wait does not end if the goroutine of one of them does not
	// reach it.
	enablers []int32
	channel  int32 // number of the channel; None for others, which need all enablers
	send     bool  // it is a send
	held     []order.Lock
	// onceBegin is the begin of a Once's function: before it, no goroutine waits for its end.
	onceBegin int32
	// mayMissSignal is set if the signal may come before the wait, and is lost then.
	mayMissSignal bool
}

// findMessages finds the messages of the trace, at most maxSimilar of similar ones. Those of
// channels come last.
func (f *finder) findMessages() {
	var completed []int32 // operations of channels
	for i := range f.trace.Events {
		switch e := &f.trace.Events[i]; e.Kind {
		case trace.SelectSend:
			f.sendCases[e.Obj] = append(f.sendCases[e.Obj], int32(i))
		case trace.WaitGroupWaited:
			f.addGroupWait(&f.facts.GroupWaits()[f.facts.GroupWaitOf(i)])
		case trace.CondWake:
			f.addWake(int32(i))
		case trace.OnceDone:
			f.addOnce(int32(i))
		default:
			if row := f.facts.OperationOf(i); row != facts.None && e.Kind.Completes() && e.Kind != trace.SelectDone {
				completed = append(completed, row)
			}
		}
	}
	// There may be very many operations on channels. They come last, so that the bounds of
	// the search do not exclude the other messages.
	for _, row := range completed {
		f.addOperation(&f.facts.Operations()[row])
	}
}

// addOperation adds a completed operation of a channel, if it may wait for another goroutine.
func (f *finder) addOperation(o *facts.Operation) {
	enabler := f.facts.Enabler(int(o.Done))
	if enabler != facts.None && f.trace.Events[o.Begin].Flags&trace.FlagDefault == 0 {
		f.addMessage(message{position: o.Begin, enablers: []int32{enabler}, channel: o.Channel, send: !o.Receive})
	}
}

// addGroupWait adds a wait for a WaitGroup, if there were Dones.
func (f *finder) addGroupWait(w *facts.GroupWait) {
	if w.Begin == facts.None || w.Round == facts.None {
		return
	}
	// Each Done is needed. Those after the first maxEnablers come from loops, whose goroutines
	// wait for the same things.
	var dones []int32
	for i := range f.facts.Dones(w.Round) {
		if dones = append(dones, i); len(dones) == maxEnablers {
			break
		}
	}
	f.addMessage(message{position: w.Begin, enablers: dones, channel: facts.None})
}

// addWake adds a wait for a condition that was woken at position i.
func (f *finder) addWake(i int32) {
	t := f.facts.Tickets()[f.facts.TicketOf(int(i))]
	if t.Waker == facts.None {
		return
	}
	misses := t.Wait != facts.None && !f.order.Before(int(t.Wait), int(t.Waker))
	if misses { // unless a lock that is released only with the wait keeps the signal back
		_, _, kept := f.order.DelayedByLock(int(t.Wait), int(t.Waker))
		misses = !kept
	}
	f.addMessage(message{position: i, enablers: []int32{t.Waker}, channel: facts.None, mayMissSignal: misses})
}

// addOnce adds the return of Do at position i, if the function has ended before.
func (f *finder) addOnce(i int32) {
	row := f.facts.OnceOf(int(i))
	if row == facts.None {
		return
	}
	if o := f.facts.Onces()[row]; o.End != facts.None {
		f.addMessage(message{position: i, enablers: []int32{o.End}, channel: facts.None, onceBegin: o.Begin})
	}
}

// A similarity is a key that similar messages have in common: a few stand for all.
type similarity struct {
	site, enabler trace.SiteID
	held          order.LockSet
}

// addMessage adds a message that has an enabler of another goroutine.
func (f *finder) addMessage(m message) {
	g := f.trace.Events[m.position].G
	if !slices.ContainsFunc(m.enablers, func(i int32) bool { return f.trace.Events[i].G != g }) {
		return
	}
	// A loop that sends a million elements has a million messages, but they wait alike.
	k := similarity{f.trace.Events[m.position].Site, f.trace.Events[m.enablers[0]].Site, f.order.LockSet(int(m.position))}
	if f.similarMessages[k]++; f.similarMessages[k] > maxSimilar {
		f.incompleteSites[k.site] = true
		return
	}
	m.held = f.locksOf(f.order.Held(int(m.position)), facts.None)
	f.messageAt[m.position] = int32(len(f.messages))
	f.messages = append(f.messages, m)
	for _, l := range m.held {
		f.messagesUnder[l.Obj] = append(f.messagesUnder[l.Obj], m.position)
	}
}

// enablersOf returns the events that can end waits on one side of a channel, ascending:
// receives end waiting sends; sends and closes end waiting receives. A select counts if it has
// received, and each of its sending cases counts, chosen or not.
func (f *finder) enablersOf(channel int32, sends bool) []int32 {
	all := f.channelEnablers[channel]
	if all == nil {
		all = new([2][]int32)
		f.channelEnablers[channel] = all
		for _, row := range f.facts.OperationsOn(channel) {
			o := &f.facts.Operations()[row]
			switch {
			case o.Receive:
				all[1] = append(all[1], o.Begin)
			case f.trace.Events[o.Begin].Kind.Sends():
				all[0] = append(all[0], o.Begin)
			}
		}
		all[0] = slices.Concat(all[0], f.sendCases[f.facts.Objects(trace.ClassChannel).Object(channel)], f.facts.Closes(channel))
		slices.Sort(all[0])
	}
	if sends {
		return all[1]
	}
	return all[0]
}

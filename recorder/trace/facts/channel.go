package facts

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// An Operation is a send or receive of a channel. A select is the operation that it has
// chosen; until then, and if it chose its default, it is one of no channel.
type Operation struct {
	Begin   int32 // the send, receive or select
	Done    int32 // its completion or the panic, or None
	Channel int32 // number of the channel; None for the nil channel
	Element int32 // number of the element that it passed, from 1; 0 if none, or if that is not known
	// Before is how many operations with a rank of its side of the channel began before it.
	Before  int32
	Receive bool
	Outcome Outcome
}

// An Outcome is what became of an operation.
type Outcome uint8

// The outcomes.
const (
	Pending     Outcome = iota // it has not completed
	Passed                     // it passed an element
	FoundClosed                // a receive found the channel closed
	Panicked
	Defaulted // a select took its default
)

// Rank returns the place of o, from 1, among the operations of its side of the channel in
// the order in which they begin; 0 if it has none.
func (o *Operation) Rank() int32 {
	if o.Channel == None || o.Outcome > Passed {
		return 0
	}
	return o.Before + 1
}

// A Channel is what is known of one channel.
type Channel struct {
	Capacity uint32
	Made     int32 // where it is made, or None
	Closed   int32 // the first close, or None; further ones panic
	// External is set if elements come or go that no event accounts for, as those that
	// timers send.
	External bool
	// ClosedBefore is set if a receive found the channel closed before any event closed it.
	ClosedBefore bool
}

// An Element is the rows of the operations that send and receive one element, or None.
type Element struct{ Send, Receive int32 }

// A Select is what belongs to a select besides its operation.
type Select struct {
	Operation int32
	Done      int32 // where it has chosen, or None
	cases     int32 // the end of its cases; they begin with the end of those before
}

// channelTable is the channels and their operations.
type channelTable struct {
	operations   []Operation
	channels     []Channel
	closes       grouped   // by channel
	byChannel    grouped   // rows of operations
	lines        grouped   // rows of operations by rank, by twice the channel and one more for receives
	elements     []Element // channel by channel
	firstElement []int32   // by channel: where those of it begin
	selects      []Select
	caseEvents   []int32
}

// Operations returns all operations by the positions of their begins. The caller must not
// change them.
func (f *Facts) Operations() []Operation { return f.operations }

// OperationOf returns the operation that event i begins, completes or ends by its panic, or
// None. The choice of a select is of its operation, too.
func (f *Facts) OperationOf(i int) int32 {
	switch k := f.t.Events[i].Kind; {
	case k == trace.Panic, k.Class() == trace.ClassChannel && (k.Begins() || k.Completes()):
		return f.rowOf(i)
	}
	return None
}

// Channel returns channel number n. The caller must not change it.
func (f *Facts) Channel(n int32) *Channel { return &f.channels[n] }

// OperationsOn returns the rows of the operations of a channel, by their begins. The caller
// must not change them.
func (f *Facts) OperationsOn(channel int32) []int32 { return f.byChannel.of(channel) }

// Line returns the rows of the operations with a rank on one side of a channel: that of rank
// k is at k-1. The caller must not change them.
func (f *Facts) Line(channel int32, receives bool) []int32 {
	return f.lines.of(side(channel, receives))
}

// side numbers the sides of channels.
func side(channel int32, receives bool) int32 {
	if receives {
		return 2*channel + 1
	}
	return 2 * channel
}

// Closes returns the positions of the closes of a channel. The caller must not change them.
func (f *Facts) Closes(channel int32) []int32 { return f.closes.of(channel) }

// Elements returns the elements of a channel: number k is at k-1. The caller must not
// change them.
func (f *Facts) Elements(channel int32) []Element {
	return f.elements[f.firstElement[channel]:f.firstElement[channel+1]]
}

// element returns element number k of a channel.
func (f *Facts) element(channel int32, k uint64) Element {
	if all := f.Elements(channel); 0 < k && k <= uint64(len(all)) {
		return all[k-1]
	}
	return Element{None, None}
}

// begin returns where the operation in a row begins, or None.
func (f *Facts) begin(row int32) int32 {
	if row == None {
		return None
	}
	return f.operations[row].Begin
}

// enablerOfCompletion returns the enabler of the completion e of a send or receive.
func (f *Facts) enablerOfCompletion(e *trace.Event) int32 {
	channel := f.objects[trace.ClassChannel].Number(e.Obj)
	if channel == None {
		return None
	}
	k, room := f.t.ElementNumber(e), uint64(e.Size)
	switch {
	case e.Kind == trace.RecvDone && e.Val == 0:
		return f.channels[channel].Closed
	case e.Kind == trace.RecvDone:
		return f.begin(f.element(channel, k).Send)
	case k > room:
		return f.begin(f.element(channel, k-room).Receive)
	}
	return None
}

// Previous returns the operation with a rank that began last before the operation in a row,
// on the same side of its channel, or None. Elements keep their numbers only if the two stay in line.
func (f *Facts) Previous(row int32) int32 {
	o := &f.operations[row]
	if o.Channel == None || o.Before == 0 {
		return None
	}
	return f.Line(o.Channel, o.Receive)[o.Before-1]
}

// Selects returns the selects, by their operations. The caller must not change them.
func (f *Facts) Selects() []Select { return f.selects }

// SelectOf returns which of Selects is the operation in a row, or None.
func (f *Facts) SelectOf(row int32) int32 {
	k, ok := slices.BinarySearchFunc(f.selects, row, func(s Select, row int32) int { return cmp.Compare(s.Operation, row) })
	if !ok {
		return None
	}
	return int32(k)
}

// Cases returns the positions of the events that tell of the cases of select number n, of
// Selects. The caller must not change them.
func (f *Facts) Cases(n int32) []int32 {
	first := int32(0)
	if n > 0 {
		first = f.selects[n-1].cases
	}
	return f.caseEvents[first:f.selects[n].cases]
}

// channelCounts are the numbers by which a channel is found to be external.
type channelCounts struct {
	sends, receives int32  // that were completed
	sent, received  uint64 // the highest numbers of their elements
}

// addChannelEvent takes up an event of a channel, and returns its row.
func (b *builder) addChannelEvent(i int32, e *trace.Event) int32 {
	channel := b.channelOf(e)
	switch e.Kind {
	case trace.SelectSend:
		b.cases[e.G] = append(b.cases[e.G], i)
	case trace.ChanMake:
		if channel != None {
			b.channels[channel].Made = i
		}
	case trace.Close:
		if channel != None {
			b.close(channel, i)
		}
	case trace.Send, trace.Recv, trace.Select:
		return b.beginOperation(i, e, channel)
	case trace.SelectDone:
		return b.choose(i, e)
	case trace.SendDone, trace.RecvDone:
		return b.complete(i, e, channel)
	}
	return None
}

// channelOf returns the number of the channel of e, which it makes if it is new.
func (b *builder) channelOf(e *trace.Event) int32 {
	if e.Obj == 0 {
		return None
	}
	n := b.objects[trace.ClassChannel].number(e.Obj)
	if int(n) == len(b.channels) {
		b.channels = append(b.channels, Channel{Capacity: e.Size, Made: None, Closed: None})
		b.completed = append(b.completed, channelCounts{})
	}
	return n
}

func (b *builder) close(channel, i int32) {
	b.closeEvents = append(b.closeEvents, member{channel, i})
	if c := &b.channels[channel]; c.Closed == None {
		c.Closed = i
	}
}

func (b *builder) beginOperation(i int32, e *trace.Event, channel int32) int32 {
	row := int32(len(b.operations))
	b.operations = append(b.operations, Operation{Begin: i, Done: None, Channel: channel, Receive: e.Kind == trace.Recv})
	b.underway[e.G] = row
	if e.Kind == trace.Select {
		b.caseEvents = append(b.caseEvents, b.cases[e.G]...)
		b.selects = append(b.selects, Select{row, None, int32(len(b.caseEvents))})
	}
	b.cases[e.G] = b.cases[e.G][:0]
	return row
}

// choose takes up the choice of a select.
func (b *builder) choose(i int32, e *trace.Event) int32 {
	row := b.underway[e.G]
	if row == None {
		return None
	}
	if n := b.SelectOf(row); n != None {
		b.selects[n].Done = i
	}
	if e.Val == 0 {
		b.operations[row].Done, b.operations[row].Outcome = i, Defaulted
		b.underway[e.G] = None
	}
	return row
}

// complete takes up the completion of a send or receive.
func (b *builder) complete(i int32, e *trace.Event, channel int32) int32 {
	receive, number := e.Kind == trace.RecvDone, b.t.ElementNumber(e)
	if channel != None {
		c, n := &b.channels[channel], &b.completed[channel]
		if receive {
			n.receives++
			n.received = max(n.received, number)
			c.ClosedBefore = c.ClosedBefore || e.Val == 0 && c.Closed == None
		} else {
			n.sends++
			n.sent = max(n.sent, number)
		}
	}
	row := b.underway[e.G]
	b.underway[e.G] = None
	if row == None || channel == None {
		return row
	}
	o := &b.operations[row]
	o.Done, o.Channel, o.Receive, o.Outcome = i, channel, receive, Passed
	if receive && e.Val == 0 {
		o.Outcome = FoundClosed
	}
	o.Element = int32(min(number, uint64(len(b.t.Events)))) // more than that is damage
	return row
}

// endByPanic takes up a panic, which ends the operation underway.
func (b *builder) endByPanic(i int32, e *trace.Event) int32 {
	row := b.underway[e.G]
	if row != None {
		b.operations[row].Done, b.operations[row].Outcome = i, Panicked
		b.underway[e.G] = None
	}
	return row
}

// rank puts operations in line, and matches those that pass one element.
func (b *builder) rank() {
	sides, n := 2*len(b.channels), len(b.operations)
	next := make([]int32, sides) // by side: how many have a rank
	for k := range b.operations {
		if o := &b.operations[k]; o.Channel != None {
			before := &next[side(o.Channel, o.Receive)]
			o.Before = *before
			if o.Rank() > 0 {
				*before++
			}
		}
	}
	b.byChannel = groupBy(len(b.channels), n, func(k int) member { return member{b.operations[k].Channel, int32(k)} })
	b.lines = groupBy(sides, n, func(k int) member {
		o := &b.operations[k]
		if o.Rank() == 0 {
			return member{None, None}
		}
		return member{side(o.Channel, o.Receive), int32(k)}
	})
	b.closes = groupAll(len(b.channels), b.closeEvents)
	for n := range b.channels {
		c, done := &b.channels[n], &b.completed[n]
		sends, receives := uint64(next[2*n]), uint64(next[2*n+1])
		c.External = done.received > sends || done.sent > receives+uint64(c.Capacity)
	}
	b.match()
}

// match finds the elements. A number beyond what the events of the channel allow for (each
// element has one, but for those that blocked goroutines were about to log) is damage, and
// must not make us allocate.
func (b *builder) match() {
	b.firstElement = make([]int32, len(b.channels)+1)
	for n, done := range b.completed {
		limit := uint64(len(b.t.Goroutines)) + uint64(done.sends) + uint64(done.receives)
		b.firstElement[n+1] = b.firstElement[n] + int32(min(max(done.sent, done.received), limit))
	}
	b.elements = make([]Element, b.firstElement[len(b.channels)])
	for k := range b.elements {
		b.elements[k] = Element{None, None}
	}
	for row := range b.operations {
		o := &b.operations[row]
		if o.Channel == None || o.Element == 0 {
			continue
		}
		all := b.Elements(o.Channel)
		switch {
		case int(o.Element) > len(all):
			o.Element = 0
		case o.Receive:
			all[o.Element-1].Receive = int32(row)
		default:
			all[o.Element-1].Send = int32(row)
		}
	}
}

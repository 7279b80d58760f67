package facts

import "github.com/gopredict/gopredict/recorder/trace"

// A Ticket is one wait for a condition.
type Ticket struct {
	Wait  int32 // where it begins, or None
	Waker int32 // the signal or broadcast that chose it, or None
	Wake  int32 // where the goroutine goes on, or None
}

// A ticketName is what the events of a ticket have in common. The numbers of a condition
// begin anew when the allocator puts another one at its address.
type ticketName struct{ cond, number uint64 }

// condTable is the waits for conditions.
type condTable struct {
	tickets []Ticket
	wakings []waking
	woken   []int32 // tickets, waking by waking
}

// A waking is a signal or broadcast: its tickets begin at first in woken.
type waking struct{ first, n int32 }

// Tickets returns all waits for conditions, in the order of their first events. The caller
// must not change them.
func (f *Facts) Tickets() []Ticket { return f.condTable.tickets }

// TicketOf returns the ticket of event i, a wait or wake, or None.
func (f *Facts) TicketOf(i int) int32 {
	if k := f.t.Events[i].Kind; k != trace.CondWait && k != trace.CondWake {
		return None
	}
	return f.rowOf(i)
}

// Woken returns the tickets that event i, a signal or broadcast, chose. The caller must not
// change them.
func (f *Facts) Woken(i int) []int32 {
	if k := f.t.Events[i].Kind; k != trace.CondSignal && k != trace.CondBroadcast {
		return nil
	}
	w := f.wakings[f.rowOf(i)]
	return f.woken[w.first : w.first+w.n : w.first+w.n]
}

// addCondEvent takes up an event of a condition.
func (b *builder) addCondEvent(i int32, e *trace.Event) int32 {
	b.objects[trace.ClassCond].number(e.Obj)
	switch e.Kind {
	case trace.CondWait:
		row := b.newTicket(e.Obj, e.Val)
		b.tickets[row].Wait = i
		return row
	case trace.CondWake:
		row := b.ticket(e.Obj, e.Val)
		b.tickets[row].Wake = i
		return row
	case trace.CondSignal:
		if e.Val == 0 {
			return b.wakes(i, e.Obj, 0, 0)
		}
		return b.wakes(i, e.Obj, e.Val-1, 1)
	}
	// No more goroutines wait than there are, whatever a damaged trace says.
	return b.wakes(i, e.Obj, e.Val, min(int(e.Size), len(b.forks)))
}

// ticket returns the last ticket of that name, which it makes if there is none.
func (b *builder) ticket(cond, number uint64) int32 {
	if row, ok := b.ticketRows[ticketName{cond, number}]; ok {
		return row
	}
	return b.newTicket(cond, number)
}

func (b *builder) newTicket(cond, number uint64) int32 {
	row := int32(len(b.tickets))
	b.tickets = append(b.tickets, Ticket{None, None, None})
	b.ticketRows[ticketName{cond, number}] = row
	return row
}

// wakes notes that event i chose n tickets from first on, and returns the waking.
func (b *builder) wakes(i int32, cond, first uint64, n int) int32 {
	w := waking{int32(len(b.woken)), int32(n)}
	for k := range uint64(n) {
		row := b.ticket(cond, first+k)
		b.tickets[row].Waker = i
		b.woken = append(b.woken, row)
	}
	b.wakings = append(b.wakings, w)
	return int32(len(b.wakings) - 1)
}

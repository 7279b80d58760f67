package facts

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Check reports whether the table fits its trace, in linear time. It is for tests and for
// runs that keep their files, in the way of go/ssa/sanity.go. The error names the first
// event that does not fit. A trace that is damaged may fail as well.
func (f *Facts) Check() error {
	c := &checker{Facts: f}
	for i := range f.t.Events {
		c.event(int32(i), &f.t.Events[i])
	}
	for k := range f.operations {
		c.operation(int32(k), &f.operations[k])
	}
	for n := range f.channels {
		c.channel(int32(n))
	}
	for n := range f.objects[trace.ClassLock].Len() {
		c.lock(int32(n))
	}
	for k, t := range f.tickets {
		c.expect(t.Wake == None || t.Wait < t.Wake && t.Waker < t.Wake, t.Wake, "ticket %d is woken at %d before it waits at %d or is chosen at %d", k, t.Wake, t.Wait, t.Waker)
	}
	for k, r := range f.rounds {
		c.round(int32(k), r)
	}
	for k, o := range f.onces {
		c.expect(o.End == None || o.Begin < o.End, o.Begin, "run %d of a Once's function ends at %d before it begins", k, o.End)
	}
	return c.err
}

// A checker keeps the first thing that does not fit.
type checker struct {
	*Facts
	err error
}

// expect notes that something about event i does not fit, unless ok.
func (c *checker) expect(ok bool, i int32, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf("facts: event %d: %s", i, fmt.Sprintf(format, args...))
	}
}

// kind reports whether event i is there and its kind has a property.
func (c *checker) kind(i int32, has func(trace.Kind) bool) bool {
	return i >= 0 && int(i) < len(c.t.Events) && has(c.t.Events[i].Kind)
}

// event checks that the row of event i names it.
func (c *checker) event(i int32, e *trace.Event) {
	row := c.rowOf(int(i))
	if row == None {
		return
	}
	named := true
	switch e.Kind.Class() {
	case trace.ClassChannel, trace.ClassControl:
		o := &c.operations[row]
		named = o.Begin == i || o.Done == i || e.Kind == trace.SelectDone && c.selects[c.SelectOf(row)].Done == i
		named = named && c.t.Events[o.Begin].G == e.G
	case trace.ClassLock:
		s := &c.sections[row]
		named = (s.Acquire == i || s.Release == i) && c.objects[trace.ClassLock].Object(s.Lock()) == e.Obj && s.Shared() == e.Kind.IsShared()
	case trace.ClassCond:
		if k := c.TicketOf(int(i)); k != None {
			named = c.tickets[k].Wait == i || c.tickets[k].Wake == i
		}
		for _, k := range c.Woken(int(i)) {
			named = named && c.tickets[k].Waker == i
		}
	case trace.ClassWaitGroup:
		if k := c.RoundOf(int(i)); k != None {
			named = slices.Contains(c.Adds(k)[:1], i) || c.rounds[k].Added == i || c.rounds[k].Zero == i || e.IsDone() || c.rounds[k].Added > i
		} else {
			w := c.waits[c.GroupWaitOf(int(i))]
			named = w.Begin == i || w.Done == i
		}
	case trace.ClassOnce:
		o := &c.onces[row]
		named = o.Begin == i || o.End == i || e.Kind == trace.OnceDone || e.Kind == trace.OnceEnd
	}
	c.expect(named, i, "%v: its row %d is of other events", e.Kind, row)
}

// operation checks that its events are one after the other, and that it stands in line.
func (c *checker) operation(row int32, o *Operation) {
	c.expect(c.kind(o.Begin, trace.Kind.Begins), o.Begin, "operation %d begins there", row)
	if o.Done != None {
		k := c.t.Events[o.Done].Kind
		c.expect(o.Begin < o.Done, o.Begin, "operation %d is done at %d", row, o.Done)
		c.expect(k == trace.Panic || k.Completes(), o.Done, "operation %d is done with %v", row, k)
		c.expect(k == trace.Panic || k == trace.SelectDone || k.Receives() == o.Receive, o.Done, "operation %d changes its side", row)
	}
	if n := o.Rank(); n > 0 {
		c.expect(c.Line(o.Channel, o.Receive)[n-1] == row, o.Begin, "operation %d is not in line at its rank %d", row, n)
		// The elements of a channel that others use too need not be as many.
		agrees := o.Element == 0 || o.Element == n || c.channels[o.Channel].External || len(c.t.Cuts) > 0
		c.expect(agrees, o.Begin, "operation %d of rank %d passes element %d", row, n, o.Element)
	}
}

// channel checks that elements are received after they are sent, and sent after there is room.
func (c *checker) channel(n int32) {
	ch, all := &c.channels[n], c.Elements(n)
	if ch.External {
		return
	}
	for k, el := range all {
		for _, row := range []int32{el.Send, el.Receive} {
			if row == None {
				continue
			}
			done := c.operations[row].Done
			enabler := c.Enabler(int(done))
			c.expect(enabler < done, done, "element %d of channel %d passes before event %d lets it", k+1, n, enabler)
		}
	}
}

// lock checks that sections of one lock that exclude each other do not overlap.
func (c *checker) lock(n int32) {
	end := make(map[int32]int32) // of abandoned sections
	for _, a := range c.abandoned {
		end[a.Section] = a.At
	}
	last := [2]int32{None, None} // the end of the sections so far, of writers and of readers
	for _, row := range c.SectionsOf(n) {
		s := &c.sections[row]
		to := s.Release
		if at, ok := end[row]; ok {
			to = at
		}
		if to == None {
			to = int32(len(c.t.Events))
		}
		c.expect(s.Acquire < to, s.Acquire, "section %d ends at %d", row, to)
		before := last[0]
		if !s.Shared() {
			before = max(before, last[1])
		}
		c.expect(before <= s.Acquire, s.Acquire, "section %d begins before %d, where one ends that it excludes", row, before)
		if s.Shared() {
			last[1] = max(last[1], to)
		} else {
			last[0] = max(last[0], to)
		}
	}
}

// round checks that the counter is zero with the end of a round, and not before.
func (c *checker) round(row int32, r Round) {
	count, adds := int64(0), c.Adds(row)
	for k, i := range adds {
		count += int64(c.t.Events[i].Val)
		zero := count <= 0 && c.t.Events[i].IsDone()
		c.expect(zero == (r.Zero == i), i, "the counter is %d in round %d, which ends at %d", count, row, r.Zero)
		c.expect(!zero || k == len(adds)-1, i, "round %d goes on", row)
	}
}

package facts

import "github.com/gopredict/gopredict/recorder/trace"

// A Round is Adds of one WaitGroup, from the first one after its counter was zero to the
// Done that makes it zero again.
type Round struct {
	Group     int32 // number of the WaitGroup
	Zero      int32 // the Done with which the counter is zero, or None
	Added     int32 // the last Add that is no Done, or None
	SoleAdder int32 // the goroutine of all Adds that are no Dones, or None where several have added
}

// A GroupWait is a wait for a WaitGroup.
type GroupWait struct {
	Begin, Done int32 // positions, or None
	Round       int32 // the last round that had ended when it was done, or None
}

// groupTable is the rounds of WaitGroups, and the waits for them.
type groupTable struct {
	rounds []Round
	waits  []GroupWait
	adds   grouped // by round
}

// A groupState is the counter and the rounds of one WaitGroup so far.
type groupState struct {
	count       int64
	round, last int32 // the round that has not ended, and the last one that has; None if there is none
}

// Rounds returns the rounds of all WaitGroups, by the positions of their first Adds. The
// caller must not change them.
func (f *Facts) Rounds() []Round { return f.rounds }

// RoundOf returns the round of event i, an Add, or None.
func (f *Facts) RoundOf(i int) int32 {
	if f.t.Events[i].Kind != trace.WaitGroupAdd {
		return None
	}
	return f.rowOf(i)
}

// Adds returns the positions of the Adds of a round, Dones included, ascending. The caller
// must not change them.
func (f *Facts) Adds(round int32) []int32 { return f.adds.of(round) }

// Dones yields the positions of the Dones of a round, ascending.
func (f *Facts) Dones(round int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for _, i := range f.Adds(round) {
			if f.t.Events[i].IsDone() && !yield(i) {
				return
			}
		}
	}
}

// GroupWaits returns the waits for WaitGroups, in the order in which they begin. The caller
// must not change them.
func (f *Facts) GroupWaits() []GroupWait { return f.waits }

// GroupWaitOf returns the wait that event i begins or completes, or None.
func (f *Facts) GroupWaitOf(i int) int32 {
	if f.t.Events[i].Kind == trace.WaitGroupAdd {
		return None
	}
	return f.rowIn(trace.ClassWaitGroup, i)
}

// addGroupEvent takes up an event of a WaitGroup.
func (b *builder) addGroupEvent(i int32, e *trace.Event) int32 {
	group := b.objects[trace.ClassWaitGroup].number(e.Obj)
	if int(group) == len(b.adding) {
		b.adding = append(b.adding, groupState{round: None, last: None})
	}
	a := &b.adding[group]
	switch e.Kind {
	case trace.WaitGroupAdd:
		return b.add(i, e, group, a)
	case trace.WaitGroupWait:
		b.waiting[e.G] = b.addWait(GroupWait{i, None, None})
		return b.waiting[e.G]
	}
	row := b.waiting[e.G]
	b.waiting[e.G] = None
	if row == None {
		return b.addWait(GroupWait{None, i, a.last})
	}
	b.waits[row].Done, b.waits[row].Round = i, a.last
	return row
}

func (b *builder) addWait(w GroupWait) int32 {
	b.waits = append(b.waits, w)
	return int32(len(b.waits) - 1)
}

// add takes up an Add, and returns its round.
func (b *builder) add(i int32, e *trace.Event, group int32, a *groupState) int32 {
	if a.round == None {
		a.round = int32(len(b.rounds))
		b.rounds = append(b.rounds, Round{group, None, None, None})
	}
	row, delta := a.round, int64(e.Val)
	r := &b.rounds[row]
	a.count += delta
	b.addEvents = append(b.addEvents, member{row, i})
	switch {
	case delta >= 0:
		first := a.count <= delta // nothing was counted before
		if first || r.SoleAdder == int32(e.G) {
			r.SoleAdder = int32(e.G)
		} else {
			r.SoleAdder = None
		}
		r.Added = i
	case a.count <= 0:
		r.Zero = i
		a.last, a.round = row, None
	}
	return row
}

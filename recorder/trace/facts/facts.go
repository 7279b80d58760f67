package facts

import (
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// None stands for an event, row or object that the trace does not have.
const None = -1

// Facts is the table of one trace.
type Facts struct {
	t       *trace.Trace
	objects [trace.ClassCall + 1]Objects
	// marked are the events that have a row, rows their rows in the table of their class.
	marked trace.Marks
	rows   []int32
	forks  []int32 // by goroutine: the go statement, or None

	channelTable
	lockTable
	condTable
	groupTable
	onceTable
	tokenTable
}

// New makes the table of t, which must not change afterwards.
func New(t *trace.Trace) *Facts {
	n := len(t.Goroutines)
	for i := range t.Events {
		n = max(n, int(t.Events[i].G)+1)
	}
	f := &Facts{t: t, forks: nones(n)}
	f.marked = trace.NewMarks(len(t.Events), func(mark func(int)) {
		for i := range t.Events {
			if hasRow(t.Events[i].Kind) {
				mark(i)
			}
		}
	})
	b := &builder{
		Facts: f, underway: nones(n), cases: make([][]int32, n),
		waiting: nones(n), ticketRows: make(map[ticketName]int32),
	}
	f.rows = make([]int32, 0, f.marked.Len())
	for _, i := range f.marked.All {
		f.rows = append(f.rows, b.addEvent(int32(i), &t.Events[i]))
	}
	b.rank()
	f.byLock = groupBy(len(b.open), len(f.sections), func(k int) member { return member{f.sections[k].Lock(), int32(k)} })
	f.adds = groupAll(len(f.rounds), b.addEvents)
	f.posts = groupAll(len(b.posted), b.postEvents)
	return f
}

// nones returns n times None.
func nones(n int) []int32 {
	all := make([]int32, n)
	for k := range all {
		all[k] = None
	}
	return all
}

// hasRow reports whether events of kind k have a row in one of the tables.
func hasRow(k trace.Kind) bool {
	switch k.Class() {
	case trace.ClassChannel, trace.ClassLock, trace.ClassCond, trace.ClassWaitGroup, trace.ClassOnce, trace.ClassToken:
		return true
	}
	return k == trace.SelectRecv || k == trace.Panic || k == trace.Fork
}

// A builder makes a table in one pass over the events.
type builder struct {
	*Facts
	underway    []int32   // by goroutine: the channel operation that it has begun, or None
	cases       [][]int32 // by goroutine: the cases of the select to come
	waiting     []int32   // by goroutine: its wait for a WaitGroup, or None
	completed   []channelCounts
	closeEvents []member  // by channel
	open        [][]int32 // by lock: the sections that have not ended
	ticketRows  map[ticketName]int32
	adding      []groupState // by WaitGroup
	addEvents   []member     // by round
	running     []int32      // by Once: its last run
	posted      []int32      // by token: how many posts it has had
	postEvents  []member     // by token
}

// addEvent takes up the event e at position i, and returns its row.
func (b *builder) addEvent(i int32, e *trace.Event) int32 {
	switch e.Kind.Class() {
	case trace.ClassChannel:
		return b.addChannelEvent(i, e)
	case trace.ClassLock:
		return b.addLockEvent(i, e)
	case trace.ClassCond:
		return b.addCondEvent(i, e)
	case trace.ClassWaitGroup:
		return b.addGroupEvent(i, e)
	case trace.ClassOnce:
		return b.addOnceEvent(i, e)
	case trace.ClassToken:
		return b.addTokenEvent(i, e)
	}
	switch {
	case e.Kind == trace.SelectRecv:
		b.cases[e.G] = append(b.cases[e.G], i)
	case e.Kind == trace.Panic:
		return b.endByPanic(i, e)
	case e.Kind == trace.Fork && e.Obj < uint64(len(b.forks)):
		b.forks[e.Obj] = i
	}
	return None
}

// rowOf returns the row of event i in the table of its class, or None.
func (f *Facts) rowOf(i int) int32 {
	if k := f.marked.NumberOf(i); k >= 0 {
		return f.rows[k]
	}
	return None
}

// rowIn is rowOf for events of one class only.
func (f *Facts) rowIn(c trace.Class, i int) int32 {
	if f.t.Events[i].Kind.Class() != c {
		return None
	}
	return f.rowOf(i)
}

// Fork returns the position of the go statement that started goroutine g, or None.
func (f *Facts) Fork(g trace.GID) int32 { return f.forks[g] }

// Enabler returns the event of another operation without which event i does not happen:
// the go statement of a begin, the begin of the send for a receive, the begin of the
// receive that makes room for a send, the first close for a receive that found the channel
// closed, the signal or broadcast for a wake, the end of Once's function for a return of
// Do. It returns None for other kinds, and where the trace does not have that event. The
// Dones before the end of a wait are several: see [Facts.Adds].
//
// In a damaged trace the enabler may be later than i.
func (f *Facts) Enabler(i int) int32 {
	switch e := &f.t.Events[i]; e.Kind {
	case trace.Begin:
		return f.forks[e.G]
	case trace.SendDone, trace.RecvDone:
		return f.enablerOfCompletion(e)
	case trace.CondWake:
		if k := f.rowOf(i); k != None {
			return f.tickets[k].Waker
		}
	case trace.OnceDone:
		if k := f.rowOf(i); k != None {
			return f.onces[k].End
		}
	}
	return None
}

// Objects are the objects of one class, numbered from 0 in the order of their first events.
type Objects struct {
	numbers numbering.Numbers[numbering.Word]
}

// Objects returns the objects of a class: locks, conditions, channels, WaitGroups, Onces or
// tokens. The nil channel and token 0 have no numbers.
func (f *Facts) Objects(c trace.Class) *Objects { return &f.objects[c] }

// Len returns how many objects there are.
func (o *Objects) Len() int { return o.numbers.Len() }

// Number returns the number of the object that events call obj, or None.
func (o *Objects) Number(obj uint64) int32 {
	if n, ok := o.numbers.Known(numbering.Word(obj)); ok {
		return n
	}
	return None
}

// Object returns what events call the object of number n.
func (o *Objects) Object(n int32) uint64 { return uint64(o.numbers.Keys()[n]) }

// number returns the number of an object, which it gives to a new one.
func (o *Objects) number(obj uint64) int32 { return o.numbers.Of(numbering.Word(obj)) }

package reduce

import (
	"cmp"
	"iter"
	"maps"
	"runtime"
	"slices"

	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// This file divides a long trace of a package's tests into windows, which are analyzed one after
// the other. A window ends where a test starts and nothing of the tests before it continues. So the
// analysis needs memory for one window at a time, and no test stays undecided because others are long.

// leastWindow is the least number of events of a window. Each window has a cost for all goroutines of
// the trace.
const leastWindow = 1 << 18

// A window is the part of a trace between two positions.
type window struct {
	from, to int               // to is excluded
	passed   map[uint64]uint64 // see [trace.Trace.EarlierElements]
}

// A Divided is a trace that is divided into windows.
type Divided struct {
	t          *trace.Trace // without its events
	eventCount int
	windows    []window
	allEvents  []trace.Event // nil if the windows are read from the file again
	rereader   *Rereader     // nil if all events are in memory
	buffer     []trace.Event // for the events of the window that was read last
}

// Divide divides t, whose package has these properties, into windows.
func Divide(t *trace.Trace, properties []property.Property) *Divided {
	return divide(t, leastWindow, properties)
}

func divide(t *trace.Trace, least int, properties []property.Property) *Divided {
	whole := *t
	whole.Events = nil
	return &Divided{t: &whole, allEvents: t.Events, eventCount: len(t.Events), windows: windows(t, least, properties)}
}

// Drop releases the events of the trace if there are several windows and their events can be read from
// the file again. It reports whether it did so; then the caller may release the events too, and may
// ask for each window once.
func (d *Divided) Drop() bool {
	if len(d.windows) == 1 || !CanReread(d.t, d.eventCount) {
		return false
	}
	again, err := NewRereader(d.t)
	if err != nil {
		return false
	}
	d.rereader, d.allEvents = again, nil
	return true
}

// Windows returns the number of windows.
func (d *Divided) Windows() int { return len(d.windows) }

// Events returns the number of events of the trace.
func (d *Divided) Events() int { return d.eventCount }

// Bounds returns the position of the first event of window k, and the position after its last event.
func (d *Divided) Bounds(k int) (from, to int) { return d.windows[k].from, d.windows[k].to }

// Retain keeps the trace of the last window intact: the next window is read into other memory.
func (d *Divided) Retain() { d.buffer = nil }

// Close closes the file that windows are read from, if any.
func (d *Divided) Close() {
	if d.rereader != nil {
		d.rereader.Close()
	}
}

// Trace returns window k as a trace. Windows must be asked for in ascending order. Each trace is made
// on demand, as the data beside its events takes memory too.
func (d *Divided) Trace(k int) (*trace.Trace, error) {
	w := d.windows[k]
	if d.rereader == nil {
		return d.part(w, d.allEvents[w.from:w.to:w.to]), nil
	}
	if d.buffer == nil {
		most := 0
		for _, w := range d.windows[k:] {
			most = max(most, w.to-w.from)
		}
		d.buffer = make([]trace.Event, most+len(d.t.Blocked))
	}
	es := d.buffer[:w.to-w.from]
	if err := d.rereader.Next(es); err != nil {
		return nil, err
	}
	return d.part(w, es), nil
}

// part returns window w as a trace, whose events es are.
func (d *Divided) part(w window, es []trace.Event) *trace.Trace {
	t := *d.t
	t.Events = es
	if len(d.windows) == 1 {
		return &t
	}
	t.EarlierElements = w.passed
	t.Freed = withinRange(d.t.Freed, w.from, w.to, func(f *trace.FreedObjects) *int32 { return &f.Position })
	t.PriorValues = withinRange(d.t.PriorValues, w.from, w.to, func(h *trace.PriorValue) *int { return &h.Position })
	its := make([]bool, len(t.Goroutines))
	for i := range es {
		its[es[i].G] = true
	}
	t.Blocked = slices.DeleteFunc(slices.Clone(d.t.Blocked), func(s trace.BlockedGoroutine) bool { return !its[s.G] })
	t.Complete = t.Complete || w.to < d.eventCount
	return &t
}

// windows returns the windows of t, in their order.
func windows(t *trace.Trace, least int, properties []property.Property) []window {
	alone := []window{{to: len(t.Events)}}
	if len(t.Events) < 2*least {
		return alone
	}
	at, gone := cuts(t, least, properties)
	if len(at) == 0 {
		return alone
	}
	at = append(slices.Insert(at, 0, 0), len(t.Events))
	through := make(map[uint64]uint64)
	all := make([]window, 0, len(at)-1)
	for k, from := range at[:len(at)-1] {
		for ; len(gone) > 0 && gone[0].position <= from; gone = gone[1:] {
			through[gone[0].channel] = gone[0].elements
		}
		all = append(all, window{from, at[k+1], maps.Clone(through)})
	}
	return all
}

// Blocked yields as traces the windows of t at whose end some goroutine is blocked for which is
// returns true. It ignores properties. If the windows can be read from the file again, t has no events
// during the iteration, and only one window is in memory at a time, until the next one is read. Then its
// events have capacity for one more event per blocked goroutine. Blocked yields an error if the file cannot
// be read again.
func Blocked(t *trace.Trace, is func(trace.BlockedGoroutine) bool) iter.Seq2[*trace.Trace, error] {
	return blockedIn(t, leastWindow, is)
}

func blockedIn(t *trace.Trace, least int, is func(trace.BlockedGoroutine) bool) iter.Seq2[*trace.Trace, error] {
	return func(yield func(*trace.Trace, error) bool) {
		if !slices.ContainsFunc(t.Blocked, is) {
			return
		}
		d := divide(t, least, nil)
		if d.Drop() {
			t.Events = nil
			runtime.GC() // before a window takes their place
		}
		var err error
		more := true
		for k := 0; k < len(d.windows) && more && err == nil; k++ {
			var part *trace.Trace
			if part, err = d.Trace(k); err == nil && slices.ContainsFunc(part.Blocked, is) {
				more = yield(part, nil)
			}
		}
		if d.rereader != nil {
			d.Close()
			d.buffer = nil
			runtime.GC()
			err = cmp.Or(err, ReadEvents(t))
		}
		if err != nil && more {
			yield(nil, err)
		}
	}
}

// withinRange returns the elements of all with positions from from up to to, and makes their positions
// relative to from. The slice all is sorted by position; at returns a pointer to the position of an
// element.
func withinRange[T any, N int | int32](all []T, from, to int, at func(*T) *N) []T {
	compare := func(x T, position int) int { return cmp.Compare(int(*at(&x)), position) }
	lo, _ := slices.BinarySearchFunc(all, from, compare)
	hi, _ := slices.BinarySearchFunc(all, to, compare)
	its := slices.Clone(all[lo:hi])
	for k := range its {
		*at(&its[k]) -= N(from)
	}
	return its
}

// cuts returns the positions, ascending, where all windows but the first begin. A window has at least
// least events, and begins where the goroutine that runs the tests starts a top-level test over which
// nothing continues: no other goroutine has events before and after it; nobody holds a lock that is
// used after it; no message, waiter or count is left in a channel, condition or WaitGroup that is used
// after it; the monitor of each object is in its first state.
//
// Some things may continue: a closed channel, a Once that is done, the content of memory, and the
// cases that a select with a default did not choose. A test that is cut off ([trace.Cut]) holds
// nothing at its end, as its rest is unknown. The second result has the elements that went through
// channels that are used on both sides of a position.
func cuts(t *trace.Trace, least int, properties []property.Property) ([]int, []passedElements) {
	s := newSpans(testStarts(t))
	s.cutTests = findCutTests(t)
	if !slices.ContainsFunc(s.starts, func(start int) bool { return start >= least && len(t.Events)-start >= least }) {
		return nil, nil
	}
	goroutines := make([]extent, len(t.Goroutines))
	// Objects whose operations depend on the operations before them.
	var conds numbering.Table[numbering.Word, extent]
	var channels numbering.Table[numbering.Word, queue]
	var monitors numbering.Table[object, monitored]
	generations := trace.NewGenerations(t)
	for _, b := range t.Blocked { // the blocked operation may have no event
		channels.Of(numbering.Word(b.Obj)).indivisible = true
	}
	var locks, groups numbering.Table[numbering.Word, heldCount]
	selects := make([]selectState, len(t.Goroutines))
	runs := make([]bool, len(t.Goroutines)) // tests
	for g := range runs {
		runs[g] = t.Goroutines[g].RunsTests()
	}
	for i := range t.Events {
		e := &t.Events[i]
		if !runs[e.G] {
			goroutines[e.G].add(i)
		}
		for int(s.testsBegun) < len(s.starts) && s.starts[s.testsBegun] <= i {
			s.testsBegun++
		}
		switch e.Kind {
		case trace.Acquire, trace.RAcquire:
			s.addToCount(&locks, e, i, 1)
		case trace.Release, trace.RRelease:
			s.addToCount(&locks, e, i, -1)
		case trace.CondWait, trace.CondWake, trace.CondSignal, trace.CondBroadcast:
			conds.Of(numbering.Word(e.Obj)).add(i)
		case trace.SelectSend, trace.SelectRecv:
			if e.Obj != 0 {
				selects[e.G].cases = append(selects[e.G].cases, e.Obj)
			}
		case trace.Select:
			if e.Flags&trace.FlagDefault != 0 {
				break
			}
			for _, ch := range selects[e.G].cases {
				q := channels.Of(numbering.Word(ch))
				if q.indivisible = true; !q.closed {
					q.add(i)
				}
			}
		case trace.SelectDone:
			selects[e.G] = selectState{selects[e.G].cases[:0], e.Val > 0}
		case trace.Send, trace.SendDone, trace.Recv, trace.RecvDone, trace.Close:
			if e.Obj != 0 {
				s.addChannelOperation(channels.Of(numbering.Word(e.Obj)), i, e, selects[e.G].hasChosen)
			}
			selects[e.G].hasChosen = false
		case trace.Call:
			generation := generations.Of(i)
			for n := range properties {
				if event, ok := properties[n].Calls[e.Val]; ok {
					s.addCall(monitors.Of(object{n, e.Obj, generation}), &properties[n], event, i)
				}
			}
		default:
			if e.Kind.Class() == trace.ClassWaitGroup {
				s.addToCount(&groups, e, i, int(e.Delta()))
			}
		}
	}
	for _, b := range t.Blocked {
		i := max(0, goroutines[b.G].after-1)
		if x := conds.Of(numbering.Word(b.Obj)); x.after > 0 {
			x.extendTo(i)
		}
		if q := channels.Of(numbering.Word(b.Obj)); q.after > 0 {
			q.extendTo(i)
		}
		for _, m := range []*numbering.Table[numbering.Word, heldCount]{&locks, &groups} {
			if h := m.Of(numbering.Word(b.Obj)); h.count != 0 {
				h.extendTo(i)
			}
		}
	}
	for k := range goroutines {
		s.addExtent(goroutines[k])
	}
	for _, x := range conds.Values() {
		s.addExtent(*x)
	}
	for _, q := range channels.Values() {
		s.addExtent(q.extent)
	}
	for _, m := range monitors.Values() {
		s.addExtent(m.extent)
	}
	for _, m := range []*numbering.Table[numbering.Word, heldCount]{&locks, &groups} {
		for _, h := range m.Values() {
			if h.count != 0 {
				s.addExtent(h.extent)
			}
		}
	}
	slices.SortFunc(s.passed, func(a, b passedElements) int { return cmp.Compare(a.position, b.position) })
	return s.windowStarts(least, len(t.Events)), s.passed
}

// testStarts returns the positions of the go statements that start top-level tests, ascending.
func testStarts(t *trace.Trace) (all []int) {
	for i := range t.Events {
		if e := &t.Events[i]; startsTest(t, e) && t.Goroutines[e.G].RunsTests() {
			all = append(all, i)
		}
	}
	return all
}

// startsTest reports whether e is the go statement of a top-level test.
func startsTest(t *trace.Trace, e *trace.Event) bool {
	return e.Kind == trace.Fork && e.Obj < uint64(len(t.Goroutines)) && t.Goroutines[e.Obj].IsTest()
}

// An extent is the range of positions at which an object is in use; both bounds are 0 if it is not.
type extent struct {
	first, after int // after is one more than the last position
}

func (s *extent) add(i int) {
	if s.after == 0 {
		s.first = i
	}
	s.after = i + 1
}

// extendTo extends the range to position i, in either direction.
func (s *extent) extendTo(i int) {
	s.first, s.after = min(s.first, i), max(s.after, i+1)
}

// An object identifies the receiver of calls that a property names: an address, until its memory is
// freed.
type object struct {
	property   int
	address    uint64
	generation int32
}

// Hash implements [numbering.Key].
func (o object) Hash() uint64 {
	return numbering.HashMemory(o.address, uint32(o.property), o.generation)
}

// A monitored object has a state in the monitor of a property. Its extent starts where it left the
// first state.
type monitored struct {
	extent
	state int
}

// addCall records call i, an event of property p. An object of a property of pairs never returns to
// its first state.
func (s *spans) addCall(m *monitored, p *property.Property, event, i int) {
	m.add(i)
	if m.state = p.Monitor.Step(m.state, event); m.state == 0 && p.Monitor.Accept[0] && p.Params == nil {
		s.addExtent(m.extent)
		m.extent = extent{}
	}
}

// A selectState describes the last select of a goroutine: its cases, and once it has completed,
// whether it chose one.
type selectState struct {
	cases     []uint64 // channels of the cases
	hasChosen bool
}

// A queue describes the use of a channel. Its extent starts anew after the start of a test at which
// the channel was empty and nobody waited for it.
type queue struct {
	extent
	testsBegun     int32 // tests that had begun at the last operation
	pending        int32 // operations that have begun and are not complete
	sent, received uint32
	lastElement    uint64 // highest number of an element
	// indivisible is set if the extent never starts anew: a select that may wait has a case of the channel
	// or has chosen one, somebody waits for it at the end, or its first operations are missing in the
	// trace.
	indivisible bool
	closed      bool
}

// idle reports whether the channel is empty and no operation on it is pending.
func (q *queue) idle() bool {
	return q.pending == 0 && q.sent == q.received && uint64(q.sent) == q.lastElement && !q.indivisible
}

// A passedElements counts the elements that went through a channel up to a position where it was
// empty.
type passedElements struct {
	position int
	channel  uint64
	elements uint64
}

// A heldCount counts the holders of a lock, or is the counter of a WaitGroup. Its extent starts where
// the count left zero.
type heldCount struct {
	extent
	count         int
	lastGoroutine trace.GID // the goroutine that changed the count last
}

// A spans collects the extents that no window boundary may divide.
type spans struct {
	starts     []int // positions of the starts of tests, where windows might begin
	openDelta  []int // by start: extents that begin to cover it, less those that cease to
	testsBegun int32 // tests that have begun so far
	passed     []passedElements
	// cutTests has by goroutine the number of its test if the trace lacks the rest of the test, or else 0;
	// nil if no test is cut off.
	cutTests []int32
}

func newSpans(starts []int) spans {
	return spans{starts: starts, openDelta: make([]int, len(starts)+1)}
}

// findCutTests returns by goroutine the number, from 1, of its test if it is cut off; nil if no test
// is.
func findCutTests(t *trace.Trace) []int32 {
	numbers := make(map[string]int32)
	for _, c := range t.Cuts {
		if c.LacksSync && c.Test != "" {
			numbers[c.Test] = int32(len(numbers)) + 1
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	all := make([]int32, len(t.Goroutines))
	for g := range all {
		all[g] = numbers[t.Goroutines[g].Test]
	}
	return all
}

// addChannelOperation records event i, an operation on the channel of q. The flag chosen tells whether
// a select chose it.
func (s *spans) addChannelOperation(q *queue, i int, e *trace.Event, chosen bool) {
	q.indivisible = q.indivisible || chosen
	// A closed channel is in the same state for all later receives.
	if !q.closed || e.Kind != trace.Recv && !(e.Kind == trace.RecvDone && e.Val == 0) {
		if q.after > 0 && q.testsBegun < s.testsBegun && q.idle() {
			s.addExtent(q.extent)
			s.passed = append(s.passed, passedElements{q.after, e.Obj, uint64(q.sent)})
			q.extent = extent{}
		}
		q.add(i)
		q.testsBegun = s.testsBegun
	}
	switch e.Kind {
	case trace.Send, trace.Recv:
		q.pending++
	case trace.SendDone:
		q.pending--
		q.sent++
	case trace.RecvDone:
		q.pending--
		if e.Val > 0 {
			q.received++
		}
	case trace.Close:
		q.closed = true
	}
	if e.Kind == trace.SendDone || e.Kind == trace.RecvDone {
		q.lastElement = max(q.lastElement, e.Val)
		q.indivisible = q.indivisible || q.pending < 0
	}
}

// addExtent records that no window may begin within x.
func (s *spans) addExtent(x extent) {
	from, _ := slices.BinarySearch(s.starts, x.first+1)
	if from == len(s.starts) || s.starts[from] >= x.after {
		return
	}
	to, _ := slices.BinarySearch(s.starts, x.after)
	s.openDelta[from]++
	s.openDelta[to]--
}

// addToCount adds by to the count of the object of e, which is at position i.
func (s *spans) addToCount(m *numbering.Table[numbering.Word, heldCount], e *trace.Event, i, by int) {
	h := m.Of(numbering.Word(e.Obj))
	if h.count != 0 && s.cutTests != nil && s.cutTests[h.lastGoroutine] > 0 && s.cutTests[h.lastGoroutine] != s.cutTests[e.G] {
		s.addExtent(h.extent)
		h.count = 0
	}
	if h.count == 0 {
		h.extent = extent{}
	}
	h.add(i)
	h.lastGoroutine = e.G
	if h.count += by; h.count == 0 {
		s.addExtent(h.extent)
	}
}

// uncovered yields the indices in starts of the starts that no extent covers.
func (s *spans) uncovered(yield func(int) bool) {
	open := 0
	for k := range s.starts {
		if open += s.openDelta[k]; open == 0 && !yield(k) {
			return
		}
	}
}

// windowStarts returns the test starts that no extent covers, at least least events from each other
// and from both ends of the trace.
func (s *spans) windowStarts(least, events int) (all []int) {
	last := 0
	for k := range s.uncovered {
		if start := s.starts[k]; start-last >= least && events-start >= least {
			all = append(all, start)
			last = start
		}
	}
	return all
}

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

// This file divides a long trace of a package's tests into windows, which are analyzed one
// after the other: tests that run one after another, of which nothing goes on in the next
// one, are as many traces. So what is to be known of each event takes memory for one window
// at a time, and no test is left undecided because others are long.

// leastWindow is how many events a window has at least: each costs something for all
// goroutines of the trace.
const leastWindow = 1 << 18

// A window is the events of a trace from position from up to to.
type window struct {
	from, to int
	passed   map[uint64]uint64 // see [trace.Trace.Passed]
}

// A Divided is a trace that is divided into windows.
type Divided struct {
	t       *trace.Trace // without its events
	events  int          // how many these are
	windows []window
	all     []trace.Event // the events, or nil: they are read again
	again   *Again
	room    []trace.Event // for those of one window that are read
	at      int           // how many were read for [Blocked]
}

// Divide divides t, of a package with these properties, into windows.
func Divide(t *trace.Trace, properties []property.Property) *Divided {
	return divide(t, leastWindow, properties)
}

func divide(t *trace.Trace, least int, properties []property.Property) *Divided {
	whole := *t
	whole.Events = nil
	return &Divided{t: &whole, all: t.Events, events: len(t.Events), windows: windows(t, least, properties)}
}

// Drop lets the events of the trace go, if there are several windows, and each can be read again: whoever has the
// trace may then do so too, and Predict is called once. It reports whether that is so.
func (d *Divided) Drop() bool {
	if len(d.windows) == 1 || !ReadsAgain(d.t, d.events) {
		return false
	}
	again, err := NewAgain(d.t)
	if err != nil {
		return false
	}
	d.again, d.all = again, nil
	return true
}

// Windows is how many windows there are.
func (d *Divided) Windows() int { return len(d.windows) }

// Events is how many events the trace has.
func (d *Divided) Events() int { return d.events }

// Bounds returns the position of the first event of window k, and that after its last one.
func (d *Divided) Bounds(k int) (from, to int) { return d.windows[k].from, d.windows[k].to }

// Retain lets the trace of the last window that was read stay as it is: the next one gets memory of its own.
func (d *Divided) Retain() { d.room = nil }

// Close ends reading the windows.
func (d *Divided) Close() {
	if d.again != nil {
		d.again.Close()
	}
}

// Trace returns window k as a trace; windows are asked for in their order. What goes with the events takes memory in long traces, so that it is made
// for one window at a time.
func (d *Divided) Trace(k int) (*trace.Trace, error) {
	w := d.windows[k]
	if len(d.windows) == 1 {
		return d.part(w, d.all), nil
	}
	if d.again == nil {
		return d.part(w, d.all[w.from:w.to:w.to]), nil
	}
	if d.room == nil {
		most := 0
		for _, w := range d.windows[k:] {
			most = max(most, w.to-w.from)
		}
		d.room = make([]trace.Event, most)
	}
	es := d.room[: w.to-w.from : w.to-w.from]
	if err := d.again.Next(es); err != nil {
		return nil, err
	}
	return d.part(w, es), nil
}

// part returns the trace with the events es of w only.
func (d *Divided) part(w window, es []trace.Event) *trace.Trace {
	t := *d.t
	t.Events = es
	if len(d.windows) == 1 {
		return &t
	}
	t.Passed = w.passed
	t.Freed = between(d.t.Freed, w.from, w.to, func(f *trace.Freed) *int32 { return &f.At })
	t.Held = between(d.t.Held, w.from, w.to, func(h *trace.Held) *int { return &h.At })
	its := make([]bool, len(t.Goroutines))
	for i := range es {
		its[es[i].G] = true
	}
	t.Stuck = slices.DeleteFunc(slices.Clone(d.t.Stuck), func(s trace.Stuck) bool { return !its[s.G] })
	t.Complete = t.Complete || w.to < d.events
	return &t
}

// windows returns those of t, in their order: t itself, if it is one.
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
		for ; len(gone) > 0 && gone[0].before <= from; gone = gone[1:] {
			through[gone[0].channel] = gone[0].n
		}
		all = append(all, window{from, at[k+1], maps.Clone(through)})
	}
	return all
}

// Blocked yields those windows of t, as traces, at whose end goroutines are blocked such as is says: each is in
// that of its test. Properties are not looked at. Where the windows can be read again, t is without its events
// meanwhile, and one of them is in memory at a time, with room behind its events for each that is blocked. The
// error is that what was there before can not be read.
func Blocked(t *trace.Trace, is func(trace.Stuck) bool) iter.Seq2[*trace.Trace, error] {
	return blockedIn(t, leastWindow, is)
}

func blockedIn(t *trace.Trace, least int, is func(trace.Stuck) bool) iter.Seq2[*trace.Trace, error] {
	return func(yield func(*trace.Trace, error) bool) {
		d := divide(t, least, nil)
		parts := make([]*trace.Trace, len(d.windows)) // nil: nobody is blocked so
		some := false
		for k, w := range d.windows {
			if part := d.part(w, d.all[w.from:w.to:w.to]); slices.ContainsFunc(part.Stuck, is) {
				parts[k], some = part, true
			}
		}
		again := some && d.Drop()
		if again {
			defer d.again.Close()
			t.Events = nil
			for _, part := range parts {
				if part != nil {
					part.Events = nil
				}
			}
			runtime.GC() // before what comes in their place
		}
		var err error
		more := true
		for k, part := range parts {
			if part == nil || !more {
				continue
			}
			if parts[k] = nil; again { // which nobody needs any more then
				if part.Events, err = d.read(d.windows[k], len(part.Stuck)); err != nil {
					break
				}
			}
			more = yield(part, nil)
		}
		if again {
			runtime.GC()
			err = cmp.Or(err, ReadEvents(t))
		}
		if err != nil && more {
			yield(nil, err)
		}
	}
}

// read reads the events of w, before which nothing was read that follows, with room for so many behind them.
func (d *Divided) read(w window, room int) ([]trace.Event, error) {
	between := make([]trace.Event, min(w.from-d.at, passAtOnce))
	for ; d.at < w.from; d.at += len(between) {
		between = between[:min(w.from-d.at, passAtOnce)]
		if err := d.again.Next(between); err != nil {
			return nil, err
		}
	}
	es := make([]trace.Event, w.to-w.from, w.to-w.from+room)
	d.at = w.to
	return es, d.again.Next(es)
}

// passAtOnce is how many events are passed over at once.
const passAtOnce = 1 << 12

// between returns those of all, which are sorted by where they are at, that are at positions from from up to
// to, as they are in what begins there.
func between[T any, N int | int32](all []T, from, to int, at func(*T) *N) []T {
	compare := func(x T, position int) int { return cmp.Compare(int(*at(&x)), position) }
	lo, _ := slices.BinarySearchFunc(all, from, compare)
	hi, _ := slices.BinarySearchFunc(all, to, compare)
	its := slices.Clone(all[lo:hi])
	for k := range its {
		*at(&its[k]) -= N(from)
	}
	return its
}

// cuts returns the positions where windows of t but the first one begin, ascending, so that
// each has least events or more. It is where the goroutine that runs the tests starts that of a
// top-level test, and nothing else goes on over that: no other goroutine has events before
// and after it, nobody holds a lock that is used after it, and no message, waiter or count
// is left in a channel, condition or WaitGroup that is used after it, and each object is to the properties
// as it was at first. A channel that is closed and a Once that is done stay so, memory keeps what it holds,
// and what a select with a default would have sent or received is no use of a channel. What has gone through channels
// that are used on both sides of one comes with them, by position. A test of which the trace has the beginning only
// ([trace.Cut]) leaves nothing held: how it went on is not known.
func cuts(t *trace.Trace, least int, properties []property.Property) ([]int, []passed) {
	s := spans{starts: starts(t), unended: unended(t)}
	if !slices.ContainsFunc(s.starts, func(start int) bool { return start >= least && len(t.Events)-start >= least }) {
		return nil, nil
	}
	s.over = make([]int, len(s.starts)+1)
	goroutines := make([]extent, len(t.Goroutines))
	// The objects of which an operation after another one depends on it.
	var conds objects[extent]
	var channels objects[queue]
	monitors := make(map[object]*monitored)
	generations := trace.NewCallGenerations(t)
	for _, b := range t.Stuck { // the operation may have no event
		channels.of(b.Obj).bound = true
	}
	var locks, groups objects[held]
	selects := make([]selecting, len(t.Goroutines))
	runs := make([]bool, len(t.Goroutines)) // tests
	for g := range runs {
		runs[g] = t.Goroutines[g].RunsTests()
	}
	for i := range t.Events {
		e := &t.Events[i]
		if !runs[e.G] {
			goroutines[e.G].take(i)
		}
		for int(s.begun) < len(s.starts) && s.starts[s.begun] <= i {
			s.begun++
		}
		switch e.Kind {
		case trace.Acquire, trace.RAcquire:
			s.count(&locks, e, i, 1)
		case trace.Release, trace.RRelease:
			s.count(&locks, e, i, -1)
		case trace.WaitGroupAdd:
			s.count(&groups, e, i, int(int64(e.Val)))
		case trace.WaitGroupWait, trace.WaitGroupWaited:
			s.count(&groups, e, i, 0)
		case trace.CondWait, trace.CondWake, trace.CondSignal, trace.CondBroadcast:
			conds.of(e.Obj).take(i)
		case trace.SelectSend, trace.SelectRecv:
			if e.Obj != 0 {
				selects[e.G].cases = append(selects[e.G].cases, e.Obj)
			}
		case trace.Select:
			if e.Flags&trace.FlagDefault != 0 {
				break
			}
			for _, ch := range selects[e.G].cases {
				q := channels.of(ch)
				if q.bound = true; !q.closed {
					q.take(i)
				}
			}
		case trace.SelectDone:
			selects[e.G] = selecting{selects[e.G].cases[:0], e.Val > 0}
		case trace.Send, trace.SendDone, trace.Recv, trace.RecvDone, trace.Close:
			if e.Obj != 0 {
				s.operate(channels.of(e.Obj), i, e, selects[e.G].chosen)
			}
			selects[e.G].chosen = false
		case trace.Call:
			generation := generations.Of(i)
			for n := range properties {
				if event, ok := properties[n].Calls[e.Val]; ok {
					s.call(of(monitors, object{n, e.Obj, generation}), &properties[n], event, i)
				}
			}
		}
	}
	for _, b := range t.Stuck {
		i := int(max(0, goroutines[b.G].end-1))
		if x := conds.of(b.Obj); x.end > 0 {
			x.reach(i)
		}
		if q := channels.of(b.Obj); q.end > 0 {
			q.reach(i)
		}
		for _, m := range []*objects[held]{&locks, &groups} {
			if h := m.of(b.Obj); h.n != 0 {
				h.reach(i)
			}
		}
	}
	for k := range goroutines {
		s.add(goroutines[k])
	}
	for x := range conds.all {
		s.add(*x)
	}
	for q := range channels.all {
		s.add(q.extent)
	}
	for _, m := range monitors {
		s.add(m.extent)
	}
	for _, m := range []*objects[held]{&locks, &groups} {
		for h := range m.all {
			if h.n != 0 {
				s.add(h.extent)
			}
		}
	}
	slices.SortFunc(s.passed, func(a, b passed) int { return cmp.Compare(a.before, b.before) })
	return s.free(least, len(t.Events)), s.passed
}

// starts returns where top-level tests begin, ascending.
func starts(t *trace.Trace) (all []int) {
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

// An extent is from the first to the last position of something; both are 0 of nothing.
type extent struct {
	first, end int32 // end is after the last one
}

func (s *extent) take(i int) {
	if s.end == 0 {
		s.first = int32(i)
	}
	s.end = int32(i) + 1
}

// reach adds position i, whether it is before the others or after.
func (s *extent) reach(i int) {
	s.first, s.end = min(s.first, int32(i)), max(s.end, int32(i)+1)
}

// objects have something for each of some objects, in parts: a test may make half a million channels.
type objects[V any] struct {
	numbers numbering.Numbers[numbering.Word]
	parts   []*[objectsAtOnce]V
}

const objectsAtOnce = 1 << 10

// of returns what there is for an object.
func (o *objects[V]) of(obj uint64) *V {
	k := int(o.numbers.Of(numbering.Word(obj)))
	if k == len(o.parts)*objectsAtOnce {
		o.parts = append(o.parts, new([objectsAtOnce]V))
	}
	return &o.parts[k/objectsAtOnce][k%objectsAtOnce]
}

// all yields what there is for each object.
func (o *objects[V]) all(yield func(*V) bool) {
	for k := range o.numbers.Len() {
		if !yield(&o.parts[k/objectsAtOnce][k%objectsAtOnce]) {
			return
		}
	}
}

// of returns what m has for an object, which it makes.
func of[K comparable, V any](m map[K]*V, obj K) *V {
	v := m[obj]
	if v == nil {
		v = new(V)
		m[obj] = v
	}
	return v
}

// An object has calls that a property names: what is at an address until the memory is freed.
type object struct {
	property   int
	address    uint64
	generation int32
}

// A monitored object is in a state of the monitor of a property. Its extent is since that was the first one.
type monitored struct {
	extent
	state int
}

// call notes call i, an event of p. What a property of pairs is about is never as it was at first.
func (s *spans) call(m *monitored, p *property.Property, event, i int) {
	m.take(i)
	if m.state = p.Monitor.Step(m.state, event); m.state == 0 && p.Monitor.Accept[0] && p.Params == nil {
		s.add(m.extent)
		m.extent = extent{}
	}
}

// A selecting goroutine has come to a select: with cases, or, once it is done, with one that was chosen.
type selecting struct {
	cases  []uint64 // their channels
	chosen bool
}

// A queue is a channel. Its extent is since a test has begun while nothing was in it, and nobody waited for it.
type queue struct {
	extent
	begun          int32 // how many tests had at the last operation
	waiting        int32 // operations that are not complete
	sent, received uint32
	last           uint64 // number of an element
	// bound is set if its extent is always one: a select that may wait has it, or one has chosen it,
	// somebody waits for it at the end, or the trace does not have all of it.
	bound  bool
	closed bool
}

// idle reports whether nothing is left in the channel.
func (q *queue) idle() bool {
	return q.waiting == 0 && q.sent == q.received && uint64(q.sent) == q.last && !q.bound
}

// A passed says how many elements have gone through a channel that had nothing left in it before a position.
type passed struct {
	before  int
	channel uint64
	n       uint64
}

// held counts holders of a lock, or what is to be waited for; its extent is since there was none.
type held struct {
	extent
	n    int
	last trace.GID // who has changed that
}

// spans are the things that windows must not divide.
type spans struct {
	starts []int // of tests: where they might
	over   []int // by start: how many begin to go on over it, less how many end to
	begun  int32 // how many tests have up to now
	passed []passed
	// unended is by goroutine the number of its test, if the trace has only how that begins, else 0; nil: there is none.
	unended []int32
}

// unended returns the numbers, from 1, of the tests of t that are cut off, by goroutine; nil if none is.
func unended(t *trace.Trace) []int32 {
	numbers := make(map[string]int32)
	for _, c := range t.Cuts {
		if c.Sync && c.Test != "" {
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

// operate notes event i, an operation on a channel that a select may have chosen.
func (s *spans) operate(q *queue, i int, e *trace.Event, chosen bool) {
	q.bound = q.bound || chosen
	// Of a closed channel the end tells what comes of it.
	if !q.closed || e.Kind != trace.Recv && !(e.Kind == trace.RecvDone && e.Val == 0) {
		if q.end > 0 && q.begun < s.begun && q.idle() {
			s.add(q.extent)
			s.passed = append(s.passed, passed{int(q.end), e.Obj, uint64(q.sent)})
			q.extent = extent{}
		}
		q.take(i)
		q.begun = s.begun
	}
	switch e.Kind {
	case trace.Send, trace.Recv:
		q.waiting++
	case trace.SendDone:
		q.waiting--
		q.sent++
	case trace.RecvDone:
		q.waiting--
		if e.Val > 0 {
			q.received++
		}
	case trace.Close:
		q.closed = true
	}
	if e.Kind == trace.SendDone || e.Kind == trace.RecvDone {
		q.last = max(q.last, e.Val)
		q.bound = q.bound || q.waiting < 0
	}
}

func (s *spans) add(x extent) {
	from, _ := slices.BinarySearch(s.starts, int(x.first)+1)
	if from == len(s.starts) || s.starts[from] >= int(x.end) {
		return
	}
	to, _ := slices.BinarySearch(s.starts, int(x.end))
	s.over[from]++
	s.over[to]--
}

// count notes e, an operation at position i that adds by to what is held of its object.
func (s *spans) count(m *objects[held], e *trace.Event, i, by int) {
	h := m.of(e.Obj)
	if h.n != 0 && s.unended != nil && s.unended[h.last] > 0 && s.unended[h.last] != s.unended[e.G] {
		s.add(h.extent)
		h.n = 0
	}
	if h.n == 0 {
		h.extent = extent{}
	}
	h.take(i)
	h.last = e.G
	if h.n += by; h.n == 0 {
		s.add(h.extent)
	}
}

// free returns those starts that nothing goes on over, as far from each other and from the ends
// as least.
func (s *spans) free(least, events int) (all []int) {
	over, last := 0, 0
	for k, start := range s.starts {
		over += s.over[k]
		if over == 0 && start-last >= least && events-start >= least {
			all = append(all, start)
			last = start
		}
	}
	return all
}

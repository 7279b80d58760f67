package analysis

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file divides a long trace of a package's tests into windows, which are analyzed one
// after the other: tests that run one after another, of which nothing goes on in the next
// one, are as many traces. So what is to be known of each event takes memory for one window
// at a time, and no test is left undecided because others are long.

// leastWindow is how many events a window has at least: each costs something for all
// goroutines of the trace.
const leastWindow = 1 << 18

// A window is a part of a trace.
type window struct {
	*trace.Trace     // with the events of the window only
	from         int // where these begin in the whole trace
}

// windows returns those of t, in their order: t itself, if it is one.
func windows(t *trace.Trace, least int, properties []property.Property) []window {
	if len(t.Events) < 2*least {
		return []window{{t, 0}}
	}
	at := append(slices.Insert(cuts(t, least, properties), 0, 0), len(t.Events))
	all := make([]window, 0, len(at)-1)
	for k, from := range at[:len(at)-1] {
		all = append(all, window{part(t, from, at[k+1]), from})
	}
	return all
}

// Windows returns t as the traces of its windows, which share their events with it: goroutines that
// are blocked at its end are each in that of their test. Properties are not looked at.
func Windows(t *trace.Trace) []*trace.Trace {
	var all []*trace.Trace
	for _, w := range windows(t, leastWindow, nil) {
		all = append(all, w.Trace)
	}
	return all
}

// part returns t with the events from position from up to to only. It shares them with t.
func part(t *trace.Trace, from, to int) *trace.Trace {
	if from == 0 && to == len(t.Events) {
		return t
	}
	w := *t
	w.Events = t.Events[from:to:to]
	w.Freed, w.Held = nil, nil
	for _, f := range t.Freed {
		if f.At >= from && f.At < to {
			f.At -= from
			w.Freed = append(w.Freed, f)
		}
	}
	for _, h := range t.Held {
		if h.At >= from && h.At < to {
			h.At -= from
			w.Held = append(w.Held, h)
		}
	}
	its := make([]bool, len(t.Goroutines))
	for i := range w.Events {
		its[w.Events[i].G] = true
	}
	w.Stuck = slices.DeleteFunc(slices.Clone(t.Stuck), func(s trace.Stuck) bool { return !its[s.G] })
	w.Complete = w.Complete || to < len(t.Events)
	return &w
}

// cuts returns the positions where windows of t but the first one begin, ascending, so that
// each has least events or more. It is where the goroutine that runs the tests starts that of a
// top-level test, and nothing else goes on over that: no other goroutine has events before
// and after it, nobody holds a lock that is used after it, and no message, waiter or count
// is left in a channel, condition or WaitGroup that is used after it, and each object is to the properties
// as it was at first. A channel that is closed and a Once that is done stay so, memory keeps what it holds.
func cuts(t *trace.Trace, least int, properties []property.Property) []int {
	s := spans{starts: starts(t)}
	if !slices.ContainsFunc(s.starts, func(start int) bool { return start >= least && len(t.Events)-start >= least }) {
		return nil
	}
	s.over = make([]int, len(s.starts)+1)
	goroutines := make([]extent, len(t.Goroutines))
	// The objects of which an operation after another one depends on it. A case of a select that is not chosen
	// is none: what nobody takes stays where it is.
	conds, channels := make(map[uint64]*extent), make(map[uint64]*extent)
	closed := make(map[uint64]bool)
	var calls []int
	locks, groups := make(map[uint64]*held), make(map[uint64]*held)
	runs := make([]bool, len(t.Goroutines)) // tests
	for g := range runs {
		runs[g] = t.Goroutines[g].RunsTests()
	}
	for i := range t.Events {
		e := &t.Events[i]
		if !runs[e.G] {
			goroutines[e.G].take(i)
		}
		switch e.Kind {
		case trace.Acquire, trace.RAcquire:
			s.count(locks, e.Obj, i, 1)
		case trace.Release, trace.RRelease:
			s.count(locks, e.Obj, i, -1)
		case trace.WaitGroupAdd:
			s.count(groups, e.Obj, i, int(int64(e.Val)))
		case trace.WaitGroupWait, trace.WaitGroupWaited:
			s.count(groups, e.Obj, i, 0)
		case trace.CondWait, trace.CondWake, trace.CondSignal, trace.CondBroadcast:
			of(conds, e.Obj).take(i)
		case trace.RecvDone:
			if e.Obj != 0 && !(e.Val == 0 && closed[e.Obj]) {
				of(channels, e.Obj).take(i)
			}
		case trace.Recv: // of a closed channel the end tells what comes of it
			if e.Obj != 0 && !closed[e.Obj] {
				of(channels, e.Obj).take(i)
			}
		case trace.Send, trace.SendDone, trace.Close:
			if e.Obj != 0 {
				of(channels, e.Obj).take(i)
			}
			closed[e.Obj] = closed[e.Obj] || e.Kind == trace.Close
		case trace.Call:
			calls = append(calls, i)
		}
	}
	s.monitor(t, calls, properties)
	for _, b := range t.Stuck { // the operation may have no event
		i := max(0, goroutines[b.G].end-1)
		for _, m := range []map[uint64]*extent{conds, channels} {
			if m[b.Obj] != nil {
				m[b.Obj].reach(i)
			}
		}
		for _, m := range []map[uint64]*held{locks, groups} {
			if m[b.Obj] != nil && m[b.Obj].n != 0 {
				m[b.Obj].reach(i)
			}
		}
	}
	for k := range goroutines {
		s.add(goroutines[k])
	}
	for _, m := range []map[uint64]*extent{conds, channels} {
		for _, x := range m {
			s.add(*x)
		}
	}
	for _, m := range []map[uint64]*held{locks, groups} {
		for _, h := range m {
			if h.n != 0 {
				s.add(h.extent)
			}
		}
	}
	return s.free(least, len(t.Events))
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
	first, end int // end is after the last one
}

func (s *extent) take(i int) {
	if s.end == 0 {
		s.first = i
	}
	s.end = i + 1
}

// reach adds position i, whether it is before the others or after.
func (s *extent) reach(i int) {
	s.first, s.end = min(s.first, i), max(s.end, i+1)
}

// of returns the extent of an object, which it makes.
func of(m map[uint64]*extent, obj uint64) *extent {
	if m[obj] == nil {
		m[obj] = new(extent)
	}
	return m[obj]
}

// held counts holders of a lock, or what is to be waited for; its extent is since there was none.
type held struct {
	extent
	n int
}

// spans are the things that windows must not divide.
type spans struct {
	starts []int // of tests: where they might
	over   []int // by start: how many begin to go on over it, less how many end to
}

func (s *spans) add(x extent) {
	from, _ := slices.BinarySearch(s.starts, x.first+1)
	if from == len(s.starts) || s.starts[from] >= x.end {
		return
	}
	to, _ := slices.BinarySearch(s.starts, x.end)
	s.over[from]++
	s.over[to]--
}

// count notes an operation at position i that adds by to what is held of obj.
func (s *spans) count(m map[uint64]*held, obj uint64, i, by int) {
	h := m[obj]
	if h == nil {
		h = new(held)
		m[obj] = h
	}
	if h.n == 0 {
		h.extent = extent{}
	}
	h.take(i)
	if h.n += by; h.n == 0 {
		s.add(h.extent)
	}
}

// monitor adds from where to where each object is not as it was at first to a property, after one of the
// calls, of which these are the positions. Those at one address in turn are others. What a property of pairs
// is about stays so.
func (s *spans) monitor(t *trace.Trace, calls []int, properties []property.Property) {
	its := trace.Trace{Events: make([]trace.Event, len(calls))}
	for k, i := range calls {
		its.Events[k] = t.Events[i]
	}
	for _, f := range t.Freed {
		f.At, _ = slices.BinarySearch(calls, f.At)
		its.Freed = append(its.Freed, f)
	}
	type object struct {
		property   int
		at         uint64
		generation int32
	}
	type monitored struct {
		extent
		state int
	}
	all := make(map[object]*monitored)
	generations := trace.NewGenerations(&its)
	for k, i := range calls {
		e, generation := &its.Events[k], generations.Of(k)
		for n := range properties {
			p := &properties[n]
			event, ok := p.Calls[e.Val]
			if !ok {
				continue
			}
			o := object{n, e.Obj, generation}
			m := all[o]
			if m == nil {
				m = new(monitored)
				all[o] = m
			}
			m.take(i)
			if m.state = p.Monitor.Step(m.state, event); m.state == 0 && p.Params == nil && p.Monitor.Accept[0] {
				s.add(m.extent)
				delete(all, o)
			}
		}
	}
	for _, m := range all {
		s.add(m.extent)
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

// madeSteps is how many steps of schedules are kept for each event of a window: they take less than what
// would make them.
const madeSteps = 2

// letGo makes the schedules of r, so that nothing else is kept of the window that it is of, as far as they
// have no more than so many steps.
func (r *Result) letGo(steps int) {
	made := func(recipe *Recipe) {
		its, n := recipe.Made(steps)
		recipe.Recipe, steps = its, steps-n
	}
	departures := make(map[*Departure]bool) // findings share them
	for _, f := range r.Findings {
		for k := range f.Schedules {
			made(&f.Schedules[k])
		}
		for _, d := range f.Departures {
			if !departures[d] {
				departures[d] = true
				made(&d.Recipe)
			}
		}
	}
}

// join adds to r what was predicted from a window that begins at position from: each candidate
// is one finding of all windows, the best that there is, and at has the indices of these by
// their names. What is pruned is not told apart by names: counted is what the window with the
// most has.
func (r *Result) join(o *Result, from int, at map[string]int) {
	for _, f := range o.Findings {
		f.shift(from)
		k, known := at[f.Name]
		switch {
		case !known:
			at[f.Name] = len(r.Findings)
			r.Findings = append(r.Findings, f)
		case f.rank() > r.Findings[k].rank():
			r.Findings[k] = f
		}
	}
	r.Locked, r.Ordered = max(r.Locked, o.Locked), max(r.Ordered, o.Ordered)
	r.Raced, r.Intended = max(r.Raced, o.Raced), max(r.Intended, o.Intended)
	r.Cut, r.TooLong = r.Cut || o.Cut, r.TooLong || o.TooLong
}

// rank is the higher, the more there is to tell of f.
func (f *Finding) rank() int {
	switch {
	case f.Status == bug.Predicted:
		return 3
	case f.Status == bug.Infeasible:
		return 0
	case f.Refuted:
		return 1
	}
	return 2
}

// shift makes of a finding in a window, which begins at position from, one in the whole trace.
func (f *Finding) shift(from int) {
	if from == 0 {
		return
	}
	f.Accesses = slices.Clone(f.Accesses)
	for k := range f.Accesses {
		f.Accesses[k] += from
	}
	for k := range f.Schedules {
		f.Schedules[k].Recipe = f.Schedules[k].In(from)
	}
	for k, d := range f.Departures {
		its := *d
		its.Recipe.Recipe = d.In(from)
		f.Departures[k] = &its
	}
}

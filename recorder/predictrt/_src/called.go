package predictrt

import (
	"runtime"
	"unsafe"
)

// This file logs the calls of methods that properties name, and runs the monitor of the property
// that a schedule is to violate (Chen and Roşu, Parametric Trace Slicing and Monitoring, TACAS
// 2009): an automaton for each object, or pair of objects.

// Called logs a call of a method on the object at p; the rewriter puts it at the method's start, or
// defers it if the property is about the method's end. method is the number of the name that the
// property uses.
func Called[T any](p *T, method uint64) {
	if Mode != 0 && unsafe.Sizeof(*p) > 0 {
		called(unsafe.Pointer(p), method)
	}
}

// called logs the call, at the place where the method is called.
//
//go:noinline
func called(p unsafe.Pointer, method uint64) {
	if g := callee(p); g != nil {
		g.called(p, method, g.caller())
	}
}

// CalledWith is Called for a method of a property of pairs. A call with the number operand, which
// names the object at with, comes before the call itself.
func CalledWith[T, U any](with *T, p *U, operand, method uint64) {
	if Mode != 0 && unsafe.Sizeof(*with) > 0 && unsafe.Sizeof(*p) > 0 {
		calledWith(unsafe.Pointer(with), unsafe.Pointer(p), operand, method)
	}
}

// ReturnedWith is a deferred CalledWith, where the object at with is a result.
func ReturnedWith[T, U any](with **T, p *U, operand, method uint64) {
	if Mode != 0 && unsafe.Sizeof(**with) > 0 && unsafe.Sizeof(*p) > 0 {
		calledWith(unsafe.Pointer(*with), unsafe.Pointer(p), operand, method)
	}
}

// calledWith is CalledWith for objects that may be on the stack, where they have no events.
//
//go:noinline
func calledWith(with, p unsafe.Pointer, operand, method uint64) {
	if g := callee(p); g != nil && callee(with) != nil {
		site := g.caller()
		g.called(with, operand, site)
		g.called(p, method, site)
	}
}

// An Object is an argument of [Event].
type Object struct {
	p       unsafe.Pointer
	methods []uint64 // numbers of the names that properties have for the event
}

// ObjectOf returns the argument of [Event] for the object at p.
func ObjectOf[T any](p *T, methods ...uint64) Object {
	if unsafe.Sizeof(*p) == 0 {
		return Object{}
	}
	return Object{unsafe.Pointer(p), methods}
}

// Unnamed returns the argument of [Event] for a value that no property is about.
func Unnamed(any) Object { return Object{} }

// Event logs an event that the program declares itself, of these objects.
func Event(objects ...Object) {
	if Mode == 0 {
		return
	}
	for _, o := range objects {
		if g := callee(o.p); g != nil {
			for _, method := range o.methods {
				g.called(o.p, method, programCallOr(g.goSite))
			}
		}
	}
}

// LogUse logs the use of an object of the standard library that a built-in property is about. The
// site is that of the program's call in the stack, or else of the call that returns to pc.
func LogUse(p unsafe.Pointer, method uint64, pc uintptr) {
	if Mode == 0 {
		return
	}
	if g := callee(p); g != nil {
		g.called(p, method, programCallOr(siteOf(pc)))
	}
}

// LogProgramUse is LogUse, but only where the program itself calls the function that returns to pc: uses by
// the standard library in between are not the program's.
func LogProgramUse(p unsafe.Pointer, method uint64, pc uintptr) {
	if Mode == 0 {
		return
	}
	g := callee(p)
	if g == nil {
		return
	}
	site := lookup(pc).programSite
	if site == noProgramSite { // by way of another method of the same object
		if site = programCall(false); site != siteOf(pc) {
			return
		}
	}
	if site != noProgramSite && site != foreignSite {
		g.called(p, method, site)
	}
}

// callee returns the running goroutine. It returns nil if a call on the object at p is no event:
// no other goroutine can reach an object on the stack.
func callee(p unsafe.Pointer) *goroutine {
	if uintptr(p) < 4096 || runtime.PredictOnStack(uintptr(p)) {
		return nil
	}
	return current()
}

// called logs that method is called on the object at p.
func (g *goroutine) called(p unsafe.Pointer, method uint64, site uint32) {
	obj := uint64(uintptr(p))
	g.beforeOperation(KindCall, site, obj)
	g.passAndLog(KindCall, 0, site, 0, obj, method)
	g.observe(obj, method)
}

// caller returns the site of the call of the innermost function of the program in the stack. If that
// function has no caller, the site is that of the go statement.
func (o *origin) caller() (site uint32) {
	runtime.PredictPin()
	defer runtime.PredictUnpin()
	var pcs [64]uintptr
	callee := true
	for _, pc := range callersOf(pcs[:]) {
		runtime.PredictFrames(pc&^logicalPC, pc&logicalPC != 0, func(fn, file string, line int) bool {
			switch {
			case isMachinery(fn, file):
			case callee:
				callee = false
			default:
				site = number(fn, file, line)
			}
			return site == 0
		})
		if site != 0 {
			return site
		}
	}
	return o.goSite
}

// A monitor is the automaton of the property that the schedule is to violate, with a state for each
// object or, in a property of pairs, for each pair of objects. A pair goes through the events of
// both of its objects and of each of them, also those from before the pair existed (Chen and Roşu).
type monitor struct {
	events   map[uint64]int // by method, the event that it is
	next     []int          // the next state, by state and event
	width    int            // number of events
	violated int            // the state that violates the property
	// states are by pair; a single object stands for a pair with itself.
	states map[[2]uint64]*int
	// params are by method, in a property of pairs only.
	params map[uint64]param
	// operands are the methods that name the first object of a pair.
	operands map[uint64]bool
	// named is the object that a goroutine has named last by an operand.
	named map[naming]uint64
	// history has the events of each object that are not about a pair, by place in the pair.
	history [2]map[uint64][]numberedEvent
	// pairsOf has the states of the pairs that an object is part of, by place in the pair.
	pairsOf [2]map[uint64][]*int
	// seq numbers the events in history.
	seq uint64
}

// monitored keeps the objects of activeMonitor alive, so that no other one gets the address of one.
var monitored = map[uint64]unsafe.Pointer{}

// A param says which object of a pair a method is called on, and the operand that names the other
// one; 0 if the event is about one object only.
type param struct {
	place   int // 0 or 1
	operand uint64
}

// A naming is the goroutine that has named an object of a pair, and the operand that names it.
type naming struct {
	g       *goroutine
	operand uint64
}

// A numberedEvent is an event with its number among all events in monitor.history.
type numberedEvent struct {
	seq   uint64
	event int
}

// activeMonitor is nil if the schedule is to violate no property.
var activeMonitor *monitor

// planMonitor reads the plan's line of the monitor: the number of events, the state that violates
// the property, and the next states, ordered by state and event.
func planMonitor(rest string) bool {
	var n []int
	for _, word := range split(rest, " ") {
		v, ok := atoi(word)
		if !ok {
			return false
		}
		n = append(n, int(v))
	}
	if activeMonitor != nil || len(n) < 3 || n[0] < 1 || (len(n)-2)%n[0] != 0 {
		return false
	}
	m := &monitor{
		events: map[uint64]int{}, next: n[2:], width: n[0], violated: n[1], states: map[[2]uint64]*int{},
		params: map[uint64]param{}, operands: map[uint64]bool{}, named: map[naming]uint64{},
		history: [2]map[uint64][]numberedEvent{{}, {}}, pairsOf: [2]map[uint64][]*int{{}, {}},
	}
	for _, to := range m.next {
		if to >= len(m.next)/m.width {
			return false
		}
	}
	activeMonitor = m
	return true
}

// planMethod reads the plan's line of a method: its number and that of its event. In a property of
// pairs, the place of its object and the number of the operand follow, see param.
func planMethod(rest string) bool {
	var n [4]uint64
	count, ok := parseNumbers(rest, n[:])
	m := activeMonitor
	if !ok || count != 2 && count != 4 || m == nil || n[1] >= uint64(m.width) || n[2] > 1 {
		return false
	}
	m.events[n[0]] = int(n[1])
	if count == 4 {
		m.params[n[0]] = param{int(n[2]), n[3]}
		m.operands[n[3]] = n[3] != 0
	}
	return true
}

// observe steps the monitor for a call on an object. If the property is violated by that, on the
// way to the end of the schedule or there, the verdict says so.
//
//go:nocheckptr
func (g *goroutine) observe(obj, method uint64) {
	m := activeMonitor
	if m == nil || stage == stageFree {
		return
	}
	event, ok := m.events[method]
	if !ok && !m.operands[method] {
		return
	}
	runtime.PredictHold()
	monitored[obj] = unsafe.Pointer(uintptr(obj))
	runtime.PredictRelease()
	runtime.PredictPin()
	defer runtime.PredictUnpin()
	if m.operands[method] {
		m.named[naming{g, method}] = obj
	} else if m.observe(g, obj, method, event) {
		writeVerdict("violated " + g.fullName() + "\n")
	}
}

// observe steps the states that an event is about, and reports whether one of them comes to violate
// the property by that.
func (m *monitor) observe(g *goroutine, obj, method uint64, event int) (violated bool) {
	step := func(state *int) {
		before := *state
		*state = m.next[before*m.width+event]
		violated = violated || *state == m.violated && before != *state
	}
	pair := [2]uint64{obj, obj}
	if p, ok := m.params[method]; ok && p.operand == 0 {
		m.seq++
		m.history[p.place][obj] = append(m.history[p.place][obj], numberedEvent{m.seq, event})
		for _, state := range m.pairsOf[p.place][obj] {
			step(state)
		}
		return violated
	} else if ok {
		other, named := m.named[naming{g, p.operand}]
		if !named {
			return false
		}
		pair[1-p.place] = other
	}
	state := m.states[pair]
	if state == nil {
		state = new(int)
		*state = m.stateAfter(m.history[0][pair[0]], m.history[1][pair[1]])
		m.states[pair] = state
		for place, o := range pair {
			m.pairsOf[place][o] = append(m.pairsOf[place][o], state)
		}
		violated = *state == m.violated
	}
	step(state)
	return violated
}

// stateAfter returns the state after the events of two objects, in the order of their numbers.
func (m *monitor) stateAfter(a, b []numberedEvent) (state int) {
	for len(a)+len(b) > 0 {
		if len(a) == 0 || len(b) > 0 && b[0].seq < a[0].seq {
			a, b = b, a
		}
		state = m.next[state*m.width+a[0].event]
		a = a[1:]
	}
	return state
}

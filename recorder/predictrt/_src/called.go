package predictrt

import (
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// This file logs the calls that properties name, and runs the monitor of the property that a
// schedule is to violate (Chen and Roşu, Parametric Trace Slicing and Monitoring, TACAS 2009):
// an automaton for each object, or pair of objects.

// Called is what a method that a property names does first, or deferred if that names its end:
// p is the object that it is called on, and method its number.
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

// CalledWith is Called for what is also about the object at with, of which the call that operand
// stands for tells first.
func CalledWith[T, U any](with *T, p *U, operand, method uint64) {
	if Mode != 0 && unsafe.Sizeof(*with) > 0 && unsafe.Sizeof(*p) > 0 {
		calledWith(unsafe.Pointer(with), unsafe.Pointer(p), operand, method)
	}
}

// ReturnedWith is CalledWith that is deferred, for a result.
func ReturnedWith[T, U any](with **T, p *U, operand, method uint64) {
	if Mode != 0 && unsafe.Sizeof(**with) > 0 && unsafe.Sizeof(*p) > 0 {
		calledWith(unsafe.Pointer(*with), unsafe.Pointer(p), operand, method)
	}
}

//go:noinline
func calledWith(with, p unsafe.Pointer, operand, method uint64) {
	if g := callee(p); g != nil && callee(with) != nil {
		site := g.caller()
		g.called(with, operand, site)
		g.called(p, method, site)
	}
}

// An Object is what the program tells an event of, by methods that stand for what properties name.
type Object struct {
	p       unsafe.Pointer
	methods []uint64
}

// ObjectOf is what an object becomes that the program tells an event of.
func ObjectOf[T any](p *T, methods ...uint64) Object {
	if unsafe.Sizeof(*p) == 0 {
		return Object{}
	}
	return Object{unsafe.Pointer(p), methods}
}

// Unnamed is what other values become that the program tells an event of.
func Unnamed(any) Object { return Object{} }

// Event is what tells of objects, now or, if that is deferred, later.
func Event(objects ...Object) {
	if Mode == 0 {
		return
	}
	for _, o := range objects {
		if g := callee(o.p); g != nil {
			for _, method := range o.methods {
				g.called(o.p, method, g.eventSite())
			}
		}
	}
}

// eventSite returns the site of the call of the program that tells of an event, or of what has started
// the goroutine by that.
func (o *origin) eventSite() uint32 {
	if site := ourCall(false); site != noProgramSite && site != otherModules {
		return site
	}
	return o.site
}

// Uses is what a part of the standard library does first that a built-in property names: p is
// the object that it is about, and method its number. What the program has asked for is done
// at its own place.
func Uses(p unsafe.Pointer, method uint64, pc uintptr) {
	if Mode == 0 {
		return
	}
	if g := callee(p); g != nil {
		site := ourCall(false)
		if site == noProgramSite || site == otherModules {
			site = siteOf(pc)
		}
		g.called(p, method, site)
	}
}

// Asks is Uses where the program itself must be the caller: what the standard library does in
// between is its own affair.
func Asks(p unsafe.Pointer, method uint64, pc uintptr) {
	if Mode == 0 {
		return
	}
	g := callee(p)
	if g == nil {
		return
	}
	site := lookup(pc).ours
	if site == noProgramSite { // by way of another method of the same object
		if site = ourCall(false); site != siteOf(pc) {
			return
		}
	}
	if site != noProgramSite && site != otherModules {
		g.called(p, method, site)
	}
}

// callee returns the running goroutine, nil if what it does with the object at p is no event:
// an object on the stack is nobody else's.
func callee(p unsafe.Pointer) *goroutine {
	if uintptr(p) < 4096 || runtime.PredictOnStack(uintptr(p)) {
		return nil
	}
	return current()
}

// called logs that method is called on the object at p.
func (g *goroutine) called(p unsafe.Pointer, method uint64, site uint32) {
	obj := uint64(uintptr(p))
	g.giveWay(Call, site, obj)
	g.passAndLog(Call, 0, site, 0, obj, method)
	g.observe(obj, method)
}

// caller returns the site of the call of the program's function that runs. What has no
// caller was started by its go statement.
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
	return o.site
}

// A monitor is the automaton of the property that the schedule is to violate.
type monitor struct {
	// by the number of a method
	events   map[uint64]int
	next     []int // by state and event
	width    int   // events
	violated int
	// by object; of pairs, pairs has them
	states map[uint64]int
	// the objects: no other one gets the address of one
	keep []unsafe.Pointer
	// nil for a property of single objects
	pairs *pairs
}

// pairs is what a monitor knows of a property of pairs of objects. Each pair goes through the
// events that are about both of its objects or one of them, also those before it came to be.
type pairs struct {
	// by the number of a method
	params map[uint64]param
	// the calls that tell of the first object of two
	operands map[uint64]bool
	told     map[teller]uint64 // that object
	// the events that are about one object, by that
	alone  [2]map[uint64][]happened
	states map[[2]uint64]*int   // of the pairs
	of     [2]map[uint64][]*int // by one of their objects
	seq    uint64
}

// A param says which object of a pair a method is called on, and what tells of the other one.
type param struct {
	of      int
	operand uint64
}

// A teller is the goroutine that has named an object of a pair, and the method that named it.
type teller struct {
	g       *goroutine
	operand uint64
}

// happened is an event, and the how manyeth of all it is.
type happened struct {
	seq   uint64
	event int
}

var watched *monitor // nil: the schedule is to violate no property

// planMonitor reads the line of the monitor: the number of events, the state that is
// violated, and the next states, of each state those by event.
func planMonitor(rest string) bool {
	f := split(rest, " ")
	var n []int
	for _, word := range f {
		v, ok := atoi(word)
		if !ok {
			return false
		}
		n = append(n, int(v))
	}
	if watched != nil || len(n) < 3 || n[0] < 1 || (len(n)-2)%n[0] != 0 {
		return false
	}
	watched = &monitor{events: map[uint64]int{}, next: n[2:], width: n[0], violated: n[1], states: map[uint64]int{}}
	for _, to := range watched.next {
		if to >= len(watched.next)/watched.width {
			return false
		}
	}
	return true
}

// planMethod reads the line of a method: its number, and that of its event.
func planMethod(rest string) bool {
	number, rest, _ := stringslite.Cut(rest, " ")
	event, both, _ := stringslite.Cut(rest, " ")
	n, ok1 := atoi(number)
	e, ok2 := atoi(event)
	if !ok1 || !ok2 || watched == nil || int(e) >= watched.width {
		return false
	}
	watched.events[n] = int(e)
	return both == "" || planPair(n, both)
}

// planPair reads the end of the line of the method n of a property of pairs: which object it is
// called on, and the number of what tells of the other one, or 0.
func planPair(n uint64, rest string) bool {
	of, operand, _ := stringslite.Cut(rest, " ")
	which, ok1 := atoi(of)
	o, ok2 := atoi(operand)
	if !ok1 || !ok2 || which > 1 {
		return false
	}
	m := watched
	if m.pairs == nil {
		m.pairs = &pairs{params: map[uint64]param{}, operands: map[uint64]bool{}, told: map[teller]uint64{}, states: map[[2]uint64]*int{}}
		m.pairs.alone = [2]map[uint64][]happened{{}, {}}
		m.pairs.of = [2]map[uint64][]*int{{}, {}}
	}
	m.pairs.params[n] = param{int(which), o}
	if o != 0 {
		m.pairs.operands[o] = true
	}
	return true
}

// observe steps the monitor for an object, and says in the verdict when the property is
// violated, on the way to the violation or there.
//
//go:nocheckptr
func (g *goroutine) observe(obj, method uint64) {
	m := watched
	if m == nil || stage == free {
		return
	}
	e, ok := m.events[method]
	if !ok && (m.pairs == nil || !m.pairs.operands[method]) {
		return
	}
	runtime.PredictPin()
	defer runtime.PredictUnpin()
	state, known := m.states[obj]
	if !known {
		m.keep = append(m.keep, unsafe.Pointer(uintptr(obj)))
		m.states[obj] = state
	}
	if m.pairs != nil {
		if m.pairs.observe(m, g, obj, method, e) {
			verdict("violated " + g.fullName() + "\n")
		}
		return
	}
	to := m.next[state*m.width+e]
	m.states[obj] = to
	if to == m.violated && state != to {
		verdict("violated " + g.fullName() + "\n")
	}
}

// observe takes an event of a property of pairs in, and reports whether a pair violates the
// property by that.
func (p *pairs) observe(m *monitor, g *goroutine, obj, method uint64, event int) (violated bool) {
	if p.operands[method] {
		p.told[teller{g, method}] = obj
		return false
	}
	step := func(state *int) {
		before := *state
		*state = m.next[before*m.width+event]
		violated = violated || *state == m.violated && before != *state
	}
	of := p.params[method]
	if of.operand == 0 {
		p.seq++
		p.alone[of.of][obj] = append(p.alone[of.of][obj], happened{p.seq, event})
		for _, state := range p.of[of.of][obj] {
			step(state)
		}
		return violated
	}
	other, ok := p.told[teller{g, of.operand}]
	if !ok {
		return false
	}
	var pair [2]uint64
	pair[of.of], pair[1-of.of] = obj, other
	state := p.states[pair]
	if state == nil {
		state = new(int)
		*state = m.past(p.alone[0][pair[0]], p.alone[1][pair[1]])
		p.states[pair] = state
		for k, o := range pair {
			p.of[k][o] = append(p.of[k][o], state)
		}
		violated = *state == m.violated
	}
	step(state)
	return violated
}

// past returns the state after the events of two objects, in their order.
func (m *monitor) past(a, b []happened) (state int) {
	for len(a)+len(b) > 0 {
		if len(a) == 0 || len(b) > 0 && b[0].seq < a[0].seq {
			a, b = b, a
		}
		state = m.next[state*m.width+a[0].event]
		a = a[1:]
	}
	return state
}

package predictrt

import (
	"runtime"
	"unsafe"
)

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

// Told is what an object becomes of which the program tells an event that a property names:
// it is p, and method stands for the event.
func Told[T any](p *T, method uint64) *T {
	if Mode != 0 && unsafe.Sizeof(*p) > 0 {
		toldOf(unsafe.Pointer(p), method)
	}
	return p
}

//go:noinline
func toldOf(p unsafe.Pointer, method uint64) {
	if g := callee(p); g != nil {
		if site := g.ourCall(); site != nobodys && site != others {
			g.called(p, method, site)
		}
	}
}

// Uses is what a part of the standard library does first that a built-in property names: p is
// the object that it is about, and method its number. What the program has asked for is done
// at its own place.
func Uses(p unsafe.Pointer, method uint64, pc uintptr) {
	if Mode == 0 {
		return
	}
	if g := callee(p); g != nil {
		site := g.ourCall()
		if site == nobodys || site == others {
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
	if site == nobodys { // by way of another method of the same object
		if site = g.ourCall(); site != siteOf(pc) {
			return
		}
	}
	if site != nobodys && site != others {
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
	g.pass(Call, site, obj, 0, nil)
	g.ready()
	g.log(Call, 0, site, 0, obj, method)
	g.observe(obj, method)
}

// caller returns the site of the call of the program's function that runs. What has no
// caller was started by its go statement.
func (g *goroutine) caller() (site uint32) {
	runtime.PredictPin()
	defer runtime.PredictUnpin()
	var pcs [64]uintptr
	n, logical := runtime.PredictCallers(pcs[:])
	callee := true
	for _, pc := range pcs[:n] {
		runtime.PredictFrames(pc, logical, func(fn, file string, line int) bool {
			switch {
			case machinery(fn, file):
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
	return g.site
}

// A monitor is the automaton of the property that the schedule is to violate.
type monitor struct {
	events   map[uint64]int // by the number of a method
	next     []int          // by state and event
	width    int            // events
	violated int
	states   map[uint64]int   // by object
	keep     []unsafe.Pointer // the objects: no other one gets the address of one
}

var watched *monitor // nil: the schedule is to violate no property

// planMonitor reads the line of the monitor: the number of events, the state that is
// violated, and the next states, of each state those by event.
func planMonitor(rest string) bool {
	f := split(rest, ' ')
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
	number, event := cut(rest, ' ')
	n, ok1 := atoi(number)
	e, ok2 := atoi(event)
	if !ok1 || !ok2 || watched == nil || int(e) >= watched.width {
		return false
	}
	watched.events[n] = int(e)
	return true
}

// observe steps the monitor for an object, and says in the verdict when that comes to what
// violates the property on the way to the violation, or there.
//
//go:nocheckptr
func (g *goroutine) observe(obj, method uint64) {
	m := watched
	if m == nil || stage == free {
		return
	}
	e, ok := m.events[method]
	if !ok {
		return
	}
	runtime.PredictPin()
	defer runtime.PredictUnpin()
	state, known := m.states[obj]
	if !known {
		m.keep = append(m.keep, unsafe.Pointer(uintptr(obj)))
	}
	to := m.next[state*m.width+e]
	m.states[obj] = to
	if to == m.violated && state != to {
		verdict("violated " + g.name() + "\n")
	}
}

package predictrt

import "runtime"

// This file has what most hooks begin with: the running goroutine, its turn, the gate, and
// room for the event.

// enter is called at the start of a hook that has a rewriter's site or none:
// it passes the gate and makes room for the event. The result is nil if
// nothing is to be logged. It starts a new time slice, so that the operation
// that follows is not separated from its event.
func enter(kind uint8, site uint32) *goroutine {
	g := current()
	if g == nil {
		return nil
	}
	g.giveWay(kind, site, 0)
	g.actor.pass(kind, site, 0, 0, nil)
	g.ready()
	return g
}

// enterAt is enter for a hook that knows its caller by program counter. The
// runtime's own goroutines and channels are none of the program's.
func enterAt(kind uint8, obj uint64, pc uintptr) (*goroutine, uint32) {
	g := current()
	if g == nil {
		return nil, 0
	}
	if (kind == KindFork || isChannel(kind)) && lookup(pc).own {
		return nil, 0
	}
	site := siteOf(pc)
	g.giveWay(kind, site, obj)
	g.actor.pass(kind, site, obj, 0, nil)
	g.ready()
	return g, site
}

// ready is the last thing before an event is logged and its operation done.
func (g *goroutine) ready() {
	room()
	runtime.PredictFresh()
}

// passAndLog logs an event once its turn in the schedule has come.
func (g *goroutine) passAndLog(kind, flags uint8, site, size uint32, obj, val uint64) {
	g.actor.pass(kind, site, obj, 0, nil)
	g.ready()
	g.log(kind, flags, site, size, obj, val)
}

// giveWay counts an operation. Taking a lock may be part of looking at what it
// guards, as a load of more than a word is.
func (g *goroutine) giveWay(kind uint8, site uint32, obj uint64) {
	if kind == KindAcquire || kind == KindRAcquire || kind == KindAtomicLoad {
		g.countLook(obj, true)
	}
	g.spinAt = 0
	g.byOrder(kind, obj)
	g.slice++
	if g.turns.over(kind, site) || g.slice >= sliceLimit {
		g.yield()
	}
}

// yield lets all others that can run go first.
func (p *pace) yield() {
	if !runtime.PredictCanPark() {
		return
	}
	p.slice = 0
	p.turns.next()
	p.resetLoopCount()
	p.letOthersRun()
}

// spin counts a plain read of obj, which may be part of a loop that waits.
func (p *pace) spin(obj uint64) {
	if p.spinAt != obj {
		p.spinAt, p.spins = obj, 0
		return
	}
	p.spins++
	if p.spins%spinLimit == 0 && runtime.PredictCanPark() {
		switch {
		case p.spins%pollLimit == 0:
			p.letOthersRun()
		case p.spins >= restLimit:
			p.sleep(restTime)
		default:
			runtime.PredictGosched()
		}
	}
}

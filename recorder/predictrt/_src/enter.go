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
	g.beforeOperation(kind, site, 0)
	g.actor.pass(kind, site, 0, 0, nil)
	g.prepareOperation()
	return g
}

// enterAt is enter for a hook that knows its caller by program counter. The
// runtime's own goroutines and channels are none of the program's.
func enterAt(kind uint8, obj uint64, pc uintptr) (*goroutine, uint32) {
	g := current()
	if g == nil {
		return nil, 0
	}
	if (kind == KindFork || isChannel(kind)) && lookup(pc).isRuntime {
		return nil, 0
	}
	site := siteOf(pc)
	g.beforeOperation(kind, site, obj)
	g.actor.pass(kind, site, obj, 0, nil)
	g.prepareOperation()
	return g, site
}

// ready is the last thing before an event is logged and its operation done.
func (g *goroutine) prepareOperation() {
	makeRoom()
	runtime.PredictFresh()
}

// passAndLog logs an event once its turn in the schedule has come.
func (g *goroutine) passAndLog(kind, flags uint8, site, size uint32, obj, val uint64) {
	g.actor.pass(kind, site, obj, 0, nil)
	g.prepareOperation()
	g.log(kind, flags, site, size, obj, val)
}

// giveWay counts an operation. Taking a lock may be part of looking at what it
// guards, as a load of more than a word is.
func (g *goroutine) beforeOperation(kind uint8, site uint32, obj uint64) {
	if kind == KindAcquire || kind == KindRAcquire || kind == KindAtomicLoad {
		g.countLook(obj, true)
	}
	g.lastReadObject = 0
	g.followOrder(kind, obj)
	g.operations++
	if g.loopTurns.isOver(kind, site) || g.operations >= sliceLimit {
		g.yieldToAll()
	}
}

// yield lets all others that can run go first.
func (p *pace) yieldToAll() {
	if !runtime.PredictCanPark() {
		return
	}
	p.operations = 0
	p.loopTurns.beginTurn()
	p.resetLoopCount()
	p.letOthersRun()
}

// spin counts a plain read of obj, which may be part of a loop that waits.
func (p *pace) countRead(obj uint64) {
	if p.lastReadObject != obj {
		p.lastReadObject, p.sameReads = obj, 0
		return
	}
	p.sameReads++
	if p.sameReads%spinLimit == 0 && runtime.PredictCanPark() {
		switch {
		case p.sameReads%pollLimit == 0:
			p.letOthersRun()
		case p.sameReads >= restLimit:
			p.sleep(restTime)
		default:
			runtime.PredictGosched()
		}
	}
}

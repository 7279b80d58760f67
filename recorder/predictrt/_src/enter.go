package predictrt

import "runtime"

// This file has the steps that most hooks begin with: find the running goroutine, let others go
// first if the order says so, pass the gate, and make room for the event.

// enter does the first steps of a hook whose object is not known, and returns the running
// goroutine; nil if nothing is to be logged. The operation that follows is not separated from its
// event: it has a new time slice.
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

// enterAt is enter for a hook that returns to pc. Channels and goroutines of the runtime itself
// have no events.
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

// prepareOperation is the last step before an event is logged and its operation done.
func (g *goroutine) prepareOperation() {
	makeRoom()
	runtime.PredictNewSlice()
}

// passAndLog logs an event once its turn in the schedule has come.
func (g *goroutine) passAndLog(kind, flags uint8, site, size uint32, obj, val uint64) {
	g.actor.pass(kind, site, obj, 0, nil)
	g.prepareOperation()
	g.log(kind, flags, site, size, obj, val)
}

// beforeOperation counts an operation, and lets other goroutines go first now and then. To acquire
// a lock may be part of a loop that polls, as an atomic load may be.
func (g *goroutine) beforeOperation(kind uint8, site uint32, obj uint64) {
	if kind == KindAcquire || kind == KindRAcquire || kind == KindAtomicLoad {
		g.countLook(obj, true)
	}
	g.lastReadObject = 0
	g.followOrder(kind, obj)
	g.operations++
	if g.loopTurns.isOver(kind, site) || g.operations >= maxTurnOperations {
		g.yieldToAll()
	}
}

// yieldToAll lets all others that can run go first.
func (p *pace) yieldToAll() {
	if !runtime.PredictCanPark() {
		return
	}
	p.operations = 0
	p.loopTurns.beginTurn()
	p.resetLoopCount()
	p.letOthersRun()
}

// countRead counts a plain read of an object. A goroutine that reads nothing else for long waits
// for others to change it.
func (p *pace) countRead(obj uint64) {
	if p.lastReadObject != obj {
		p.lastReadObject, p.sameReads = obj, 0
		return
	}
	p.sameReads++
	if p.sameReads%readsPerYield == 0 && runtime.PredictCanPark() {
		switch {
		case p.sameReads%readsPerPollCheck == 0:
			p.letOthersRun()
		case p.sameReads >= readsBeforeSleep:
			p.sleep(restSleep)
		default:
			runtime.PredictGosched()
		}
	}
}

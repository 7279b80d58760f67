package predictrt

import (
	"runtime"
	"unsafe"
)

// A goroutine polls while it comes back to the same looks at what others may change,
// finds the same, and changes nothing itself: a select with a default, an atomic load,
// an attempt, a critical section that only reads, the clock, runtime.Gosched.
//
// Without polling the loop would end as well, so its rounds, after some equal ones,
// are no events any more: neither in the trace nor for the schedule, until one differs.
// That one is there as a whole, but for what it began with before others came in between, in whose place it would be too
// late. What is left is a run of the program that has polled less often. A loop that computes something of its own and looks meanwhile whether it
// is to end cannot be told from one that waits, and need not be: it goes through no
// gate, waits for nothing, and the clock moves by no more than it takes.

// The stages of polling.
const (
	// logsRounds is the first one, also for what does not poll: rounds are events.
	logsRounds = iota
	// learnsRound is when rounds were equal for long enough: the events of one are noted,
	// all of which were equal so far.
	learnsRound
	// skipsRounds is when events that are the noted ones are none any more.
	skipsRounds
)

// polling is what a goroutine's last looks were like. Which of them begins a round is
// found as Brent's algorithm finds cycles: one is taken, and another one where it did
// not come again for twice as many looks as the last one.
type polling struct {
	stage     uint8
	lookCount uint // so far
	// of these since it gave way those that move the clock
	clockLooks  uint
	roundObject uint64
	roundLocks  int // that were held there
	// how many looks it may take until mark comes again
	maxRoundLooks  int
	roundLookCount int // how many there were
	// in a row that were equal and changed nothing
	equalRoundCount int

	// it has changed something since the round began
	hasChanged bool

	// of what the round consists of, and the one before
	roundHash, lastRoundHash uint64
	// likewise of the plain reads since the last look
	readHash uint64

	round       *[roundEvents]event
	roundLength int // events in it
	nextInRound int // the one to come
	// turns, when the first of them came again
	switchesAtStart uint
	// they do not tell all that it has seen
	isBlind bool
	// changes when it learned them
	changesWhenLearned uint
}

// changes is how often goroutines have changed something, as noticed at the end of
// their rounds and turns.
var changeCount uint

// settle notes what the goroutine has changed.
//
//go:nosplit
func (p *polling) countChange() {
	if p.hasChanged {
		p.hasChanged, p.equalRoundCount = false, 0
		changeCount++
	}
}

// event has the arguments of log, and what counts it for the schedule.
type event struct {
	kind, flags uint8
	site, size  uint32
	obj, val    uint64
	counter     *eventCounter
}

// countLook counts a look, at what obj stands for. ticks says that the clock has not been
// moved for it otherwise. It is called before the events of the look.
func (g *goroutine) countLook(obj uint64, ticks bool) {
	p := &g.polling
	if g.loopTurns.heldLocks < p.roundLocks {
		p.beginRound(obj, g.loopTurns.heldLocks) // a round begins with as few locks as it can
	}
	if obj != p.roundObject {
		p.hashIn(obj)
		if p.roundLookCount++; p.roundLookCount > p.maxRoundLooks {
			p.maxRoundLooks = min(2*p.roundLookCount, roundLooks)
			p.beginRound(obj, g.loopTurns.heldLocks)
		}
	} else if g.loopTurns.heldLocks == p.roundLocks {
		if ticks {
			p.clockLooks += uint(p.roundLookCount) + 1
		}
		p.maxRoundLooks = 2*p.roundLookCount + 8
		g.endRound()
	}
	p.lookCount++
	if p.lookCount%lookLimit == 0 && runtime.PredictCanPark() {
		g.restPolling()
	}
}

// begin takes another look for that with which rounds begin.
func (p *polling) beginRound(obj uint64, locks int) {
	p.roundObject, p.roundLocks, p.roundLookCount, p.roundHash, p.readHash, p.equalRoundCount = obj, locks, 0, 0, 0, 0
}

//go:nosplit
func (p *polling) hashIn(x uint64) {
	p.roundHash = (p.roundHash^x^p.readHash)*fnvPrime + 1
	p.readHash = 0
}

// endRound ends a round and begins the next one.
func (g *goroutine) endRound() {
	p := &g.polling
	p.hashIn(0)
	p.countChange()
	if p.roundHash == p.lastRoundHash || p.stage != logsRounds { // then repeated compares
		p.equalRoundCount++
	} else {
		p.lastRoundHash, p.equalRoundCount = p.roundHash, 0
	}
	p.roundHash, p.roundLookCount = 0, 0
	switch {
	case p.stage == logsRounds && p.equalRoundCount >= equalRounds:
		if p.round == nil {
			p.round = (*[roundEvents]event)(runtime.PredictAlloc(unsafe.Sizeof(*p.round)))
		}
		p.stage, p.roundLength, p.isBlind, p.changesWhenLearned = learnsRound, 0, false, changeCount
		fastRecord = noFastRecord
	case p.stage == learnsRound && p.roundLength > roundEvents:
		p.stage, p.equalRoundCount = logsRounds, 0
	case p.stage == learnsRound:
		p.stage, p.nextInRound = skipsRounds, 0
	}
}

// restPolling lets the others go, and time pass: as much as the looks have taken. It
// does not in a replay that holds goroutines back: they would be late.
func (g *goroutine) restPolling() {
	p := &g.polling
	held := stage == stageFollowing && len(parkedGoroutines) > 0
	if !held {
		runtime.PredictLooked(int64(p.clockLooks) * lookTick)
	}
	p.clockLooks = 0
	switch {
	case p.lookCount%outsideLimit != 0:
		runtime.PredictGosched()
	case !held && p.equalRoundCount >= equalRounds:
		g.sleep(restTime)
	default:
		g.letOthersRun()
	}
}

// isRepeated reports whether an event is one of a round that is no event any more. It
// logs those of this round that were taken for such ones if it is none.
//
//go:nosplit
func (g *goroutine) isRepeated(e event) bool {
	p := &g.polling
	if p.stage == learnsRound && !p.hasChanged {
		if p.roundLength < roundEvents {
			// Field by field: a copy of the whole takes more stack than there is, if the
			// compiler does not optimize.
			to := &p.round[p.roundLength]
			to.kind, to.flags, to.site, to.size, to.obj, to.val = e.kind, e.flags, e.site, e.size, e.obj, e.val
			to.counter = e.counter
		}
		p.roundLength++
		p.isBlind = p.isBlind || hidesValue(e.kind, e.flags)
		return false
	}
	if p.stage == skipsRounds && !p.hasChanged && p.roundLength > 0 && p.round[p.nextInRound] == e && !g.hasPassedGate && !(p.isBlind && othersChanged(p.changesWhenLearned)) {
		if e.counter != nil {
			e.counter.count--
		}
		if p.nextInRound == 0 {
			p.switchesAtStart = goroutineSwitches
		}
		if p.nextInRound++; p.nextInRound == p.roundLength {
			p.nextInRound = 0
		}
		return true
	}
	if p.stage == skipsRounds {
		for i := p.skippedForGood(); i < p.nextInRound; i++ {
			e := &p.round[i]
			if e.counter != nil {
				e.counter.count++
			}
			g.appendEvent(e.kind, e.flags, e.site, e.size, e.obj, e.val)
		}
	}
	p.stage, p.equalRoundCount = logsRounds, 0
	return false
}

// skippedForGood returns how many of the events that were taken for those of the round stay none: if others have had events
// since then, all up to where the goroutine last held nothing that it has taken in the round. What it holds it has held
// since before these.
//
//go:nosplit
func (p *polling) skippedForGood() (n int) {
	if p.switchesAtStart == goroutineSwitches {
		return 0
	}
	held := 0
	for i := range p.nextInRound {
		switch p.round[i].kind {
		case KindAcquire, KindRAcquire, KindRegionBegin:
			held++
		case KindRelease, KindRRelease, KindRegionEnd:
			held--
		case KindSelectSend, KindSelectRecv, KindSelect, KindSend, KindRecv:
			continue // what comes of it follows
		}
		if held == 0 {
			n = i + 1
		}
	}
	return n
}

// othersChanged reports whether anything has changed since there were known changes.
//
//go:nosplit
func othersChanged(known uint) bool {
	return changeCount != known || lastRecord != nil && lastRecord.polling.hasChanged
}

// blind reports whether an event does not tell what was seen there, which another
// goroutine may have changed since the event before.
//
//go:nosplit
func hidesValue(kind, flags uint8) bool {
	switch kind {
	case KindAcquire, KindRAcquire:
		return true
	case KindRead, KindAtomicLoad:
		return flags&flagValue == 0
	}
	return false
}

// ahead reports whether the goroutine, if it polls, would come to an item of the schedule before
// its turn: then it is no event, but one of those that do not count.
func (a *actor) isAhead(it plannedEvent) bool {
	return a.g.polling.stage == skipsRounds && stage == stageFollowing &&
		(it.role == roleStep && !a.isNext(it.step) || it.role == roleViolate && a.nextStep < len(a.steps))
}

// counter returns what has counted the event that is logged.
//
//go:nosplit
func (a *actor) takeCounter() *eventCounter {
	if a == nil {
		return nil
	}
	w := a.lastCounter
	a.lastCounter = nil
	return w
}

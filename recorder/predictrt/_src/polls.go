package predictrt

import (
	"runtime"
	"unsafe"
)

// This file detects polling. A goroutine polls while it repeats the same looks at what others may
// change, finds the same values, and changes nothing itself. A look is a select with a default, an
// atomic load, a failed attempt, a critical section that only reads, a read of the clock, or
// runtime.Gosched.
//
// With fewer rounds, such a loop would end as well. So after some equal rounds further ones are no
// events any more, neither in the trace nor for the schedule, until one differs. That round is
// logged as a whole, except for what came before events of others: it would be in the wrong place.
// What remains is a run of the program that has polled less often.
//
// A loop that computes and looks now and then whether it is to end cannot be told from one that
// waits. It needs no distinction: it waits for nothing, and the clock advances by no more than its
// computation takes.

// The stages of polling.
const (
	// logsRounds is the first stage, also of what does not poll: rounds are events.
	logsRounds = iota
	// learnsRound is when rounds were equal for long enough: the events of one more are noted.
	learnsRound
	// skipsRounds is when events that repeat those are not logged.
	skipsRounds
)

// A polling describes the last looks of a goroutine. As in Brent's algorithm for cycles, one look
// is taken for the beginning of a round. If it does not come again within maxRoundLooks, a later
// look is taken, with a doubled bound.
type polling struct {
	stage           uint8
	lookCount       uint
	clockLooks      uint   // looks that advance the clock, since it last let others run
	roundObject     uint64 // what the first look of a round is at
	roundLocks      int    // locks that are held there
	maxRoundLooks   int    // bound on roundLookCount
	roundLookCount  int    // looks since the round began
	equalRoundCount int    // equal rounds in a row that changed nothing

	hasChanged bool // the goroutine has changed something since countChange

	roundHash, lastRoundHash uint64 // hashes of the events of this round and the one before
	readHash                 uint64 // sum of the addresses of plain reads since the last look

	round              *[maxRoundEvents]event // events of the round that is skipped
	roundLength        int                    // number of events in round
	nextInRound        int                    // index in round of the event expected next
	switchesAtStart    uint                   // goroutineSwitches when the skipped round began
	isBlind            bool                   // some events of the round do not have the value that was seen
	changesWhenLearned uint                   // changeCount when the round was learned
}

// changeCount counts the changes of all goroutines, as noticed at the ends of rounds and where
// other goroutines run.
var changeCount uint

// countChange counts what the goroutine has changed.
//
//go:nosplit
func (p *polling) countChange() {
	if p.hasChanged {
		p.hasChanged, p.equalRoundCount = false, 0
		changeCount++
	}
}

// An event has the arguments of log, and what counts it for the schedule.
type event struct {
	kind, flags uint8
	site, size  uint32
	obj, val    uint64
	counter     *eventCounter
}

// countLook counts a look at an object, before the events of the look. advancesClock says that
// nothing else advances the clock for it.
func (g *goroutine) countLook(obj uint64, advancesClock bool) {
	p := &g.polling
	if g.loopTurns.heldLocks < p.roundLocks {
		p.beginRound(obj, g.loopTurns.heldLocks) // a round begins with as few locks as it can
	}
	if obj != p.roundObject {
		p.hashIn(obj)
		if p.roundLookCount++; p.roundLookCount > p.maxRoundLooks {
			p.maxRoundLooks = min(2*p.roundLookCount, roundLookLimit)
			p.beginRound(obj, g.loopTurns.heldLocks)
		}
	} else if g.loopTurns.heldLocks == p.roundLocks {
		if advancesClock {
			p.clockLooks += uint(p.roundLookCount) + 1
		}
		p.maxRoundLooks = 2*p.roundLookCount + 8
		g.endRound()
	}
	p.lookCount++
	if p.lookCount%looksPerYield == 0 && runtime.PredictCanPark() {
		g.restPolling()
	}
}

// beginRound takes a look for the first one of rounds.
func (p *polling) beginRound(obj uint64, locks int) {
	p.roundObject, p.roundLocks, p.roundLookCount, p.roundHash, p.readHash, p.equalRoundCount = obj, locks, 0, 0, 0, 0
}

// hashIn adds x, and the plain reads before it, to the hash of the round.
//
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
	case p.stage == logsRounds && p.equalRoundCount >= maxEqualRounds:
		if p.round == nil {
			p.round = (*[maxRoundEvents]event)(runtime.PredictAlloc(unsafe.Sizeof(*p.round)))
		}
		p.stage, p.roundLength, p.isBlind, p.changesWhenLearned = learnsRound, 0, false, changeCount
		fastRecord = noFastRecord
	case p.stage == learnsRound && p.roundLength > maxRoundEvents:
		p.stage, p.equalRoundCount = logsRounds, 0
	case p.stage == learnsRound:
		p.stage, p.nextInRound = skipsRounds, 0
	}
}

// restPolling lets the others run, and advances the clock by the time of the looks. In a replay
// that holds goroutines it does not: they would be delayed.
func (g *goroutine) restPolling() {
	p := &g.polling
	held := stage == stageFollowing && len(parkedGoroutines) > 0
	if !held {
		runtime.PredictPass(int64(p.clockLooks)*lookDuration, false)
	}
	p.clockLooks = 0
	switch {
	case p.lookCount%looksPerSleep != 0:
		runtime.PredictGosched()
	case !held && p.equalRoundCount >= maxEqualRounds:
		g.sleep(restSleep)
	default:
		g.letOthersRun()
	}
}

// isRepeated reports whether an event repeats the learned round, and is not to be logged. If it
// does not, isRepeated logs the events of this round that it has skipped.
//
//go:nosplit
func (g *goroutine) isRepeated(e event) bool {
	p := &g.polling
	if p.stage == learnsRound && !p.hasChanged {
		if p.roundLength < maxRoundEvents {
			// A copy of the whole struct would take more stack than a nosplit function has
			// without optimizations.
			to := &p.round[p.roundLength]
			to.kind, to.flags, to.site, to.size, to.obj, to.val = e.kind, e.flags, e.site, e.size, e.obj, e.val
			to.counter = e.counter
		}
		p.roundLength++
		p.isBlind = p.isBlind || hidesValue(e.kind, e.flags)
		return false
	}
	if p.stage == skipsRounds && !p.hasChanged && p.roundLength > 0 && p.round[p.nextInRound] == e && !g.isComingEventPlanned && !(p.isBlind && othersChanged(p.changesWhenLearned)) {
		if e.counter != nil {
			// passGate has counted it. As it is no event, that is undone.
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

// skippedForGood returns how many of the skipped events of this round are not logged later either.
// If others have had events since the round began, these are the events up to where the goroutine
// last held no lock that it has taken in the round.
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
			continue // its result follows
		}
		if held == 0 {
			n = i + 1
		}
	}
	return n
}

// othersChanged reports whether anything has changed since changeCount was known.
//
//go:nosplit
func othersChanged(known uint) bool {
	return changeCount != known || lastRecord != nil && lastRecord.polling.hasChanged
}

// hidesValue reports whether an event does not have the value that was seen, which another
// goroutine may have changed since.
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

// isAhead reports whether the goroutine polls, and would reach a planned event before its turn by
// that. Then it is an event that does not count.
func (a *actor) isAhead(it plannedEvent) bool {
	return a.g.polling.stage == skipsRounds && stage == stageFollowing &&
		(it.role == roleStep && !a.isNext(it.step) || it.role == roleViolate && a.nextStep < len(a.steps))
}

// takeCounter returns what has counted the event that is about to be logged.
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

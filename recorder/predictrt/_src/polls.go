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
	stage uint8
	looks uint // so far
	// of these since it gave way those that move the clock
	moves uint
	mark  uint64
	locks int // that were held there
	// how many looks it may take until mark comes again
	window int
	since  int // how many there were
	// in a row that were equal and changed nothing
	rounds int

	// it has changed something since the round began
	changed bool

	// of what the round consists of, and the one before
	sum, last uint64
	// likewise of the plain reads since the last look
	reads uint64

	round *[roundEvents]event
	n     int // events in it
	next  int // the one to come
	// turns, when the first of them came again
	taken uint
	// they do not tell all that it has seen
	blind bool
	// changes when it learned them
	known uint
}

// changes is how often goroutines have changed something, as noticed at the end of
// their rounds and turns.
var changes uint

// settle notes what the goroutine has changed.
//
//go:nosplit
func (p *polling) settle() {
	if p.changed {
		p.changed, p.rounds = false, 0
		changes++
	}
}

// event has the arguments of log, and what counts it for the schedule.
type event struct {
	kind, flags uint8
	site, size  uint32
	obj, val    uint64
	want        *want
}

// countLook counts a look, at what obj stands for. ticks says that the clock has not been
// moved for it otherwise. It is called before the events of the look.
func (g *goroutine) countLook(obj uint64, ticks bool) {
	p := &g.polling
	if g.turns.locks < p.locks {
		p.begin(obj, g.turns.locks) // a round begins with as few locks as it can
	}
	if obj != p.mark {
		p.fold(obj)
		if p.since++; p.since > p.window {
			p.window = min(2*p.since, roundLooks)
			p.begin(obj, g.turns.locks)
		}
	} else if g.turns.locks == p.locks {
		if ticks {
			p.moves += uint(p.since) + 1
		}
		p.window = 2*p.since + 8
		g.endRound()
	}
	p.looks++
	if p.looks%lookLimit == 0 && runtime.PredictCanPark() {
		g.restPolling()
	}
}

// begin takes another look for that with which rounds begin.
func (p *polling) begin(obj uint64, locks int) {
	p.mark, p.locks, p.since, p.sum, p.reads, p.rounds = obj, locks, 0, 0, 0, 0
}

//go:nosplit
func (p *polling) fold(x uint64) {
	p.sum = (p.sum^x^p.reads)*sumPrime + 1
	p.reads = 0
}

// endRound ends a round and begins the next one.
func (g *goroutine) endRound() {
	p := &g.polling
	p.fold(0)
	p.settle()
	if p.sum == p.last || p.stage != logsRounds { // then repeated compares
		p.rounds++
	} else {
		p.last, p.rounds = p.sum, 0
	}
	p.sum, p.since = 0, 0
	switch {
	case p.stage == logsRounds && p.rounds >= equalRounds:
		if p.round == nil {
			p.round = (*[roundEvents]event)(runtime.PredictAlloc(unsafe.Sizeof(*p.round)))
		}
		p.stage, p.n, p.blind, p.known = learnsRound, 0, false, changes
		hot = notHot
	case p.stage == learnsRound && p.n > roundEvents:
		p.stage, p.rounds = logsRounds, 0
	case p.stage == learnsRound:
		p.stage, p.next = skipsRounds, 0
	}
}

// restPolling lets the others go, and time pass: as much as the looks have taken. It
// does not in a replay that holds goroutines back: they would be late.
func (g *goroutine) restPolling() {
	p := &g.polling
	held := stage == following && len(parked) > 0
	if !held {
		runtime.PredictLooked(int64(p.moves) * lookTick)
	}
	p.moves = 0
	switch {
	case p.looks%outsideLimit != 0:
		runtime.PredictGosched()
	case !held && p.rounds >= equalRounds:
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
	if p.stage == learnsRound && !p.changed {
		if p.n < roundEvents {
			// Field by field: a copy of the whole takes more stack than there is, if the
			// compiler does not optimize.
			to := &p.round[p.n]
			to.kind, to.flags, to.site, to.size, to.obj, to.val = e.kind, e.flags, e.site, e.size, e.obj, e.val
			to.want = e.want
		}
		p.n++
		p.blind = p.blind || blind(e.kind, e.flags)
		return false
	}
	if p.stage == skipsRounds && !p.changed && p.n > 0 && p.round[p.next] == e && !g.letGo && !(p.blind && othersChanged(p.known)) {
		if e.want != nil {
			e.want.count--
		}
		if p.next == 0 {
			p.taken = turnsTaken
		}
		if p.next++; p.next == p.n {
			p.next = 0
		}
		return true
	}
	if p.stage == skipsRounds {
		for i := p.skippedForGood(); i < p.next; i++ {
			e := &p.round[i]
			if e.want != nil {
				e.want.count++
			}
			g.append(e.kind, e.flags, e.site, e.size, e.obj, e.val)
		}
	}
	p.stage, p.rounds = logsRounds, 0
	return false
}

// skippedForGood returns how many of the events that were taken for those of the round stay none: if others have had events
// since then, all up to where the goroutine last held nothing that it has taken in the round. What it holds it has held
// since before these.
//
//go:nosplit
func (p *polling) skippedForGood() (n int) {
	if p.taken == turnsTaken {
		return 0
	}
	held := 0
	for i := range p.next {
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
	return changes != known || lastTurn != nil && lastTurn.polling.changed
}

// blind reports whether an event does not tell what was seen there, which another
// goroutine may have changed since the event before.
//
//go:nosplit
func blind(kind, flags uint8) bool {
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
func (a *actor) ahead(it item) bool {
	return a.g.polling.stage == skipsRounds && stage == following &&
		(it.role == roleStep && !a.isNext(it.step) || it.role == roleViolate && a.nextStep < len(a.steps))
}

// counter returns what has counted the event that is logged.
//
//go:nosplit
func (a *actor) counter() *want {
	if a == nil {
		return nil
	}
	w := a.passed
	a.passed = nil
	return w
}

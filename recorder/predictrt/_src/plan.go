package predictrt

import (
	"internal/strconv"
	"internal/stringslite"
	"runtime"
)

// This file reads the schedule of a replay. It refers to goroutines by their names, and to events
// by kind, site and occurrence, as these are the same in each run.

// The schedule, as read from the plan file.
var (
	actors          map[string]*actor // by goroutine name
	controlledTests map[string]bool   // tests whose goroutines are replayed
	numSteps        int
	// insideSteps are the steps that are accesses of the standard library, by index.
	insideSteps map[int]*insideStep
	// violators are the parts whose last events are the violation.
	violators []*actor
	// violationInSteps says that the violation's other accesses are steps.
	violationInSteps bool
	// violatorsBlock says that in the violation goroutines are blocked for ever.
	violatorsBlock bool
	// holdWhenDone says that a goroutine which has done all its steps stops before what others
	// could notice.
	holdWhenDone bool
	// violatorGoesLast says that the violator goes on when no other goroutine can; with
	// timersFireFirst, when no timer wakes one either.
	violatorGoesLast bool
	timersFireFirst  bool
	firstViolator    int // index into violations
)

// An actor is the part of a goroutine in the schedule.
type actor struct {
	name string
	// counters are by kind of event, and key of the site.
	counters [len(words)]map[uint64]*eventCounter
	steps    []int // indices of its steps, in order
	// nextStep is the index into actor.steps of the first one that is not done.
	nextStep int
	g        *goroutine
	pending  pendingAccess
	// lastCounter counts the event that is about to be logged; nil if none does.
	lastCounter *eventCounter
	regionState
}

// An insideStep is a step that is an access of the standard library on behalf of the program. How
// many of these a call makes depends on what is in the library's pools and caches, and on the room
// in a buffer. So a replay may make fewer or more of them than the recorded run.
type insideStep struct {
	counter    *eventCounter
	occurrence uint32
	isSkipped  bool // its goroutine has gone on without it
}

// isInside reports whether events of a kind at a site are such accesses. The sites of the
// program's own accesses have the rewriter's numbers.
func isInside(kind uint8, key uint64) bool {
	return (kind == KindRead || kind == KindWrite) && key>>63 != 0
}

// An eventCounter counts the events of a kind at a site, of one goroutine.
type eventCounter struct {
	count uint32
	// planned are the planned events in order of occurrence, without those that are past.
	planned []plannedEvent
	// poolItems are the numbers of the items that Put and Get of a sync.Pool have in the plan, by
	// occurrence; 0 stands for none.
	poolItems map[uint32]int
}

// The roles of planned events.
const (
	// roleStep is a step; steps happen in the order of the plan. A goroutine that reaches a later
	// event of its own first has left the schedule.
	roleStep = iota
	// roleHold is an event before which the goroutine stops until the violation is reached: the
	// recorded run was over before it.
	roleHold
	// roleViolate is an access of the violation. The goroutine stops before it until all other
	// violators have reached theirs.
	roleViolate
)

// A plannedEvent is one occurrence of an event in the schedule.
type plannedEvent struct {
	occurrence        uint32
	role              int
	step              int    // index of the step
	isViolatingAccess bool   // a step that is an access of the violation
	selectCase        uint16 // the case that a select is to take if it can, from 1; 0: any
}

// loadPlan reads the plan file. It ends the program if the file is not as expected: a replay
// without its whole schedule would prove nothing.
func loadPlan(path string) {
	text, ok := runtime.PredictRead(path + "\x00")
	if !ok {
		runtime.PredictFatal("cannot read the plan " + path)
	}
	actors, controlledTests, insideSteps = map[string]*actor{}, map[string]bool{}, map[int]*insideStep{}
	var table []*actor
	line := ""
	for i, left := 0, string(text); left != ""; i++ {
		if line, left, _ = stringslite.Cut(left, "\n"); line == "" {
			continue
		}
		word, rest, _ := stringslite.Cut(line, " ")
		fine := true
		switch {
		case i == 0:
			fine = line == "gopredict-plan 1"
		case word == "order":
			fine = rest == "01" || rest == "10"
			// The violator that the plan names second does its access first.
			if rest == "10" {
				firstViolator = 1
			}
		case line == "stuck":
			violatorsBlock = true
		case line == "still":
			holdWhenDone = true
		case word == "prompt":
			least, wait, _ := stringslite.Cut(rest, " ")
			var short uint64
			short, fine = atoi(least)
			promptReplay, shortDelay, promptWait = true, int64(short), wait
		case line == "last" || line == "overdue":
			violatorGoesLast, timersFireFirst = true, line == "overdue"
		case word == "test":
			controlledTests[rest] = true
		case word == "g":
			n, name, _ := stringslite.Cut(rest, " ")
			fine = n == itoa(uint64(len(table))) && name != ""
			a := &actor{name: name}
			actors[name] = a
			table = append(table, a)
		case word == "s" || word == "a" || word == "h" || word == "v":
			fine = planItem(word, rest, table)
		case word == "p":
			fine = planPooled(rest, table)
		case word == "monitor":
			fine = planMonitor(rest)
		case word == "method":
			fine = planMethod(rest)
		default:
			fine = false
		}
		if !fine {
			runtime.PredictFatal(path + ":" + itoa(uint64(i+1)) + ": expected a line of a version 1 plan, found " + line)
		}
	}
}

// parseEvent reads the numbers of a goroutine, a kind, a site and an occurrence, and a further
// number, which is -1 if there is none. It returns isInside of the event, too. A plan may have
// thousands of these.
func parseEvent(rest string, table []*actor) (a *actor, w *eventCounter, isInLibrary bool, occ uint32, further int, ok bool) {
	var n [5]uint64
	count, ok := parseNumbers(rest, n[:])
	if !ok || count < 4 || n[0] >= uint64(len(table)) || n[1] >= uint64(len(words)) {
		return nil, nil, false, 0, 0, false
	}
	if further = -1; count > 4 {
		further = int(n[4])
	}
	a = table[n[0]]
	kind, key := uint8(n[1]), n[2]
	w = a.counters[kind][key]
	if w == nil {
		w = &eventCounter{}
		if a.counters[kind] == nil {
			a.counters[kind] = map[uint64]*eventCounter{}
		}
		a.counters[kind][key] = w
	}
	return a, w, isInside(kind, key), uint32(n[3]), further, true
}

// parseNumbers reads numbers that are separated by spaces. It is not ok if s is anything else, or
// if there is not enough room.
func parseNumbers(s string, room []uint64) (n int, ok bool) {
	for more := true; more; n++ {
		var word string
		word, s, more = stringslite.Cut(s, " ")
		if n == len(room) {
			return n, false
		}
		if room[n], ok = atoi(word); !ok {
			return n, false
		}
	}
	return n, true
}

// planPooled reads which item of a sync.Pool an event puts or gets.
func planPooled(rest string, table []*actor) bool {
	_, w, _, occ, item, ok := parseEvent(rest, table)
	if !ok || item < 0 {
		return false
	}
	if w.poolItems == nil {
		w.poolItems = map[uint32]int{}
	}
	w.poolItems[occ] = item
	return true
}

// planItem reads a planned event: a step ("s"), a step that is an access of the violation ("a"),
// an event before which a goroutine stops ("h"), or an access of the violation ("v").
func planItem(word, rest string, table []*actor) bool {
	a, w, in, occ, asks, ok := parseEvent(rest, table)
	if !ok {
		return false
	}
	it := plannedEvent{occurrence: occ, selectCase: uint16(max(asks, 0))}
	switch word {
	case "s", "a":
		it.role, it.step, it.isViolatingAccess = roleStep, numSteps, word == "a"
		violationInSteps = violationInSteps || it.isViolatingAccess
		if in && !it.isViolatingAccess {
			insideSteps[numSteps] = &insideStep{counter: w, occurrence: it.occurrence}
		}
		a.steps = append(a.steps, numSteps)
		numSteps++
	case "h":
		it.role = roleHold
	case "v":
		it.role = roleViolate
		violators = append(violators, a)
	}
	w.planned = append(w.planned, it)
	// Steps of a goroutine come in program order, so that an event rarely moves.
	for i := len(w.planned) - 1; i > 0 && w.planned[i-1].occurrence > it.occurrence; i-- {
		w.planned[i-1], w.planned[i] = it, w.planned[i-1]
	}
	return true
}

// counterOf returns what counts events of a kind at a site; nil if the schedule has none.
func (a *actor) counterOf(kind uint8, site uint32) *eventCounter {
	at := a.counters[kind]
	if at == nil { // true for most kinds
		return nil
	}
	return at[keyFor(site)]
}

// nextPlanned returns the planned event that the next occurrence is; false if there is none.
func (w *eventCounter) nextPlanned() (plannedEvent, bool) {
	for len(w.planned) > 0 && w.planned[0].occurrence <= w.count {
		w.planned = w.planned[1:]
	}
	if len(w.planned) == 0 || w.planned[0].occurrence > w.count+1 {
		return plannedEvent{}, false
	}
	return w.planned[0], true
}

// atoi reads a decimal number; it is not ok if s is anything else.
func atoi(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

package predictrt

import (
	"internal/strconv"
	"internal/stringslite"
	"runtime"
)

// This file reads the schedule. It speaks of goroutines by their names, and of events by their
// place and how many of them the goroutine has had there, as these are the same in each run.

// The schedule, as read from the plan file.
var (
	actors          map[string]*actor // by goroutine name
	controlledTests map[string]bool   // the tests under control
	numSteps        int
	// the steps that are accesses of the standard library's
	insideSteps map[int]*insideStep
	violators   []*actor
	// the violation's other accesses are steps
	violationInSteps bool
	// the violation's goroutines are to block for ever
	violatorsBlock bool
	// who has done all steps goes no further than to what others could notice
	holdWhenDone bool
	// the violation's goroutine goes when no other one can
	violatorGoesLast bool
	timersFireFirst  bool // nor timers wake one
	firstViolator    int  // index into violations
)

// actor is a goroutine's part in the schedule.
type actor struct {
	name string
	// by kind of event, and place
	counters [len(words)]map[uint64]*eventCounter
	// indices of its steps, in order
	steps []int
	// index into steps of the first one that is not done
	nextStep int
	g        *goroutine
	pending  pendingAccess
	// what counts the event that is about to be logged
	lastCounter *eventCounter
	regionState
}

// insideStep is a step that is an access of the standard library's on behalf of the
// program. How many of these a call makes depends on what the library has left from
// other calls, in its pools and caches, and on how much room a buffer has: a call in a
// replay may make fewer or more of them than the recorded one has made.
type insideStep struct {
	counter    *eventCounter
	occurrence uint32
	// its goroutine has gone on without it
	isSkipped bool
}

// isInside reports whether events of a kind at a place are such accesses: those of the
// program itself are at places of the rewriter's.
func isInside(kind uint8, key uint64) bool {
	return (kind == KindRead || kind == KindWrite) && key>>63 != 0
}

// want counts events of a kind at a place, of one goroutine.
type eventCounter struct {
	count uint32
	// by occ; those that are past are dropped
	planned []plannedEvent
	// for Puts and Gets of pools, by occ: which item; 0: there is none
	poolItems map[uint32]int
}

// The parts that an event can have in the schedule.
const (
	// roleStep is one of the steps, which go in their order. A goroutine that reaches a
	// later event of its own first has left the schedule.
	roleStep = iota
	// roleHold is an event before which the goroutine stops until the violation has been
	// reached: the recorded run was over before it.
	roleHold
	// roleViolate is an access of the violation. The goroutine stops before it until all
	// others of the violation stand before theirs.
	roleViolate
)

// item is one occurrence of an event that the schedule speaks of.
type plannedEvent struct {
	occurrence uint32
	role       int
	step       int // index of the step
	// the step is an access of the violation
	isViolatingAccess bool
	// the number of the case that a select is to take if it can; 0: any
	selectCase uint16
}

// loadPlan reads the plan file.
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
			if rest == "10" {
				firstViolator = 1
			}
		case line == "stuck":
			violatorsBlock = true
		case line == "still":
			holdWhenDone = true
		case line == "prompt":
			promptReplay = true
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

// planEvent reads goroutine, kind, place and occurrence, and a further number, which is -1 if there is none. In
// says whether that is what isInside says. There may be thousands of these in a plan.
func parseEvent(rest string, table []*actor) (a *actor, w *eventCounter, in bool, occ uint32, further int, ok bool) {
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

// numbers reads numbers with a space between each two. It is not ok if s is anything else, or there are
// more than there is room for.
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

// planItem reads a part of the schedule: a step ("s"), a step that is an access of the
// violation ("a"), an event before which a goroutine stops ("h"), and one that is the
// violation ("v").
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
	for i := len(w.planned) - 1; i > 0 && w.planned[i-1].occurrence > it.occurrence; i-- {
		w.planned[i-1], w.planned[i] = it, w.planned[i-1]
	}
	return true
}

// want returns what counts events of a kind at a site; nil if the schedule speaks of none.
func (a *actor) counterOf(kind uint8, site uint32) *eventCounter {
	at := a.counters[kind]
	if at == nil { // for most kinds, and this is called with every event
		return nil
	}
	return at[keyFor(site)]
}

// next returns the part of the coming occurrence.
func (w *eventCounter) nextPlanned() (plannedEvent, bool) {
	for len(w.planned) > 0 && w.planned[0].occurrence <= w.count {
		w.planned = w.planned[1:]
	}
	if len(w.planned) == 0 || w.planned[0].occurrence > w.count+1 {
		return plannedEvent{}, false
	}
	return w.planned[0], true
}

// atoi reads a number in decimal; it is not ok if s is anything else.
func atoi(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

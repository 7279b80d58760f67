// Package waits says who waits for whom: in other orders of the recorded events, where
// goroutines may wait for each other in a cycle, and at the end of a recorded run, where some
// were blocked.
//
// # In other orders
//
// [Find] takes a trace and its [order.Order], and returns candidates for deadlocks. What a
// goroutine wants while it holds locks is a dependency: the lock that it is about to
// acquire, and those that it holds. All acquires with the same dependency are looked at as
// one, whichever goroutine's they are: the abstract lock dependencies of SPDOffline (Tunç,
// Mathur, Pavlogiannis and Viswanathan, Sound Dynamic Deadlock Prediction in Linear Time,
// PLDI 2023, §4). There are few cycles of dependencies. For each, the search picks some sets
// of acquires that nothing keeps apart.
//
// A dependency waits for another one that holds the lock that it wants. A reader waits
// besides for a writer that wants the same lock: sync.RWMutex shuts out new readers as soon
// as a writer waits for those that hold it.
//
// No cycle has two dependencies with a lock in common that one of them holds for writing (a
// gate lock, as in Goodlock), two acquires of one goroutine, or an acquire that must come
// before the goroutine of another one reaches its own.
//
// Goroutines also wait for messages. Cycles with such waits are searched event by event: see
// [message].
//
// # At the end of a run
//
// [Blocked] takes a trace that has blocked goroutines, and returns whom each of them waits
// for. [Bugs] says which of them are the bug, and [Causes] what has led them there.
package waits

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A Cycle is operations of which each may wait for the goroutine of the next, and the last
// for that of the first. It may be one operation: of a goroutine that waits for a condition
// and may have missed the signal.
type Cycle struct {
	// Sets are such operations, positions in the trace: each set has one of each
	// goroutine. There are at most MaxSets.
	Sets [][]int
	// Exhaustive is set if Sets has all that there are for these dependencies.
	Exhaustive bool
}

// Found is the result of a search.
type Found struct {
	Cycles        []Cycle // short ones first
	GatedPairs    int     // pairs of dependencies that a gate lock keeps from being a cycle
	OrderedCycles int     // cycles of which the must-order excludes all sets
	Incomplete    bool    // the search was given up before its end
	Effort        int     // dependencies, sets of acquires and operations looked at
}

// Find returns the cycles of t, whose order is o. The time is linear in the number of
// events, with a bound for the search over dependencies, of which at most so many are
// looked at.
func Find(t *trace.Trace, o *order.Order, most int) Found {
	f := &finder{
		trace: t, order: o, facts: o.Facts(), budget: most,
		numbers: make(map[dependencyKey]int32), holders: make(map[uint64][]int32), writers: make(map[uint64][]int32),
		messageAt: make(map[int32]int32), messagesUnder: make(map[uint64][]int32), channelEnablers: make(map[int32]*[2][]int32),
		sendCases: make(map[uint64][]int32), similarMessages: make(map[similarity]int), incompleteSites: make(map[trace.SiteID]bool),
		closedPaths: make(map[string]bool), cycleBySites: make(map[string]int), successorCache: make(map[int32]successors),
	}
	f.findDependencies()
	f.connect()
	f.searchDependencies()
	f.findMessages()
	f.searchMessages()
	return f.found
}

// A finder is the state of a search.
type finder struct {
	trace   *trace.Trace
	order   *order.Order
	facts   *facts.Facts
	found   Found
	budget  int // what is left for all searches
	effort  int // what is left for the search under way
	granted int // what effort was at its begin

	// Of dependencies.
	dependencies []dependency
	numbers      map[dependencyKey]int32 // of dependencies
	holders      map[uint64][]int32      // by lock: the dependencies that hold it
	writers      map[uint64][]int32      // by lock: the dependencies that want it for writing, where others read

	// Of messages.
	messages        []message
	messageAt       map[int32]int32       // by operation: its message
	messagesUnder   map[uint64][]int32    // by lock: the operations of messages that hold it
	sendCases       map[uint64][]int32    // by channel: cases of selects that would send
	channelEnablers map[int32]*[2][]int32 // by number of the channel and side: see enablersOf
	similarMessages map[similarity]int
	// incompleteSites has the sites of operations of which not all are looked at, or not all
	// that they wait for.
	incompleteSites  map[trace.SiteID]bool
	closedPaths      map[string]bool // the paths that were taken up
	cycleBySites     map[string]int  // the cycles with messages, by the sites of their operations
	successorCache   map[int32]successors
	cachedOperations int // operations in nextOperations
}

// grantEffort gives the search to come so much effort, or what is left for all.
func (f *finder) grantEffort(effort int) {
	f.granted = min(effort, f.budget)
	f.effort = f.granted
}

// chargeEffort takes what the search has spent off what there is for all.
func (f *finder) chargeEffort() {
	f.budget -= f.granted - f.effort
	f.found.Effort += f.granted - f.effort
}

// handedOver reports whether holding a lock does not mean that it is taken.
func (f *finder) handedOver(lock uint64) bool { return f.order.HandedOver()[lock] }

// canBlock reports whether event i is the acquire of a lock that can block.
func (f *finder) canBlock(i int32) bool {
	e := &f.trace.Events[i]
	return e.Kind.Acquires() && !f.isTry(int(i)) && !f.handedOver(e.Obj)
}

// isTry reports whether the acquire at position i would give up rather than wait.
func (f *finder) isTry(i int) bool { return f.trace.Events[i].Flags&trace.FlagTry != 0 }

// locksOf returns the locks of acquires, but for that at position i, sorted.
func (f *finder) locksOf(acquires []int32, i int) (locks []order.Lock) {
	for _, a := range acquires {
		if e := &f.trace.Events[a]; int(a) != i && !f.handedOver(e.Obj) {
			locks = append(locks, order.Acquired(e))
		}
	}
	order.SortLocks(locks)
	return slices.Compact(locks)
}

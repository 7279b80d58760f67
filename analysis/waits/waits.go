// Package waits finds out which goroutines wait for which: in other orders of the recorded
// events, in which goroutines may wait for each other in a cycle, and at the end of a recorded
// run, where some were blocked.
//
// # In other orders
//
// [Find] takes a trace and its [order.Order], and returns candidates for deadlocks. A
// dependency is the lock that a goroutine is about to acquire, and the locks that it holds.
// All acquires with the same dependency, of any goroutine, are one node of a graph: the
// abstract lock dependencies of SPDOffline (Tunç,
// Mathur, Pavlogiannis and Viswanathan, Sound Dynamic Deadlock Prediction in Linear Time,
// PLDI 2023, §4). There are few cycles of dependencies. For each, the search picks some sets
// of acquires that goroutines can be about to execute at the same time.
//
// A dependency waits for another one that holds the lock that it wants. A reader waits
// besides for a writer that wants the same lock: sync.RWMutex shuts out new readers as soon
// as a writer waits for those that hold it.
//
// Three things exclude a cycle: a lock that two of its dependencies hold, one of them for
// writing (a gate lock, as in Goodlock); two acquires of one goroutine; and an acquire that
// must come before the goroutine of another one reaches its own.
//
// Goroutines also wait for messages. Cycles with such waits are searched event by event: see
// [message].
//
// # At the end of a run
//
// [Blocked] takes a trace that has blocked goroutines, and returns for which goroutines each
// of them waits. [Bugs] returns which of them are the bug, and [Causes.Find] the events that
// led to it.
//
// # Files
//
// dependency.go builds the graph of lock dependencies, search.go finds its cycles, and sets.go
// chooses acquires for each of them. message.go finds the operations that wait for messages, and
// mixed.go searches for cycles with them. Both searches add to one list of cycles, and share a
// budget of effort: work is counted, not timed, so that equal traces give equal cycles.
//
// blocked.go, enablers.go and causes.go handle the end of a run. They share nothing with the
// searches, as they need no order of events.
package waits

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// Turn orders the operations in which goroutines of a deadlock block, by their kinds: one with a
// higher turn has to begin after those with lower ones. Writers of an RWMutex come before the
// readers, which they shut out.
func Turn(k trace.Kind) int {
	if k == trace.RAcquire {
		return 1
	}
	return 0
}

// A Cycle is a cycle of dependencies or of operations: each may wait for the goroutine of the
// next one, and the last for that of the first. It may be a single operation, of a goroutine
// that waits for a condition and may have missed the signal.
type Cycle struct {
	// Sets has sets of operations, as positions in the trace, that form the cycle: one of
	// each goroutine. There are at most MaxSets.
	Sets [][]int
	// Exhaustive is set if Sets has all sets for these dependencies.
	Exhaustive bool
}

// Found is the result of a search.
type Found struct {
	Cycles        []Cycle // short ones first
	GatedPairs    int     // pairs of dependencies that are no cycle because of a gate lock
	OrderedCycles int     // cycles of which the must-order excludes all sets
	Incomplete    bool    // the search was stopped before its end
	Effort        int     // dependencies, sets of acquires and operations looked at
}

// Find returns the cycles of t, whose order is o. It looks at no more than most dependencies,
// sets and operations. Beside that, it takes time linear in the number of events.
func Find(t *trace.Trace, o *order.Order, most int) Found {
	f := &finder{
		trace: t, order: o, facts: o.Facts(), budget: most,
		numbers: make(map[dependencyKey]int32), holders: make(map[uint64][]int32), writers: make(map[uint64][]int32),
		messageAt: make(map[int32]int32), messagesUnder: make(map[uint64][]int32), channelEnablers: make(map[int32]*[2][]int32),
		sendCases: make(map[uint64][]int32), similarMessages: make(map[similarity]int), incompleteSites: make(map[trace.SiteID]bool),
		closedPaths: make(map[string]bool), cycleBySites: make(map[string]int), successorCache: make(map[int32]successors),
	}
	// Cycles of locks alone come first: they are found in a small graph, and use little of
	// the effort.
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
	budget  int // effort left for all searches
	effort  int // effort left for the current search
	granted int // what effort was at its begin

	// The graph of dependencies: see dependency.go. Locks are keys by their address.
	dependencies []dependency
	numbers      map[dependencyKey]int32 // of dependencies
	holders      map[uint64][]int32      // by lock: the dependencies that hold it
	writers      map[uint64][]int32      // by lock: the dependencies that want it for writing, where others read

	// The messages, and what the search for cycles with them needs: see mixed.go. All
	// operations are positions in the trace.
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

// grantEffort grants the next search some effort, at most what is left for all.
func (f *finder) grantEffort(effort int) {
	f.granted = min(effort, f.budget)
	f.effort = f.granted
}

// chargeEffort subtracts what the search has spent from what is left for all.
func (f *finder) chargeEffort() {
	f.budget -= f.granted - f.effort
	f.found.Effort += f.granted - f.effort
}

// handedOver reports whether goroutines release a lock that others have acquired. Then no
// goroutine keeps it from others.
func (f *finder) handedOver(lock uint64) bool { return f.order.HandedOver()[lock] }

// canBlock reports whether event i is the acquire of a lock that can block.
func (f *finder) canBlock(i int32) bool {
	e := &f.trace.Events[i]
	return e.Kind.Acquires() && !f.isTry(int(i)) && !f.handedOver(e.Obj)
}

// isTry reports whether the acquire at position i is a TryLock, which never waits.
func (f *finder) isTry(i int) bool { return f.trace.Events[i].Flags&trace.FlagTry != 0 }

// locksOf returns the locks of acquires, without that at position i, sorted.
func (f *finder) locksOf(acquires []int32, i int) (locks []order.Lock) {
	for _, a := range acquires {
		if e := &f.trace.Events[a]; int(a) != i && !f.handedOver(e.Obj) {
			locks = append(locks, order.Acquired(e))
		}
	}
	order.SortLocks(locks)
	return slices.Compact(locks)
}

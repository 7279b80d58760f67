package predictrt

import (
	"internal/stringslite"
	"runtime"
)

// This file lets a program run in other orders. One recording shows one order of those that are
// possible, and what follows from it: which branch was taken, what a queue held. The runtime
// decides which goroutine runs when another one stops, see runtime.PredictOldestFirst and
// runtime.PredictByRank. This file decides when goroutines let others run, beyond what each order
// does.

// The orders, as GOPREDICT_RT names them. Without one, the goroutine that was started or woken
// last runs first, as in the runtime.
const (
	orderOldest        = "oldest"        // in the order in which they were started or woken; short timers fire first
	orderChild         = "child"         // a new goroutine runs first, its parent waits
	orderNonPreemptive = "nonpreemptive" // a goroutine goes on until it waits
	orderSeed          = "seed"          // followed by a seed: goroutines let others run at random operations
	orderChance        = "chance"        // followed by a seed: other random numbers, and orders of maps
	orderPOS           = "pos"           // followed by a seed: each operation has a random rank, see rank.go
	orderPCT           = "pct"           // followed by a seed, a depth and a number of steps: each goroutine has a rank
)

var (
	childFirst    bool
	nonPreemptive bool
	randomSeed    uint64 // of orders that are random; 0 in others
	yieldOneIn    uint64 // orderSeed: others run before one in so many operations
	hasRanks      bool   // orderPOS and orderPCT
)

// setOrder sets the order. It reports false if there is none of that name.
func setOrder(name string) (ok bool) {
	switch {
	case name == orderOldest:
		runtime.PredictOldestFirst()
	case name == orderChild:
		childFirst = true
	case name == orderNonPreemptive:
		nonPreemptive = true
	case stringslite.HasPrefix(name, orderSeed):
		randomSeed, ok = atoi(name[len(orderSeed):])
		yieldOneIn = 2 + 2*(randomSeed%2) // odd seeds seldom, even ones often
		return ok && randomSeed != 0
	case stringslite.HasPrefix(name, orderChance):
		seed, ok := atoi(name[len(orderChance):])
		runtime.PredictOtherChance(seed)
		return ok && seed != 0
	case stringslite.HasPrefix(name, orderPOS):
		randomSeed, ok = atoi(name[len(orderPOS):])
		hasRanks = true
		runtime.PredictByRank()
		return ok && randomSeed != 0
	case stringslite.HasPrefix(name, orderPCT):
		return setPCT(split(name[len(orderPCT):], "/"))
	default:
		return false
	}
	return true
}

// followOrder is called before each operation of g, except plain accesses on the fast path. It
// lets other goroutines run first if the order says so.
func (g *goroutine) followOrder(kind uint8, obj uint64) {
	switch {
	case g.yieldsToChild:
		g.yieldsToChild = false
		g.yieldOnce()
	case hasRanks:
		g.waitForRank(kind, obj)
	case randomSeed != 0 && g.randomStream.next()%yieldOneIn == 0:
		g.yieldOnce()
	}
}

// A randomStream is a stream of random numbers (SplitMix64). Each goroutine has one, so that its
// choices do not depend on those of others.
type randomStream uint64

// next returns the next number.
func (l *randomStream) next() uint64 {
	*l += 0x9e3779b97f4a7c15
	x := uint64(*l)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// yieldOnce lets the others that can run go first.
func (p *pace) yieldOnce() {
	if runtime.PredictCanPark() {
		p.operations = 0
		runtime.PredictGosched()
	}
}

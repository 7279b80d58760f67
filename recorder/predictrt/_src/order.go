package predictrt

import (
	"internal/stringslite"
	"runtime"
)

// One recording shows one order of those that a program can run in, and what follows
// from it: which branch was taken, what a queue held. So a program can be recorded,
// and replayed, in others too. Which goroutine goes on when another one gives way or
// blocks is for the runtime to say, see runtime.PredictOldestFirst and
// runtime.PredictByRank; what is here is when goroutines give way beyond what any order
// wants of them.

// The orders, as GOPREDICT_RT names them; an ordinary one is the runtime's own, in which
// the newest goroutine, or the one woken last, goes first.
const (
	orderOldest = "oldest" // in the order in which they were started or woken; and short timers win
	orderChild  = "child"  // a new goroutine goes first, its parent waits
	orderSeed   = "seed"   // and a number from 1: they give way at random
	orderPOS    = "pos"    // and a number from 1: each operation has a random rank, see rank.go
	orderPCT    = "pct"    // and a number from 1, a depth, and steps: each goroutine has one
)

var (
	childFirst bool
	// of the chance by which goroutines give way; 0: they do not
	randomSeed uint64
	// at one in so many of their operations
	yieldOneIn uint64
	hasRanks   bool // but as their ranks say
)

// setOrder reports whether there is an order of that name.
func setOrder(name string) (ok bool) {
	switch {
	case name == orderOldest:
		runtime.PredictOldestFirst()
	case name == orderChild:
		childFirst = true
	case stringslite.HasPrefix(name, orderSeed):
		randomSeed, ok = atoi(name[len(orderSeed):])
		yieldOneIn = 2 + 2*(randomSeed%2) // often, and seldom
		return ok && randomSeed != 0
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

// byOrder is called before each operation of g, but not for what the fast path does,
// and lets others go first if the order wants that.
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

// randomStream is a stream of random numbers (SplitMix64).
type randomStream uint64

// next returns the next number.
func (l *randomStream) next() uint64 {
	*l += 0x9e3779b97f4a7c15
	x := uint64(*l)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// giveWayOnce lets all that can run go first.
func (p *pace) yieldOnce() {
	if runtime.PredictCanPark() {
		p.operations = 0
		runtime.PredictGosched()
	}
}

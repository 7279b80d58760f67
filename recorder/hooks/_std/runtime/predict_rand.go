package runtime

import "unsafe"

// While a program is recorded or replayed, what is random in an ordinary run
// is a fixed function of the goroutine's name and of how often it has asked.
// So neither another schedule of the others nor another process changes it.

// PredictChance is the state of a goroutine's random numbers, and what else the
// runtime knows of it. The record of a goroutine begins with one. Each use has a stream of its own, so that, say, a
// map that is iterated over once more does not change what math/rand returns.
type PredictChance struct {
	user uint64 // math/rand, hash/maphash
	iter uint64 // where an iteration over a map begins
	poll uint64 // the order in which select looks at its cases
	rest uint64 // who calls rand by itself

	briefs uint8 // timers that were due at once, see predictIsBrief

	// Asks is the number of the case, from 1, that the coming select looks at first; 0: any.
	Asks uint16

	// Rank says which goroutine goes first of those that can run, see PredictByRank, and
	// Outranked that it only gives way to a higher one.
	Rank      uint64
	Outranked bool

	// Outside is what the goroutine has read last that no run determines.
	Outside uint8

	G unsafe.Pointer // the identity of the goroutine, see PredictBlocked

	// stands are the channels of the operation that a hook is told of: first those that
	// it would send to. Of more than there is room for, it has the first ones. They are no
	// pointers: the garbage collector does not look in here, and a store of a pointer would
	// tell it of the one before, which may be free by then.
	stands          [4]uintptr
	sends, receives uint8
}

// What PredictOutsideRead is told.
const (
	PredictClock = iota + 1
	PredictFiles
	PredictNetwork
	PredictCrypto
	PredictEnvironment
	PredictGoroutines // how many there are, or where
	PredictResult     // of a test, so far
	PredictProcesses  // that it has started
)

// PredictOutsideRead notes that the running goroutine reads what comes from
// outside of the program.
func PredictOutsideRead(what uint8) {
	if c := predictChance(); c != nil {
		c.Outside = what
		if predictHooks.Outside != nil {
			predictHooks.Outside(what)
		}
	}
}

// Seed begins the streams anew.
func (c *PredictChance) Seed(x uint64) {
	c.user, c.iter, c.poll, c.rest = predictMix(x), predictMix(x+1), predictMix(x+2), predictMix(x+3)
}

// predictMain are the streams of goroutines that have no record yet.
var predictMain PredictChance

// predictChance returns the streams of the running goroutine, or nil where
// the runtime acts for itself.
//
//go:nosplit
func predictChance() *PredictChance {
	gp := getg()
	if !predictOneP || gp.m.curg != gp {
		return nil
	}
	if gp.predict == nil {
		return &predictMain
	}
	return (*PredictChance)(gp.predict)
}

// predictNext advances a stream (SplitMix64).
//
//go:nosplit
func predictNext(s *uint64) uint64 {
	*s += 0x9e3779b97f4a7c15
	return predictMix(*s)
}

//go:nosplit
func predictMix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// predictRandn stands in for cheaprandn in select.
//
//go:nosplit
func predictRandn(n uint32) uint32 {
	c := predictChance()
	if c == nil {
		return cheaprandn(n)
	}
	return uint32((predictNext(&c.poll) >> 32) * uint64(n) >> 32)
}

// predictAsk puts the case first in order that the running goroutine's select is to take,
// if it can.
//
//go:nosplit
func predictAsk(order []uint16) {
	c := predictChance()
	if c == nil || c.Asks == 0 {
		return
	}
	for i, k := range order {
		if k == c.Asks-1 {
			order[0], order[i] = k, order[0]
			return
		}
	}
}

// predictRand stands in for rand. ok is false if that shall do it.
//
//go:nosplit
func predictRand() (x uint64, ok bool) {
	c := predictChance()
	if c == nil {
		return 0, false
	}
	return predictNext(&c.rest), true
}

// PredictRand stands in for rand in packages whose users ask for randomness.
func PredictRand() uint64 {
	c := predictChance()
	if c == nil {
		return rand()
	}
	return predictNext(&c.user)
}

// PredictTrueRand is rand as it was, for names that must not clash with those
// of other processes.
func PredictTrueRand() uint64 {
	if !predictOneP {
		return rand()
	}
	var x uint64
	systemstack(func() { x = rand() })
	return x
}

// predictSeed is the hash seed of each map: with one of its own, a map that is
// made once more would change the order of those that are made later.
const predictSeed = 0x6c62272e07bb0142

// PredictSeed stands in for rand where a hash function is seeded.
//
//go:linkname PredictSeed
func PredictSeed() uint64 {
	if !predictOneP {
		return rand()
	}
	return predictSeed
}

//go:linkname predictMapSeed internal/runtime/maps.predictSeed
func predictMapSeed() uint64 { return PredictSeed() }

//go:linkname predictMapIter internal/runtime/maps.predictIter
func predictMapIter() uint64 {
	c := predictChance()
	if c == nil {
		return rand()
	}
	return predictNext(&c.iter)
}

// predictStartRand makes the seed of the process's own random numbers the same
// for all runs: those decide the hash functions and where the heap begins. It
// is called before the environment is known, and looks for itself.
func predictStartRand(seed *[32]byte) {
	if predictIsAsked() {
		*seed = [32]byte{'g', 'o', 'p', 'r', 'e', 'd', 'i', 'c', 't'}
		predictOneP = true
	}
}

package runtime

import "unsafe"

// While a program is recorded or replayed, what is random in an ordinary run is a fixed function
// of the goroutine's name and of how often the goroutine has asked. So neither another schedule
// of the other goroutines nor another process changes it.

// A PredictGoroutine is the first part of a goroutine's record, which the runtime uses.
type PredictGoroutine struct {
	// random has the state of a stream of random numbers for each use. So a map that is iterated
	// over once more does not change what math/rand returns.
	random [predictNumStreams]uint64

	shortTimers uint8 // timers that were due at once, see predictIsShortTimer

	// SelectCase is the case, from 1, that the coming select looks at first; 0: any.
	SelectCase uint16

	// Rank says which of the goroutines that can run goes first, see PredictByRank. YieldsToRank
	// says that the goroutine lets others run only because of their ranks.
	Rank         uint64
	YieldsToRank bool

	// LastInput is what the goroutine has read last that no run determines.
	LastInput uint8

	G unsafe.Pointer // identity of the goroutine, see PredictBlocked

	// channels are those of the operation that a hook is called for, first those that it would
	// send to; if there are more, the first ones. They are no pointers: the garbage collector
	// does not look in here, and a store of a pointer would mark the one before, which may be
	// free.
	channels        [4]uintptr
	sends, receives uint8
}

// The streams of random numbers.
const (
	predictUserStream   = iota // math/rand, hash/maphash
	predictMapStream           // where an iteration over a map begins
	predictSelectStream        // the order in which select looks at its cases
	predictOtherStream         // the runtime's rand
	predictNumStreams
)

// The inputs that PredictReadInput notes.
const (
	PredictClock = iota + 1
	PredictFiles
	PredictNetwork
	PredictCrypto
	PredictEnvironment
	PredictGoroutines // how many there are, or their stacks
	PredictResult     // of a test, so far
	PredictProcesses  // that the program has started
	PredictMapOrder
	PredictRandom
	PredictProcessors // how many there are
	PredictPooled     // what a pool has kept
)

// PredictReadInput notes that the running goroutine reads an input from outside of the program.
func PredictReadInput(input uint8) {
	if c := predictRunning(); c != nil {
		c.LastInput = input
		if predictHooks.ReadInput != nil {
			predictHooks.ReadInput(input)
		}
	}
}

// predictReadInputAt notes that the program, which is returned to at pc, reads an input that is the
// same in each recording and replay.
func predictReadInputAt(input uint8, pc uintptr) {
	if predictIsUser() {
		predictHooks.ReadInputAt(input, pc)
	}
}

// Seed begins the streams anew.
func (c *PredictGoroutine) Seed(x uint64) {
	for i := range c.random {
		c.random[i] = predictHash((x ^ predictChance) + uint64(i))
	}
}

// predictChance changes all streams, and predictOpposite turns their numbers round.
var (
	predictChance   uint64
	predictOpposite bool
)

// PredictOtherChance lets the program draw other numbers: those of odd seeds are the opposite of
// those of the seed before. Without it, they are those of seed 0.
func PredictOtherChance(seed uint64) {
	predictChance, predictOpposite = seed/2*0x9e3779b97f4a7c15, seed%2 == 1
}

// predictWithoutRecord stands for goroutines that have no record yet.
var predictWithoutRecord PredictGoroutine

// predictRunning returns the record of the running goroutine; nil where the runtime acts for
// itself.
//
//go:nosplit
func predictRunning() *PredictGoroutine {
	gp := getg()
	if !predictActive || gp.m.curg != gp {
		return nil
	}
	if gp.predict == nil {
		return &predictWithoutRecord
	}
	return (*PredictGoroutine)(gp.predict)
}

// predictNumber returns the next number of a stream of the running goroutine (SplitMix64). It
// reports false where the runtime's own random numbers are to be used.
//
//go:nosplit
func predictNumber(stream int) (x uint64, ok bool) {
	c := predictRunning()
	if c == nil {
		return 0, false
	}
	c.random[stream] += 0x9e3779b97f4a7c15
	x = predictHash(c.random[stream])
	if predictOpposite {
		x = ^x
	}
	return x, true
}

//go:nosplit
func predictHash(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// predictRandn replaces cheaprandn in select.
//
//go:nosplit
func predictRandn(n uint32) uint32 {
	if x, ok := predictNumber(predictSelectStream); ok {
		return uint32((x >> 32) * uint64(n) >> 32)
	}
	return cheaprandn(n)
}

// predictAskedFirst puts the case first in order that the running goroutine's select is to take
// if it can.
//
//go:nosplit
func predictAskedFirst(order []uint16) {
	c := predictRunning()
	if c == nil || c.SelectCase == 0 {
		return
	}
	for i, k := range order {
		if k == c.SelectCase-1 {
			order[0], order[i] = k, order[0]
			return
		}
	}
}

// PredictRand replaces rand in packages whose users ask for random numbers.
func PredictRand() uint64 {
	if x, ok := predictNumber(predictUserStream); ok {
		if predictHooks.ReadInput != nil {
			predictHooks.ReadInput(PredictRandom)
		}
		return x
	}
	return rand()
}

// PredictTrueRand is the original rand, for names that must differ from those of other processes.
func PredictTrueRand() uint64 {
	if !predictActive {
		return rand()
	}
	var x uint64
	systemstack(func() { x = rand() })
	return x
}

// PredictSeed replaces rand where a hash function is seeded. All maps have one hash seed: if each
// had its own, one more map would change the order of those that are made later.
//
//go:linkname PredictSeed
func PredictSeed() uint64 {
	if !predictActive {
		return rand()
	}
	return 0x6c62272e07bb0142
}

//go:linkname predictMapSeed internal/runtime/maps.predictSeed
func predictMapSeed() uint64 { return PredictSeed() }

//go:linkname predictMapIter internal/runtime/maps.predictIter
func predictMapIter() uint64 {
	if x, ok := predictNumber(predictMapStream); ok {
		return x
	}
	return rand()
}

// predictFixSeed makes the seed of the process's own random numbers the same in all runs. They
// decide the hash functions and where the heap begins. It is called before the environment is
// known, and searches that itself.
func predictFixSeed(seed *[32]byte) {
	if predictIsRequested() {
		*seed = [32]byte{'g', 'o', 'p', 'r', 'e', 'd', 'i', 'c', 't'}
		predictActive = true
	}
}

package predictrt

import (
	"runtime"
	"unsafe"
)

// Two orders have guarantees: whatever a bug needs, each run finds it with a probability
// that has a lower bound.
//
// In that of Yuan, Yang and Gu, Partial Order Aware Concurrency Sampling, CAV 2018, POS,
// each operation has a random rank, and the highest of those that can come is the next;
// then those that are on the same object have new ones, so that what has come first says
// nothing of what comes next.
//
// In that of Burckhardt, Kothari, Musuvathi and Nagarakatte, A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs, ASPLOS 2010, PCT, each goroutine has a rank by
// chance, and at depth-1 of the steps, by chance too, the one that comes there falls below
// all that has not fallen. Of n goroutines and k steps it finds a bug that needs depth
// orders of two operations with a probability of 1/(n k^(depth-1)) or more.
//
// A goroutine that gives way of its own will, as it waits in a loop for others, say, goes
// below all that can run: see runtime.predictSink.

// highest is the rank of what is to go first.
const highestRank = 1<<64 - 1

// An operation is one that a goroutine stands before.
type operation struct {
	kind uint8
	obj  uint64 // 0: unknown
}

var (
	pctDepth uint64 // 0: POS
	// of tests with several goroutines yet
	pctSteps        uint64
	pctChangePoints [maxDepth - 1]uint64
)

// setPCT sets the order by the words after its name: seed, depth and steps.
func setPCT(words []string) bool {
	var n [3]uint64
	if len(words) != len(n) {
		return false
	}
	for k, word := range words {
		x, ok := atoi(word)
		if !ok || x == 0 {
			return false
		}
		n[k] = x
	}
	if n[1] > maxDepth {
		return false
	}
	randomSeed, pctDepth, hasRanks = n[0], n[1], true
	chance := randomStream(randomSeed)
	for k := range pctChangePoints[:pctDepth-1] {
		pctChangePoints[k] = 1 + chance.next()%n[2]
	}
	runtime.PredictByRank()
	return true
}

// ranked gives g its first rank, above all that have fallen.
func (g *goroutine) drawRank() {
	if hasRanks {
		g.inRuntime.Rank = g.randomStream.next() | 1<<63
	}
}

// byRank lets those go first that have a higher rank than g, which is about to do an
// operation.
func (g *goroutine) waitForRank(kind uint8, obj uint64) {
	if pctDepth == 0 {
		g.pending = operation{kind, obj}
		g.drawRank()
	} else if g.account.hasForked && g.test != "" {
		pctSteps++
		for k := range pctChangePoints[:pctDepth-1] {
			if pctChangePoints[k] == pctSteps {
				g.inRuntime.Rank = uint64(k+1) << 32
			}
		}
	}
	for runtime.PredictCanPark() && g.isOutranked() {
		g.inRuntime.Outranked = true
		g.operations = 0
		runtime.PredictGosched()
		g.inRuntime.Outranked = false
	}
	if pctDepth == 0 {
		runtime.PredictReady(func(c *runtime.PredictChance) bool {
			if o := (*goroutine)(unsafe.Pointer(c)); o.pending.isDependent(g.pending) {
				o.drawRank()
			}
			return true
		})
		g.pending = operation{}
	}
}

// outranked reports whether a goroutine can run that has a higher rank.
func (g *goroutine) isOutranked() (is bool) {
	runtime.PredictReady(func(c *runtime.PredictChance) bool {
		is = is || c.Rank > g.inRuntime.Rank
		return !is
	})
	return is
}

// races reports whether the order of two operations can matter. A select may be on each
// channel.
func (p operation) isDependent(q operation) bool {
	if p.kind == KindSelect && isChannel(q.kind) || q.kind == KindSelect && isChannel(p.kind) {
		return true
	}
	return p.obj != 0 && p.obj == q.obj && !(isReadOnly(p.kind) && isReadOnly(q.kind))
}

// isLook reports whether an operation of the kind leaves its object as it was.
func isReadOnly(kind uint8) bool { return kind == KindRead || kind == KindAtomicLoad }

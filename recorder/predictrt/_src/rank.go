package predictrt

import (
	"runtime"
	"unsafe"
)

// This file has two orders with guarantees: each run finds a bug with a probability that has a
// lower bound.
//
// POS is by Yuan, Yang and Gu, Partial Order Aware Concurrency Sampling, CAV 2018. Each operation
// has a random rank, and the one with the highest rank of those that are possible is next. Then
// the operations that conflict with it get new ranks, so that what has come first says nothing
// about what comes next.
//
// PCT is by Burckhardt, Kothari, Musuvathi and Nagarakatte, A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs, ASPLOS 2010. Each goroutine has a random rank. At
// depth-1 random steps, the goroutine that does the step gets a rank below all others but those of
// earlier such steps. With n goroutines and k steps, a run finds a bug that needs depth ordered
// operations with a probability of at least 1/(n k^(depth-1)).
//
// A goroutine that lets others run of its own will, as one that waits in a loop, gets a rank below
// all that can run: see runtime.predictSinkRank.

// highestRank is the rank of goroutines that run first.
const highestRank = 1<<64 - 1

// A pendingOperation is one that a goroutine is about to do.
type pendingOperation struct {
	kind uint8
	obj  uint64 // 0: unknown
}

var (
	pctDepth        uint64                  // 0 in POS
	pctSteps        uint64                  // steps so far of tests with several goroutines
	pctChangePoints [maxPCTDepth - 1]uint64 // steps at which the rank falls
)

// setPCT sets the order by its parameters: seed, depth and steps.
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
	if n[1] > maxPCTDepth {
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

// drawRank gives g a random rank, above all that have fallen.
func (g *goroutine) drawRank() {
	if hasRanks {
		// The ranks of change points are small numbers times 2^32, and so below the top bit.
		g.inRuntime.Rank = g.randomStream.next() | 1<<63
	}
}

// waitForRank lets goroutines with a higher rank than g run first. g is about to do an operation.
// In POS, the operation gets a random rank, and after it those that depend on it get new ones; in
// PCT, the rank of g falls at a change point.
func (g *goroutine) waitForRank(kind uint8, obj uint64) {
	if pctDepth == 0 {
		g.pending = pendingOperation{kind, obj}
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
		g.inRuntime.YieldsToRank = true
		g.operations = 0
		runtime.PredictGosched()
		g.inRuntime.YieldsToRank = false
	}
	if pctDepth == 0 {
		runtime.PredictEachReady(func(c *runtime.PredictGoroutine) bool {
			if o := (*goroutine)(unsafe.Pointer(c)); o.pending.isDependent(g.pending) {
				o.drawRank()
			}
			return true
		})
		g.pending = pendingOperation{}
	}
}

// isOutranked reports whether a goroutine with a higher rank than g can run.
func (g *goroutine) isOutranked() (is bool) {
	runtime.PredictEachReady(func(c *runtime.PredictGoroutine) bool {
		is = is || c.Rank > g.inRuntime.Rank
		return !is
	})
	return is
}

// isDependent reports whether the order of two operations can matter. A select may be on each
// channel.
func (p pendingOperation) isDependent(q pendingOperation) bool {
	if p.kind == KindSelect && isChannel(q.kind) || q.kind == KindSelect && isChannel(p.kind) {
		return true
	}
	return p.obj != 0 && p.obj == q.obj && !(isReadOnly(p.kind) && isReadOnly(q.kind))
}

// isReadOnly reports whether an operation of the kind leaves its object unchanged.
func isReadOnly(kind uint8) bool { return kind == KindRead || kind == KindAtomicLoad }

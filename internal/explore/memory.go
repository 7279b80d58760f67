package explore

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// This file decides when the garbage collector runs. Most of the memory is traces, which hold
// few pointers, so that a collection is cheap and may come often. In a small heap it would
// come all the time.

// The heap may grow to freeHeap bytes without a collection. Beyond that it may grow by
// leastGrowth bytes and by the growthDivisor-th part of what is in use. Where more than
// largeHeap bytes are in use a collection takes seconds, and the heap may grow by a fourth of
// what is beyond.
const (
	freeHeap      = 192 << 20
	leastGrowth   = 8 << 20
	growthDivisor = 64
	largeHeap     = 1 << 30
)

// LimitHeapGrowth bounds the growth of the heap between two collections, from now on. The
// runtime takes a percentage of what is in use, so the percentage is set anew after each
// collection.
func LimitHeapGrowth() { setHeapGoal(freeHeap) }

// setHeapGoal sets the percentage, and a cleanup that sets it again after the next collection.
// Reached is the largest heap so far in bytes: to reach it once more takes no more memory than
// before. The memory limit returns what is free beyond that to the system.
func setHeapGoal(reached uint64) {
	m := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(m)
	used, others := m[0].Value.Uint64(), m[1].Value.Uint64()
	for _, heap := range m[2:] {
		others -= heap.Value.Uint64()
	}
	reached = max(reached, used+leastGrowth+used/growthDivisor+(max(used, largeHeap)-largeHeap)/4)
	debug.SetGCPercent(growthPercent(used, reached))
	debug.SetMemoryLimit(int64(others + reached + reached/32 + 8<<20))
	// Nothing refers to the object, so that the next collection runs its cleanup. It has 16 bytes, as
	// the allocator may put smaller ones into a block with others, which keep it alive.
	runtime.AddCleanup(new([2]uint64), setHeapGoal, reached)
}

// growthPercent returns the percentage by which a heap grows from used to goal bytes.
func growthPercent(used, goal uint64) int {
	const most = 400 // for a small heap, which may grow a lot before the next collection
	if used == 0 {
		return most
	}
	return int(min(most, (goal-used)*100/used))
}

package explore

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// This file says when garbage is looked for. What takes the most memory holds few pointers, so
// that looking often costs little; in a small heap that would be done all the time.

// The heap may grow to roomy bytes before garbage is looked for, beyond that by a sparing-th of what is used and
// leastGrowth bytes. Where a lot is used to look takes seconds, and it may grow by a fourth of what is beyond vast.
const (
	freeHeap      = 192 << 20
	leastGrowth   = 8 << 20
	growthDivisor = 64
	largeHeap     = 1 << 30
)

// LimitHeapGrowth has garbage looked for when roomy says so, from now on. The runtime takes a percentage of what is
// used at the time, so that it is set anew after each look.
func LimitHeapGrowth() { setHeapGoal(freeHeap) }

// setHeapGoal sets the percentage, and sees that it is set again after the next look. The heap has had up to so many
// bytes before, and may have them again: that takes no more memory than there was. What is free beyond that is
// given back to the system at once.
func setHeapGoal(had uint64) {
	m := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(m)
	used, others := m[0].Value.Uint64(), m[1].Value.Uint64()
	for _, heap := range m[2:] {
		others -= heap.Value.Uint64()
	}
	had = max(had, used+leastGrowth+used/growthDivisor+(max(used, largeHeap)-largeHeap)/4)
	debug.SetGCPercent(growthPercent(used, had))
	debug.SetMemoryLimit(int64(others + had + had/32 + 8<<20))
	runtime.AddCleanup(new([2]uint64), setHeapGoal, had)
}

// growthPercent is by how many percent a heap of which so many bytes are used may grow to have others.
func growthPercent(used, to uint64) int {
	const most = 400 // of a small heap: the next look may find far more in use, before the percentage is set anew
	if used == 0 {
		return most
	}
	return int(min(most, (to-used)*100/used))
}

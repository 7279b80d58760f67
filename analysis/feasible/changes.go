package feasible

import "slices"

// contents are what the cells of a state hold.
type contents struct {
	cells []cellState
	// By cell: its value, if its taint is computed; nil if no formula computes
	// what is stored.
	vals []uint64
}

// set makes c equal to o, of the same program.
func (c *contents) set(o *contents) {
	copy(c.cells, o.cells)
	copy(c.vals, o.vals)
}

// A changeLog lists the changes of contents, the oldest first. To undo them
// takes time proportional to their number; to copy all cells would take more
// than to execute most schedules.
type changeLog struct {
	// Changes are recorded.
	recording bool
	// The changes since then.
	list []change
}

// A change says what a cell held before a write.
type change struct {
	cell   int32
	before cellState
	// The value, if the taint was computed.
	val uint64
}

// start forgets all changes, and records those to come.
func (l *changeLog) start() { *l = changeLog{true, l.list[:0]} }

// stop forgets all changes.
func (l *changeLog) stop() { *l = changeLog{false, l.list[:0]} }

// record records what the n cells of c from first on hold, before a write.
func (l *changeLog) record(c *contents, first, n int32) {
	if !l.recording {
		return
	}
	for cell := first; cell < first+n; cell++ {
		old := change{cell: cell, before: c.cells[cell]}
		if old.before.taint == computed {
			old.val = c.vals[cell]
		}
		l.list = append(l.list, old)
	}
}

// undo takes back in c all changes but the first n.
func (l *changeLog) undo(c *contents, n int) {
	for _, old := range slices.Backward(l.list[n:]) {
		if c.cells[old.cell] = old.before; old.before.taint == computed {
			c.vals[old.cell] = old.val
		}
	}
	l.list = l.list[:n]
}

// undo takes the memory back to where there were n changes.
func (s *memoryState) undo(n int) { s.changes.undo(&s.contents, n) }

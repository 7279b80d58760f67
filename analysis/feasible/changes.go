package feasible

// contents are what is in the cells of a state.
type contents struct {
	cells []cellState
	// By cell: what is there, if its taint is computed; nil where no formula
	// tells what is stored.
	vals []uint64
}

// set makes c what o is, of the same program.
func (c *contents) set(o *contents) {
	copy(c.cells, o.cells)
	copy(c.vals, o.vals)
}

// changes are the way back to what contents were, from some time on: a list,
// the oldest first, with marks in it. Where a schedule goes on for long after
// the last mark, a copy of the contents as they were then takes less than the
// list would.
type changes struct {
	keeps keeping
	list  changeList
	// Of those in the list whose taint was computed, what was there.
	vals []uint64
	// How many were in the list at the last mark.
	marked int
	// How many may come after these.
	most int
	// As they were at the last mark, where it keeps a copy; otherwise the
	// memory for one.
	copied contents
}

// keeping is how changes are kept.
type keeping uint8

const (
	nothing keeping = iota
	aList
	// And the list up to the last mark: what was written since is not known,
	// and needs no more to be.
	aCopy
)

// start has all changes kept from now on.
func (l *changes) start() {
	l.stop()
	l.keeps = aList
}

// stop forgets all changes, and keeps none.
func (l *changes) stop() {
	l.keeps, l.list.n, l.vals, l.marked = nothing, 0, l.vals[:0], 0
}

// mark returns how many changes there are, with which [changes.back] comes
// back to here.
func (l *changes) mark() int {
	l.marked = l.list.n
	return l.marked
}

// keep keeps what is in the n cells of c from first on, before they are
// written.
func (l *changes) keep(c *contents, first, n int32) {
	if l.keeps != aList {
		return
	}
	for cell := first; cell < first+n; cell++ {
		was := c.cells[cell]
		if was.taint == computed {
			l.vals = append(l.vals, c.vals[cell])
		}
		l.list.add(change{cell, was})
	}
	if l.list.n-l.marked > l.most {
		l.copied.cells = append(l.copied.cells[:0], c.cells...)
		l.copied.vals = append(l.copied.vals[:0], c.vals...)
		l.undo(&l.copied, l.marked)
		l.keeps = aCopy
	}
}

// back takes c back to the mark with n changes, or with 0 to where they
// started.
func (l *changes) back(c *contents, n int) {
	if l.keeps == aCopy {
		c.set(&l.copied)
		l.keeps = aList
	}
	l.undo(c, n)
	l.marked = n
}

// back takes the memory back to the mark with n changes, or with 0 to where
// they started.
func (s *memoryState) back(n int) { s.changes.back(&s.contents, n) }

// undo takes back in c all changes of the list but the first n.
func (l *changes) undo(c *contents, n int) {
	for l.list.n > n {
		was := l.list.pop()
		if c.cells[was.cell] = was.was; was.was.taint == computed {
			last := len(l.vals) - 1
			c.vals[was.cell], l.vals = l.vals[last], l.vals[:last]
		}
	}
}

// A change is what was in a cell before a write.
type change struct {
	cell int32
	was  cellState
}

// A changeList is in parts: there may be millions in each schedule, and to
// move them as the list gets longer would take more than to execute that.
// Later ones have the memory of those before.
type changeList struct {
	parts [][]change
	n     int
}

func (l *changeList) add(c change) {
	k := l.n / changesOfPart
	if k == len(l.parts) {
		var part []change // the first one gets longer with what is in it: most schedules are short
		if k > 0 {
			part = make([]change, 0, changesOfPart)
		}
		l.parts = append(l.parts, part)
	}
	l.parts[k] = append(l.parts[k][:l.n%changesOfPart], c)
	l.n++
}

// pop removes the last one.
func (l *changeList) pop() change {
	l.n--
	return l.parts[l.n/changesOfPart][l.n%changesOfPart]
}

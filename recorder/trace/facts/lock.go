package facts

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Section is a critical section. Its row grows with the position of its acquire.
type Section struct {
	Acquire int32
	// Release is the release that ends it, which may be another goroutine's, or None.
	Release int32
	side    int32 // twice the number of the lock, and one more on the reader side
}

// Lock returns the number of the lock.
func (s *Section) Lock() int32 { return s.side >> 1 }

// Shared reports whether the section is on the reader side of an RWMutex.
func (s *Section) Shared() bool { return s.side&1 != 0 }

// An Abandoned section has no release, but an acquire at position At that could not have
// happened while it was open.
type Abandoned struct{ Section, At int32 }

// lockTable is the critical sections.
type lockTable struct {
	sections   []Section
	abandoned  []Abandoned
	byLock     grouped // rows
	handedOver []bool  // by lock
}

// Sections returns all critical sections by the positions of their acquires. The caller
// must not change them.
func (f *Facts) Sections() []Section { return f.sections }

// SectionOf returns the section that event i opens or ends, or None.
func (f *Facts) SectionOf(i int) int32 { return f.rowIn(trace.ClassLock, i) }

// SectionsOf returns the rows of the sections of a lock, ascending. The caller must not
// change them.
func (f *Facts) SectionsOf(lock int32) []int32 { return f.byLock.of(lock) }

// Abandoned returns the sections that have ended without a release, in the order in which
// that is seen. The caller must not change them.
func (f *Facts) Abandoned() []Abandoned { return f.abandoned }

// HandedOver reports whether a goroutine released a lock that another one had acquired.
// Then holding it does not mean that it is taken.
func (f *Facts) HandedOver(lock int32) bool { return f.handedOver[lock] }

// Open returns the sections that are open before position at, which may be the end of the
// trace. An acquire in which a goroutine was blocked at the end of the run has opened none. It
// takes time linear in the number of sections.
func (f *Facts) Open(at int) (rows []int32) {
	at = min(at, f.t.Happened())
	for k := range f.sections {
		s := &f.sections[k]
		if int(s.Acquire) >= at {
			break
		}
		if s.Release == None || int(s.Release) >= at {
			rows = append(rows, int32(k))
		}
	}
	for _, a := range f.abandoned {
		if int(a.At) < at {
			rows = slices.DeleteFunc(rows, func(k int32) bool { return k == a.Section })
		}
	}
	return rows
}

// addLockEvent takes up an event of a lock, and returns the section that it opens or ends.
func (b *builder) addLockEvent(i int32, e *trace.Event) int32 {
	lock := b.objects[trace.ClassLock].number(e.Obj)
	if int(lock) == len(b.open) {
		b.open = append(b.open, nil)
		b.handedOver = append(b.handedOver, false)
	}
	side := 2 * lock
	if e.Kind.IsShared() {
		side++
	}
	if e.Kind.Acquires() {
		return b.acquire(i, lock, side)
	}
	return b.release(i, e.G, lock, side)
}

func (b *builder) acquire(i, lock, side int32) int32 {
	b.open[lock] = slices.DeleteFunc(b.open[lock], func(k int32) bool {
		excluded := b.sections[k].side&side&1 == 0
		if excluded {
			b.abandoned = append(b.abandoned, Abandoned{k, i})
		}
		return excluded
	})
	row := int32(len(b.sections))
	b.sections = append(b.sections, Section{i, None, side})
	b.open[lock] = append(b.open[lock], row)
	return row
}

func (b *builder) release(i int32, g trace.GID, lock, side int32) int32 {
	open := b.open[lock]
	own := func(k int32) bool { return b.sections[k].side == side && b.t.Events[b.sections[k].Acquire].G == g }
	at := len(open) - 1
	for at >= 0 && !own(open[at]) {
		at--
	}
	if at < 0 {
		at = slices.IndexFunc(open, func(k int32) bool { return b.sections[k].side == side })
		if at < 0 {
			return None
		}
		b.handedOver[lock] = true
	}
	row := open[at]
	b.sections[row].Release = i
	b.open[lock] = slices.Delete(open, at, at+1)
	return row
}

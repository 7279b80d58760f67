package order

import (
	"encoding/binary"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// A LockSet numbers a set of locks, each held for writing or for reading;
// equal sets have equal numbers. 0 is the empty set.
type LockSet int32

// A Lock is a held lock.
type Lock struct {
	Obj    uint64
	Shared bool // the reader side of an RWMutex
}

// Excludes reports whether sections of l and o cannot overlap.
func (l Lock) Excludes(o Lock) bool { return l.Obj == o.Obj && !(l.Shared && o.Shared) }

// A Section is one critical section: positions of its acquire and of the
// release that ended it, which may be another goroutine's; -1 where the trace
// has none.
type Section struct {
	Lock
	Acq, Rel int
}

// held is what one goroutine holds between two of its lock events.
type held struct {
	first int32 // where its acquires begin in lockTable.acqs; those of the next one follow
	set   LockSet
}

// A section is a [Section], of the lock of its acquire.
type section struct {
	acq, rel int32
	lock     int32 // twice its number, and one more for a reader
}

// id is the number of the lock.
func (s section) id() int32 { return s.lock >> 1 }

// lockTable is the lock side of an Order.
type lockTable struct {
	events   []trace.Event
	holds    *trace.RunLength // by event: index into held; nil where there are no locks
	held     []held
	outer    map[int32]int32                   // by index into held: where its time of holding any lock began, if the lock of then is held no more
	acqs     []int32                           // of each held, the oldest first
	sections []section                         // by acq
	ids      numbering.Numbers[numbering.Word] // of locks
	byLock   []int32                           // section numbers, lock by lock
	first    []int32                           // by lock: where its part of byLock begins
	handed   map[uint64]bool                   // locks, see HandedOver
	sets     [][]Lock                          // by LockSet
}

// section returns section n.
func (l *lockTable) section(n int32) Section {
	s := l.sections[n]
	return Section{Acquired(&l.events[s.acq]), int(s.acq), int(s.rel)}
}

// Acquired is the lock of an acquire.
func Acquired(e *trace.Event) Lock { return Lock{e.Obj, e.Kind == trace.RAcquire} }

// of returns the numbers of the sections of a lock.
func (l *lockTable) of(lock uint64) []int32 {
	id, ok := l.ids.Known(numbering.Word(lock))
	if !ok {
		return nil
	}
	return l.byLock[l.first[id]:l.first[id+1]]
}

// sort sorts the sections by lock.
func (l *lockTable) sort() {
	l.first = make([]int32, l.ids.Len()+1)
	for _, s := range l.sections {
		l.first[s.id()+1]++
	}
	for id := range l.ids.Len() {
		l.first[id+1] += l.first[id]
	}
	next := slices.Clone(l.first)
	l.byLock = make([]int32, len(l.sections))
	for n, s := range l.sections {
		l.byLock[next[s.id()]] = int32(n)
		next[s.id()]++
	}
}

// acquires returns the acquires of what is held at event i, the oldest first.
func (l *lockTable) acquires(i int) []int32 { return l.by(l.at(i)) }

// at returns the index into held of what is held at event i.
func (l *lockTable) at(i int) int32 {
	if l.holds == nil {
		return 0
	}
	return l.holds.At(i)
}

// by returns the acquires of what held has at index h.
func (l *lockTable) by(h int32) []int32 {
	end := len(l.acqs)
	if int(h)+1 < len(l.held) {
		end = int(l.held[h+1].first)
	}
	return l.acqs[l.held[h].first:end:end]
}

// outermost returns where the time of holding any lock began of what held has at index h; -1 if none is held.
func (l *lockTable) outermost(h int32) int32 {
	if len(l.outer) > 0 {
		if i, ok := l.outer[h]; ok {
			return i
		}
	}
	if its := l.by(h); len(its) > 0 {
		return its[0]
	}
	return -1
}

// A locker computes lock sets in one pass.
type locker struct {
	lockTable
	cur     []int32   // by goroutine: index into held
	before  [][]int32 // by goroutine, for each of its acquires: cur without that and later ones, or -1
	open    [][]int32 // by lock: sections that have not ended
	interns map[string]LockSet
	longer  map[longer]LockSet
	locks   []Lock // scratch
	key     []byte // scratch
}

// A longer is a lock set with one more lock.
type longer struct {
	set    LockSet
	lock   int32
	shared bool
}

// lockSets computes them; before is the must-order.
func lockSets(t *trace.Trace, before func(i, j int) bool) *lockTable {
	acquires, some := 0, false
	for i := range t.Events {
		switch t.Events[i].Kind {
		case trace.Acquire, trace.RAcquire:
			acquires++
			some = true
		case trace.Release, trace.RRelease:
			some = true
		}
	}
	l := &locker{
		lockTable: lockTable{
			events:   t.Events,
			held:     make([]held, 1, 1+acquires),
			outer:    make(map[int32]int32),
			acqs:     make([]int32, 0, acquires),
			sections: make([]section, 0, acquires),
			handed:   make(map[uint64]bool),
			sets:     [][]Lock{nil},
		},
		cur:     make([]int32, len(t.Goroutines)),
		before:  make([][]int32, len(t.Goroutines)),
		interns: map[string]LockSet{"": 0},
		longer:  make(map[longer]LockSet),
	}
	if some {
		l.pass(t)
	}
	l.sort()
	if len(l.handed) > 0 {
		l.handOver(before)
	}
	table := l.lockTable // without what was needed to make it
	return &table
}

// pass goes through the events.
func (l *locker) pass(t *trace.Trace) {
	l.holds = trace.NewRunLength(len(t.Events))
	for i := range t.Events {
		e := &t.Events[i]
		// A lock protects from its acquire to its release, inclusive.
		switch e.Kind {
		case trace.Acquire, trace.RAcquire:
			l.acquire(i, e)
			l.holds.Add(l.cur[e.G])
		case trace.Release, trace.RRelease:
			l.holds.Add(l.cur[e.G])
			l.release(i, e)
		default:
			l.holds.Add(l.cur[e.G])
		}
	}
}

// handOver gives the locks of sections that another goroutine ends to the events that are within.
func (l *locker) handOver(before func(i, j int) bool) {
	holds := make([]int32, len(l.events))
	for i := range holds {
		holds[i] = l.holds.At(i)
	}
	for n, s := range l.sections {
		if s.rel >= 0 && l.events[s.acq].G != l.events[s.rel].G {
			l.give(holds, l.section(int32(n)), before)
		}
	}
	l.holds = trace.NewRunLength(len(holds))
	for _, h := range holds {
		l.holds.Add(h)
	}
}

// give gives the lock of a section that another goroutine ends to the events that
// must come between its acquire and its release, and takes it from the others.
func (l *locker) give(holds []int32, s Section, before func(i, j int) bool) {
	given := make(map[handing]int32) // what becomes of them
	for i := s.Acq; i <= s.Rel; i++ {
		inside := (i == s.Acq || before(s.Acq, i)) && (i == s.Rel || before(i, s.Rel))
		if !inside && l.events[i].G != l.events[s.Acq].G {
			continue
		}
		at := holds[i]
		to, ok := given[handing{at, inside}]
		if !ok {
			to = at
			was := l.held[at].set
			if now := l.with(was, s.Lock, inside); now != was {
				outer, first := l.outermost(at), len(l.acqs)
				l.acqs = append(l.acqs, l.by(at)...)
				to = l.keep(first, outer, now)
			}
			given[handing{at, inside}] = to
		}
		holds[i] = to
	}
}

// A handing is an index into held, and whether a lock is given to those events or taken from them.
type handing struct {
	held int32
	gets bool
}

// with returns a set with a lock, or without it.
func (l *locker) with(set LockSet, lock Lock, in bool) LockSet {
	locks := slices.DeleteFunc(slices.Clone(l.sets[set]), func(k Lock) bool { return k == lock })
	if in {
		locks = append(locks, lock)
	}
	return l.number(locks)
}

func (l *locker) acquire(i int, e *trace.Event) {
	lock := Acquired(e)
	// Sections that this one excludes must have ended, even if the trace does
	// not tell how.
	id := l.id(e.Obj)
	for _, n := range slices.Clone(l.open[id]) {
		if other := Acquired(&l.events[l.sections[n].acq]); !lock.Shared || !other.Shared {
			l.end(n, id)
		}
	}
	n := int32(len(l.sections))
	l.sections = append(l.sections, section{int32(i), -1, 2*id + int32(b2u(lock.Shared))})
	l.open[id] = append(l.open[id], n)

	h := l.cur[e.G]
	outer := l.outermost(h)
	if outer < 0 {
		outer = int32(i)
	}
	first := len(l.acqs)
	l.acqs = append(append(l.acqs, l.by(h)...), int32(i))
	l.before[e.G] = append(l.before[e.G], h)
	l.hold(e.G, first, outer, l.longerBy(l.held[h].set, id, lock))
}

// id returns the number of a lock.
func (l *locker) id(obj uint64) int32 {
	id := l.ids.Of(numbering.Word(obj))
	if int(id) == len(l.open) {
		l.open = append(l.open, nil)
	}
	return id
}

// longerBy returns a set with a lock, which has the number id.
func (l *locker) longerBy(set LockSet, id int32, lock Lock) LockSet {
	k := longer{set, id, lock.Shared}
	its, ok := l.longer[k]
	if !ok {
		its = l.with(set, lock, true)
		l.longer[k] = its
	}
	return its
}

// release ends the section of the releasing goroutine, or the oldest one where
// another goroutine hands the lock over.
func (l *locker) release(i int, e *trace.Event) {
	shared := e.Kind == trace.RRelease
	found := int32(-1)
	id := l.id(e.Obj)
	for _, n := range l.open[id] {
		acq := &l.events[l.sections[n].acq]
		if Acquired(acq).Shared != shared {
			continue
		}
		if own := acq.G == e.G; own || found < 0 {
			found = n
			if own {
				break
			}
		}
	}
	if found >= 0 {
		s := &l.sections[found]
		s.rel = int32(i)
		if l.events[s.acq].G != e.G {
			l.handed[e.Obj] = true
		}
		l.end(found, id)
	}
}

// end takes section n, of the lock of that number, from the goroutine that holds it.
func (l *locker) end(n, id int32) {
	s := &l.sections[n]
	k := slices.Index(l.open[id], n)
	l.open[id] = slices.Delete(l.open[id], k, k+1)

	g := l.events[s.acq].G
	h := l.cur[g]
	its, outer := l.by(h), l.outermost(h)
	k = slices.Index(its, s.acq)
	before := l.before[g]
	l.before[g] = before[:len(its)-1]
	if k == len(its)-1 && before[k] >= 0 { // as most sections are nested
		l.cur[g] = before[k]
		return
	}
	for later := k + 1; later < len(before); later++ {
		before[later] = -1
	}
	first := len(l.acqs)
	l.acqs = append(append(l.acqs, its[:k]...), its[k+1:]...)
	l.hold(g, first, outer, l.intern(l.acqs[first:]))
}

// hold makes the acquires from index first on, of which the locks are set, what goroutine g holds from now
// on.
func (l *locker) hold(g trace.GID, first int, outer int32, set LockSet) {
	if first == len(l.acqs) {
		l.cur[g] = 0
		return
	}
	l.cur[g] = l.keep(first, outer, set)
}

// keep adds to held what has the acquires from index first on, and returns its index.
func (l *locker) keep(first int, outer int32, set LockSet) int32 {
	h := int32(len(l.held))
	l.held = append(l.held, held{int32(first), set})
	if first < len(l.acqs) && l.acqs[first] != outer {
		l.outer[h] = outer
	}
	return h
}

func (l *locker) intern(acqs []int32) LockSet {
	locks := l.locks[:0]
	for _, a := range acqs {
		locks = append(locks, Acquired(&l.events[a]))
	}
	l.locks = locks
	return l.number(locks)
}

// number returns the number of a set, and sorts it.
func (l *locker) number(locks []Lock) LockSet {
	SortLocks(locks)
	locks = slices.Compact(locks)
	key := l.key[:0]
	for _, k := range locks {
		key = binary.LittleEndian.AppendUint64(key, k.Obj)
		key = append(key, b2u(k.Shared))
	}
	set, ok := l.interns[string(key)]
	if !ok {
		set = LockSet(len(l.sets))
		l.sets = append(l.sets, slices.Clone(locks))
		l.interns[string(key)] = set
	}
	l.key = key
	return set
}

// SortLocks sorts locks as those of a lock set are.
func SortLocks(locks []Lock) { slices.SortFunc(locks, compareLocks) }

func compareLocks(a, b Lock) int {
	switch {
	case a.Obj < b.Obj:
		return -1
	case a.Obj > b.Obj:
		return 1
	}
	return int(b2u(a.Shared)) - int(b2u(b.Shared))
}

func b2u(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Exclude reports whether two sets of locks, each sorted by lock, have one in
// common that one of them holds for writing.
func Exclude(x, y []Lock) bool {
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i].Obj < y[j].Obj:
			i++
		case x[i].Obj > y[j].Obj:
			j++
		case !x[i].Shared || !y[j].Shared:
			return true
		default:
			i, j = i+1, j+1
		}
	}
	return false
}

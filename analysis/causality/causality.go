// Package causality refutes violations by universal causality graphs (Kahlon
// and Wang, CAV 2010).
//
// It takes a trace, its [order.Order], and properties: violations, each as an
// order that its events would have to happen in. The graph of a property has
// an edge from one event to another where the first must happen before the
// second in every run of the recorded events that shows the violation. If it
// has a cycle, there is no such run. For two goroutines, and as far as no
// values decide, there is one if it has none (Theorem 1); for more, locks may
// still leave no way through.
//
// # Edges
//
// Seed edges are those of the property and those of synchronization: the
// must-order of package order, the line in which operations of a channel
// stand, and, between events that the run needs, Cond.Wait before the signal
// that it matches and a send before the close of its channel.
//
// Induced edges come from locks. If one critical section begins before another
// one of the same lock ends, it also ends before that begins; two sections of
// readers do not mind each other. This is the rule of the paper's Algorithm 1
// with the causality chains of §3.4, for any number of goroutines.
//
// A run needs not more of the trace than leads to the violation: what follows
// it, and goroutines that have no part in it, add no edges. This takes the
// place of the paper's local paths that end at the violation.
//
// # Many properties, long traces
//
// One graph serves up to [MaxLabels] properties: each edge is labelled with
// those that it follows from (§3.5). Nothing before a last causality barrier
// (§4, Algorithm 2) has a part in any cycle, so that graphs begin there.
package causality

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A Model is what the graphs of all properties of one trace share. It is safe
// for concurrent use.
type Model struct {
	t           *trace.Trace
	o           *order.Order
	facts       *facts.Facts
	sections    [][]int32      // by goroutine: rows of its sections, but for those of locks that are handed over
	users       [][]lockUser   // by number of the lock
	seeds       []seed         // by to
	ends        []goroutineEnd // by goroutine
	byLastEvent []trace.GID    // the one that ends last comes first
	spent       atomic.Int64   // see Spent
	spentLimit  int64          // see LimitSpent
	freeSets    freeList       // see newSet
}

// Spent is what was done for graphs and barriers so far: events, edges and goroutines looked at.
func (m *Model) Spent() int64 { return m.spent.Load() }

// WithOwnCount returns a model of the same trace that counts what it does by itself.
func (m *Model) WithOwnCount() *Model {
	return &Model{t: m.t, o: m.o, facts: m.facts, sections: m.sections, users: m.users, seeds: m.seeds, ends: m.ends, byLastEvent: m.byLastEvent, spentLimit: math.MaxInt64}
}

// LimitSpent lets [Model.Partition] and [Model.Chopped] give up as soon as Spent is beyond a
// limit. Their barriers are the start of the trace then, and their graphs have what was found
// by then. It is not for concurrent use.
func (m *Model) LimitSpent(spent int64) { m.spentLimit = spent }

// A goroutineEnd is the last event of a goroutine, and its last lock-free position; -1
// and never for one without events.
type goroutineEnd struct{ last, lockFree int32 }

// never stands for an end that the trace does not have.
const never = math.MaxInt32

// A lockUser is the sections of one lock in one goroutine.
type lockUser struct {
	g                trace.GID
	writers, readers sideSections
}

// A sideSections is sections of one side of one lock in one goroutine: where they
// begin, ascending, and where those up to each have all ended.
type sideSections struct{ acqs, rels []int32 }

// lastBefore returns the begin of the last section that begins at or before
// position p, and where all up to it have ended.
func (s *sideSections) lastBefore(p int32) (acq, rel int32, ok bool) {
	k, found := slices.BinarySearch(s.acqs, p)
	if found {
		k++
	}
	if k == 0 {
		return 0, 0, false
	}
	return s.acqs[k-1], s.rels[k-1], true
}

func (s *sideSections) add(acq, rel int32) {
	if n := len(s.rels); n > 0 {
		rel = max(rel, s.rels[n-1])
	}
	s.acqs, s.rels = append(s.acqs, acq), append(s.rels, rel)
}

// New prepares the graphs for t, whose order is o, in near-linear time.
func New(t *trace.Trace, o *order.Order) *Model {
	m := &Model{t: t, o: o, facts: o.Facts(), spentLimit: math.MaxInt64}
	m.findSections()
	m.findSeeds()
	ends := make([]goroutineEnd, len(t.Goroutines))
	m.byLastEvent = make([]trace.GID, 0, len(ends))
	for g := range ends {
		ends[g] = goroutineEnd{-1, never}
		m.byLastEvent = append(m.byLastEvent, trace.GID(g))
		if last := int32(o.Events(trace.GID(g)).Last()); last >= 0 {
			if ends[g].last = last; m.holdsForGood(trace.GID(g), last) {
				ends[g].lockFree = m.lockFree(trace.GID(g), never)
			}
		}
	}
	m.ends = ends
	slices.SortFunc(m.byLastEvent, func(a, b trace.GID) int { return cmp.Compare(ends[b].last, ends[a].last) })
	return m
}

// holdsForGood reports whether goroutine g, whose last event is given, never releases a lock
// that others use. It does not count if all their sections of it must have ended before it was
// acquired: the must-order says that of any barrier. Nor does a lock that is handed over.
func (m *Model) holdsForGood(g trace.GID, last int32) bool {
	for _, acquire := range m.o.Held(int(last)) {
		s := m.section(acquire)
		if s.Release == last || m.facts.HandedOver(s.Lock()) {
			continue
		}
		for _, u := range m.users[s.Lock()] {
			if u.g != g && !(m.haveEnded(&u.writers, int(acquire)) && m.haveEnded(&u.readers, int(acquire))) {
				return true
			}
		}
	}
	return false
}

// haveEnded reports whether all of s must have ended before event i.
func (m *Model) haveEnded(s *sideSections, i int) bool {
	n := len(s.rels)
	return n == 0 || s.rels[n-1] != never && m.o.Before(int(s.rels[n-1]), i)
}

// findSections lists the critical sections. Where a goroutine releases what
// another one has acquired, holding the lock does not mean that it is taken,
// and nothing follows from its sections.
func (m *Model) findSections() {
	m.sections = make([][]int32, len(m.t.Goroutines))
	m.users = make([][]lockUser, m.facts.Objects(trace.ClassLock).Len())
	type lockUse struct {
		lock int32
		g    trace.GID
	}
	users := make(map[lockUse]int) // indices into the users of the lock
	for row := range m.facts.Sections() {
		s := &m.facts.Sections()[row]
		lock, g := s.Lock(), m.t.Events[s.Acquire].G
		if m.facts.HandedOver(lock) {
			continue
		}
		m.sections[g] = append(m.sections[g], int32(row))
		k, known := users[lockUse{lock, g}]
		if !known {
			k = len(m.users[lock])
			users[lockUse{lock, g}] = k
			m.users[lock] = append(m.users[lock], lockUser{g: g})
		}
		side := &m.users[lock][k].writers
		if s.Shared() {
			side = &m.users[lock][k].readers
		}
		side.add(s.Acquire, endOf(s))
	}
}

// section returns the critical section that an acquire begins.
func (m *Model) section(acquire int32) *facts.Section {
	return &m.facts.Sections()[m.facts.SectionOf(int(acquire))]
}

// endOf returns the position of the release of s, or never.
func endOf(s *facts.Section) int32 {
	if s.Release == facts.None {
		return never
	}
	return s.Release
}

// An Edge says that the event at position From happens before that at To.
type Edge struct{ From, To int }

// A seed is a synchronization edge that the must-order does not have. It
// holds in runs that need the event at position if.
type seed struct {
	from, to, neededEvent int32
}

// findSeeds finds seeds, sorted by to: the line in which operations of a channel stand, a
// send before the close of its channel, and a wait before the signal that it matches.
func (m *Model) findSeeds() {
	f := m.facts
	operations := f.Operations()
	for row := range operations {
		o := &operations[row]
		if o.Outcome != facts.Passed {
			continue
		}
		if before := f.Previous(int32(row)); before != facts.None {
			m.seeds = append(m.seeds, seed{operations[before].Begin, o.Begin, o.Begin})
		}
		if closed := f.Channel(o.Channel).Closed; !o.Receive && o.Done < closed {
			m.seeds = append(m.seeds, seed{o.Done, closed, o.Done})
		}
	}
	for _, t := range f.Tickets() {
		if t.Wait != facts.None && t.Waker != facts.None && t.Wake != facts.None {
			m.seeds = append(m.seeds, seed{t.Wait, t.Waker, t.Wake})
		}
	}
	slices.SortFunc(m.seeds, func(a, b seed) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from)) })
}

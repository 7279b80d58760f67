package tracetest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Config says what a random trace is made of.
type Config struct {
	Goroutines        int  // at most
	Events            int  // at most, for each goroutine
	Sync              Sync // the ways in which they synchronize
	Locks             int  // how many; each can be locked on both sides
	Locations         int  // 0: there are no accesses to memory
	Unnested          bool // locks are released in any order
	HandOver          bool // locks are also released by those who do not hold them
	RepeatedReadLocks bool // readers also lock what they have locked for reading already
	Overlap           bool // accesses of other sizes overlap with the locations
	WriteOnly         bool // nothing is read, so that values decide nothing
	DistinctValues    bool // no two writes leave the same, so that a read tells which one it found
	Sections          bool // there are critical sections of a few accesses each
	Counters          bool // some writes store what was read there before, plus one
}

// Sync is a set of ways to synchronize.
type Sync uint

// The ways to synchronize.
const (
	Mutexes Sync = 1 << iota
	RWMutexes
	Conds
	Channels
	WaitGroups
	Onces
	Atomics
	Posts
	LateForks // goroutines fork others at any time, not only the first at the start

	All = 1<<iota - 1
)

// Random returns a trace that a Go program could have left, equal for equal
// seeds. It ends early where the goroutines have blocked each other.
func Random(seed uint64, c Config) *trace.Trace {
	m := newMachine(c, rand.New(rand.NewPCG(seed, 1)))
	m.spawn(0)
	if c.Sync&LateForks == 0 {
		for len(m.gs) < c.Goroutines {
			m.fork(m.gs[0])
		}
	}
	for m.step() {
	}
	return m.tr
}

// newMachine returns the model before anything has happened.
func newMachine(c Config, r *rand.Rand) *machine {
	return &machine{
		Config: c, Rand: r, tr: newTrace(), mem: make(map[uint64]byte), locks: make([]lock, c.Locks),
		chans: []*channel{{id: 1}, {id: 2, cap: 1}, {id: 3, cap: 2}},
	}
}

// A machine is the state of the model.
type machine struct {
	Config
	*rand.Rand
	tr     *trace.Trace
	gs     []*goroutine
	mem    map[uint64]byte
	locks  []lock
	chans  []*channel
	conds  [2][]waiter // conditions, each with the lock of its number
	ticket [2]uint64
	count  int // of the WaitGroup
	once   int // 0, 1 running, 2 done
	posted [2]bool

	sendCases bool // the cases of selects that would send have events
}

type goroutine struct {
	id     trace.GID
	left   int // events to go
	held   []int
	queue  []func() bool // what it must do next; false: blocked
	inOnce bool
}

// An action is what a goroutine does in some steps, each of which may block.
type action []func() bool

// begin takes the first step of an action, which does not block. The others are to follow.
func (g *goroutine) begin(a action) {
	a[0]()
	g.queue = append(g.queue, a[1:]...)
}

type lock struct {
	writer  *goroutine
	readers []*goroutine
}

type waiter struct {
	g      *goroutine
	ticket uint64
	woken  *bool
}

func (m *machine) emit(g *goroutine, kind trace.Kind, obj, val uint64, size uint32) *trace.Event {
	// One site for each kind and object, and two of each for accesses.
	id := trace.SiteID(kind)<<16 | trace.SiteID(obj&0xff)<<1
	if kind.IsAccess() {
		id |= trace.SiteRewritten | trace.SiteID(m.IntN(2))
	}
	m.tr.Sites[id] = trace.Site{
		ID: id, Key: uint64(id), Func: "x.f", File: "/src/x/x.go", Line: int(id & 0xffffff),
		Op: kind.String(), OnlyStored: kind == trace.Read && id&1 != 0, IsUpdate: kind == trace.AtomicRMW && id&1 != 0,
	}
	m.tr.Events = append(m.tr.Events, trace.Event{Kind: kind, G: g.id, Site: id, Obj: obj, Val: val, Size: size})
	g.left--
	return &m.tr.Events[len(m.tr.Events)-1]
}

func (m *machine) spawn(parent trace.GID) *goroutine {
	g := &goroutine{id: trace.GID(len(m.gs)), left: m.Events}
	m.gs = append(m.gs, g)
	path := "0"
	if g.id > 0 {
		path = fmt.Sprintf("%s.%d", m.tr.Goroutines[parent].Path, g.id)
	}
	m.tr.Goroutines = append(m.tr.Goroutines, trace.Goroutine{ID: g.id, Parent: parent, Test: "TestX", Path: path})
	g.queue = append(g.queue, func() bool { m.emit(g, trace.Begin, 0, 0, 0); return true })
	return g
}

func (m *machine) fork(g *goroutine) {
	m.emit(g, trace.Fork, uint64(len(m.gs)), 0, 0)
	m.spawn(g.id)
}

// step executes one step of a random goroutine that can go on. It returns false if there is none.
func (m *machine) step() bool {
	for _, k := range m.Perm(len(m.gs)) {
		g := m.gs[k]
		switch {
		case len(g.queue) > 0:
			if g.queue[0]() {
				g.queue = g.queue[1:]
				return true
			}
			continue
		case g.left == 0:
			m.emit(g, trace.End, 0, 0, 0)
			return true
		case g.left < 0:
			continue
		}
		for tries := 0; m.Locations > 0 || tries < maxTries; tries++ {
			if m.act(g) {
				return true
			}
		}
	}
	return false
}

// maxTries bounds the operations that are tried if there may be none that a goroutine can
// execute without waiting.
const maxTries = 50

// act tries one operation, chosen at random.
func (m *machine) act(g *goroutine) bool {
	if m.Locations > 0 && m.IntN(3) == 0 {
		m.access(g)
		return true
	}
	if m.Sections && m.IntN(2) == 0 {
		m.section(g)
		return true
	}
	way := Sync(1) << m.IntN(9)
	for m.Sync&All != 0 && m.Sync&way == 0 {
		way = Sync(1) << m.IntN(9)
	}
	switch way & m.Sync {
	case 0:
		m.access(g)
		return true
	case Mutexes, RWMutexes:
		return m.lockOrUnlock(g, way == RWMutexes)
	case Conds:
		return m.cond(g)
	case Channels:
		return m.channel(g)
	case WaitGroups:
		return m.waitGroup(g)
	case Onces:
		return m.onceDo(g)
	case Atomics:
		return m.atomic(g)
	case Posts:
		k := m.IntN(2)
		if m.IntN(2) == 0 {
			m.emit(g, trace.Post, uint64(k+1), 0, 0)
			m.posted[k] = true
		} else if m.IntN(8) == 0 {
			m.emit(g, trace.Await, 0, 0, 0)
		} else if m.posted[k] {
			m.emit(g, trace.Await, uint64(k+1), 0, 0)
		}
		return true
	default:
		if len(m.gs) >= m.Goroutines {
			return false
		}
		m.fork(g)
		return true
	}
}

func (m *machine) access(g *goroutine) {
	obj, size := 0x1000+16*uint64(m.IntN(m.Locations)), uint32(8)
	if m.Overlap {
		switch m.IntN(4) {
		case 0:
			obj, size = obj+4, 4
		case 1:
			size = 32
		}
	}
	if m.Counters && m.IntN(2) == 0 {
		m.increment(g, obj, size)
	} else if !m.WriteOnly && m.IntN(2) == 0 {
		m.load(m.emit(g, trace.Read, obj, 0, size))
	} else {
		val := uint64(m.IntN(2))
		if m.DistinctValues {
			val = uint64(len(m.tr.Events)) + 1
		}
		m.store(m.emit(g, trace.Write, obj, val, size))
	}
	if m.IntN(4) == 0 {
		m.emit(g, trace.Branch, 0, uint64(m.IntN(2)), 0)
	}
}

// increment is x++.
func (m *machine) increment(g *goroutine, obj uint64, size uint32) {
	r := m.emit(g, trace.Read, obj, 0, size)
	s := m.tr.Sites[r.Site]
	s.ID |= 1 << 15
	s.Key, s.OnlyStored, s.IsUpdate = uint64(s.ID), false, true
	m.tr.Sites[s.ID] = s
	r.Site = s.ID
	m.load(r)
	m.store(m.emit(g, trace.Write, obj, r.Val+1, size))
}

// load and store give the event the value that it reads or writes.
func (m *machine) load(e *trace.Event) {
	if e.Size > 8 {
		return
	}
	e.Flags |= trace.FlagValue
	for b := range uint64(e.Size) {
		e.Val |= uint64(m.mem[e.Obj+b]) << (8 * b)
	}
}

func (m *machine) store(e *trace.Event) {
	for b := range uint64(e.Size) {
		m.mem[e.Obj+b] = 0
		if b < 8 {
			m.mem[e.Obj+b] = byte(e.Val >> (8 * b))
		}
	}
	if e.Size > 8 {
		e.Val = 0
		for b := range uint64(8) {
			m.mem[e.Obj+b] = 0
		}
		return
	}
	e.Flags |= trace.FlagValue
}

func (m *machine) atomic(g *goroutine) bool {
	const addr = 0x8000
	switch m.IntN(4) {
	case 0:
		m.store(m.emit(g, trace.AtomicStore, addr, uint64(m.IntN(2)), 4))
	case 1:
		m.store(m.emit(g, trace.AtomicRMW, addr, uint64(m.IntN(3)), 4))
	case 2:
		e := m.emit(g, trace.AtomicRMW, addr, 0, 4)
		m.load(e)
		e.Flags |= trace.FlagFailed
	default:
		m.load(m.emit(g, trace.AtomicLoad, addr, 0, 4))
	}
	return true
}

func (m *machine) lockID(k int) uint64 { return 0x100 + uint64(k) }

// lockOrUnlock locks or unlocks one of the locks. Goroutines have in held the complements of the
// numbers of locks that they hold for reading.
func (m *machine) lockOrUnlock(g *goroutine, shared bool) bool {
	if m.HandOver && m.IntN(8) == 0 {
		k := m.IntN(m.Locks)
		if w := m.locks[k].writer; w != nil && w != g {
			m.unlock(g, w, k)
			return true
		}
	}
	if n := len(g.held); n > 0 && m.IntN(2) == 0 {
		i := n - 1
		if m.Unnested {
			i = m.IntN(n)
		}
		m.unlock(g, g, g.held[i])
		return true
	}
	return m.lock(g, m.IntN(m.Locks), shared)
}

// section makes a critical section the next action of g, within those that it is in.
func (m *machine) section(g *goroutine) {
	k, shared := m.IntN(m.Locks), m.IntN(3) == 0
	held := k
	if shared {
		held = ^k
	}
	if slices.Contains(g.held, k) || slices.Contains(g.held, ^k) {
		return
	}
	access := func() bool { m.access(g); return true }
	g.queue = append(g.queue, func() bool { return m.lock(g, k, shared) }, access)
	if m.IntN(2) == 0 {
		g.queue = append(g.queue, access)
	}
	g.queue = append(g.queue, func() bool { m.unlock(g, g, held); return true })
}

func (m *machine) lock(g *goroutine, k int, shared bool) bool {
	l := &m.locks[k]
	if again := slices.Contains(l.readers, g); l.writer != nil || again && !(m.RepeatedReadLocks && shared) || !shared && len(l.readers) > 0 {
		return false
	}
	if shared {
		m.emit(g, trace.RAcquire, m.lockID(k), 0, 0)
		l.readers = append(l.readers, g)
		g.held = append(g.held, ^k)
	} else {
		m.emit(g, trace.Acquire, m.lockID(k), 0, 0)
		l.writer = g
		g.held = append(g.held, k)
	}
	return true
}

func (m *machine) unlock(g, owner *goroutine, held int) {
	owner.held = slices.Delete(owner.held, slices.Index(owner.held, held), slices.Index(owner.held, held)+1)
	if held < 0 {
		l := &m.locks[^held]
		m.emit(g, trace.RRelease, m.lockID(^held), 0, 0)
		l.readers = slices.Delete(l.readers, slices.Index(l.readers, g), slices.Index(l.readers, g)+1)
		return
	}
	m.emit(g, trace.Release, m.lockID(held), 0, 0)
	m.locks[held].writer = nil
}

func (m *machine) cond(g *goroutine) bool {
	c := m.IntN(min(2, m.Locks))
	switch m.IntN(3) {
	case 0:
		if n := len(g.held); n == 0 || g.held[n-1] != c {
			return false
		}
		g.begin(m.waitingForCond(g, c))
	case 1:
		m.wake(g, c, false)
	default:
		if len(m.conds[c]) == 0 {
			return false
		}
		m.wake(g, c, true)
	}
	return true
}

// waitingForCond waits for a condition under the lock of its number. It releases the lock at once:
// a hand-over could come in between.
func (m *machine) waitingForCond(g *goroutine, c int) action {
	var ticket uint64
	woken := new(bool)
	return action{func() bool {
		ticket = m.ticket[c]
		m.ticket[c]++
		m.emit(g, trace.CondWait, uint64(c), ticket, 0)
		m.conds[c] = append(m.conds[c], waiter{g, ticket, woken})
		m.unlock(g, g, c)
		return true
	}, func() bool {
		if *woken {
			m.emit(g, trace.CondWake, uint64(c), ticket, 0)
		}
		return *woken
	}, func() bool { return m.lock(g, c, false) }}
}

// wake is a signal, or with all a broadcast.
func (m *machine) wake(g *goroutine, c int, all bool) {
	waiters := m.conds[c]
	if all {
		first := uint64(0)
		if len(waiters) > 0 {
			first = waiters[0].ticket
		}
		m.emit(g, trace.CondBroadcast, uint64(c), first, uint32(len(waiters)))
	} else {
		val := uint64(0)
		if len(waiters) > 0 {
			waiters, val = waiters[:1], waiters[0].ticket+1
		}
		m.emit(g, trace.CondSignal, uint64(c), val, 0)
	}
	for _, w := range waiters {
		*w.woken = true
	}
	m.conds[c] = m.conds[c][len(waiters):]
}

// theGroup is the only WaitGroup.
const theGroup = 0x40

func (m *machine) waitGroup(g *goroutine) bool {
	switch m.IntN(3) {
	case 0:
		m.add(g, 1)
	case 1:
		if m.count == 0 {
			return false
		}
		m.add(g, -1)
	default:
		g.begin(m.waitingForGroup(g))
	}
	return true
}

func (m *machine) add(g *goroutine, delta int) {
	m.emit(g, trace.WaitGroupAdd, theGroup, uint64(delta), 0)
	m.count += delta
}

func (m *machine) waitingForGroup(g *goroutine) action {
	return action{func() bool {
		m.emit(g, trace.WaitGroupWait, theGroup, 0, 0)
		return true
	}, func() bool {
		if m.count == 0 {
			m.emit(g, trace.WaitGroupWaited, theGroup, 0, 0)
		}
		return m.count == 0
	}}
}

func (m *machine) onceDo(g *goroutine) bool {
	const once = 0x50
	switch {
	case m.once == 0:
		m.emit(g, trace.OnceBegin, once, 0, 0)
		m.once, g.inOnce = 1, true
	case g.inOnce:
		m.emit(g, trace.OnceEnd, once, 0, 0)
		m.emit(g, trace.OnceDone, once, 0, 0)
		m.once, g.inOnce = 2, false
	case m.once == 2:
		m.emit(g, trace.OnceDone, once, 0, 0)
	default:
		return false
	}
	return true
}

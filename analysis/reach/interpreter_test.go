package reach_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// The programs here are small ones, which the interpreter runs in any order of goroutines,
// leaving the trace that a recording would have.

// A program is what its goroutines do, the first of which is the test's.
type program struct {
	bodies   [][]statement
	capacity []int // of channels
}

// A statement is one operation, or a condition on what was found last.
type statement struct {
	op    op
	on    int
	value int
	// send, default, and what to do if what was found last is value, and else
	cases       []arm
	dflt        bool
	then, other []statement
}

type arm struct {
	ch   int
	send bool
}

type op int

const (
	load op = iota
	store
	increment // what was found last, plus one
	add       // atomic
	swap      // compare with value and put value+1 in its place
	lock
	unlock
	rlock
	runlock
	send
	recv
	closes
	selects
	addGroup
	doneGroup
	waitGroup
	spawn
	wait // for a condition, with the lock of its number
	signal
	broadcast
	do // once: stores value to variable on
	when
	fail
)

// An interpreter is a run of a program.
type interpreter struct {
	p       *program
	gs      []*thread
	memory  map[int]int
	locks   map[int]int     // -1: a writer
	queued  map[int]*thread // the writer that waits for readers
	chans   []*queue
	group   int
	conds   map[int][]*thread
	tickets map[int]uint64
	once    map[int]int
	over    bool
	tr      *trace.Trace

	touched map[int]bool
}

type queue struct {
	elements, sends, recvs []message
	closed                 bool
	sent                   uint64
}

// A message is one on its way, or who waits for one.
type message struct {
	g    *thread
	kase int
	from string
	n    uint64
}

// A thread is a goroutine.
type thread struct {
	id       int
	work     []statement // that is left
	found    int
	history  strings.Builder
	pending  trace.Kind // what it waits in; None: nothing
	isSelect bool
	done     bool
	panics   bool
	kase     int
	from     string
	n        uint64
	ch       int
	ended    bool
	began    bool
	site     int
	relock   int // 1 + the lock to take after a wait
	onceEnd  []int
}

func start(p *program) *interpreter {
	m := &interpreter{
		p: p, touched: make(map[int]bool), tickets: make(map[int]uint64), memory: make(map[int]int), locks: make(map[int]int), queued: make(map[int]*thread), conds: make(map[int][]*thread), once: make(map[int]int),
		tr: &trace.Trace{Sites: make(map[trace.SiteID]trace.Site), TestNames: []string{"TestX"}, Complete: true},
	}
	root := m.thread(0, "0")
	root.began = true
	m.emit(root, trace.TestBegin, 0, 0, 0)
	for k, c := range p.capacity {
		m.chans = append(m.chans, new(queue))
		root.site = 900 + k
		m.emit(root, trace.ChanMake, uint64(k+1), 0, uint32(c))
	}
	return m
}

func (m *interpreter) thread(body int, path string) *thread {
	g := &thread{id: len(m.gs), work: m.p.bodies[body]}
	m.gs = append(m.gs, g)
	m.tr.Goroutines = append(m.tr.Goroutines, trace.Goroutine{ID: trace.GID(g.id), Test: "TestX", Path: path})
	return g
}

func (m *interpreter) emit(g *thread, k trace.Kind, obj, val uint64, size uint32) *trace.Event {
	id := trace.SiteRewritten | trace.SiteID(g.site+1)
	m.tr.Sites[id] = trace.Site{ID: id, Key: uint64(id), Func: "x.f", File: "/x/x.go", Line: g.site}
	m.tr.Events = append(m.tr.Events, trace.Event{Kind: k, G: trace.GID(g.id), Site: id, Obj: obj, Val: val, Size: size})
	return &m.tr.Events[len(m.tr.Events)-1]
}

// note adds to what the goroutine has done.
func (g *thread) note(format string, args ...any) { fmt.Fprintf(&g.history, format+";", args...) }

// ways returns in how many ways a goroutine can go on.
func (m *interpreter) ways(g *thread) int {
	switch {
	case m.over || g.ended || g.pending != trace.None:
		return 0
	case !g.began || len(g.onceEnd) > 0 && g.onceEnd[0] < 0:
		return 1
	case g.relock > 0:
		return m.canLock(g, g.relock-1)
	case len(g.work) == 0:
		return 1
	}
	switch s := &g.work[0]; s.op {
	case lock:
		return m.canLock(g, s.on)
	case rlock:
		if m.locks[s.on] < 0 || m.queued[s.on] != nil {
			return 0
		}
	case do:
		if m.once[s.on] == 1 {
			return 0
		}
	case selects:
		return max(1, len(m.ready(s)))
	}
	return 1
}

// canLock returns in how many ways a goroutine can come to lock: it takes the lock, or
// begins to wait for its readers, and no others get in from then on.
func (m *interpreter) canLock(g *thread, on int) int {
	if by := m.queued[on]; m.locks[on] < 0 || by != nil && (by != g || m.locks[on] > 0) {
		return 0
	}
	return 1
}

// queue lets a goroutine begin to wait for the readers of a lock, if there are any.
func (m *interpreter) queue(g *thread, on int) bool {
	if m.locks[on] > 0 {
		m.queued[on] = g
		return true
	}
	m.queued[on] = nil
	return false
}

func (m *interpreter) ready(s *statement) (all []int) {
	for k, c := range s.cases {
		q := m.chans[c.ch]
		can := q.closed || len(q.elements) > 0 || len(q.sends) > 0
		if c.send {
			can = q.closed || len(q.recvs) > 0 || len(q.elements) < m.p.capacity[c.ch]
		}
		if can {
			all = append(all, k+1)
		}
	}
	return all
}

// step lets a goroutine do its next operation, and all goroutines go on that have waited
// and need not.
func (m *interpreter) step(g *thread, way int) {
	m.act(g, way)
	for again := true; again; {
		again = false
		for _, h := range m.gs {
			if h.pending != trace.None && h.done && !m.over {
				m.complete(h)
				again = true
			}
		}
	}
}

const base = 0x10000

func (m *interpreter) access(g *thread, k trace.Kind, on, val int) *trace.Event {
	if !m.touched[on] && k != trace.Read { // the run-time library tells what was there
		m.tr.PriorValues = append(m.tr.PriorValues, trace.PriorValue{Position: len(m.tr.Events)})
	}
	m.touched[on] = true
	e := m.emit(g, k, uint64(base+16*on), uint64(val), 8)
	e.Flags |= trace.FlagValue
	return e
}

func (m *interpreter) act(g *thread, way int) {
	if !g.began {
		g.began, g.site = true, 0
		m.emit(g, trace.Begin, 0, 0, 0)
		return
	}
	if g.relock > 0 {
		k := g.relock - 1
		if m.queue(g, k) {
			return
		}
		g.relock = 0
		m.locks[k] = -1
		m.emit(g, trace.Acquire, uint64(0x100+k), 0, 0)
		return
	}
	if len(g.onceEnd) > 0 && g.onceEnd[0] < 0 {
		k := -1 - g.onceEnd[0]
		g.onceEnd = g.onceEnd[1:]
		m.once[k] = 2
		m.emit(g, trace.OnceEnd, uint64(0x300+k), 0, 0)
		m.emit(g, trace.OnceDone, uint64(0x300+k), 0, 0)
		return
	}
	if len(g.work) == 0 {
		g.ended, g.site = true, 1
		if g.id == 0 {
			m.emit(g, trace.TestEnd, 0, 0, 0)
			m.emit(g, trace.End, 0, 0, 0)
		} else {
			m.emit(g, trace.End, 0, 0, 0)
		}
		return
	}
	if s := g.work[0]; s.op == lock && m.queue(g, s.on) {
		return
	}
	g.site = m.siteOf(g)
	s := g.work[0]
	g.work = g.work[1:]
	id := func(k int) uint64 { return uint64(k + 1) }
	switch s.op {
	case load:
		g.found = m.memory[s.on]
		g.note("r%d=%d", s.on, g.found)
		m.access(g, trace.Read, s.on, g.found)
	case store:
		m.memory[s.on] = s.value
		m.access(g, trace.Write, s.on, s.value)
	case increment:
		m.memory[s.on] = g.found + 1
		m.access(g, trace.Write, s.on, g.found+1)
	case add:
		g.found = m.memory[s.on]
		g.note("a%d=%d", s.on, g.found)
		m.memory[s.on] = g.found + 1
		m.access(g, trace.AtomicRMW, s.on, g.found+1)
	case swap:
		g.found = m.memory[s.on]
		g.note("c%d=%d", s.on, g.found)
		if g.found != s.value {
			m.access(g, trace.AtomicRMW, s.on, g.found).Flags |= trace.FlagFailed
			break
		}
		m.memory[s.on] = s.value + 1
		m.access(g, trace.AtomicRMW, s.on, s.value+1)
	case lock:
		m.locks[s.on] = -1
		m.emit(g, trace.Acquire, uint64(0x100+s.on), 0, 0)
	case unlock:
		m.locks[s.on] = 0
		m.emit(g, trace.Release, uint64(0x100+s.on), 0, 0)
	case rlock:
		m.locks[s.on]++
		m.emit(g, trace.RAcquire, uint64(0x100+s.on), 0, 0)
	case runlock:
		m.locks[s.on]--
		m.emit(g, trace.RRelease, uint64(0x100+s.on), 0, 0)
	case send:
		m.emit(g, trace.Send, id(s.on), 0, uint32(m.p.capacity[s.on]))
		g.wait(trace.SendDone, s.on)
		m.send(s.on, message{g: g, from: g.name()})
	case recv:
		m.emit(g, trace.Recv, id(s.on), 0, uint32(m.p.capacity[s.on]))
		g.wait(trace.RecvDone, s.on)
		m.recv(s.on, message{g: g})
	case closes:
		q := m.chans[s.on]
		m.emit(g, trace.Close, id(s.on), 0, uint32(m.p.capacity[s.on]))
		if q.closed {
			m.die(g)
			return
		}
		q.closed = true
		for _, w := range slices.Clone(q.recvs) {
			m.finish(w, "closed", 0)
		}
		for _, w := range slices.Clone(q.sends) {
			m.finish(w, "", 0)
			w.g.panics = true
		}
	case selects:
		m.selects(g, &s, way)
	case addGroup, doneGroup:
		delta := 1
		if s.op == doneGroup {
			delta = -1
		}
		m.emit(g, trace.WaitGroupAdd, 0x400, uint64(int64(delta)), 0)
		if m.group += delta; m.group == 0 {
			for _, h := range m.gs {
				h.done = h.done || h.pending == trace.WaitGroupWaited
			}
		}
	case waitGroup:
		m.emit(g, trace.WaitGroupWait, 0x400, 0, 0)
		g.wait(trace.WaitGroupWaited, 0)
		g.done = m.group == 0
	case spawn:
		m.emit(g, trace.Fork, uint64(len(m.gs)), 0, 0)
		m.thread(s.on, fmt.Sprint("0.", s.on))
	case wait:
		m.emit(g, trace.CondWait, uint64(0x200+s.on), m.tickets[s.on], 0)
		g.n = m.tickets[s.on]
		m.tickets[s.on]++
		g.wait(trace.CondWake, s.on)
		m.conds[s.on] = append(m.conds[s.on], g)
		m.locks[s.on] = 0
		m.emit(g, trace.Release, uint64(0x100+s.on), 0, 0)
	case signal:
		e := m.emit(g, trace.CondSignal, uint64(0x200+s.on), 0, 0)
		if q := m.conds[s.on]; len(q) > 0 {
			e.Val = q[0].n + 1
			q[0].done = true
			m.conds[s.on] = q[1:]
		}
	case broadcast:
		e := m.emit(g, trace.CondBroadcast, uint64(0x200+s.on), 0, uint32(len(m.conds[s.on])))
		if len(m.conds[s.on]) > 0 {
			e.Val = m.conds[s.on][0].n
		}
		for _, h := range m.conds[s.on] {
			h.done = true
		}
		m.conds[s.on] = nil
	case do:
		if m.once[s.on] == 2 {
			g.note("o%d=done", s.on)
			m.emit(g, trace.OnceDone, uint64(0x300+s.on), 0, 0)
			break
		}
		g.note("o%d=runs", s.on)
		m.once[s.on] = 1
		m.emit(g, trace.OnceBegin, uint64(0x300+s.on), 0, 0)
		g.onceEnd = append([]int{-1 - s.on}, g.onceEnd...)
	case when:
		val := uint64(0)
		next := s.other
		if g.found == s.value {
			val, next = 1, s.then
		}
		m.emit(g, trace.Branch, 0, val, 0)
		g.work = slices.Concat(next, g.work)
		if m.ways(g) > 0 && !(len(g.work) > 0 && g.work[0].op == when) {
			return
		}
	case fail:
		m.die(g)
	}
	for len(g.work) > 0 && g.work[0].op == when && !m.over && g.pending == trace.None && len(g.onceEnd) == 0 && g.relock == 0 {
		m.act(g, 0) // what a goroutine decides is no step of its own
	}
}

func (m *interpreter) die(g *thread) {
	m.emit(g, trace.Panic, 0, 0, 0)
	g.note("dies")
	g.ended, m.over = true, true
	m.tr.Complete = false
}

func (g *thread) wait(k trace.Kind, ch int) {
	g.pending, g.done, g.panics, g.kase, g.isSelect, g.ch, g.from = k, false, false, 0, false, ch, ""
}

// name is unique for what the goroutine has done so far.
func (g *thread) name() string {
	return fmt.Sprintf("<%d:%d:%s>", g.id, g.site, g.history.String())
}

func (m *interpreter) finish(w message, from string, n uint64) {
	its := func(o message) bool { return o.g == w.g }
	for _, q := range m.chans {
		q.sends, q.recvs = slices.DeleteFunc(slices.Clone(q.sends), its), slices.DeleteFunc(slices.Clone(q.recvs), its)
	}
	w.g.done, w.g.kase, w.g.from, w.g.n = true, w.kase, from, n
}

func (m *interpreter) send(ch int, w message) {
	q := m.chans[ch]
	switch {
	case q.closed:
		m.finish(w, "", 0)
		w.g.panics = true
	case len(q.recvs) > 0:
		q.sent++
		m.finish(q.recvs[0], w.from, q.sent)
		m.finish(w, "", q.sent)
	case len(q.elements) < m.p.capacity[ch]:
		q.sent++
		w.n = q.sent
		q.elements = append(q.elements, w)
		m.finish(w, "", q.sent)
	default:
		q.sends = append(q.sends, w)
	}
}

func (m *interpreter) recv(ch int, w message) {
	q := m.chans[ch]
	switch {
	case len(q.elements) > 0:
		e := q.elements[0]
		q.elements = slices.Clone(q.elements[1:])
		m.finish(w, e.from, e.n)
		if len(q.sends) > 0 {
			o := q.sends[0]
			q.sent++
			o.n = q.sent
			q.elements = append(q.elements, o)
			m.finish(o, "", o.n)
		}
	case len(q.sends) > 0:
		o := q.sends[0]
		q.sent++
		m.finish(o, "", q.sent)
		m.finish(w, o.from, q.sent)
	case q.closed:
		m.finish(w, "closed", 0)
	default:
		q.recvs = append(q.recvs, w)
	}
}

func (m *interpreter) selects(g *thread, s *statement, way int) {
	for _, c := range s.cases {
		if c.send {
			m.emit(g, trace.SelectSend, uint64(c.ch+1), 0, uint32(m.p.capacity[c.ch]))
		} else {
			m.emit(g, trace.SelectRecv, uint64(c.ch+1), 0, uint32(m.p.capacity[c.ch]))
		}
	}
	e := m.emit(g, trace.Select, 0, uint64(len(s.cases)), 0)
	if s.dflt {
		e.Flags |= trace.FlagDefault
	}
	g.wait(trace.SelectDone, 0)
	g.isSelect = true
	name := g.name()
	do := func(k int) {
		w := message{g: g, kase: k, from: fmt.Sprint(name, "case", k)}
		if c := s.cases[k-1]; c.send {
			m.send(c.ch, w)
		} else {
			m.recv(c.ch, w)
		}
	}
	ready := m.ready(s)
	switch {
	case len(ready) > 0:
		do(ready[way])
	case s.dflt:
		g.done = true
	default:
		for k := range s.cases {
			do(k + 1)
		}
	}
	g.work = slices.Concat([]statement{{op: -1, cases: s.cases}}, g.work)
}

// complete lets a goroutine go on that has waited.
func (m *interpreter) complete(g *thread) {
	k := g.pending
	g.pending = trace.None
	switch k {
	case trace.SelectDone:
		s := g.work[0]
		g.work = g.work[1:]
		if !g.panics {
			m.emit(g, trace.SelectDone, 0, uint64(g.kase), 0)
		}
		g.found = -g.kase
		g.note("s=%d", g.kase)
		if g.kase == 0 {
			break
		}
		c := s.cases[g.kase-1]
		g.ch = c.ch
		k = trace.RecvDone
		if c.send {
			k = trace.SendDone
		}
		fallthrough
	case trace.SendDone, trace.RecvDone:
		if g.panics {
			m.die(g)
			return
		}
		m.emit(g, k, uint64(g.ch+1), g.n, uint32(m.p.capacity[g.ch]))
		if k == trace.RecvDone {
			g.note("got%s", g.from)
			if !g.isSelect {
				g.found = 1
				if g.from == "closed" {
					g.found = 0
				}
			}
		}
	case trace.CondWake:
		m.emit(g, trace.CondWake, uint64(0x200+g.ch), g.n, 0)
		g.relock = 1 + g.ch
		return
	default:
		m.emit(g, k, 0x400, 0, 0)
	}
	for len(g.work) > 0 && g.work[0].op == when && !m.over {
		m.act(g, 0)
	}
}

// end names what all goroutines have done; of a program that has died, what the one has
// done that it has died of.
func (m *interpreter) end() string {
	var b strings.Builder
	for _, g := range m.gs {
		h := g.history.String()
		if m.over && !strings.HasSuffix(h, "dies;") {
			continue
		}
		fmt.Fprintf(&b, "%s %v %d|", m.tr.Goroutines[g.id].Path, h, len(g.work))
	}
	if m.over {
		return b.String()
	}
	for _, g := range m.gs {
		fmt.Fprint(&b, g.ended, g.pending, g.relock, " ")
	}
	return b.String()
}

// stuck notes who waits for a lock: no event tells.
func (m *interpreter) stuck() {
	for _, g := range m.gs {
		if g.ended || !g.began || g.pending != trace.None || m.ways(g) > 0 && !m.over {
			continue
		}
		over := m.over
		m.over = false
		waits := m.ways(g) == 0
		m.over = over
		if !waits {
			continue
		}
		s := trace.BlockedGoroutine{G: trace.GID(g.id), Proof: trace.ProofDeadlock, Op: trace.Acquire}
		if g.relock > 0 {
			s.Obj = uint64(0x100 + g.relock - 1)
			s.Site = trace.SiteRewritten | trace.SiteID(g.site+1)
		} else {
			next := g.work[0]
			s.Obj = uint64(0x100 + next.on)
			switch next.op {
			case rlock:
				s.Op = trace.RAcquire
			case do:
				s.Op, s.Obj = trace.OnceBegin, uint64(0x300+next.on)
			}
			s.Site = trace.SiteRewritten | trace.SiteID(m.siteOf(g)+1)
		}
		m.tr.Blocked = append(m.tr.Blocked, s)
	}
}

// siteOf returns the site of the next statement of a goroutine.
func (m *interpreter) siteOf(g *thread) int {
	s := g.work[0]
	return 10 + 4*(g.id*100+len(g.work)-1) + int(s.op)*1000 + 100000*s.on
}

// died returns the position of the last event of the goroutine that has ended the program.
func (m *interpreter) died() int {
	if !m.over {
		return -1
	}
	return len(m.tr.Events) - 1
}

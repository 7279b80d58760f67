package feasible_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A machine runs small concurrent programs, one event a step, and so is an
// oracle for the judge: it has real locks, queues and values where the judge
// has rules. Goroutine 0 forks all others first.
type machine struct {
	code  [][]instr
	gs    []mg
	mem   map[uint64]uint64
	held  map[uint64]int // by lock: -1 a writer, else the number of readers
	chans map[uint64]*mchan
	wg    map[uint64]int64
	queue map[uint64][]int // of conditions
}

// An instr is one instruction. Reads, receives and loads set the register of
// their goroutine; writes and sends take val, or with reg set the register
// plus one.
type instr struct {
	op   string
	obj  uint64
	val  uint64
	reg  bool
	skip int // of a branch: instructions to leave out if the register is not val
}

type mg struct {
	pc      int
	phase   int // events of the instruction that are done
	reg     uint64
	old     uint64 // what an update has read
	forked  bool
	begun   bool
	dead    bool
	blocked bool   // waits for a partner or signal
	number  uint64 // of the element of the channel operation underway
	element uint64 // what a send that waits sends
	ok      bool   // the WaitGroup's counter was zero when Wait began
}

type mchan struct {
	cap          int
	buf          []uint64
	sends, recvs []int // who waits
	sent, recvd  uint64
	closed       bool
}

func newMachine(code [][]instr) *machine {
	m := &machine{
		code: code, gs: make([]mg, len(code)), mem: map[uint64]uint64{}, held: map[uint64]int{},
		chans: map[uint64]*mchan{}, wg: map[uint64]int64{}, queue: map[uint64][]int{},
	}
	m.gs[0].forked, m.gs[0].begun = true, true
	return m
}

func (m *machine) chan_(id uint64) *mchan {
	if m.chans[id] == nil {
		m.chans[id] = &mchan{cap: int(id % 3)}
	}
	return m.chans[id]
}

// site numbers instructions.
func site(g, pc int) trace.SiteID { return trace.SiteID(1 + g*100 + pc) }

// step lets goroutine g take one step. ok is false if it cannot.
func (m *machine) step(g int) (e trace.Event, ok bool) {
	s := &m.gs[g]
	if !s.forked || s.dead {
		return e, false
	}
	e.G = trace.GID(g)
	if !s.begun {
		s.begun = true
		e.Kind = trace.Begin
		return e, true
	}
	if s.pc >= len(m.code[g]) {
		s.dead = true
		e.Kind = trace.End
		return e, true
	}
	in := m.code[g][s.pc]
	e.Site, e.Obj = site(g, s.pc), in.obj
	ok = m.exec(g, s, in, &e)
	if ok && s.phase == 0 {
		s.pc++
	}
	return e, ok
}

func (m *machine) exec(g int, s *mg, in instr, e *trace.Event) bool {
	v := in.val
	if in.reg {
		v = s.reg + 1
	}
	access := func(k trace.Kind, val uint64) bool {
		e.Kind, e.Size, e.Flags, e.Val = k, 8, trace.FlagValue, val
		return true
	}
	switch in.op {
	case "fork":
		e.Kind = trace.Fork
		m.gs[in.obj].forked = true
	case "read":
		s.reg = m.mem[in.obj]
		return access(trace.Read, s.reg)
	case "write":
		m.mem[in.obj] = v
		return access(trace.Write, v)
	case "update":
		if s.phase == 0 {
			s.phase, s.old = 1, m.mem[in.obj]
			return access(trace.Read, s.old)
		}
		s.phase, m.mem[in.obj] = 0, s.old+1
		return access(trace.Write, s.old+1)
	case "load":
		s.reg = m.mem[in.obj]
		return access(trace.AtomicLoad, s.reg)
	case "inc":
		m.mem[in.obj]++
		return access(trace.AtomicRMW, m.mem[in.obj])
	case "branch":
		e.Kind = trace.Branch
		if s.reg == in.val {
			e.Val = 1
		} else {
			s.pc += in.skip
		}
	case "acq":
		e.Kind = trace.Acquire
		if m.held[in.obj] != 0 {
			return false
		}
		m.held[in.obj] = -1
	case "rel":
		e.Kind = trace.Release
		m.held[in.obj] = 0
	case "racq":
		e.Kind = trace.RAcquire
		if m.held[in.obj] < 0 {
			return false
		}
		m.held[in.obj]++
	case "rrel":
		e.Kind = trace.RRelease
		m.held[in.obj]--
	case "add":
		e.Kind, e.Val = trace.WaitGroupAdd, in.val
		m.wg[in.obj] += int64(in.val)
	case "wgwait":
		return m.wait(s, in, e)
	case "signal", "broadcast":
		m.wake(in, e)
	case "wait":
		return m.condition(g, s, in, e)
	default:
		return m.channel(g, s, in, v, e)
	}
	return true
}

func (m *machine) wait(s *mg, in instr, e *trace.Event) bool {
	if s.phase == 0 {
		e.Kind = trace.WaitGroupWait
		s.phase = 1
		s.ok = m.wg[in.obj] == 0
		return true
	}
	e.Kind = trace.WaitGroupWaited
	if !s.ok && m.wg[in.obj] != 0 {
		return false
	}
	s.phase = 0
	return true
}

func (m *machine) condition(g int, s *mg, in instr, e *trace.Event) bool {
	if s.phase == 0 {
		e.Kind = trace.CondWait
		e.Val = uint64(g)
		s.phase, s.blocked = 1, true
		m.queue[in.obj] = append(m.queue[in.obj], g)
		return true
	}
	e.Kind, e.Val = trace.CondWake, uint64(g)
	if s.blocked {
		return false
	}
	s.phase = 0
	return true
}

// wake leaves the numbers of tickets out: the judge does not use them.
func (m *machine) wake(in instr, e *trace.Event) {
	n := len(m.queue[in.obj])
	e.Kind = trace.CondBroadcast
	if in.op == "signal" {
		e.Kind = trace.CondSignal
		n = min(n, 1)
	}
	for _, g := range m.queue[in.obj][:n] {
		m.gs[g].blocked = false
	}
	m.queue[in.obj] = m.queue[in.obj][n:]
}

func (m *machine) channel(g int, s *mg, in instr, v uint64, e *trace.Event) bool {
	c := m.chan_(in.obj)
	e.Size = uint32(c.cap)
	switch {
	case in.op == "close":
		e.Kind = trace.Close
		c.closed = true // programs close a channel once
		for _, w := range slices.Concat(c.recvs, c.sends) {
			m.gs[w].blocked, m.gs[w].number = false, 0
		}
		c.recvs, c.sends = nil, nil
	case s.phase == 0:
		e.Kind = map[string]trace.Kind{"send": trace.Send, "recv": trace.Recv}[in.op]
		s.phase, s.blocked, s.number = 1, true, 0
		if in.op == "send" {
			m.send(g, s, c, v)
		} else {
			m.receive(g, s, c)
		}
	case s.blocked:
		return false
	case in.op == "send" && s.number == 0:
		e.Kind, e.Obj, e.Size = trace.Panic, 0, 0
		s.phase, s.pc = 0, len(m.code[g])-1
	default:
		e.Kind = map[string]trace.Kind{"send": trace.SendDone, "recv": trace.RecvDone}[in.op]
		e.Val = s.number
		s.phase = 0
	}
	return true
}

func (m *machine) send(g int, s *mg, c *mchan, v uint64) {
	if c.closed {
		s.blocked = false
		return
	}
	switch {
	case len(c.recvs) > 0:
		r := &m.gs[c.recvs[0]]
		c.recvs = c.recvs[1:]
		c.recvd++
		r.reg, r.number, r.blocked = v, c.recvd, false
	case len(c.buf) < c.cap:
		c.buf = append(c.buf, v)
	default:
		s.element = v
		c.sends = append(c.sends, g)
		return
	}
	c.sent++
	s.number, s.blocked = c.sent, false
}

func (m *machine) receive(g int, s *mg, c *mchan) {
	var v uint64
	switch {
	case len(c.buf) > 0:
		v = c.buf[0]
		c.buf = c.buf[1:]
		if len(c.sends) > 0 {
			c.buf = append(c.buf, m.release(c))
		}
	case len(c.sends) > 0:
		v = m.release(c)
	case c.closed:
		s.reg, s.blocked = 0, false
		return
	default:
		c.recvs = append(c.recvs, g)
		return
	}
	c.recvd++
	s.reg, s.number, s.blocked = v, c.recvd, false
}

// release lets the first waiting sender go.
func (m *machine) release(c *mchan) uint64 {
	w := &m.gs[c.sends[0]]
	c.sends = c.sends[1:]
	c.sent++
	w.number, w.blocked = c.sent, false
	return w.element
}

// random makes a program of n goroutines beside main.
func random(r *rand.Rand, n, length int) [][]instr {
	code := make([][]instr, n+1)
	for _, x := range []uint64{8, 16, 64} { // without a write the judge does not know the initial value
		code[0] = append(code[0], instr{op: "write", obj: x})
	}
	for g := 1; g <= n; g++ {
		code[0] = append(code[0], instr{op: "fork", obj: uint64(g)})
	}
	closes := r.IntN(3) == 0
	var locked []uint64
	for g := range code {
		locked = locked[:0]
		for have := len(code[g]); len(code[g]) < have+length; {
			in := instr{val: uint64(r.IntN(2)), reg: r.IntN(3) == 0}
			switch k := r.IntN(20); {
			case k < 4:
				in.op, in.obj = "read", 8*uint64(1+r.IntN(2))
			case k < 8:
				in.op, in.obj = []string{"write", "update"}[r.IntN(2)], 8*uint64(1+r.IntN(2))
			case k < 10:
				in.op, in.skip = "branch", 1
				code[g] = append(code[g], in)
				in = instr{op: "write", obj: 8, val: 1}
			case k < 11:
				in.op, in.obj = []string{"load", "inc"}[r.IntN(2)], 64
			case k < 13:
				in.op, in.obj = "send", uint64(3+r.IntN(3))
			case k < 15:
				in.op, in.obj = "recv", uint64(3+r.IntN(3))
			case k < 16 && closes:
				closes = false
				in.op, in.obj = "close", uint64(3+r.IntN(3))
			case k < 17:
				in.op, in.obj, in.val = "add", 128, []uint64{1, 1, 0}[r.IntN(3)]
				if r.IntN(2) == 0 {
					in.op = "wgwait"
				}
			case k < 18:
				in.op, in.obj = []string{"wait", "signal", "broadcast"}[r.IntN(3)], 256
			default: // a section, closed at once or with one access in it
				op := []string{"acq", "racq"}[r.IntN(2)]
				code[g] = append(code[g], instr{op: op, obj: 512},
					instr{op: []string{"read", "write", "update"}[r.IntN(3)], obj: 8, val: 1, reg: r.IntN(2) == 0},
					instr{op: map[string]string{"acq": "rel", "racq": "rrel"}[op], obj: 512})
				continue
			}
			code[g] = append(code[g], in)
		}
	}
	return code
}

// walk runs the program on at most limit steps, choosing at random.
func walk(r *rand.Rand, code [][]instr, limit int) *trace.Trace {
	m := newMachine(code)
	t := &trace.Trace{Sites: map[trace.SiteID]trace.Site{}}
	for g, c := range code {
		t.Goroutines = append(t.Goroutines, trace.Goroutine{ID: trace.GID(g), Path: fmt.Sprint("main.", g)})
		for pc, in := range c {
			id := site(g, pc)
			t.Sites[id] = trace.Site{
				ID: id, Line: pc, OnlyStored: in.op == "read" && in.val == 0,
				IsUpdate: in.op == "update" || in.op == "inc" && in.val == 0,
			}
		}
	}
	for len(t.Events) < limit {
		moved := false
		for _, g := range r.Perm(len(code)) {
			if e, ok := m.step(g); ok {
				t.Events = append(t.Events, e)
				moved = true
				break
			}
		}
		if !moved {
			break
		}
	}
	return t
}

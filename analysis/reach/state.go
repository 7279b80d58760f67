package reach

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A state is where a run of a program stands.
type state struct {
	p       *Program
	next    []int32 // by goroutine: the node that it comes to; none: it has not begun
	over    bool    // the program has ended
	endedBy int32   // which goroutine has ended it
	memory  []content
	locks   []int32 // by lock: how many readers; none: a writer
	queued  []int32 // by lock: 1 + the writer that waits for the readers, and lets no others in; 0: none
	groups  []int32
	onces   []uint8
	conds   [][]int32 // goroutines that wait, first come first
	chans   []channel
	pending []pendingOp // by goroutine
}

// A channel serves those that wait first come first.
type channel struct {
	elements     []element
	sends, recvs []waiter
	closed       bool
	sent         uint32 // how many elements
}

// An element is what a node has sent.
type element struct {
	from   content
	number uint32
}

// A waiter is a goroutine in the line of a channel.
type waiter struct {
	g, caseNumber int32 // the number of the case, from 1; 0: of no select
	from          content
}

// waiting is what has come of an operation that may wait.
type pendingOp struct {
	done       bool
	found      content
	caseNumber int32
	element    uint32
}

func (p *Program) start() *state {
	s := &state{p: p}
	s.grow()
	s.next[0] = 0
	return s
}

// grow makes room for what the program has got since s was made.
func (s *state) grow() {
	for len(s.next) < len(s.p.goroutines) {
		s.next = append(s.next, none)
		s.pending = append(s.pending, pendingOp{})
	}
	for len(s.memory) < len(s.p.extents) {
		x, c := len(s.memory), untouched
		for _, o := range s.p.overlaps[x] {
			if int(o) < x && s.memory[o] != untouched {
				c = mix(mix(c, s.memory[o]), content(o))
			}
		}
		s.memory = append(s.memory, c)
	}
	for len(s.locks) < len(s.p.objects[ofLock]) {
		s.locks, s.queued = append(s.locks, 0), append(s.queued, 0)
	}
	for len(s.groups) < len(s.p.objects[ofGroup]) {
		s.groups = append(s.groups, 0)
	}
	for len(s.onces) < len(s.p.objects[ofOnce]) {
		s.onces = append(s.onces, 0)
	}
	for len(s.conds) < len(s.p.objects[ofCond]) {
		s.conds = append(s.conds, nil)
	}
	for len(s.chans) < len(s.p.objects[ofChan]) {
		s.chans = append(s.chans, channel{closed: s.p.closedBefore[int32(len(s.chans))]})
	}
}

func (s *state) clone() *state {
	c := *s
	c.next = slices.Clone(s.next)
	c.memory = slices.Clone(s.memory)
	c.locks = slices.Clone(s.locks)
	c.queued = slices.Clone(s.queued)
	c.groups = slices.Clone(s.groups)
	c.onces = slices.Clone(s.onces)
	c.conds = slices.Clone(s.conds)
	for k := range c.conds {
		c.conds[k] = slices.Clone(c.conds[k])
	}
	c.chans = slices.Clone(s.chans)
	for k := range c.chans {
		ch := &c.chans[k]
		ch.elements, ch.sends, ch.recvs = slices.Clone(ch.elements), slices.Clone(ch.sends), slices.Clone(ch.recvs)
	}
	c.pending = slices.Clone(s.pending)
	return &c
}

// content returns what an extent holds.
func (s *state) content(x int32) content {
	if c := s.memory[x]; c != untouched {
		return c
	}
	if v, ok := s.p.initial[x]; ok {
		return number(v)
	}
	return untouched
}

// store puts c into an extent. What overlaps with it holds what follows from both.
func (s *state) store(x int32, c content) {
	s.memory[x] = c
	for _, o := range s.p.overlaps[x] {
		s.memory[o] = mix(mix(s.memory[o], c), content(x))
	}
}

// ways returns in how many ways the goroutine can do what it comes to; 0: it waits.
func (s *state) alternatives(g int32) int {
	if s.over || s.next[g] == none {
		return 0
	}
	n := &s.p.nodes[s.next[g]]
	free := func(ok bool) int {
		if ok {
			return 1
		}
		return 0
	}
	switch n.kind {
	case trace.None: // else it has ended, or nobody knows: see Program.Search
		return free(n.exits)
	case trace.Acquire:
		if s.locks[n.obj] == 0 {
			return free(s.queued[n.obj] == 0 || s.queued[n.obj] == g+1)
		}
		return free(s.canQueue(n.obj))
	case trace.RAcquire:
		return free(s.locks[n.obj] >= 0 && s.queued[n.obj] == 0)
	case trace.OnceBegin:
		return free(s.onces[n.obj] != onceRuns)
	case trace.Recv:
		if s.fires(n.obj) {
			return 1
		}
	case trace.Select:
		return max(1, len(s.ready(n)))
	}
	if n.kind.Completes() {
		return free(s.pending[g].done)
	}
	return 1
}

// canQueue reports whether it makes a difference that a writer begins to wait for a lock.
func (s *state) canQueue(lock int32) bool {
	return s.locks[lock] > 0 && s.queued[lock] == 0 && s.p.readersWait[lock]
}

// onlyQueues reports whether a goroutine comes to a lock that has readers.
func (s *state) onlyQueues(g int32) bool {
	n := &s.p.nodes[s.next[g]]
	return n.kind == trace.Acquire && s.locks[n.obj] > 0
}

// isQueued reports whether a writer waits for the readers of a lock.
func (s *state) isQueued() bool {
	return slices.ContainsFunc(s.queued, func(w int32) bool { return w > 0 })
}

const (
	onceRuns = 1
	onceDone = 2
)

// fires reports whether a channel, of which a timer sends, has nothing else.
func (s *state) fires(ch int32) bool {
	return ch != none && s.p.external[ch] && len(s.chans[ch].elements) == 0 && len(s.chans[ch].sends) == 0 && !s.chans[ch].closed
}

// ready returns the numbers of the cases that a select can take at once, from 1.
func (s *state) ready(n *node) (all []int32) {
	for k, c := range n.cases {
		if c.ch == none {
			continue
		}
		ch := &s.chans[c.ch]
		can := ch.closed || len(ch.elements) > 0 || len(ch.sends) > 0 || s.fires(c.ch)
		if c.send {
			can = ch.closed || len(ch.recvs) > 0 || len(ch.elements) < s.p.capacity[c.ch]
		}
		if can {
			all = append(all, int32(k+1))
		}
	}
	return all
}

// do does what the goroutine comes to, in one of the ways, but for going on: it returns
// what that finds.
func (s *state) execute(g int32, way int) content {
	at := s.next[g]
	n := &s.p.nodes[at]
	switch n.kind {
	case trace.Read, trace.AtomicLoad, trace.AtomicRMW:
		found := s.content(n.obj)
		if e := s.p.edgeFor(at, found); n.kind == trace.AtomicRMW && e != nil && !e.fails {
			s.store(n.obj, e.stored)
		}
		return found
	case trace.Write, trace.AtomicStore:
		c := n.stored
		if n.flags&trace.FlagMap != 0 {
			c = mix(s.content(n.obj), madeBy(at))
		}
		s.store(n.obj, c)
	case trace.Acquire:
		if s.locks[n.obj] > 0 {
			s.queued[n.obj] = g + 1
			return writerWaits
		}
		s.locks[n.obj], s.queued[n.obj] = none, 0
	case trace.Release:
		if s.locks[n.obj] != none {
			return panicked
		}
		s.locks[n.obj] = 0
	case trace.RAcquire:
		s.locks[n.obj]++
	case trace.RRelease:
		if s.locks[n.obj] <= 0 {
			return panicked
		}
		s.locks[n.obj]--
	case trace.Fork:
		s.next[n.obj] = n.child
	case trace.WaitGroupWait:
		s.pending[g] = pendingOp{done: s.groups[n.obj] == 0}
	case trace.CondWait:
		s.conds[n.obj] = append(s.conds[n.obj], g)
		s.pending[g] = pendingOp{}
	case trace.CondSignal:
		if q := s.conds[n.obj]; len(q) > 0 {
			s.pending[q[0]].done = true
			s.conds[n.obj] = q[1:]
		}
	case trace.CondBroadcast:
		for _, w := range s.conds[n.obj] {
			s.pending[w].done = true
		}
		s.conds[n.obj] = nil
	case trace.OnceBegin:
		if s.onces[n.obj] == onceDone {
			return nothing
		}
		s.onces[n.obj] = onceRuns
		return runsFunction
	case trace.OnceEnd:
		s.onces[n.obj] = onceDone
	case trace.Send:
		s.pending[g] = pendingOp{}
		s.send(n.obj, waiter{g: g, from: madeBy(at)})
	case trace.Recv:
		s.pending[g] = pendingOp{}
		s.recv(n.obj, waiter{g: g})
	case trace.Close:
		return s.close(n.obj)
	case trace.Select:
		s.executeSelect(g, at, way)
	case trace.SelectDone:
		k := s.pending[g].caseNumber
		if k == 0 {
			s.pending[g] = pendingOp{}
		}
		return taken(k)
	}
	switch {
	case changesGroup(n.kind):
		return s.add(n)
	case n.kind.Completes() && n.kind != trace.SelectDone:
		found := s.pending[g].found
		s.pending[g] = pendingOp{}
		return found
	}
	return nothing
}

// add does WaitGroup.Add.
func (s *state) add(n *node) content {
	count := &s.groups[n.obj]
	*count += int32(n.word)
	switch {
	case *count < 0:
		return panicked
	case *count == 0:
		for h, at := range s.next {
			if at != none && s.p.nodes[at].kind == trace.WaitGroupWaited && s.p.nodes[at].obj == n.obj {
				s.pending[h].done = true
			}
		}
	}
	return nothing
}

// send sends, or waits in line.
func (s *state) send(ch int32, w waiter) {
	if ch == none {
		return
	}
	c := &s.chans[ch]
	switch {
	case c.closed:
		s.pending[w.g] = pendingOp{done: true, found: panicked, caseNumber: w.caseNumber}
	case len(c.recvs) > 0:
		c.sent++
		s.deliver(c.recvs[0], element{w.from, c.sent})
		s.pending[w.g] = pendingOp{done: true, caseNumber: w.caseNumber, element: c.sent}
	case len(c.elements) < s.p.capacity[ch]:
		c.sent++
		c.elements = append(c.elements, element{w.from, c.sent})
		s.pending[w.g] = pendingOp{done: true, caseNumber: w.caseNumber, element: c.sent}
	default:
		c.sends = append(c.sends, w)
	}
}

// give gives an element to who waits for one.
func (s *state) deliver(w waiter, e element) {
	s.leaveQueues(w.g)
	s.pending[w.g] = pendingOp{done: true, found: e.from, caseNumber: w.caseNumber, element: e.number}
}

// recv receives, or waits in line.
func (s *state) recv(ch int32, w waiter) {
	if ch == none {
		return
	}
	c := &s.chans[ch]
	switch {
	case len(c.elements) > 0:
		e := c.elements[0]
		c.elements = c.elements[1:]
		if len(c.sends) > 0 {
			c.sent++
			c.elements = append(c.elements, element{c.sends[0].from, c.sent})
			s.completeSend(c.sends[0], c.sent)
		}
		s.pending[w.g] = pendingOp{done: true, found: e.from, caseNumber: w.caseNumber, element: e.number}
	case len(c.sends) > 0:
		from := c.sends[0]
		c.sent++
		number := c.sent
		s.completeSend(from, number)
		s.pending[w.g] = pendingOp{done: true, found: from.from, caseNumber: w.caseNumber, element: number}
	case c.closed:
		s.pending[w.g] = pendingOp{done: true, found: foundClosed, caseNumber: w.caseNumber}
	case s.p.external[ch]:
		s.pending[w.g] = pendingOp{done: true, found: timerFired, caseNumber: w.caseNumber, element: 1}
	default:
		c.recvs = append(c.recvs, w)
	}
}

// sent lets a sender go on whose element was taken.
func (s *state) completeSend(w waiter, number uint32) {
	s.leaveQueues(w.g)
	s.pending[w.g] = pendingOp{done: true, caseNumber: w.caseNumber, element: number}
}

// leaveLines takes a goroutine out of all lines.
func (s *state) leaveQueues(g int32) {
	its := func(w waiter) bool { return w.g == g }
	for k := range s.chans {
		c := &s.chans[k]
		if slices.ContainsFunc(c.sends, its) {
			c.sends = slices.DeleteFunc(slices.Clone(c.sends), its)
		}
		if slices.ContainsFunc(c.recvs, its) {
			c.recvs = slices.DeleteFunc(slices.Clone(c.recvs), its)
		}
	}
}

func (s *state) close(ch int32) content {
	if ch == none || s.chans[ch].closed {
		return panicked
	}
	c := &s.chans[ch]
	c.closed = true
	for _, w := range slices.Clone(c.recvs) {
		s.leaveQueues(w.g)
		s.pending[w.g] = pendingOp{done: true, found: foundClosed, caseNumber: w.caseNumber}
	}
	for _, w := range slices.Clone(c.sends) {
		s.leaveQueues(w.g)
		s.pending[w.g] = pendingOp{done: true, found: panicked, caseNumber: w.caseNumber}
	}
	return nothing
}

// choose does a select.
func (s *state) executeSelect(g, at int32, way int) {
	n := &s.p.nodes[at]
	s.pending[g] = pendingOp{}
	w := func(k int32) waiter { return waiter{g: g, caseNumber: k, from: mix(madeBy(at), content(k))} }
	do := func(k int32) {
		if c := n.cases[k-1]; c.send {
			s.send(c.ch, w(k))
		} else {
			s.recv(c.ch, w(k))
		}
	}
	if ready := s.ready(n); len(ready) > 0 {
		do(ready[way])
		return
	}
	if n.flags&trace.FlagDefault != 0 {
		s.pending[g] = pendingOp{done: true}
		return
	}
	for k, c := range n.cases {
		if c.ch != none {
			do(int32(k + 1))
		}
	}
}

// move lets a goroutine go on after what it has found.
func (s *state) goOn(g int32, e *edge) {
	s.next[g] = e.to
	if e.found == panicked && s.p.nodes[e.to].exits { // at once
		s.exit(g)
	}
}

// die ends the program.
func (s *state) exit(g int32) { s.over, s.endedBy = true, g }

// sum tells states apart. Live reports whether what an extent holds may be read yet.
func (s *state) hash(live func(s *state, x int32) bool) uint64 {
	h := content(0)
	put := func(c content) { h = mix(h, c) }
	if s.over {
		put(1<<44 + content(s.endedBy))
	}
	for g, at := range s.next {
		put(content(at))
		w := s.pending[g]
		if w.done {
			put(mix(w.found, content(w.caseNumber)+1))
		}
	}
	for x := range int32(len(s.memory)) {
		if live(s, x) {
			put(mix(s.content(x), content(x)))
		}
	}
	for k, l := range s.locks {
		put(content(l))
		if w := s.queued[k]; w > 0 {
			put(1<<45 + content(w))
		}
	}
	for _, n := range s.groups {
		put(content(n))
	}
	for _, o := range s.onces {
		put(content(o))
	}
	for _, q := range s.conds {
		put(1 << 40)
		for _, g := range q {
			put(content(g))
		}
	}
	for _, c := range s.chans {
		put(1 << 41)
		if c.closed {
			put(1 << 42)
		}
		for _, e := range c.elements {
			put(e.from)
		}
		for _, line := range [][]waiter{c.sends, c.recvs} {
			put(1 << 43)
			for _, w := range line {
				put(mix(content(w.g), content(w.caseNumber)))
			}
		}
	}
	return uint64(h)
}

// end tells ends of runs apart: where the goroutines stand, or where one has ended the
// program.
func (s *state) endHash() uint64 {
	h := content(0)
	for g, at := range s.next {
		if !s.over || s.endedBy == int32(g) {
			h = mix(h, mix(content(g), content(at)))
		}
	}
	return uint64(h)
}

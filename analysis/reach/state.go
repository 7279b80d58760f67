package reach

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A state is where a run of a program is, and what is in its memory and
// objects.
type state struct {
	program *Program
	// By goroutine: the node that it comes to; none if it has not begun.
	next []int32
	// The program has ended.
	ended bool
	// Which goroutine has ended it.
	endedBy int32
	// By extent: what it holds.
	memory []content
	// By lock: how many readers it has; none if it has a writer.
	locks []int32
	// By lock: 1 and the writer that waits for the readers, and lets no
	// others in; 0 if there is none.
	queued []int32
	// By WaitGroup: its counter.
	groups []int32
	// By Once: 0, onceRuns or onceDone.
	onces []uint8
	// By condition: the goroutines that wait, first come first served.
	conds [][]int32
	// By channel.
	chans []channel
	// By goroutine: what has become of the operation that it has begun.
	pending []pendingOp
}

// A channel serves those that wait first come first served.
type channel struct {
	// What was sent and not yet received.
	elements []element
	// Who waits to send, and to receive.
	sends, recvs []waiter
	// It is closed.
	closed bool
	// How many elements were sent.
	sent uint32
}

// An element is what a node has sent.
type element struct {
	// Which send it comes from.
	from content
	// Its number, from 1.
	number uint32
}

// A waiter is a goroutine in the queue of a channel.
type waiter struct {
	// The goroutine, and the case of its select, from 1; 0 of no select.
	g, caseNumber int32
	// What it sends.
	from content
}

// A pendingOp is what has become of an operation that may wait. The goroutine
// takes it when it comes to the completion.
type pendingOp struct {
	// The operation is complete: the goroutine can go on.
	done bool
	// What it has found.
	found content
	// The case that a select has taken, from 1; 0 for the default.
	caseNumber int32
	// The number of the element that was sent or received.
	element uint32
}

// start returns the state in which the test begins.
func (p *Program) start() *state {
	s := &state{program: p}
	s.grow()
	s.next[0] = 0
	return s
}

// grow makes room for what the program has got since s was made. A walk finds
// new objects on its way.
func (s *state) grow() {
	for len(s.next) < len(s.program.goroutines) {
		s.next = append(s.next, none)
		s.pending = append(s.pending, pendingOp{})
	}
	for len(s.memory) < len(s.program.extents) {
		x, c := len(s.memory), untouched
		for _, o := range s.program.overlaps[x] {
			if int(o) < x && s.memory[o] != untouched {
				c = mix(mix(c, s.memory[o]), content(o))
			}
		}
		s.memory = append(s.memory, c)
	}
	for len(s.locks) < len(s.program.objects[ofLock]) {
		s.locks, s.queued = append(s.locks, 0), append(s.queued, 0)
	}
	for len(s.groups) < len(s.program.objects[ofGroup]) {
		s.groups = append(s.groups, 0)
	}
	for len(s.onces) < len(s.program.objects[ofOnce]) {
		s.onces = append(s.onces, 0)
	}
	for len(s.conds) < len(s.program.objects[ofCond]) {
		s.conds = append(s.conds, nil)
	}
	for len(s.chans) < len(s.program.objects[ofChan]) {
		s.chans = append(s.chans, channel{closed: s.program.closedBefore[int32(len(s.chans))]})
	}
}

// clone returns a copy of s.
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
	if v, ok := s.program.initial[x]; ok {
		return valueContent(v)
	}
	return untouched
}

// store puts c into an extent. What overlaps with it holds what follows from
// both.
func (s *state) store(x int32, c content) {
	s.memory[x] = c
	for _, o := range s.program.overlaps[x] {
		s.memory[o] = mix(mix(s.memory[o], c), content(x))
	}
}

// countAlternatives returns in how many ways the goroutine can do what it comes
// to; 0 if it waits. Only a select has several.
func (s *state) countAlternatives(g int32) int {
	if s.ended || s.next[g] == none {
		return 0
	}
	n := &s.program.nodes[s.next[g]]
	free := func(ok bool) int {
		if ok {
			return 1
		}
		return 0
	}
	switch n.kind {
	case trace.None: // else it has ended, or nobody knows: see Program.Search
		return free(n.endsProgram)
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
		if s.timerMayFire(n.obj) {
			return 1
		}
	case trace.Select:
		return max(1, len(s.readyCases(n)))
	}
	if n.kind.Completes() {
		return free(s.pending[g].done)
	}
	return 1
}

// canQueue reports whether it makes a difference that a writer begins to wait
// for a lock: it then keeps readers out that may be waited for.
func (s *state) canQueue(lock int32) bool {
	return s.locks[lock] > 0 && s.queued[lock] == 0 && s.program.readersWait[lock]
}

// onlyQueues reports whether a goroutine comes to a lock that has readers, so
// that it can do nothing there but begin to wait.
func (s *state) onlyQueues(g int32) bool {
	n := &s.program.nodes[s.next[g]]
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

// timerMayFire reports whether a channel of a timer has nothing else to receive.
// Then the timer may fire.
func (s *state) timerMayFire(ch int32) bool {
	return ch != none && s.program.external[ch] && len(s.chans[ch].elements) == 0 && len(s.chans[ch].sends) == 0 && !s.chans[ch].closed
}

// readyCases returns the numbers of the cases that a select can take at once, from
// 1.
func (s *state) readyCases(n *node) (all []int32) {
	for k, c := range n.cases {
		if c.ch == none {
			continue
		}
		ch := &s.chans[c.ch]
		can := ch.closed || len(ch.elements) > 0 || len(ch.sends) > 0 || s.timerMayFire(c.ch)
		if c.send {
			can = ch.closed || len(ch.recvs) > 0 || len(ch.elements) < s.program.capacity[c.ch]
		}
		if can {
			all = append(all, int32(k+1))
		}
	}
	return all
}

// execute does what the goroutine comes to, in one of its alternatives, but
// for going on. It returns what the operation finds.
func (s *state) execute(g int32, way int) content {
	at := s.next[g]
	n := &s.program.nodes[at]
	switch n.kind {
	case trace.Read, trace.AtomicLoad, trace.AtomicRMW:
		found := s.content(n.obj)
		if e := s.program.edgeFor(at, found); n.kind == trace.AtomicRMW && e != nil && !e.fails {
			s.store(n.obj, e.stored)
		}
		return found
	case trace.Write, trace.AtomicStore:
		c := n.stored
		if n.flags&trace.FlagMap != 0 {
			c = mix(s.content(n.obj), nodeContent(at))
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
		s.next[n.obj] = n.childStart
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
		s.send(n.obj, waiter{g: g, from: nodeContent(at)})
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
		return caseContent(k)
	}
	switch {
	case n.kind.ChangesCounter():
		return s.addToGroup(n)
	case n.kind.Completes() && n.kind != trace.SelectDone:
		found := s.pending[g].found
		s.pending[g] = pendingOp{}
		return found
	}
	return nothing
}

// addToGroup does WaitGroup.Add. At zero it lets those go on that wait.
func (s *state) addToGroup(n *node) content {
	count := &s.groups[n.obj]
	*count += int32(n.value)
	switch {
	case *count < 0:
		return panicked
	case *count == 0:
		for h, at := range s.next {
			if at != none && s.program.nodes[at].kind == trace.WaitGroupWaited && s.program.nodes[at].obj == n.obj {
				s.pending[h].done = true
			}
		}
	}
	return nothing
}

// send sends an element, or queues the sender.
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
	case len(c.elements) < s.program.capacity[ch]:
		c.sent++
		c.elements = append(c.elements, element{w.from, c.sent})
		s.pending[w.g] = pendingOp{done: true, caseNumber: w.caseNumber, element: c.sent}
	default:
		c.sends = append(c.sends, w)
	}
}

// deliver gives an element to a receiver that waits for one.
func (s *state) deliver(w waiter, e element) {
	s.leaveQueues(w.g)
	s.pending[w.g] = pendingOp{done: true, found: e.from, caseNumber: w.caseNumber, element: e.number}
}

// recv receives an element, or queues the receiver.
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
	case s.program.external[ch]:
		s.pending[w.g] = pendingOp{done: true, found: timerFired, caseNumber: w.caseNumber, element: 1}
	default:
		c.recvs = append(c.recvs, w)
	}
}

// completeSend lets a sender go on whose element was received.
func (s *state) completeSend(w waiter, number uint32) {
	s.leaveQueues(w.g)
	s.pending[w.g] = pendingOp{done: true, caseNumber: w.caseNumber, element: number}
}

// leaveQueues takes a goroutine out of the queues of all channels, as its
// select has taken one case.
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

// close closes a channel and lets those go on that wait.
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

// executeSelect does a select: it takes a case that is ready, or the default,
// or queues at all channels.
func (s *state) executeSelect(g, at int32, way int) {
	n := &s.program.nodes[at]
	s.pending[g] = pendingOp{}
	w := func(k int32) waiter { return waiter{g: g, caseNumber: k, from: mix(nodeContent(at), content(k))} }
	do := func(k int32) {
		if c := n.cases[k-1]; c.send {
			s.send(c.ch, w(k))
		} else {
			s.recv(c.ch, w(k))
		}
	}
	if ready := s.readyCases(n); len(ready) > 0 {
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

// advance lets a goroutine go on after what it has found.
func (s *state) advance(g int32, e *edge) {
	s.next[g] = e.to
	if e.found == panicked && s.program.nodes[e.to].endsProgram { // at once
		s.endProgram(g)
	}
}

// endProgram ends the program.
func (s *state) endProgram(g int32) { s.ended, s.endedBy = true, g }

// hash tells states apart. mayBeRead reports whether what an extent holds may
// be read yet; what is not read makes no difference.
func (s *state) hash(live func(s *state, x int32) bool) uint64 {
	h := content(0)
	put := func(c content) { h = mix(h, c) }
	if s.ended {
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

// endHash tells ends of runs apart: by where the goroutines are, or by where
// one has ended the program.
func (s *state) endHash() uint64 {
	h := content(0)
	for g, at := range s.next {
		if !s.ended || s.endedBy == int32(g) {
			h = mix(h, mix(content(g), content(at)))
		}
	}
	return uint64(h)
}

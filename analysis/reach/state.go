package reach

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A state is a state of a program: the next node of each goroutine, and the
// contents of memory and of all synchronization objects.
type state struct {
	program *Program
	// By goroutine: its next node; none if it has not begun.
	next []int32
	// The program has ended.
	ended bool
	// Which goroutine has ended it.
	endedBy int32
	// By extent: its content.
	memory []content
	// By lock: the number of its readers; none if a writer holds it.
	locks []int32
	// By lock: one more than the number of the writer that waits for its
	// readers and lets no other readers in; 0 if there is none.
	queued []int32
	// By WaitGroup: its counter.
	groups []int32
	// By Once: 0, onceRuns or onceDone.
	onces []uint8
	// By condition: the goroutines that wait, first come first served.
	conds [][]int32
	// By channel.
	chans []channel
	// By goroutine: the operation that it has begun.
	pending []pendingOp
}

// A channel serves those that wait first come first served.
type channel struct {
	// The elements that were sent and not yet received.
	elements []element
	// The goroutines that wait to send, and to receive.
	sends, recvs []waiter
	closed       bool
	// The number of elements that were sent.
	sent uint32
}

// An element is an element in a channel.
type element struct {
	// The content that stands for its send.
	from content
	// Its number, from 1.
	number uint32
}

// A waiter is a goroutine in the queue of a channel.
type waiter struct {
	// The goroutine, and the case of its select, from 1; 0 of no select.
	g, caseNumber int32
	// The content that it sends.
	from content
}

// A pendingOp is the state of an operation that may wait. The completion of the
// operation takes it.
type pendingOp struct {
	// The operation can be completed.
	done bool
	// The content that it found.
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

// grow extends s to the objects that the program has now. The execution of a
// recording adds new ones.
func (s *state) grow() {
	for len(s.next) < len(s.program.goroutines) {
		s.next = append(s.next, none)
		s.pending = append(s.pending, pendingOp{})
	}
	// A new extent may overlap with known ones. Its content must depend on theirs,
	// so that a store to one of them changes what a read of it finds.
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

// store stores c in an extent. Overlapping extents get a content that is made
// of both.
func (s *state) store(x int32, c content) {
	s.memory[x] = c
	for _, o := range s.program.overlaps[x] {
		s.memory[o] = mix(mix(s.memory[o], c), content(x))
	}
}

// countAlternatives returns in how many ways the goroutine can execute its next
// operation; 0 if it waits. Only a select has several.
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
	case trace.None: // the goroutine has ended, or the node is a leaf
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

// canQueue reports whether a writer can begin to wait for a lock, and whether
// that matters: it shuts out readers that another reader may wait for.
func (s *state) canQueue(lock int32) bool {
	return s.locks[lock] > 0 && s.queued[lock] == 0 && s.program.readersWait[lock]
}

// onlyQueues reports whether the next operation of a goroutine is the acquire
// of a lock that has readers, so that it can only begin to wait.
func (s *state) onlyQueues(g int32) bool {
	n := &s.program.nodes[s.next[g]]
	return n.kind == trace.Acquire && s.locks[n.obj] > 0
}

// isQueued reports whether a writer waits for the readers of a lock.
func (s *state) isQueued() bool {
	return slices.ContainsFunc(s.queued, func(w int32) bool { return w > 0 })
}

// The states of a Once: 0 until its function begins.
const (
	onceRuns = 1
	onceDone = 2
)

// timerMayFire reports whether a channel is a timer's and has no element.
func (s *state) timerMayFire(ch int32) bool {
	return ch != none && s.program.external[ch] && len(s.chans[ch].elements) == 0 && len(s.chans[ch].sends) == 0 && !s.chans[ch].closed
}

// readyCases returns the numbers, from 1, of the cases that a select can take
// at once.
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

// execute executes the next operation of a goroutine, in one of its
// alternatives, and returns the content that it finds. The goroutine does not
// advance yet.
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
		// The completion of the chosen send or receive comes next, and takes the
		// pending operation. A default has none.
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

// addToGroup executes WaitGroup.Add. A counter of zero completes the waits.
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

// send sends an element, or puts the sender into the queue.
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

// deliver passes an element to a waiting receiver.
func (s *state) deliver(w waiter, e element) {
	s.leaveQueues(w.g)
	s.pending[w.g] = pendingOp{done: true, found: e.from, caseNumber: w.caseNumber, element: e.number}
}

// recv receives an element, or puts the receiver into the queue.
func (s *state) recv(ch int32, w waiter) {
	if ch == none {
		return
	}
	c := &s.chans[ch]
	switch {
	case len(c.elements) > 0:
		e := c.elements[0]
		c.elements = c.elements[1:]
		// The runtime moves the element of a waiting sender into the free slot at
		// once, so that it gets the next number.
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

// completeSend completes the send of a waiting sender.
func (s *state) completeSend(w waiter, number uint32) {
	s.leaveQueues(w.g)
	s.pending[w.g] = pendingOp{done: true, caseNumber: w.caseNumber, element: number}
}

// leaveQueues removes a goroutine from the queues of all channels: its select
// may wait in several.
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

// close closes a channel and completes the operations that wait for it.
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

// executeSelect takes a ready case of a select, or the default, or puts the
// goroutine into the queues of all its channels.
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

// advance moves a goroutine along an edge.
func (s *state) advance(g int32, e *edge) {
	s.next[g] = e.to
	if e.found == panicked && s.program.nodes[e.to].endsProgram { // at once
		s.endProgram(g)
	}
}

// endProgram ends the program.
func (s *state) endProgram(g int32) { s.ended, s.endedBy = true, g }

// hash returns a hash of the state. It leaves out extents for which live is
// false, as no goroutine reads them any more.
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

// endHash returns a hash of the end of a run: of the nodes of all goroutines,
// or of the one that ended the program.
func (s *state) endHash() uint64 {
	h := content(0)
	for g, at := range s.next {
		if !s.ended || s.endedBy == int32(g) {
			h = mix(h, mix(content(g), content(at)))
		}
	}
	return uint64(h)
}

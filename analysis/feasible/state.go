package feasible

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A state is where a program stands after some steps. All its fields but p
// are values and slices of values, none shared with another state.
type state struct {
	p *program

	// by goroutine
	cur       []int32 // next event, or none
	runs      []bool  // its fork was executed
	taint     []int32 // the read that read something else, or none
	updates   []int32 // the read that read something else and waits for its store, or none
	waiting   []waiting
	wasZero   []bool  // the WaitGroup's counter was zero when Wait began
	signalled []bool  // taken from the condition's queue
	held      []int32 // the last hold, an index of taken, or none
	end       bool    // the goroutine of the next step does nothing after it
	// turned are the branches that must come out otherwise than recorded: steps leave
	// out what came of them. No state that is shared has any.
	turned map[int32]bool

	lost  map[trace.GID][]int32 // by goroutine: reads that should have read what may be a pointer
	found map[int32]finding     // by read: what it has found, where that is not what was recorded
	taken []hold
	spare int32 // the last of taken that is of nobody, or none

	contents
	changes    changes // of the contents
	locks      []lockState
	conds      [][]trace.GID // those that wait, first come first
	waitGroups []int64
	onces      []onceState
	chans      []chanState
	posts      []int32           // by token: how many from the first on are done
	posted     []bool            // by post
	elements   map[element]int32 // taint of what was sent
}

type cellState struct {
	writer int32
	taint  int32 // the read that makes the value unknown, none, or other
}

// other is the taint of a cell that does not hold what the writer left in the trace: see contents.vals.
const other = -2

type lockState struct {
	held    bool
	readers int32
	by      trace.GID // who has acquired it last, not as a reader
}

type onceState uint8

const (
	onceFresh onceState = iota
	onceRuns
	onceIsDone
)

// An element of a channel.
type element struct {
	ch int32
	n  uint64
}

// initial returns the state before the first step.
func (p *program) initial() *state {
	n := len(p.forked)
	s := &state{
		p: p, cur: make([]int32, n), runs: make([]bool, n), taint: make([]int32, n), updates: make([]int32, n), waiting: make([]waiting, n),
		wasZero: make([]bool, n), signalled: make([]bool, n), held: make([]int32, n),
		lost: make(map[trace.GID][]int32), found: make(map[int32]finding),
		contents: contents{cells: make([]cellState, len(p.mem.cells))}, changes: changes{most: p.listed},
		locks: make([]lockState, p.locks), conds: make([][]trace.GID, p.conds),
		waitGroups: make([]int64, p.waitGroups), onces: make([]onceState, len(p.onceEnds)),
		chans: make([]chanState, len(p.chans)), posts: make([]int32, len(p.tokens)), posted: make([]bool, p.posts),
	}
	if !p.flow.Empty() {
		s.vals = make([]uint64, len(s.cells))
	}
	s.reset()
	return s
}

// reset goes back to the initial state.
func (s *state) reset() {
	for c := range s.cells {
		s.cells[c] = cellState{writer: none, taint: none}
	}
	s.start()
}

// start is reset for all but the cells.
func (s *state) start() {
	s.end, s.turned = false, nil
	for g := range s.cur {
		s.cur[g] = int32(s.p.order.Of(trace.GID(g)).First())
	}
	clear(s.runs)
	clear(s.lost)
	clear(s.found)
	clear(s.wasZero)
	clear(s.signalled)
	s.taken, s.spare = s.taken[:0], none
	for g := range s.taint {
		s.taint[g], s.updates[g], s.held[g] = none, none, none
		s.waiting[g] = waiting{op: none}
	}
	clear(s.locks)
	clear(s.conds)
	clear(s.waitGroups)
	clear(s.onces)
	for c := range s.chans {
		s.chans[c] = chanState{diverged: math.MaxUint32, closed: s.p.chans[c].closed}
	}
	clear(s.posts)
	clear(s.posted)
	s.elements = map[element]int32{}
}

// next returns the next event of goroutine g, and why it cannot be reached:
// there is none, or the goroutine does not run yet.
func (s *state) next(g int) (pos int32, reason string) {
	switch pos = s.cur[g]; {
	case pos == none:
		return none, "expected no more events of the goroutine, all are done"
	case s.p.forked[g] && !s.runs[g]:
		return none, "expected the goroutine's fork first"
	}
	return pos, ""
}

// step executes the event at pos, which must be the next of its goroutine. It
// returns why that is impossible, and "" if it is not; after a failure the
// state is of no use.
func (s *state) step(pos int32) string {
	e, ref := &s.p.t.Events[pos], s.p.refs[pos]
	reason := s.misses(e)
	switch k := e.Kind; {
	case reason != "":
	case k.IsAccess():
		reason = s.access(pos, e, ref)
	case k == trace.Fork:
		if e.Obj < uint64(len(s.runs)) {
			s.runs[e.Obj] = true
			s.infect(trace.GID(e.Obj), s.taint[e.G])
		}
	case k == trace.Operand && s.p.flow.At(int(pos)) != nil:
		reason = s.decide(pos, e)
	case k == trace.Branch || k == trace.Assert || k == trace.Panic:
		reason = s.decide(pos, e)
	case k.Class() == trace.ClassLock:
		reason = s.lock(k, &s.locks[ref])
		s.hold(e, ref)
	case k.Class() == trace.ClassCond:
		reason = s.cond(e, ref)
	case k.Class() == trace.ClassChannel:
		reason = s.channel(pos, e, ref)
	case k.Class() == trace.ClassWaitGroup:
		reason = s.waitGroup(pos, e, ref)
	case k.Class() == trace.ClassOnce:
		reason = s.once(k, ref)
	case k == trace.Await && ref == none:
		reason = s.allBefore(pos)
	case k == trace.Post && ref != none:
		reason = s.post(s.p.counts[ref])
	case k == trace.Await:
		reason = s.awaits(s.p.counts[ref])
	}
	if reason == "" {
		s.cur[e.G] = s.p.next(pos)
		if len(s.turned) > 0 && s.turned[pos] {
			end, _ := s.p.slice.End(int(pos))
			s.cur[e.G] = int32(end)
		}
	}
	return reason
}

// allBefore tells why not all events before the one at pos have happened.
func (s *state) allBefore(pos int32) string {
	for _, next := range s.cur {
		if next != none && next < pos {
			return fmt.Sprintf("expected %s before, found that it has not happened", s.p.describe(int(next)))
		}
	}
	return ""
}

// infect taints goroutine g for the reason of another taint, if there is one.
func (s *state) infect(g trace.GID, taint int32) {
	if s.taint[g] == none {
		s.taint[g] = taint
	}
}

// access executes a memory access.
func (s *state) access(pos int32, e *trace.Event, ref int32) string {
	m := s.p.mem
	sp := m.span(pos)
	cells := s.cells[sp.First : sp.First+sp.N]
	v, known, follows := s.follow(pos, e, sp, ref)
	if reads(e.Kind) && !follows {
		from := m.from[ref:]
		for i := range cells {
			c := sp.First + int32(i)
			was := cells[i].writer
			if m.cells[c].shared {
				was, from = from[0], from[1:]
			}
			if !s.differs(e, cells[i], was, c) {
				continue
			}
			switch {
			case s.p.uses[pos]&isUpdate != 0:
				s.updates[e.G] = pos
			case s.p.uses[pos]&isData != 0 || s.end:
				s.infect(e.G, pos)
				if isWord(e) && e.Val >= reach {
					s.lost[e.G] = append(s.lost[e.G], pos)
				}
			default:
				return s.difference(e, cells[i], was, c)
			}
			break
		}
	}
	if writes(e) {
		s.changes.keep(&s.contents, sp.First, sp.N)
	}
	if writes(e) && s.p.flow.At(int(pos)) != nil {
		s.fill(pos, e, sp, v, known)
		s.updates[e.G] = none
	} else if writes(e) {
		taint := s.taint[e.G]
		if taint == none {
			taint = s.updates[e.G]
		}
		s.updates[e.G] = none
		for i := range cells {
			cells[i] = cellState{writer: pos, taint: taint}
		}
	}
	return ""
}

// differs reports whether what e reads in cell c differs from what it read in the
// trace, where from had written it.
func (s *state) differs(e *trace.Event, now cellState, from, c int32) bool {
	if now.taint >= 0 {
		return true
	}
	if now.writer == from && now.taint != other {
		return false
	}
	want, got, known := s.values(e, now, from, c)
	return !known || want != got
}

// difference tells how it differs.
func (s *state) difference(e *trace.Event, now cellState, from, c int32) string {
	if now.taint >= 0 {
		return fmt.Sprintf("expected the recorded value, found what depends on %s, which reads something else than recorded", s.p.describe(int(now.taint)))
	}
	if want, got, known := s.values(e, now, from, c); known {
		return fmt.Sprintf("expected to read %#x, found %#x of %s", want, got, s.writerName(now.writer))
	}
	return fmt.Sprintf("expected to read from %s, found %s", s.writerName(from), s.writerName(now.writer))
}

// values returns what e read in cell c in the trace, and what it finds there now, if both are known.
func (s *state) values(e *trace.Event, now cellState, from, c int32) (want, got uint64, known bool) {
	want, recorded := s.p.mem.recorded(s.p.t, e, from, c)
	got, found := s.content(now, c)
	return want, got, recorded && found
}

// reach is how far behind an address what belongs to it may begin, in bytes.
// No pointer is below it.
const reach = 4096

// misses tells why its goroutine may not come to e: before it there was a condition, which may have come out otherwise. Or
// why e cannot touch what it touched in the trace: the address is that of, or in, what a read of the goroutine should have
// pointed to. A local variable may have carried the pointer.
func (s *state) misses(e *trace.Event) string {
	if e.Flags&trace.FlagBranched != 0 {
		if reason := s.tainted(e.G); reason != "" {
			return reason
		}
	}
	if len(s.lost) == 0 {
		return ""
	}
	for _, r := range s.lost[e.G] {
		base := s.p.t.Events[r].Val
		if e.Obj >= base && e.Obj-base < reach && e.Kind.HasAddress() {
			return fmt.Sprintf("expected the recorded address, found that it may depend on %s, which reads something else than recorded", s.p.describe(int(r)))
		}
	}
	return ""
}

// harmless tells why the event at pos, at which its goroutine stands, is not
// what makes it part of a violation: to fail, for an assertion, to close a channel while another goroutine
// sends or closes, or to add to a WaitGroup's zero while another one waits.
func (s *state) harmless(pos int32) string {
	e, ref := &s.p.t.Events[pos], s.p.refs[pos]
	if s.p.t.Sites[e.Site].Fails != trace.Neither {
		return s.holds(pos, e)
	}
	if ref == none {
		return ""
	}
	ch := ref
	switch e.Kind {
	case trace.WaitGroupAdd:
		if n := s.waitGroups[ref]; n != 0 {
			return fmt.Sprintf("expected the WaitGroup's counter to be zero, found %d", n)
		}
		return ""
	case trace.Send:
		ch = s.p.ops[ref].ch
	case trace.SelectSend, trace.Close:
	default:
		return ""
	}
	if s.chans[ch].closed {
		return "expected an open channel, found it closed"
	}
	return ""
}

func (s *state) writerName(w int32) string {
	if w == none {
		return "the initial value"
	}
	return s.p.describe(int(w))
}

// decide executes an event after which the goroutine's way depends on what it
// has read.
func (s *state) decide(pos int32, e *trace.Event) string {
	in := s.p.flow.At(int(pos))
	if end, ok := s.p.slice.End(int(pos)); ok && s.p.t.Sites[e.Site].Scope.MayTurn(e) {
		if int32(end) == s.p.next(pos) {
			return "" // nothing was recorded within its scope: it may come out either way
		}
		if s.turned[pos] && in != nil {
			if v, known := s.eval(e.G, in, 0); known && !in.Same(e, v) {
				return ""
			}
		}
	}
	if s.turned[pos] {
		return "expected the other outcome, found that it is not known to come"
	}
	if in != nil {
		if v, known := s.eval(e.G, in, 0); !known || !in.Same(e, v) {
			return "expected the recorded outcome, found what may be the other one, by what was read"
		}
	}
	if reason := s.tainted(e.G); reason != "" {
		return reason
	}
	if e.Kind == trace.Panic {
		return s.panicked(s.waiting[e.G])
	}
	return ""
}

// tainted tells why a condition may not come out as recorded for goroutine g.
func (s *state) tainted(g trace.GID) string {
	if r := s.taint[g]; r != none {
		return fmt.Sprintf("expected the recorded outcome, found that it may depend on %s, which reads something else than recorded", s.p.describe(int(r)))
	}
	return ""
}

// clone returns an independent copy of s.
func (s *state) clone() *state {
	c := s.rest()
	c.cells, c.vals = slices.Clone(s.cells), slices.Clone(s.vals)
	return c
}

// rest is clone without the cells.
func (s *state) rest() *state {
	c := *s
	c.contents, c.changes = contents{}, changes{}
	c.cur = slices.Clone(s.cur)
	c.runs = slices.Clone(s.runs)
	c.taint = slices.Clone(s.taint)
	c.updates = slices.Clone(s.updates)
	c.lost, c.found = maps.Clone(s.lost), maps.Clone(s.found)
	for g, reads := range c.lost {
		c.lost[g] = slices.Clone(reads)
	}
	c.waiting = slices.Clone(s.waiting)
	c.wasZero = slices.Clone(s.wasZero)
	c.signalled = slices.Clone(s.signalled)
	c.held, c.taken = slices.Clone(s.held), slices.Clone(s.taken)
	c.locks = slices.Clone(s.locks)
	c.conds = make([][]trace.GID, len(s.conds))
	for i, q := range s.conds {
		c.conds[i] = slices.Clone(q)
	}
	c.waitGroups = slices.Clone(s.waitGroups)
	c.onces = slices.Clone(s.onces)
	c.chans = slices.Clone(s.chans)
	c.posts = slices.Clone(s.posts)
	c.posted = slices.Clone(s.posted)
	c.elements = maps.Clone(s.elements)
	return &c
}

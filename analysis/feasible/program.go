package feasible

import (
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// none stands for "no event", "no object" and, as a writer, for the value
// that memory had before its first recorded write.
const none = -1

// A program is a trace prepared for execution in other orders: it has numbers
// instead of addresses, and the objects that each event uses.
type program struct {
	// The trace, and the order of the events of each goroutine.
	t     *trace.Trace
	order *trace.ProgramOrder
	// refs are by event and its kind: a read's place in memory.from; the
	// lock, condition, WaitGroup or Once; the token's count; for events that
	// begin a channel operation the chanOp, for other channel events (and
	// cases) the channel. none where there is nothing to check.
	refs []int32
	// By event: how the value of a read is used.
	uses []uses
	// By goroutine: the trace has its go statement. Others run from the
	// beginning.
	forked []bool
	mem    *memory
	// The formulas of values.
	flow *dataflow.Flow
	// The ends of the control scopes of branches.
	slice *dataflow.Scopes
	// The state before the first step, without what is in memory.
	begin *state

	// The numbers of these objects, and of posts.
	locks, conds, waitGroups, posts int
	// By Once: the trace has the end of its function.
	onceEnds []bool
	// By channel.
	chans []channel
	// How many operations on channels have a rank.
	ranked uint64
	// The operations on channels.
	ops []chanOp
	// The first cases of selects, by the positions of these.
	firsts []firstCase
	// By token.
	tokens []token
	// The counts of posts and awaits; refs has indices into it.
	counts []count
}

// A firstCase has the positions of a select and of the first of its recorded
// cases.
type firstCase struct{ of, at int32 }

// A token has n posts, with the numbers from first on.
type token struct{ first, n int32 }

// A count is a token and the number of its posts up to an event, including the
// event if it is a post.
type count struct{ token, posts int32 }

// uses are the uses of the value of a read.
type uses uint8

const (
	// The value only flows into memory: it does not matter.
	isData uses = 1 << iota
	// The value flows only into the memory that it came from, by the
	// goroutine's next write or by the event itself.
	isUpdate
)

// compiled is the program of a trace of which nobody knows anything yet.
func compiled(t *trace.Trace) *program {
	return compile(t, trace.NewProgramOrder(t), dataflow.New(t), trace.NewLayout(t))
}

// compile makes the program of a trace.
func compile(t *trace.Trace, order *trace.ProgramOrder, flow *dataflow.Flow, l *trace.Layout) *program {
	n := order.Goroutines()
	p := &program{
		t:      t,
		order:  order,
		refs:   make([]int32, len(t.Events)),
		uses:   make([]uses, len(t.Events)),
		forked: make([]bool, n),
		flow:   flow,
		slice:  dataflow.NewScopes(t, flow),
	}
	sites := trace.NewSiteIndex(t)
	for i := range t.Events {
		e := &t.Events[i]
		p.refs[i] = none
		if e.Kind == trace.Fork && e.Obj < uint64(n) {
			p.forked[e.Obj] = true
		}
		if e.Kind == trace.Read && sites.Of(e.Site).OnlyStored {
			p.uses[i] = isData
		}
	}
	p.compileUpdates(sites)
	p.number()
	p.compileOnces()
	p.compileChannels()
	p.mem = p.layOutMemory(l)
	p.begin = p.initialExceptContents()
	return p
}

// next returns the event of its goroutine after the one at pos, or none.
func (p *program) next(pos int32) int32 { return int32(p.order.Next(int(pos))) }

// unfinished reports whether the operation at pos was not completed in the
// recorded run, or ended in a panic.
func (p *program) unfinished(pos int32) bool {
	next := p.next(pos)
	return next == none || p.t.Events[next].Kind == trace.Panic
}

// compileUpdates marks the updates: reads whose goroutine's next event that is
// no read writes the same memory. If there is no such write, the statement may
// have panicked.
func (p *program) compileUpdates(sites *trace.SiteIndex) {
	for i := range p.t.Events {
		e := &p.t.Events[i]
		if e.Kind != trace.Read && e.Kind != trace.AtomicRMW || !sites.Of(e.Site).IsUpdate {
			continue
		}
		does := e.Kind == trace.AtomicRMW && writes(e)
		if e.Kind == trace.Read {
			next := p.next(int32(i))
			for next != none && p.t.Events[next].Kind == trace.Read {
				next = p.next(next)
			}
			if next != none {
				w := &p.t.Events[next]
				does = w.Kind == trace.Write && w.Obj == e.Obj && w.Size == e.Size
			}
		}
		if does {
			p.uses[i] |= isUpdate
		}
	}
}

// numberTable gives addresses numbers from 0.
type numberTable map[uint64]int32

func (n numberTable) of(obj uint64) int32 {
	id, ok := n[obj]
	if !ok {
		id = int32(len(n))
		n[obj] = id
	}
	return id
}

// number fills in ref for locks, conditions, WaitGroups and tokens.
func (p *program) number() {
	locks, conds, waitGroups, tokens := numberTable{}, numberTable{}, numberTable{}, numberTable{}
	for i := range p.t.Events {
		switch e := &p.t.Events[i]; e.Kind.Class() {
		case trace.ClassLock:
			p.refs[i] = locks.of(e.Obj)
		case trace.ClassCond:
			p.refs[i] = conds.of(e.Obj)
		case trace.ClassWaitGroup:
			p.refs[i] = waitGroups.of(e.Obj)
		case trace.ClassToken:
			if e.Obj == 0 {
				continue // an await of all that was before it
			}
			tok := tokens.of(e.Obj)
			if int(tok) == len(p.tokens) {
				p.tokens = append(p.tokens, token{})
			}
			if e.Kind == trace.Post {
				p.tokens[tok].n++
			}
			p.refs[i] = int32(len(p.counts))
			p.counts = append(p.counts, count{tok, p.tokens[tok].n})
		}
	}
	for i := range p.tokens {
		p.tokens[i].first = int32(p.posts)
		p.posts += int(p.tokens[i].n)
	}
	p.locks, p.conds, p.waitGroups = len(locks), len(conds), len(waitGroups)
}

// compileOnces gives each execution of a Once's function a number. Several at
// one address are several Onces that the allocator put there.
func (p *program) compileOnces() {
	current := map[uint64]int32{}
	for i := range p.t.Events {
		e := &p.t.Events[i]
		switch e.Kind {
		case trace.OnceBegin:
			current[e.Obj] = int32(len(p.onceEnds))
			p.refs[i] = current[e.Obj]
			p.onceEnds = append(p.onceEnds, false)
		case trace.OnceEnd, trace.OnceDone:
			if id, ok := current[e.Obj]; ok {
				p.refs[i] = id
				p.onceEnds[id] = p.onceEnds[id] || e.Kind == trace.OnceEnd
			}
		}
	}
}

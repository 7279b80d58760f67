// Package dataflow says what the values of a trace follow from. The sites of a trace have formulas
// ([Formula]): how a stored value, or the outcome of a branch or assertion, follows from what its
// goroutine has read. A [Flow] connects these with the events that were read, and [Scopes] say where
// the control scopes of branches end. What a run may change follows from both: only reads that
// matter keep the write that they read from (Chen and Roşu, Predictive Runtime Analysis of
// Multithreaded Programs, 2005).
package dataflow

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Flow says for the events of one trace what their values follow from: it has
// the formulas of their sites with the readings that these speak of. Values that
// functions hand to each other are followed as the calls were in the recorded run: an
// instance's formula has in place of $ what was handed over.
type Flow struct {
	formulas      trace.Marks // the events that have any
	instances     []*Instance
	tracked       []bool              // by event, as the judge asks for each step of each schedule; nil if there is nothing
	untrackedAdds map[int32]*Instance // of atomic operations that are not tracked
}

// An Instance is the formula of one event.
type Instance struct {
	Formula *Formula
	// Reads are the positions of its readings, in the order of Formula.Eval; -1
	// stands for one that was not needed, as that of y in x && y where x is false.
	Reads []int32
}

// At returns the formula of the event at position i: a store, atomic operation,
// branch or assertion. It is nil if there is none, or none that speaks of reads
// that are tracked.
func (f *Flow) InstanceAt(i int) *Instance {
	if f.tracked == nil {
		return nil
	}
	k := f.formulas.NumberOf(i)
	if k < 0 {
		return nil
	}
	return f.instances[k]
}

// Adds is At, and for an atomic operation that adds a number to what it found, its
// formula also where what it found is not tracked.
func (f *Flow) AddInstanceAt(i int) *Instance {
	if in := f.untrackedAdds[int32(i)]; in != nil {
		return in
	}
	return f.InstanceAt(i)
}

// Empty reports whether nothing is known.
func (f *Flow) Empty() bool { return f.tracked == nil }

// Tracked reports whether what the event at position i reads goes into formulas
// and nowhere else, so that it may be something else than recorded.
func (f *Flow) Tracked(i int) bool { return f.tracked != nil && f.tracked[i] }

// Found returns what the event at position i of t found in memory, an atomic
// operation that adds to it, if its formula tells.
func (f *Flow) ValueBefore(t *trace.Trace, i int) (v uint64, ok bool) {
	in := f.AddInstanceAt(i)
	if in == nil || in.Formula.Op != Plus || t.Events[i].Kind != trace.AtomicRMW {
		return 0, false
	}
	befores := 0
	for k := range in.Formula.Args {
		if arg := &in.Formula.Args[k]; arg.Op == Before {
			befores++
		} else if arg.HasBefore() {
			return 0, false
		}
	}
	above := 64 - 8*min(t.Events[i].Size, 8) // bits that the memory does not have
	return (t.Events[i].Val - uint64(in.recorded(t))) << above >> above, befores == 1
}

// recorded computes the formula of what was read in the recorded run, and of 0 for
// what an atomic operation found.
func (in *Instance) recorded(t *trace.Trace) int64 {
	return in.Formula.Eval(0, func(k int, r Reading) int64 {
		if in.Reads[k] < 0 {
			return 0
		}
		return r.Number(t.Events[in.Reads[k]].Val)
	})
}

// MaxEvents is the number of events of the longest trace that has a flow.
const MaxEvents = 1 << 21

// TooLong reports whether t has no flow: it has more than MaxEvents events, or goroutines in it had so many that
// package reduce has left out what only a flow asks for.
func TooLong(t *trace.Trace) bool {
	dropped := t.ValuesDropped
	return len(t.Events) > MaxEvents || dropped != nil && slices.ContainsFunc(t.Events, func(e trace.Event) bool { return dropped[e.G] })
}

// Constrained returns what is left of f, which is of t, where only the assertions
// are known and all else is as recorded: reads that go into assertions alone are
// tracked. It is what the constrained model of Wang et al., Symbolic Predictive
// Analysis, FAC 2011, §7.1, knows.
func (f *Flow) Constrained(t *trace.Trace) *Flow {
	c := &Flow{tracked: make([]bool, len(f.tracked))}
	of := make([]*Instance, len(f.tracked))
	for i, is := range f.tracked {
		c.tracked[i] = is && t.Events[i].Kind != trace.AtomicRMW
	}
	for k, i := range f.formulas.All {
		in := f.instances[k]
		if t.Sites[t.Events[i].Site].Fails != trace.Neither {
			of[i] = in
			continue
		}
		for _, r := range in.Reads {
			if r >= 0 {
				c.tracked[r] = false
			}
		}
	}
	c.fill(of)
	return c
}

// NewFlow finds the readings of all formulas. A formula that does not give what was
// recorded is left out, and its readings are not tracked: something about it
// is not as it seems, such as an operation that wrapped around.
//
// It takes memory for each event that is tracked. A trace of which no assertion, and no
// branch with a control scope, follows from anything, or that is too long, has none.
func New(t *trace.Trace) *Flow {
	b := flowBuilder{
		t: t, sites: trace.NewSiteIndex(t), flow: &Flow{untrackedAdds: map[int32]*Instance{}},
		formulas: map[trace.SiteID]*Formula{}, lastReadings: map[frame]*[]int32{}, neededReadings: map[uint64]int{}, fixedReads: map[int32]bool{},
		pendingHandovers: map[trace.GID]*pendingHandover{}, handedOver: map[frame]*bundle{}, usingHandovers: map[*Formula]bool{},
	}
	asserts := false
	for _, s := range t.Sites {
		asserts = asserts || s.Formula != "" && (s.Fails != trace.Neither || s.Scope.Last != 0)
	}
	if !asserts || TooLong(t) {
		return b.flow
	}
	b.parse()
	b.instances, b.flow.tracked = make([]*Instance, len(t.Events)), make([]bool, len(t.Events))
	for i := range t.Events {
		b.event(int32(i))
	}
	for _, h := range b.pendingHandovers {
		b.dropBundle(&h.call)
		b.dropBundle(&h.results)
	}
	b.dropInconsistent()
	b.flow.fill(b.instances)
	return b.flow
}

// fill fills in the formulas, by event nil if there is none, and forgets that f is of so many events if it
// says nothing of any of them.
func (f *Flow) fill(of []*Instance) {
	f.formulas = trace.NewMarks(len(of), func(mark func(int)) {
		for i, in := range of {
			if in != nil {
				mark(i)
			}
		}
	})
	f.instances = make([]*Instance, 0, f.formulas.Len())
	for _, i := range f.formulas.All {
		f.instances = append(f.instances, of[i])
	}
	if len(f.instances) == 0 && !slices.Contains(f.tracked, true) {
		f.tracked = nil
	}
}

// settle leaves out what does not hold together: readings of which some use is not
// known, and formulas that speak of none that is tracked.
func (b *flowBuilder) dropInconsistent() {
	for again := true; again; {
		again = false
		for i := range b.fixedReads {
			if i >= 0 {
				b.flow.tracked[i] = false
			}
		}
		for i, in := range b.instances {
			if in == nil || b.t.Events[i].Kind != trace.AtomicRMW || b.flow.tracked[i] {
				continue
			}
			// What it found is needed to know what it stored.
			for _, r := range in.Reads {
				again = again || r >= 0 && b.flow.tracked[r]
				b.fixedReads[r] = true
			}
			if len(in.Reads) == 0 {
				b.flow.untrackedAdds[int32(i)] = in
			}
			b.instances[i] = nil
		}
	}
	for i, is := range b.flow.tracked {
		if is && b.t.Events[i].Kind == trace.AtomicRMW && b.instances[i] == nil {
			b.flow.tracked[i] = false
		}
	}
	for i, in := range b.instances {
		if in == nil {
			continue
		}
		own := b.t.Events[i].Kind == trace.AtomicRMW
		for _, r := range in.Reads {
			own = own || r >= 0 && b.flow.tracked[r]
		}
		if !own {
			b.instances[i] = nil
		}
	}
}

// A frame is a goroutine at a site that formulas speak of.
type frame struct {
	g   trace.GID
	key uint64
}

type flowBuilder struct {
	sites            *trace.SiteIndex
	t                *trace.Trace
	flow             *Flow
	instances        []*Instance // by event
	formulas         map[trace.SiteID]*Formula
	neededReadings   map[uint64]int // by key of a site: how many of its last readings are needed
	lastReadings     map[frame]*[]int32
	fixedReads       map[int32]bool
	pendingHandovers map[trace.GID]*pendingHandover
	handedOver       map[frame]*bundle
	usingHandovers   map[*Formula]bool // formulas that speak of what is handed over
}

// parse reads the formulas of the sites. What does not parse is none.
func (b *flowBuilder) parse() {
	for id, s := range b.t.Sites {
		if s.Formula == "" {
			continue
		}
		f, err := ParseFormula(s.Formula)
		if err != nil {
			continue
		}
		b.formulas[id] = &f
		if f.usesHandovers() {
			b.usingHandovers[&f] = true
		}
		f.each(false, func(r Reading, _ bool) { b.neededReadings[r.Key] = max(b.neededReadings[r.Key], int(r.Back)+1) })
	}
}

// each calls do for each reading, in the order of Eval, and says whether it is
// spared where what comes before decides.
func (f *Formula) each(spared bool, do func(r Reading, spared bool)) {
	if f.Op == Value {
		do(f.Read, spared)
	}
	for i := range f.Args {
		f.Args[i].each(spared || i > 0 && (f.Op == And || f.Op == Or), do)
	}
}

// Readings returns how many readings f has.
func (f *Formula) Readings() (n int) {
	f.each(false, func(Reading, bool) { n++ })
	return n
}

// HasBefore reports whether f speaks of what an atomic operation found.
func (f *Formula) HasBefore() bool {
	if f.Op == Before {
		return true
	}
	for i := range f.Args {
		if f.Args[i].HasBefore() {
			return true
		}
	}
	return false
}

func (b *flowBuilder) event(i int32) {
	e := &b.t.Events[i]
	s := b.sites.Of(e.Site)
	if b.followHandover(i, e, s) {
		return
	}
	if s.Formula != "" && (derived(e) || e.Kind == trace.Write || e.Kind == trace.Operand) {
		b.instance(i, e)
	}
	if e.Kind != trace.Operand && e.Kind != trace.Read && e.Kind != trace.AtomicLoad && e.Kind != trace.AtomicRMW {
		return
	}
	if s.Tracked && e.Kind != trace.Operand && e.HasValue() {
		b.flow.tracked[i] = true
	}
	if n := b.neededReadings[s.Key]; n > 0 {
		at := frame{e.G, s.Key}
		list := b.lastReadings[at]
		if list == nil {
			list = new([]int32)
			b.lastReadings[at] = list
		}
		if len(*list) == n {
			copy(*list, (*list)[1:])
			*list = (*list)[:n-1]
		}
		*list = append(*list, i)
	}
}

// derived reports whether the value of e is what a formula of its site gives.
func derived(e *trace.Event) bool {
	switch e.Kind {
	case trace.Branch, trace.Assert:
		return true
	case trace.Write, trace.AtomicStore, trace.AtomicRMW, trace.Operand:
		return e.HasValue() && e.Flags&trace.FlagFailed == 0
	}
	return false
}

// instance adds the formula of event i, if all of it is known and gives what was
// recorded.
func (b *flowBuilder) instance(i int32, e *trace.Event) {
	f := b.formulas[e.Site]
	if f == nil {
		return
	}
	in := &Instance{Formula: f}
	whole := b.findReadings(in, e.G)
	if whole = whole && derived(e); whole {
		whole = e.Kind == trace.AtomicRMW || in.Matches(e, in.recorded(b.t))
	}
	if !whole {
		for _, r := range in.Reads {
			b.fixedReads[r] = true
		}
		if e.Kind == trace.AtomicRMW {
			b.fixedReads[i] = true
		}
		return
	}
	b.instances[i] = in
}

// find finds the readings of the formula of in, for goroutine g, and puts in what is
// handed over. It reports whether all of it is known.
func (b *flowBuilder) findReadings(in *Instance, g trace.GID) bool {
	if b.usingHandovers[in.Formula] {
		f, whole := b.fill(in, g, *in.Formula, false)
		in.Formula = &f
		return whole
	}
	whole := true
	in.Formula.each(false, func(r Reading, spared bool) {
		at, ok := b.reading(g, r)
		whole = whole && (ok || spared && at < 0)
		in.Reads = append(in.Reads, at)
	})
	return whole
}

// reading returns the event of goroutine g that r speaks of, or -1; ok is false if it
// does not tell the value either.
func (b *flowBuilder) reading(g trace.GID, r Reading) (at int32, ok bool) {
	list := b.lastReadings[frame{g, r.Key}]
	if list == nil || len(*list) <= int(r.Back) {
		return -1, false
	}
	at = (*list)[len(*list)-1-int(r.Back)]
	return at, b.t.Events[at].HasValue() && b.t.Events[at].Size == uint32(r.Size)
}

// Same reports whether v, which the formula of e gives, is the value or outcome
// that e has.
func (in *Instance) Matches(e *trace.Event, v int64) bool {
	if e.Kind == trace.Branch || e.Kind == trace.Assert {
		return (v != 0) == (e.Val != 0)
	}
	return e.SameBits(uint64(v))
}

// Eval computes the formula: read gives the value of its reading number k, from 0
// in the order in which they stand in its text, before what an atomic operation
// found.
func (f *Formula) Eval(before int64, read func(k int, r Reading) int64) int64 {
	k := 0
	return f.eval(before, read, &k)
}

func (f *Formula) eval(before int64, read func(k int, r Reading) int64, k *int) int64 {
	switch f.Op {
	case Number:
		return f.Num
	case Before:
		return before
	case Value:
		*k++
		return read(*k-1, f.Read)
	}
	args := make([]int64, len(f.Args))
	for i := range f.Args {
		args[i] = f.Args[i].eval(before, read, k)
	}
	return f.Op.apply(args)
}

func (o Op) apply(args []int64) int64 {
	switch o {
	case Minus:
		return args[0] - args[1]
	case Times:
		return args[0] * args[1]
	case Equal:
		return truth(args[0] == args[1])
	case Less:
		return truth(args[0] < args[1])
	case LessEqual:
		return truth(args[0] <= args[1])
	case Not:
		return truth(args[0] == 0)
	case If:
		if args[0] != 0 {
			return args[1]
		}
		return args[2]
	}
	v := args[0]
	for _, a := range args[1:] {
		switch o {
		case Plus:
			v += a
		case And:
			v = truth(v != 0 && a != 0)
		case Or:
			v = truth(v != 0 || a != 0)
		}
	}
	return v
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

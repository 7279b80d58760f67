// Package dataflow finds the reads that determine the values of a trace. The sites of a trace have
// formulas ([Formula]): they compute a stored value, or the outcome of a branch or assertion, from the
// values that the goroutine has read. A [Flow] connects the formulas with these read events, and
// [Scopes] tell where the control scopes of branches end. Together they tell which reads matter: only
// those must keep the write that they read from (Chen and Roşu, Predictive Runtime Analysis of
// Multithreaded Programs, 2005).
package dataflow

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Flow has the formulas of the events of one trace, with the positions of the reads that they refer
// to. Arguments and results are followed through the calls as recorded: each $ in a formula is
// replaced by the formula of the value that was handed over.
type Flow struct {
	formulas      trace.Marks         // the events that have a formula
	instances     []*Instance         // the formulas of these events, in their order
	tracked       []bool              // by event, for fast access by the judge; nil if nothing is known
	untrackedAdds map[int32]*Instance // atomic additions to values that are not tracked
}

// An Instance is the formula of one event, with the reads that give its values.
type Instance struct {
	Formula *Formula
	// Reads has the positions of the reads, in the order of Formula.Eval. A value that was not needed has
	// -1: that of y in x && y where x is false.
	Reads []int32
}

// InstanceAt returns the formula of the event at position i: a store, atomic operation, branch or
// assertion. It returns nil if the event has no formula, or one without tracked reads.
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

// AddInstanceAt is InstanceAt, but it also returns the formula of an atomic addition to a value that
// is not tracked.
func (f *Flow) AddInstanceAt(i int) *Instance {
	if in := f.untrackedAdds[int32(i)]; in != nil {
		return in
	}
	return f.InstanceAt(i)
}

// IsEmpty reports whether the flow has no formulas and no tracked reads.
func (f *Flow) IsEmpty() bool { return f.tracked == nil }

// IsTracked reports whether the value that event i reads reaches only formulas. Then it may differ from
// the recorded value.
func (f *Flow) IsTracked(i int) bool { return f.tracked != nil && f.tracked[i] }

// ValueBefore returns the value in memory before the event at position i of t, an atomic addition. ok
// is false if its formula does not tell.
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

// recorded returns the value of the formula for the recorded reads. The value before an atomic
// operation counts as 0.
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

// TooLong reports whether t has no flow: it has more than MaxEvents events, or package reduce has left
// out the operands and conditions of some goroutines.
func TooLong(t *trace.Trace) bool {
	dropped := t.LacksValues
	return len(t.Events) > MaxEvents || dropped != nil && slices.ContainsFunc(t.Events, func(e trace.Event) bool { return dropped[e.G] })
}

// Constrained returns the part of f in which only assertions may have other outcomes than recorded: it
// tracks the reads whose values reach only assertions. The trace of f is t. This is the constrained
// model of Wang et al., Symbolic Predictive Analysis, FAC 2011, §7.1.
func (f *Flow) Constrained(t *trace.Trace) *Flow {
	c := &Flow{tracked: make([]bool, len(f.tracked))}
	of := make([]*Instance, len(f.tracked))
	for i, is := range f.tracked {
		c.tracked[i] = is && t.Events[i].Kind != trace.AtomicRMW
	}
	for k, i := range f.formulas.All {
		in := f.instances[k]
		if t.Sites[t.Events[i].Site].FailsIf != trace.NoOutcome {
			of[i] = in
			continue
		}
		for _, r := range in.Reads {
			if r >= 0 {
				c.tracked[r] = false
			}
		}
	}
	c.setInstances(of)
	return c
}

// New returns the flow of t. It leaves out each formula that does not give the recorded value, and
// tracks none of its reads: something about the value is not as it seems, such as an operation that
// wrapped around.
//
// A flow takes memory for each event that is tracked. So t has none if it is too long, or if no
// formula belongs to an assertion or to a branch with a control scope.
func New(t *trace.Trace) *Flow {
	b := flowBuilder{
		t: t, sites: trace.NewSiteIndex(t), flow: &Flow{untrackedAdds: map[int32]*Instance{}},
		formulas: map[trace.SiteID]*Formula{}, lastReadings: map[frame]*[]int32{}, neededReadings: map[uint64]int{}, fixedReads: map[int32]bool{},
		pendingHandovers: map[trace.GID]*pendingHandover{}, handedOver: map[frame]*bundle{}, usingHandovers: map[*Formula]bool{},
	}
	asserts := false
	for _, s := range t.Sites {
		asserts = asserts || s.Formula != "" && (s.FailsIf != trace.NoOutcome || s.Scope.LastLine != 0)
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
	b.flow.setInstances(b.instances)
	return b.flow
}

// fill sets the formulas of f from of, which has one or nil for each event. It clears tracked if f has
// no formula and no tracked read.
func (f *Flow) setInstances(of []*Instance) {
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

// dropInconsistent stops tracking the reads that have an unknown use, and drops the formulas without a
// tracked read. It repeats this as one may cause the other.
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
			// The value that it stored depends on the untracked value before.
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

// A frame is a goroutine at a site that formulas refer to.
type frame struct {
	g   trace.GID
	key uint64
}

// A flowBuilder computes a Flow event by event.
type flowBuilder struct {
	sites            *trace.SiteIndex
	t                *trace.Trace
	flow             *Flow
	instances        []*Instance // by event
	formulas         map[trace.SiteID]*Formula
	neededReadings   map[uint64]int     // by key of a site: how many of its latest reads formulas refer to
	lastReadings     map[frame]*[]int32 // positions of these reads
	fixedReads       map[int32]bool     // reads whose values must stay as recorded
	pendingHandovers map[trace.GID]*pendingHandover
	handedOver       map[frame]*bundle
	usingHandovers   map[*Formula]bool // formulas with arguments or results
}

// parse parses the formulas of the sites. It ignores those that do not parse.
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
		if f.hasAny(Handed, Unknown, Hand) {
			b.usingHandovers[&f] = true
		}
		f.forEachReading(false, func(r Reading, _ bool) { b.neededReadings[r.Key] = max(b.neededReadings[r.Key], int(r.Back)+1) })
	}
}

// forEachReading calls do for each reading, in the order of Eval. A reading is spared if and or or may not
// evaluate it.
func (f *Formula) forEachReading(spared bool, do func(r Reading, spared bool)) {
	if f.Op == Value {
		do(f.Read, spared)
	}
	for i := range f.Args {
		f.Args[i].forEachReading(spared || i > 0 && (f.Op == And || f.Op == Or), do)
	}
}

// Readings returns the number of readings in f.
func (f *Formula) Readings() (n int) {
	f.forEachReading(false, func(Reading, bool) { n++ })
	return n
}

// HasBefore reports whether f uses the value before an atomic operation.
func (f *Formula) HasBefore() bool { return f.hasAny(Before) }

// hasAny reports whether f or a part of it has one of the operations.
func (f *Formula) hasAny(ops ...Op) bool {
	if slices.Contains(ops, f.Op) {
		return true
	}
	for k := range f.Args {
		if f.Args[k].hasAny(ops...) {
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
	if s.Formula != "" && (hasDerivedValue(e) || e.Kind == trace.Write || e.Kind == trace.Operand) {
		b.instance(i, e)
	}
	if e.Kind != trace.Operand && e.Kind != trace.Read && e.Kind != trace.AtomicLoad && e.Kind != trace.AtomicRMW {
		return
	}
	if s.OnlyInFormulas && e.Kind != trace.Operand && e.HasValue() {
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

// hasDerivedValue reports whether the formula at the site of e gives the value of e.
func hasDerivedValue(e *trace.Event) bool {
	switch e.Kind {
	case trace.Branch, trace.Assert:
		return true
	case trace.Write, trace.AtomicStore, trace.AtomicRMW, trace.Operand:
		return e.HasValue() && e.Flags&trace.FlagFailed == 0
	}
	return false
}

// instance adds the formula of event i, if all of its values are known and it gives the recorded
// value.
func (b *flowBuilder) instance(i int32, e *trace.Event) {
	f := b.formulas[e.Site]
	if f == nil {
		return
	}
	in := &Instance{Formula: f}
	whole := b.findReadings(in, e.G)
	if whole = whole && hasDerivedValue(e); whole {
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

// findReadings finds the reads of the formula of in, for goroutine g, and replaces values that are
// handed over. It reports whether all values are known.
func (b *flowBuilder) findReadings(in *Instance, g trace.GID) bool {
	if b.usingHandovers[in.Formula] {
		f, whole := b.substitute(in, g, *in.Formula, false)
		in.Formula = &f
		return whole
	}
	whole := true
	in.Formula.forEachReading(false, func(r Reading, spared bool) {
		at, ok := b.reading(g, r)
		whole = whole && (ok || spared && at < 0)
		in.Reads = append(in.Reads, at)
	})
	return whole
}

// reading returns the event of goroutine g that r refers to, or -1. ok is false if the value is
// unknown.
func (b *flowBuilder) reading(g trace.GID, r Reading) (at int32, ok bool) {
	list := b.lastReadings[frame{g, r.Key}]
	if list == nil || len(*list) <= int(r.Back) {
		return -1, false
	}
	at = (*list)[len(*list)-1-int(r.Back)]
	return at, b.t.Events[at].HasValue() && b.t.Events[at].Size == uint32(r.Size)
}

// Matches reports whether v, a result of the formula, is the value or outcome of e.
func (in *Instance) Matches(e *trace.Event, v int64) bool {
	if e.Kind == trace.Branch || e.Kind == trace.Assert {
		return (v != 0) == (e.Val != 0)
	}
	return e.ValueEquals(uint64(v))
}

// Eval returns the value of the formula. The function read returns the value of reading k, counted
// from 0 in the order of the formula's text; before is the value before an atomic operation.
func (f *Formula) Eval(before int64, read func(k int, r Reading) int64) int64 {
	k := 0
	return f.eval(before, read, &k)
}

func (f *Formula) eval(before int64, read func(k int, r Reading) int64, k *int) int64 {
	switch f.Op {
	case Number:
		return f.Constant
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

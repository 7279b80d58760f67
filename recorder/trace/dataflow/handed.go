package dataflow

import "github.com/gopredict/gopredict/recorder/trace"

// This file follows arguments and results through the recorded calls, by events of kind Operand at
// sites with these operations. The arguments of a call belong to the function that begins with the
// goroutine's next event. The results of a function belong to the call that ends next. So it does not
// matter how many places call a function, or whether it is called by its name, as a closure, or
// through an interface.
const (
	opCall   = "call"   // the arguments, the last one first
	opEnter  = "enter"  // the function begins
	opReturn = "return" // the results
	opResult = "result" // the call has ended
)

// A bundle has the arguments or the results of a call.
type bundle []Instance // by index; Formula is nil if the value is unknown

// A pendingHandover has the arguments and results of a goroutine that have not reached a function or
// call yet.
type pendingHandover struct{ call, results *bundle }

// followHandover updates the pending arguments and results for event i. It reports whether the event
// only hands over values.
func (b *flowBuilder) followHandover(i int32, e *trace.Event, s *trace.Site) bool {
	op := ""
	if e.Kind == trace.Operand {
		op = s.Op
	}
	h := b.pendingHandovers[e.G]
	if h == nil {
		switch op {
		case opCall, opEnter, opReturn, opResult:
			h = &pendingHandover{}
			b.pendingHandovers[e.G] = h
		default:
			return false
		}
	}
	to := frame{e.G, s.Key}
	switch op {
	case opCall:
		b.dropBundle(&h.call)
		b.dropBundle(&h.results)
		h.call = b.bundle(e)
	case opEnter:
		b.handedOver[to], h.call = h.call, nil
		b.dropBundle(&h.results)
	case opReturn:
		b.dropBundle(&h.call)
		b.dropBundle(&h.results)
		h.results = b.bundle(e)
	case opResult:
		b.dropBundle(&h.call)
		got := h.results
		h.results = nil
		if !s.OnlyInFormulas || !b.agreesWithResult(got, e) || !b.hasResultCount(got, e) {
			b.dropBundle(&got)
		}
		b.handedOver[to] = got
	default:
		b.dropBundle(&h.call)
		if !e.Kind.IsDeferred() {
			b.dropBundle(&h.results)
		}
		return false
	}
	return true
}

// bundle returns the values that event e hands over, or nil if its site has no formula for them.
func (b *flowBuilder) bundle(e *trace.Event) *bundle {
	f := b.formulas[e.Site]
	if f == nil || f.Op != Hand {
		return nil
	}
	out := make(bundle, len(f.Args))
	for k := range f.Args {
		in := Instance{}
		if v, ok := b.substitute(&in, e.G, f.Args[k], false); ok {
			in.Formula = &v
		} else {
			b.fixReads(in.Reads)
		}
		out[k] = in
	}
	return &out
}

// agreesWithResult reports whether the first value of got is the recorded value of e, if e has one.
func (b *flowBuilder) agreesWithResult(got *bundle, e *trace.Event) bool {
	if got == nil || !e.HasValue() || (*got)[0].Formula == nil {
		return got != nil
	}
	return e.ValueEquals(uint64((*got)[0].recorded(b.t)))
}

// hasResultCount reports whether got has as many values as the call of e has results, if the site of e
// tells. If not, other code has returned last.
func (b *flowBuilder) hasResultCount(got *bundle, e *trace.Event) bool {
	f := b.formulas[e.Site]
	return got == nil || f == nil || f.Op != Hand || len(f.Args) == len(*got)
}

// dropBundle forgets values that reach no known function or call. Their reads must stay as recorded,
// as the values may go anywhere.
func (b *flowBuilder) dropBundle(v **bundle) {
	if *v == nil {
		return
	}
	for _, in := range **v {
		b.fixReads(in.Reads)
	}
	*v = nil
}

// fixReads marks reads whose values must stay as recorded.
func (b *flowBuilder) fixReads(reads []int32) {
	for _, r := range reads {
		b.fixedReads[r] = true
	}
}

// maxSubstitutedReadings bounds the readings of a formula, including those of the values handed over.
const maxSubstitutedReadings = 64

// substitute returns f with each $ replaced by the value that was handed over to goroutine g, and appends
// the readings to those of in. ok is false if part of the formula is unknown. An operand is spared if
// and or or may not evaluate it.
func (b *flowBuilder) substitute(in *Instance, g trace.GID, f Formula, spared bool) (out Formula, ok bool) {
	switch f.Op {
	case Unknown:
		return f, false
	case Value:
		at, ok := b.reading(g, f.Read)
		in.Reads = append(in.Reads, at)
		return f, ok || spared && at < 0
	case Handed:
		got := b.handedOver[frame{g, f.Read.Key}]
		if got == nil || int(f.Read.Back) >= len(*got) || (*got)[f.Read.Back].Formula == nil || len(in.Reads) > maxSubstitutedReadings {
			return Formula{Op: Number}, spared
		}
		v := (*got)[f.Read.Back]
		in.Reads = append(in.Reads, v.Reads...)
		return *v.Formula, true
	}
	ok = true
	if len(f.Args) > 0 {
		args := make([]Formula, len(f.Args))
		for k, arg := range f.Args {
			var known bool
			args[k], known = b.substitute(in, g, arg, spared || k > 0 && (f.Op == And || f.Op == Or))
			ok = ok && known
		}
		f.Args = args
	}
	return f, ok
}

package dataflow

import "github.com/gopredict/gopredict/recorder/trace"

// This file follows what functions hand to each other, from call to call as they were
// recorded: by events of kind Operand at sites with these operations. A call tells of
// its arguments just before the function begins, if that has an event next, and a
// function of its results when it returns; the call that ends next gets them. So it
// matters neither how many places call a function, nor whether it is called by its
// name, as a closure, or by way of an interface.
const (
	opCall   = "call"   // the arguments, the last one first
	opEnter  = "enter"  // the function begins
	opReturn = "return" // the results
	opResult = "result" // the call has ended
)

// A bundle has the values that are handed over at once.
type bundle []Instance // a nil Formula is not known

// handing is what a goroutine is about to hand over.
type pendingHandover struct{ call, results *bundle }

// hand follows event i, and reports whether it does nothing but to hand over values.
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
		if !s.Tracked || !b.agreesWithResult(got, e) || !b.hasResultCount(got, e) {
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

// bundle returns what is handed over at the event e.
func (b *flowBuilder) bundle(e *trace.Event) *bundle {
	f := b.formulas[e.Site]
	if f == nil || f.Op != Hand {
		return nil
	}
	out := make(bundle, len(f.Args))
	for k := range f.Args {
		in := Instance{}
		if v, ok := b.fill(&in, e.G, f.Args[k], false); ok {
			in.Formula = &v
		} else {
			b.fixReads(in.Reads)
		}
		out[k] = in
	}
	return &out
}

// agrees reports whether the first value of got is that of e, if that has one.
func (b *flowBuilder) agreesWithResult(got *bundle, e *trace.Event) bool {
	if got == nil || !e.HasValue() || (*got)[0].Formula == nil {
		return got != nil
	}
	return e.SameBits(uint64((*got)[0].recorded(b.t)))
}

// fits reports whether got has as many values as the call of e has results, if its site
// tells: other code may have returned last.
func (b *flowBuilder) hasResultCount(got *bundle, e *trace.Event) bool {
	f := b.formulas[e.Site]
	return got == nil || f == nil || f.Op != Hand || len(f.Args) == len(*got)
}

// drop forgets what is handed to nobody that is known: it may go anywhere.
func (b *flowBuilder) dropBundle(v **bundle) {
	if *v == nil {
		return
	}
	for _, in := range **v {
		b.fixReads(in.Reads)
	}
	*v = nil
}

func (b *flowBuilder) fixReads(reads []int32) {
	for _, r := range reads {
		b.fixedReads[r] = true
	}
}

// maxFilled bounds the readings of a formula with all that is handed over.
const maxFilled = 64

// fill returns f with what was handed over to goroutine g in place of $, and adds the
// readings to those of in. ok is false if not all of it is known.
func (b *flowBuilder) fill(in *Instance, g trace.GID, f Formula, spared bool) (out Formula, ok bool) {
	switch f.Op {
	case Unknown:
		return f, false
	case Value:
		at, ok := b.reading(g, f.Read)
		in.Reads = append(in.Reads, at)
		return f, ok || spared && at < 0
	case Handed:
		got := b.handedOver[frame{g, f.Read.Key}]
		if got == nil || int(f.Read.Back) >= len(*got) || (*got)[f.Read.Back].Formula == nil || len(in.Reads) > maxFilled {
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
			args[k], known = b.fill(in, g, arg, spared || k > 0 && (f.Op == And || f.Op == Or))
			ok = ok && known
		}
		f.Args = args
	}
	return f, ok
}

// hands reports whether f speaks of what is handed over.
func (f *Formula) usesHandovers() bool {
	if f.Op == Handed || f.Op == Unknown || f.Op == Hand {
		return true
	}
	for k := range f.Args {
		if f.Args[k].usesHandovers() {
			return true
		}
	}
	return false
}

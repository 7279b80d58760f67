package feasible

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A taintsState says which reads have found something else than recorded, and
// what may depend on them. A taint is such a read, or none.
type taintsState struct {
	// The program whose state it is.
	program *program
	// By goroutine: all that it does from there on may depend on the read.
	goroutineTaints []int32
	// pendingUpdates are by goroutine half of an x.n++ that waits for its store:
	// only what that writes depends on it.
	pendingUpdates []int32
	// By goroutine: reads that should have found what may be a pointer.
	lostPointers map[trace.GID][]int32
	// What tracked reads have found, where that is not what was recorded.
	deviations map[int32]foundValue
}

// A foundValue is what a tracked read has found, if that is known.
type foundValue struct {
	// The value.
	val uint64
	// The value is known.
	known bool
}

func newTaints(p *program) taintsState {
	n := len(p.forked)
	s := taintsState{program: p, goroutineTaints: make([]int32, n), pendingUpdates: make([]int32, n), lostPointers: map[trace.GID][]int32{}, deviations: map[int32]foundValue{}}
	for g := range s.goroutineTaints {
		s.goroutineTaints[g], s.pendingUpdates[g] = none, none
	}
	return s
}

// set makes s what o is.
func (s *taintsState) set(o *taintsState) {
	copy(s.goroutineTaints, o.goroutineTaints)
	copy(s.pendingUpdates, o.pendingUpdates)
	s.deviations, s.lostPointers = maps.Clone(o.deviations), maps.Clone(o.lostPointers)
	for g, reads := range s.lostPointers {
		s.lostPointers[g] = slices.Clone(reads)
	}
}

// infect taints goroutine g, unless it is tainted already.
func (s *taintsState) infect(g trace.GID, taint int32) {
	if s.goroutineTaints[g] == none {
		s.goroutineTaints[g] = taint
	}
}

// deviate notes that a read that only moves data has found something else
// than recorded.
func (s *taintsState) deviate(pos int32, e *trace.Event) {
	s.infect(e.G, pos)
	if isWord(e) && e.Val >= pointerReach {
		s.lostPointers[e.G] = append(s.lostPointers[e.G], pos)
	}
}

// ofWrite returns the taint of what goroutine g writes now, by which an
// update of it ends.
func (s *taintsState) ofWrite(g trace.GID) int32 {
	taint := s.goroutineTaints[g]
	if taint == none {
		taint = s.pendingUpdates[g]
	}
	s.pendingUpdates[g] = none
	return taint
}

// mayComeOutDifferently tells why a condition may not come out as recorded for goroutine
// g.
func (s *taintsState) mayComeOutDifferently(g trace.GID) string {
	if r := s.goroutineTaints[g]; r != none {
		return fmt.Sprintf("expected the recorded outcome, found that it may depend on %s, which reads something else than recorded", s.program.describe(int(r)))
	}
	return ""
}

// cannotReach tells why its goroutine may not come to e. Before it there was a
// condition, which may have come out otherwise. Or e cannot touch what it
// touched in the trace: the address is that of, or in, what a read of the
// goroutine should have pointed to, and a local variable may have carried the
// pointer.
func (s *taintsState) cannotReach(e *trace.Event) string {
	if e.Flags&trace.FlagBranchOmitted != 0 {
		if reason := s.mayComeOutDifferently(e.G); reason != "" {
			return reason
		}
	}
	if len(s.lostPointers) == 0 {
		return ""
	}
	for _, r := range s.lostPointers[e.G] {
		base := s.program.t.Events[r].Val
		if e.Obj >= base && e.Obj-base < pointerReach && e.Kind.HasAddress() {
			return fmt.Sprintf("expected the recorded address, found that it may depend on %s, which reads something else than recorded", s.program.describe(int(r)))
		}
	}
	return ""
}

// asRecorded reports whether all that an instance of a formula, or none,
// follows from was found as in the trace.
func (s *taintsState) asRecorded(in *dataflow.Instance) bool {
	return in == nil || !slices.ContainsFunc(in.Reads, func(r int32) bool {
		_, deviates := s.deviations[r]
		return deviates
	})
}

// eval computes a formula from what was read, if all of that is known. Before
// is what is in memory before an update.
func (s *taintsState) eval(in *dataflow.Instance, before int64) (v int64, known bool) {
	known = true
	v = in.Formula.Eval(before, func(k int, r dataflow.Reading) int64 {
		pos := in.Reads[k]
		if pos < 0 {
			return 0
		}
		if f, ok := s.deviations[pos]; ok {
			known = known && f.known
			return r.Number(f.val)
		}
		return r.Number(s.program.t.Events[pos].Val)
	})
	return v, known
}

// comesOutDifferently reports whether the condition of which in is the instance comes
// out otherwise than at e, if that is known.
func (s *taintsState) comesOutDifferently(e *trace.Event, in *dataflow.Instance) (is, known bool) {
	v, known := s.eval(in, 0)
	return known && !in.Matches(e, v), known
}

// assertionHolds tells why the assertion at pos does not fail.
func (s *taintsState) assertionHolds(pos int32, e *trace.Event) string {
	in := s.program.flow.InstanceAt(int(pos))
	if in == nil {
		return "expected an assertion that follows from what was read, found that it is not known what it follows from"
	}
	switch fails, known := s.comesOutDifferently(e, in); {
	case !known:
		return "expected the condition to take the other way, found that it follows from what is not known"
	case !fails:
		return "expected the condition to take the other way, found that it does not"
	}
	return ""
}

package feasible

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A taintsState has the reads that did not find the recorded value, and what
// may depend on them. A taint is such a read, or none.
type taintsState struct {
	program *program
	// By goroutine: the read on which all its later events may depend.
	goroutineTaints []int32
	// pendingUpdates are by goroutine half of an x.n++ that waits for its store:
	// only what that writes depends on it.
	pendingUpdates []int32
	// By goroutine: the reads that should have found what may be a pointer.
	lostPointers map[trace.GID][]int32
	// The values that tracked reads found, if they are not the recorded ones.
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

// deviate records that a read whose value only flows into memory did not find
// the recorded value.
func (s *taintsState) deviate(pos int32, e *trace.Event) {
	s.infect(e.G, pos)
	if isWord(e) && e.Val >= pointerReach {
		s.lostPointers[e.G] = append(s.lostPointers[e.G], pos)
	}
}

// ofWrite returns the taint of the value that goroutine g writes now. The write
// ends an update of g.
func (s *taintsState) ofWrite(g trace.GID) int32 {
	taint := s.goroutineTaints[g]
	if taint == none {
		taint = s.pendingUpdates[g]
	}
	s.pendingUpdates[g] = none
	return taint
}

// mayComeOutDifferently returns why a condition of goroutine g may not come out
// as recorded.
func (s *taintsState) mayComeOutDifferently(g trace.GID) string {
	if r := s.goroutineTaints[g]; r != none {
		return fmt.Sprintf("expected the recorded outcome, found that it may depend on %s, which reads something else than recorded", s.program.describe(int(r)))
	}
	return ""
}

// cannotReach returns why a goroutine may not reach its event e. A condition
// before e was left out of the trace and may have come out differently. Or e
// accesses memory to which a read of the goroutine should have found a pointer:
// a local variable may have carried that pointer.
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

// asRecorded reports whether all reads of an instance of a formula found the
// recorded values.
func (s *taintsState) asRecorded(in *dataflow.Instance) bool {
	return in == nil || !slices.ContainsFunc(in.Reads, func(r int32) bool {
		_, deviates := s.deviations[r]
		return deviates
	})
}

// eval computes a formula from the values that were read, if all are known. The
// value before is that of memory before an update.
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

// assertionHolds returns why the assertion at pos does not fail, or "".
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

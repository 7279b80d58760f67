package feasible

import (
	"fmt"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A memoryState is the state of memory.
type memoryState struct {
	program *program
	contents
	changes changeLog
}

// A cellState is the state of a cell of memory.
type cellState struct {
	writer int32 // the write whose value it holds, or none
	// The read that makes the value unknown; none; or computed.
	taint int32
}

// computed is the taint of a cell whose value is not the recorded one of its
// writer, but a computed one: see contents.vals.
const computed = -2

// access executes a memory access.
func (s *state) access(pos int32, e *trace.Event, ref int32) string {
	sp := s.program.mem.span(pos)
	v, known, tracked := s.computeAccess(pos, e, sp, ref)
	if reads(e.Kind) && !tracked {
		if reason := s.read(pos, e, sp, ref); reason != "" {
			return reason
		}
	}
	if !writes(e) {
		return ""
	}
	s.mem.changes.record(&s.mem.contents, sp.First, sp.N)
	taint := s.taints.ofWrite(e.G)
	if s.program.flow.InstanceAt(int(pos)) != nil {
		s.mem.storeComputed(pos, e, sp, v, known)
	} else {
		s.mem.store(pos, sp, taint)
	}
	return ""
}

// read executes a read that is not tracked. If its value matters it must be the
// recorded one. The recorded writers of its cells begin at index writers of
// memory.from.
func (s *state) read(pos int32, e *trace.Event, sp trace.Span, writers int32) string {
	c, was, differs := s.mem.firstDifference(e, sp, writers)
	switch {
	case !differs:
	case s.program.uses[pos]&isUpdate != 0:
		s.taints.pendingUpdates[e.G] = pos
	case s.program.uses[pos]&isData != 0 || s.lastOfGoroutine:
		s.taints.deviate(pos, e)
	default:
		return s.mem.difference(e, was, c)
	}
	return ""
}

// computeAccess evaluates the formulas ([dataflow.Formula]) of the access at
// pos to the cells sp. It returns the value that the access stores, whether
// that is known, and whether the access is a tracked read. A tracked read may
// find another value than the recorded one.
func (s *state) computeAccess(pos int32, e *trace.Event, sp trace.Span, writers int32) (v int64, known, tracked bool) {
	in := s.program.flow.InstanceAt(int(pos))
	tracked = s.program.flow.IsTracked(int(pos)) && (e.Kind != trace.AtomicRMW || in != nil && writes(e))
	same := tracked && s.mem.undisturbed(sp, writers)
	if s.taints.asRecorded(in) && (!tracked || same) {
		// Whatever the memory held at first: an allocator may have cleared
		// it.
		return int64(e.Val), true, tracked
	}
	old, known := uint64(0), true
	if tracked {
		old, known = s.program.flow.ValueBefore(s.program.t, int(pos))
		if !same || !known {
			old, known = s.mem.word(e, sp)
		}
	}
	if in != nil {
		var all bool
		v, all = s.taints.eval(in, int64(old))
		known = known && all
	}
	if !tracked {
		return v, known, false
	}
	if e.Kind == trace.AtomicRMW {
		old = uint64(v)
	}
	if !known || !e.ValueEquals(old) {
		s.taints.deviations[pos] = foundValue{old, known}
	}
	return v, known, true
}

// firstDifference returns the first cell of sp in which e does not find the
// recorded value, and the writer of the recorded value.
func (s *memoryState) firstDifference(e *trace.Event, sp trace.Span, writers int32) (c, was int32, differs bool) {
	from := s.program.mem.from[writers:]
	for c := sp.First; c < sp.First+sp.N; c++ {
		was := s.cells[c].writer
		if s.program.mem.cells[c].shared {
			was, from = from[0], from[1:]
		}
		if s.differs(e, s.cells[c], was, c) {
			return c, was, true
		}
	}
	return 0, 0, false
}

// differs reports whether e reads another value in cell c than the recorded
// one, which was written by event was.
func (s *memoryState) differs(e *trace.Event, now cellState, was, c int32) bool {
	if now.taint >= 0 {
		return true
	}
	if now.writer == was && now.taint != computed {
		return false
	}
	want, got, known := s.values(e, was, c)
	return !known || want != got
}

// difference returns how the value that e reads in cell c differs from the
// recorded one.
func (s *memoryState) difference(e *trace.Event, was, c int32) string {
	now := s.cells[c]
	if now.taint >= 0 {
		return fmt.Sprintf("expected the recorded value, found what depends on %s, which reads something else than recorded", s.program.describe(int(now.taint)))
	}
	if want, got, known := s.values(e, was, c); known {
		return fmt.Sprintf("expected to read %#x, found %#x of %s", want, got, s.writerName(now.writer))
	}
	return fmt.Sprintf("expected to read from %s, found %s", s.writerName(was), s.writerName(now.writer))
}

func (s *memoryState) writerName(w int32) string {
	if w == none {
		return "the initial value"
	}
	return s.program.describe(int(w))
}

// values returns the value that e read in cell c in the trace and the one that
// it finds there now, if both are known.
func (s *memoryState) values(e *trace.Event, was, c int32) (want, got uint64, known bool) {
	want, recorded := s.program.mem.recorded(s.program.t, e, was, c)
	got, found := s.value(c)
	return want, got, recorded && found
}

// value returns the value in cell c, if it is known.
func (s *memoryState) value(c int32) (uint64, bool) {
	if now := s.cells[c]; now.taint != computed {
		return s.program.mem.value(s.program.t, now.writer, c)
	}
	return s.vals[c], true
}

// word returns the value in the memory of e, if it is known.
func (s *memoryState) word(e *trace.Event, sp trace.Span) (v uint64, known bool) {
	if !isWord(e) {
		v, known = s.value(sp.First)
		return v, known && s.cells[sp.First].taint < 0 && sp.N == 1 && e.HasValue()
	}
	for c := sp.First; c < sp.First+sp.N; c++ {
		part, ok := s.value(c)
		if !ok || s.cells[c].taint >= 0 {
			return 0, false
		}
		v |= part << (8 * (s.program.mem.layout.Cell(c).Addr - e.Obj))
	}
	return v, true
}

// undisturbed reports whether the memory of an access holds the values of the
// same writers as in the trace.
func (s *memoryState) undisturbed(sp trace.Span, writers int32) bool {
	from := s.program.mem.from[writers:]
	for c := sp.First; c < sp.First+sp.N; c++ {
		now := s.cells[c]
		if now.taint != none {
			return false
		}
		if s.program.mem.cells[c].shared {
			if now.writer != from[0] {
				return false
			}
			from = from[1:]
		}
	}
	return true
}

// store stores the recorded value of the event at pos, with a taint or none.
func (s *memoryState) store(pos int32, sp trace.Span, taint int32) {
	for c := sp.First; c < sp.First+sp.N; c++ {
		s.cells[c] = cellState{writer: pos, taint: taint}
	}
}

// storeComputed stores the computed value v of the write e at pos, or an
// unknown value.
func (s *memoryState) storeComputed(pos int32, e *trace.Event, sp trace.Span, v int64, known bool) {
	s.store(pos, sp, none)
	stored := *e
	stored.Val = uint64(v)
	for c := sp.First; c < sp.First+sp.N; c++ {
		part, _ := s.program.mem.part(&stored, c)
		isPiece := !isWord(e) && s.program.mem.layout.Cell(c).Size != uint64(e.Size) // of what has a digest
		if !known || isPiece {
			s.cells[c].taint = pos
		} else if was, _ := s.program.mem.part(e, c); part != was {
			s.cells[c].taint, s.vals[c] = computed, part
		}
	}
}

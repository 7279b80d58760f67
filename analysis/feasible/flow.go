package feasible

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file executes formulas (dataflow.Formula): reads that are tracked may find
// something else than recorded, and what follows from them is computed.

// follow executes the part of the access at pos, of sp, that formulas tell of. It
// reports whether the access reads something of which all that comes is in
// formulas, and returns the value that it stores; known says that that is known.
// arg is where its writers are in memory.from.
func (s *state) follow(pos int32, e *trace.Event, sp trace.Span, arg int32) (v int64, known, reads bool) {
	in := s.p.flow.At(int(pos))
	reads = s.p.flow.Tracked(int(pos)) && (e.Kind != trace.AtomicRMW || in != nil && writes(e))
	same := reads && s.undisturbed(sp, arg)
	if s.asRecorded(in) && (!reads || same) {
		// Whatever the memory held at first: an allocator may have cleared it.
		return int64(e.Val), true, reads
	}
	old, known := uint64(0), true
	if reads {
		old, known = s.p.flow.Found(s.p.t, int(pos))
		if !same || !known {
			old, known = s.read(e, sp)
		}
	}
	if in != nil {
		var all bool
		v, all = s.eval(e.G, in, int64(old))
		known = known && all
	}
	if !reads {
		return v, known, false
	}
	if e.Kind == trace.AtomicRMW {
		old = uint64(v)
	}
	if !known || !e.SameBits(old) {
		s.found[pos] = finding{old, known}
	}
	return v, known, true
}

// undisturbed reports whether the memory of an access holds what it held in the
// trace: the same writers' values.
func (s *state) undisturbed(sp trace.Span, arg int32) bool {
	m := s.p.mem
	from := m.from[arg:]
	for c := sp.First; c < sp.First+sp.N; c++ {
		now := s.cells[c]
		if now.taint != none {
			return false
		}
		if m.cells[c].shared {
			if now.writer != from[0] {
				return false
			}
			from = from[1:]
		}
	}
	return true
}

// asRecorded reports whether all that an instance of a formula, or none, follows
// from was found as in the trace.
func (s *state) asRecorded(in *dataflow.Instance) bool {
	return in == nil || !slices.ContainsFunc(in.Reads, func(r int32) bool {
		_, deviates := s.found[r]
		return deviates
	})
}

// A finding is what a read has found, if that is known.
type finding struct {
	val   uint64
	known bool
}

// read returns what is in the memory of e, if that is known.
func (s *state) read(e *trace.Event, sp trace.Span) (v uint64, known bool) {
	if !isWord(e) {
		now := s.cells[sp.First]
		v, known = s.content(now, sp.First)
		return v, known && now.taint < 0 && sp.N == 1 && e.HasValue()
	}
	for c := sp.First; c < sp.First+sp.N; c++ {
		now := s.cells[c]
		part, ok := s.content(now, c)
		if !ok || now.taint >= 0 {
			return 0, false
		}
		v |= part << (8 * (s.p.mem.layout.Cell(c).Addr - e.Obj))
	}
	return v, true
}

// content returns what is in cell c, if that is known.
func (s *state) content(now cellState, c int32) (uint64, bool) {
	if now.taint == other {
		return s.vals[c], true
	}
	return s.p.mem.value(s.p.t, now.writer, c)
}

// eval computes a formula from what goroutine g has read, if all of that is known.
func (s *state) eval(g trace.GID, in *dataflow.Instance, before int64) (v int64, known bool) {
	known = true
	v = in.Formula.Eval(before, func(k int, r dataflow.Reading) int64 {
		pos := in.Reads[k]
		if pos < 0 {
			return 0
		}
		if f, ok := s.found[pos]; ok {
			known = known && f.known
			return r.Number(f.val)
		}
		return r.Number(s.p.t.Events[pos].Val)
	})
	return v, known
}

// fill stores v, of the writing event e at pos, in its cells, or what nobody
// knows.
func (s *state) fill(pos int32, e *trace.Event, sp trace.Span, v int64, known bool) {
	m := s.p.mem
	for c := sp.First; c < sp.First+sp.N; c++ {
		now := &s.cells[c]
		*now = cellState{writer: pos, taint: none}
		if !known {
			now.taint = pos
			continue
		}
		cl := m.layout.Cell(c)
		part := uint64(v)
		switch {
		case !isWord(e) && cl.Size != uint64(e.Size):
			now.taint = pos // it is a piece of what has the digest
			continue
		case !isWord(e):
		default:
			part >>= 8 * (cl.Addr - e.Obj)
			if cl.Size < 8 {
				part &= 1<<(8*cl.Size) - 1
			}
		}
		if was, _ := m.part(e, c); part != was {
			now.taint, s.vals[c] = other, part
		}
	}
}

// holds tells why the assertion at pos does not fail.
func (s *state) holds(pos int32, e *trace.Event) string {
	in := s.p.flow.At(int(pos))
	if in == nil {
		return "expected an assertion that follows from what was read, found that it is not known what it follows from"
	}
	switch v, known := s.eval(e.G, in, 0); {
	case !known:
		return "expected the condition to take the other way, found that it follows from what is not known"
	case in.Same(e, v):
		return "expected the condition to take the other way, found that it does not"
	}
	return ""
}

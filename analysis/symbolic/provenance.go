package symbolic

import (
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// provenance is what the trace tells of where values go and what they follow from: the expressions
// of the concurrent trace program (Wang et al., FAC 2011, §3.2). The recorder notes them with the
// sites of stores and branches: see package recorder/provenance. Numbers of formulas are mathematical
// ones, so a cell whose values are read as unsigned keeps that interpretation in all formulas.
type provenance struct {
	*Control
	accesses    *accesses
	flow        *dataflow.Flow // nil: provenance is not known
	wholeAccess []bool         // by event: it accesses memory that is only accessed as a whole
	unsigned    map[int32]bool // by typeKey: formulas read it as an unsigned number
}

func newProvenance(c *Control, a *accesses, flow *dataflow.Flow) *provenance {
	m := &provenance{Control: c, accesses: a, flow: flow}
	if flow == nil || flow.IsEmpty() {
		m.flow = nil
		return m
	}
	m.findWholeAccesses()
	m.findUnsigned()
	return m
}

// tracked reports whether the read at position i may find something else than recorded: what it
// finds goes into formulas only, and its memory is always accessed as a whole.
func (m *provenance) tracked(i int32) bool {
	if m.flow == nil || !m.flow.IsTracked(int(i)) || i >= int32(len(m.wholeAccess)) {
		return false
	}
	return m.wholeAccess[i]
}

// formula returns the formula of event i, or nil.
func (m *provenance) formula(i int32) *dataflow.Instance {
	if m.flow == nil {
		return nil
	}
	in := m.flow.InstanceAt(int(i))
	if in != nil && m.event(i).Kind == trace.AtomicRMW && !m.tracked(i) {
		return nil
	}
	return in
}

// isComputed reports whether the writer at position i may leave something else than recorded, since
// it has a formula.
func (m *provenance) isComputed(i int32) bool { return i != none && m.formula(i) != nil }

// findWholeAccesses finds the accesses to memory that is only accessed as a whole, with known
// values.
func (m *provenance) findWholeAccesses() {
	known := make([]bool, m.accesses.layout.Cells())
	for c := range known {
		known[c] = true
	}
	for i := range m.t.Events {
		e := m.event(int32(i))
		if !e.Kind.IsAccess() {
			continue
		}
		for c := range m.accesses.cellsOf(int32(i)) {
			if _, ok := m.accesses.part(int32(i), c); !ok || m.accesses.span(int32(i)).N != 1 || uint64(e.Size) != m.accesses.layout.Cell(c).Size {
				known[c] = false
			}
		}
	}
	m.wholeAccess = make([]bool, len(m.t.Events))
	for i := range m.t.Events {
		if m.event(int32(i)).Kind.IsAccess() && m.accesses.span(int32(i)).N == 1 {
			m.wholeAccess[i] = known[m.accesses.span(int32(i)).First]
		}
	}
}

// findUnsigned finds the memory and the operands that formulas read as unsigned numbers.
func (m *provenance) findUnsigned() {
	m.unsigned = make(map[int32]bool)
	for i := range m.t.Events {
		in := m.flow.InstanceAt(i)
		if in == nil {
			continue
		}
		in.Formula.Eval(0, func(k int, r dataflow.Reading) int64 {
			if at := in.Reads[k]; at >= 0 && !r.Signed {
				m.unsigned[m.typeKey(at)] = true
			}
			return 0
		})
	}
}

// typeKey returns what the values of event i share their type with: the cell of an access, or that
// event alone.
//
// Cells are at least 0 and complements are below, so the two kinds of keys do not meet.
func (m *provenance) typeKey(i int32) int32 {
	if m.event(i).Kind.IsAccess() {
		return m.accesses.span(i).First
	}
	return ^i
}

// recordedNumber returns the value recorded at position i as formulas read it.
func (m *provenance) recordedNumber(i int32) int64 { return m.numberOf(i, m.event(i).Val) }

// numberOf returns val, as a value of event i, as formulas read it.
//
// An example: the byte 0xff is 255 if some formula reads its cell as unsigned, else -1.
func (m *provenance) numberOf(i int32, val uint64) int64 {
	return dataflow.Reading{Signed: !m.unsigned[m.typeKey(i)], Size: uint8(min(m.event(i).Size, 8))}.Number(val)
}

// recordedResult returns the result of the formula of event i in the recorded run.
func (m *provenance) recordedResult(i int32) int64 {
	in := m.formula(i)
	return in.Formula.Eval(0, func(k int, r dataflow.Reading) int64 {
		if in.Reads[k] < 0 {
			return 0
		}
		return r.Number(m.event(in.Reads[k]).Val)
	})
}

// constantValue returns the value of f, which has the given readings, if none of them may differ
// from the recorded run.
func (m *provenance) constantValue(f *dataflow.Formula, reads []int32) (int64, bool) {
	for _, at := range reads {
		if at >= 0 && m.tracked(at) {
			return 0, false
		}
	}
	if f.HasBefore() {
		return 0, false
	}
	return f.Eval(0, func(k int, r dataflow.Reading) int64 {
		if reads[k] < 0 {
			return 0
		}
		return r.Number(m.event(reads[k]).Val)
	}), true
}

// atomicAdd returns the formula of the atomic operation at position w if it adds a number, although
// what it finds has to be as recorded; else nil.
func (m *provenance) atomicAdd(w int32) *dataflow.Instance {
	if m.flow == nil {
		return nil
	}
	found, ok := m.flow.ValueBefore(m.t, int(w))
	in := m.flow.AddInstanceAt(int(w))
	if !ok || len(in.Reads) > 0 || in.Formula.Eval(m.numberOf(w, found), nil) != m.recordedNumber(w) {
		return nil // or it wraps around
	}
	return in
}

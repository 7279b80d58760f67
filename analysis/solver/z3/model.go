package z3

// A Model gives each variable a value, so that all that was checked holds.
type Model struct {
	ctx *Context
	raw uintptr
}

// Model returns the model of the last check, which must have said True; it stays as it is when the
// solver goes on. That there is none is an error of the context.
func (s *Solver) Model() *Model {
	m := &Model{ctx: s.ctx}
	if !s.usable() {
		return m
	}
	raw := s.ctx.api.SolverGetModel(s.ctx.raw, s.raw)
	if s.ctx.check() {
		s.ctx.api.ModelIncRef(s.ctx.raw, raw)
		m.raw = raw
	}
	return m
}

// Close frees m. Terms that came from it stay.
func (m *Model) Close() {
	if m.raw != 0 && m.ctx.raw != 0 {
		m.ctx.api.ModelDecRef(m.ctx.raw, m.raw)
	}
	m.raw = 0
}

// eval returns the value of a in m. What nothing depends on gets some value.
func (m *Model) eval(a AST) AST {
	return m.ctx.term(func() (value uintptr) {
		if m.raw == 0 {
			panic("z3: use of a closed Model")
		}
		m.ctx.api.ModelEval(m.ctx.raw, m.raw, a.raw, true, &value)
		return value
	})
}

// Int returns the value of a number; it is not ok if no int64 holds that.
func (m *Model) Int(a AST) (n int64, ok bool) {
	value := m.eval(a)
	ok = m.ctx.usable() && m.ctx.api.GetNumeralInt64(m.ctx.raw, value.raw, &n)
	return n, ok
}

// Bool reports whether a boolean holds.
func (m *Model) Bool(a AST) bool {
	value := m.eval(a)
	return m.ctx.usable() && m.ctx.api.GetBoolValue(m.ctx.raw, value.raw) > 0
}

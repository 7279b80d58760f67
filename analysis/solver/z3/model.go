package z3

// A Model gives each constant a value, so that all that was checked holds.
type Model struct {
	ctx *Context
	raw uintptr
}

// Model returns the model of the last check, which must have said True; it stays
// as it is when the solver goes on. That there is none is an error of the context.
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

// usable reports whether there was no error yet. It panics if m is closed.
func (m *Model) usable() bool {
	ok := m.ctx.usable()
	if ok && m.raw == 0 {
		panic("z3: use of a closed Model")
	}
	return ok
}

// Eval returns the value of a in m. What nothing depends on gets some value.
func (m *Model) Eval(a AST) AST {
	if !m.usable() || !m.ctx.owns(a.ctx) {
		return AST{ctx: m.ctx}
	}
	var value uintptr
	m.ctx.api.ModelEval(m.ctx.raw, m.raw, a.raw, true, &value)
	return m.ctx.term(value)
}

// Assignments returns the values of the constants that m has, by their names. Those
// that nothing depends on may be missing.
func (m *Model) Assignments() map[string]AST {
	if !m.usable() {
		return nil
	}
	c := m.ctx
	values := make(map[string]AST)
	for i := range c.api.ModelGetNumConsts(c.raw, m.raw) {
		decl := c.api.ModelGetConstDecl(c.raw, m.raw, i)
		name := Symbol{c, c.api.GetDeclName(c.raw, decl)}
		values[name.String()] = c.term(c.api.ModelGetConstInterp(c.raw, m.raw, decl))
	}
	return values
}

// String returns m as Z3 writes it.
func (m *Model) String() string {
	if !m.usable() {
		return ""
	}
	return m.ctx.api.ModelToString(m.ctx.raw, m.raw)
}

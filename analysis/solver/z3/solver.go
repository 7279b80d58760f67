package z3

// An LBool is a boolean that may be neither true nor false.
type LBool int8

const (
	False LBool = iota - 1
	Undef
	True
)

// A Solver holds assertions over the terms of its [Context], and says whether these, and the
// assumptions of a check, can hold together.
type Solver struct {
	ctx *Context
	raw uintptr
}

// NewSolver returns a solver without assertions.
func (c *Context) NewSolver() *Solver {
	s := &Solver{ctx: c}
	if c.usable() {
		s.raw = c.api.MkSolver(c.raw)
		c.api.SolverIncRef(c.raw, s.raw)
		c.check()
	}
	return s
}

// Close frees s.
func (s *Solver) Close() {
	if s.raw != 0 && s.ctx.raw != 0 {
		s.ctx.api.SolverDecRef(s.ctx.raw, s.raw)
	}
	s.raw = 0
}

// usable reports whether there was no error yet. It panics if s is closed.
func (s *Solver) usable() bool {
	ok := s.ctx.usable()
	if ok && s.raw == 0 {
		panic("z3: use of a closed Solver")
	}
	return ok
}

// Assert adds to what must hold.
func (s *Solver) Assert(terms ...AST) {
	for _, a := range terms {
		if s.usable() {
			s.ctx.api.SolverAssert(s.ctx.raw, s.raw, a.raw)
			s.ctx.check()
		}
	}
}

// Check says whether the assertions and assumptions can hold together: True if there is a model,
// False if not; Undef if it was interrupted, reached a limit or gave up, and if there was an error.
// An assumption is a boolean variable or its negation.
func (s *Solver) Check(assumptions ...AST) LBool {
	if !s.usable() {
		return Undef
	}
	raws := handles(assumptions)
	var first *uintptr
	if len(raws) > 0 {
		first = &raws[0]
	}
	answer := LBool(s.ctx.api.SolverCheck(s.ctx.raw, s.raw, uint32(len(raws)), first))
	if answer != Undef && !s.ctx.check() {
		return Undef
	}
	return answer
}

// ReasonUnknown says after Undef why, in Z3's words.
func (s *Solver) ReasonUnknown() string {
	if !s.usable() {
		return ""
	}
	return s.ctx.api.SolverReasonUnknown(s.ctx.raw, s.raw)
}

// UnsatCore returns after False those assumptions that contradict the assertions: none, if these
// contradict each other.
func (s *Solver) UnsatCore() (core []AST) {
	if !s.usable() {
		return nil
	}
	c := s.ctx
	vector := c.api.SolverGetUnsatCore(c.raw, s.raw)
	if !c.check() {
		return nil
	}
	c.api.ASTVectorIncRef(c.raw, vector)
	defer c.api.ASTVectorDecRef(c.raw, vector)
	for i := range c.api.ASTVectorSize(c.raw, vector) {
		core = append(core, c.term(func() uintptr { return c.api.ASTVectorGet(c.raw, vector, i) }))
	}
	return core
}

// SetResourceLimit bounds what each check from now on may do, in units that Z3 counts (its
// parameter rlimit): no clock has a part in it. 0 is no limit.
func (s *Solver) SetResourceLimit(n uint32) {
	if !s.usable() {
		return
	}
	c := s.ctx
	params := c.api.MkParams(c.raw)
	c.api.ParamsIncRef(c.raw, params)
	defer c.api.ParamsDecRef(c.raw, params)
	c.api.ParamsSetUint(c.raw, params, c.symbol("rlimit"), n)
	c.api.SolverSetParams(c.raw, s.raw, params)
	c.check()
}

// Resources returns how many of these units the context of s has taken so far.
func (s *Solver) Resources() uint32 {
	if !s.usable() {
		return 0
	}
	c := s.ctx
	stats := c.api.SolverGetStatistics(c.raw, s.raw)
	c.api.StatsIncRef(c.raw, stats)
	defer c.api.StatsDecRef(c.raw, stats)
	for i := range c.api.StatsSize(c.raw, stats) {
		if c.api.StatsGetKey(c.raw, stats, i) == "rlimit count" {
			return c.api.StatsGetUintValue(c.raw, stats, i)
		}
	}
	return 0
}

package solver

import (
	"context"
	"math"
	"slices"
)

// A meaning says which atom of a theory a variable of the search stands for. A variable without one
// is a boolean of the formula.
type meaning struct {
	theory theory
	a, b   int32 // inOrder: events, a before b; inNumbers: bound a; inTerms: node a
}

// A theory decides, besides the clauses, whether a literal can hold.
type theory uint8

const (
	noTheory   theory = iota
	orderAtom         // a comes before b
	boundAtom         // a bound of a sum of integers
	definition        // the definition of a term
)

// A search looks for an assignment of the variables that satisfies all clauses
// and that both theories agree with: conflict-driven clause learning with two
// watched literals (Moskewicz et al., Chaff, DAC 2001), the first unique
// implication point (Zhang et al., ICCAD 2001), and theories as in DPLL(T)
// (Nieuwenhuis, Oliveras, Tinelli, JACM 2006).
type search struct {
	clauseStore
	heap
	value   []int8    // of each literal: 1 true, -1 false, 0 open; a literal and its negation are opposite
	watches [][]watch // of each literal that becomes true: the clauses that watch its negation

	// Of each variable, numbered from 0; level, reason and position of those that have a
	// value.
	level         []int32
	reason        []clauseRef // why it has its value: a clause whose other literals are false, or the order
	trailPosition []int32     // of its literal in the trail
	phase         []lit       // the last literal of the variable
	meaning       []meaning

	// The trail has the literals that hold, in the order in which they did. Level n begins at
	// levels[n-1], with a decision; level 1 has the assumptions.
	trail      []lit
	levels     []int32 // length of the trail at the start of each level
	clauseHead int     // of the trail: propagated through clauses up to here
	theoryHead int     // of the trail: known to the theories up to here
	unsat      bool    // contradiction at level 0: every answer is Unsat

	// The state of learning.
	activityIncrement float64 // of activities
	conflict          []lit   // a clause that is false
	seen              []mark
	visited           []int32 // variables with a mark, not in the clause
	stack             []lit   // buffer for the learned clause
	failedAssumptions []lit   // assumptions that contradict each other

	order  *order
	linear *linear
	terms  *encoding
	limit  *limit // of the present check
	work   int64  // watches and literals looked at
}

// A mark is what is known of a variable while a clause is learned.
type mark uint8

const (
	inClause    mark = 1 + iota
	isRedundant      // follows from those in the clause
	isNeeded         // does not follow, as far as is known
)

// truth is the literal of variable 0, which holds always.
const truth lit = 0

// newSearch returns a search without clauses, in which only truth has a value. Its terms are
// set by the encoding that it is made for.
func newSearch() *search {
	s := &search{activityIncrement: 1, order: newOrder(), linear: newLinear()}
	s.newVariable(meaning{})
	s.enqueue(truth, noReason)
	return s
}

// A limit is where a search has to end.
type limit struct {
	ctx     context.Context
	steps   int64  // of the search, in all checks so far and this one
	memory  int64  // in bytes, as bytes estimates; none if zero
	reached string // which limit it was: "context", "steps" or "memory"; "" before it is reached
}

// newLimit returns the limit of a search that has taken so many steps already.
func newLimit(ctx context.Context, b *Budget, taken int64) *limit {
	if b == nil {
		return &limit{ctx: ctx, steps: math.MaxInt64}
	}
	return &limit{ctx: ctx, steps: taken + min(b.Steps, math.MaxInt64-taken), memory: b.Memory}
}

// check reports whether the search has to end, and keeps why. It is asked now and then,
// at points that follow from the steps alone.
func (l *limit) check(s *search) bool {
	switch {
	case l.reached != "":
	case l.ctx.Err() != nil:
		l.reached = "context"
	case s.steps() > l.steps:
		l.reached = "steps"
	case l.memory > 0 && s.bytes() > l.memory:
		l.reached = "memory"
	}
	return l.reached != ""
}

// bytes estimates what the search holds: lengths times what an element takes with all that
// hangs at it, as to ask the run-time library would stop the program, and differ from run to
// run.
func (s *search) bytes() int64 {
	const perVariable, perWord = 150, 8 // with atoms, and with watches
	return int64(len(s.words))*perWord + int64(len(s.level))*perVariable +
		s.order.bytes() + s.linear.bytes() + s.terms.bytes()
}

// steps is how much work the search has done so far. All parts count their own, so that the
// inner loops have one addition each.
func (s *search) steps() int64 {
	return s.work + s.order.work + s.linear.work + s.terms.work
}

// newVariable adds a variable that stands for m. It has no value, and is not decided before
// something wants it.
func (s *search) newVariable(m meaning) int32 {
	v := int32(len(s.level))
	s.value = append(s.value, 0, 0)
	s.watches = append(s.watches, nil, nil)
	s.level = append(s.level, 0)
	s.reason = append(s.reason, noReason)
	s.trailPosition = append(s.trailPosition, 0)
	s.phase = append(s.phase, lit(v<<1|1))
	s.meaning = append(s.meaning, m)
	s.seen = append(s.seen, 0)
	s.grow()
	return v
}

// decisionLevel is how many levels are open: 0 where only facts hold.
func (s *search) decisionLevel() int { return len(s.levels) }

// addClause adds what must hold. It is called at level 0 only: what is false there is
// false for ever and left out, and a clause with something true is none at all. So a
// clause has at least two literals that are open when it is added here, and watches two.
func (s *search) addClause(lits ...lit) {
	if s.unsat {
		return
	}
	// A literal and its negation stand side by side then, the positive one first.
	slices.Sort(lits)
	kept := lits[:0]
	for i, l := range lits {
		if s.value[l] > 0 || i > 0 && l == lits[i-1]|1 && l != lits[i-1] {
			return
		}
		if s.value[l] == 0 && (len(kept) == 0 || l != kept[len(kept)-1]) {
			kept = append(kept, l)
		}
	}
	switch len(kept) {
	case 0:
		s.unsat = true
	case 1:
		s.enqueue(kept[0], noReason)
	default:
		s.attach(s.add(kept, false, 0))
	}
}

// implies adds the clause that b holds if a does. At a higher level than 0
// neither may be contradicted by it: branching makes new bounds in the midst of a search,
// whose variables have no value yet.
func (s *search) implies(a, b lit) {
	if s.decisionLevel() == 0 {
		s.addClause(a.not(), b)
	} else {
		s.attach(s.add([]lit{a.not(), b}, false, 0))
	}
}

// attach has the first two literals of a clause watched. As long as neither is false the
// clause can be neither false nor have only one literal left, and is not looked at.
func (s *search) attach(c clauseRef) {
	lits := s.lits(c)
	s.watches[lits[0].not()] = append(s.watches[lits[0].not()], watch{c, lits[1]})
	s.watches[lits[1].not()] = append(s.watches[lits[1].not()], watch{c, lits[0]})
}

// enqueue gives the literal's variable its value, at the current level and for a reason.
// Propagation comes to it when it comes to that place of the trail.
func (s *search) enqueue(l lit, why clauseRef) {
	v := l.variable()
	s.value[l] = 1
	s.value[l.not()] = -1
	s.level[v] = int32(s.decisionLevel())
	s.reason[v] = why
	s.trailPosition[v] = int32(len(s.trail))
	s.trail = append(s.trail, l)
}

// decide opens a level with a literal that nothing says.
func (s *search) decide(l lit) {
	s.levels = append(s.levels, int32(len(s.trail)))
	s.enqueue(l, noReason)
}

// backtrack returns to the given level. Variables keep their last values as phases, so that
// the search comes back to where it was but for what made the conflict (Pipatsrisawat and
// Darwiche, A Lightweight Component Caching Scheme, SAT 2007).
func (s *search) backtrack(level int) {
	if s.decisionLevel() <= level {
		return
	}
	start := int(s.levels[level])
	for i := len(s.trail) - 1; i >= start; i-- {
		l := s.trail[i]
		v := l.variable()
		s.value[l], s.value[l.not()] = 0, 0
		s.phase[v] = l
		if s.activity[v] > 0 {
			s.push(v)
		}
		if i < s.theoryHead {
			s.retract(l)
		}
	}
	s.trail = s.trail[:start]
	s.levels = s.levels[:level]
	s.clauseHead = start
	s.theoryHead = min(s.theoryHead, start)
}

// propagate draws all conclusions. It returns false if there is a conflict. Clauses come
// first, as they are cheap; then the theories hear of what is new, and may give more
// literals their values; the numbers are checked once nothing else is left.
func (s *search) propagate() bool {
	for {
		if !s.propagateClauses() {
			return false
		}
		if s.theoryHead == len(s.trail) {
			return s.linear.check(s)
		}
		for s.theoryHead < len(s.trail) {
			l := s.trail[s.theoryHead]
			s.theoryHead++
			if !s.assertLiteral(l) {
				return false
			}
		}
	}
}

// assertLiteral lets the theory of l know that it holds. It returns false if that contradicts
// what the theory knows, with the clause that says so in s.conflict.
func (s *search) assertLiteral(l lit) bool {
	switch m := s.meaning[l.variable()]; m.theory {
	case orderAtom:
		return s.order.assert(s, l, m)
	case boundAtom:
		return s.linear.assert(s, l, m)
	}
	return true
}

// retract takes back what was asserted last.
func (s *search) retract(l lit) {
	switch s.meaning[l.variable()].theory {
	case orderAtom:
		s.order.retract(l)
	case boundAtom:
		s.linear.retract(l)
	}
}

// propagateClauses looks at the clauses that watch what has become false since the last
// time: one that has another literal that is not false watches that instead, one with a
// single one left gives it its value, and one with none is the conflict.
func (s *search) propagateClauses() bool {
	for s.clauseHead < len(s.trail) {
		l := s.trail[s.clauseHead]
		s.clauseHead++
		list := s.watches[l]
		s.work += 1 + int64(len(list))
		kept := list[:0]
		for i := 0; i < len(list); i++ {
			w := list[i]
			// The clause is true by another literal: it is not even looked up. That spares
			// most of the cache misses of a search (Eén and Sörensson, MiniSat).
			if s.value[w.blocker] > 0 {
				kept = append(kept, w)
				continue
			}
			// The literal that has become false stands second from here on.
			lits := s.lits(w.clause)
			if lits[0] == l.not() {
				lits[0], lits[1] = lits[1], lits[0]
			}
			first := lits[0]
			if first != w.blocker && s.value[first] > 0 {
				kept = append(kept, watch{w.clause, first})
				continue
			}
			if s.watchAnother(lits, w.clause) {
				continue
			}
			kept = append(kept, watch{w.clause, first})
			if s.value[first] < 0 {
				s.conflict = append(s.conflict[:0], lits...)
				kept = append(kept, list[i+1:]...)
				s.watches[l] = kept
				return false
			}
			s.enqueue(first, w.clause)
		}
		s.watches[l] = kept
	}
	return true
}

// watchAnother replaces the second literal of a clause, which is false, by one that is not;
// false says that there is none. Watches need not be put back when the search does: a literal
// that is open now was no worse before.
func (s *search) watchAnother(lits []lit, c clauseRef) bool {
	for k := 2; k < len(lits); k++ {
		if s.value[lits[k]] >= 0 {
			s.work += int64(k)
			lits[1], lits[k] = lits[k], lits[1]
			s.watches[lits[1].not()] = append(s.watches[lits[1].not()], watch{c, lits[0]})
			return true
		}
	}
	s.work += int64(len(lits))
	return false
}

// reasonOf returns the clause that made l true, without l: all are false. A decision has
// none. For the order the clause is made only now, when somebody asks: most of what it
// implies is in no conflict (lazy explanation).
func (s *search) reasonOf(l lit) []lit {
	switch why := s.reason[l.variable()]; why {
	case noReason:
		return nil
	case byOrder:
		return s.order.explain(s, l)
	default:
		lits := s.lits(why)
		if lits[0] != l { // a clause of two may have been turned round
			lits[0], lits[1] = lits[1], lits[0]
		}
		return lits[1:]
	}
}

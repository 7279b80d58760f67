package solver

// assumedLevel is the level of decisions at which the assumptions hold. Restarts go back to it
// and no further, and a conflict at it or below has no decision to blame.
const assumedLevel = 1

// solve looks for an assignment under the assumptions. It returns Unknown at a limit.
func (s *search) solve(assumptions []lit) Answer {
	s.failedAssumptions = s.failedAssumptions[:0]
	if s.unsat || !s.order.sortFacts() {
		s.unsat = true
		return Unsat
	}
	restarts, untilRestart := 0, restartUnit
	untilReduce := firstReduce + len(s.learned)
	// Each round does the first of these that there is to do: learn from a conflict, restart,
	// assume, drop clauses, decide; and then make numbers whole.
	for steps := 0; ; steps++ {
		if (steps%64 == 0 || s.steps() > s.limit.steps) && s.limit.check(s) {
			return Unknown
		}
		if !s.propagate() {
			untilRestart--
			if !s.learn() {
				return Unsat
			}
			continue
		}
		if s.limit.reached != "" {
			return Unknown
		}
		if untilRestart <= 0 {
			restarts++
			untilRestart = restartUnit * luby(restarts)
			s.backtrack(assumedLevel)
			continue
		}
		if s.decisionLevel() == 0 {
			if !s.assume(assumptions) {
				return Unsat
			}
			continue
		}
		if len(s.learned) > untilReduce {
			s.reduceDB()
			untilReduce = len(s.learned) + firstReduce + 200*restarts
		}
		if l, ok := s.choose(); ok {
			s.decide(l)
			continue
		}
		done, ok := s.linear.makeWhole(s)
		if done {
			return Sat
		}
		if !ok && !s.learn() {
			return Unsat
		}
	}
}

// assume decides all assumptions at one level, as none is ever taken back alone. It returns false
// if one is false.
func (s *search) assume(assumptions []lit) bool {
	s.levels = append(s.levels, int32(len(s.trail)))
	for _, l := range assumptions {
		if s.value[l] == 0 {
			s.enqueue(l, noReason)
		}
		if s.value[l] < 0 {
			s.analyzeFinal(l)
			s.failedAssumptions = append(s.failedAssumptions, l)
			return false
		}
	}
	return true
}

// choose returns the next literal to decide, if any: the most active variable, with the
// value that the theories have now, so that deciding changes nothing; else a literal that justifies
// an assertion that is not true yet.
func (s *search) choose() (l lit, ok bool) {
	for len(s.items) > 0 {
		v := s.pop()
		if s.value[v<<1] != 0 {
			continue
		}
		switch m := s.meaning[v]; m.theory {
		case orderAtom:
			return s.order.currentLiteral(v, m), true
		case boundAtom:
			return s.linear.guess(m), true
		case definition:
			if s.terms.stamp++; s.terms.holds(Bool(m.a << 1)) {
				return lit(v << 1), true
			}
		default:
			return s.phase[v], true
		}
	}
	l, ok = s.terms.unjustified()
	return l, !ok
}

// luby says how long the search goes on between restarts (Luby, Sinclair, Zuckerman,
// Optimal Speedup of Las Vegas Algorithms, 1993): it returns the n-th number, from 0, of
// the sequence 1 1 2 1 1 2 4 … A restart keeps what was learned, the phases and the
// activities, so that only decisions that have become old go.
func luby(n int) int {
	size, power := 1, 1
	for size < n+1 {
		size, power = 2*size+1, 2*power
	}
	for size-1 != n {
		size, power = (size-1)/2, power/2
		n %= size
	}
	return power
}

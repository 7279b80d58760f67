package solver

import "slices"

// learn turns the conflict into a clause, backjumps to where the clause has a new conclusion, and
// draws that. It returns false if the conflict is one of facts and assumptions alone. The clause
// follows from the others, and stays for later checks.
func (s *search) learn() bool {
	// A theory may find a conflict that is all below the current level.
	highest := 0
	for _, l := range s.conflict {
		highest = max(highest, int(s.level[l.variable()]))
	}
	s.backtrack(highest)
	if highest <= assumedLevel {
		s.unsat = highest == 0
		s.analyzeFinal(s.conflict...)
		return false
	}
	clause := s.firstUIP()
	back, glue := s.backjump(clause)
	s.backtrack(back)
	if len(clause) == 1 {
		s.enqueue(clause[0], noReason)
	} else {
		c := s.add(clause, true, glue)
		s.attach(c)
		s.enqueue(clause[0], c)
	}
	s.activityIncrement /= activityDecay
	return true
}

// firstUIP resolves the conflict with the reasons of its literals, until one literal
// of the current level is left: the first unique implication point (1-UIP). It stands
// first.
func (s *search) firstUIP() []lit {
	learned := append(s.stack[:0], 0)
	level := int32(s.decisionLevel())
	reason := s.conflict
	open := 0
	at := len(s.trail) - 1
	// Each round replaces a literal of the level by its reason, the last one first. The level's
	// decision would do, but a later literal that dominates the conflict makes a stronger clause.
	for {
		s.work += int64(len(reason))
		for _, l := range reason {
			v := l.variable()
			if s.seen[v] != 0 || s.level[v] == 0 {
				continue
			}
			s.seen[v] = inClause
			if s.bump(v, s.activityIncrement) {
				s.activityIncrement *= 1e-100
			}
			if s.level[v] == level {
				open++
			} else {
				learned = append(learned, l)
			}
		}
		for s.seen[s.trail[at].variable()] == 0 {
			at--
		}
		l := s.trail[at]
		at--
		open--
		if open == 0 {
			s.seen[l.variable()] = 0
			learned[0] = l.not()
			break
		}
		s.seen[l.variable()] = 0
		reason = s.reasonOf(l)
	}
	s.stack = learned
	kept := s.minimize(learned)
	for _, l := range learned {
		s.seen[l.variable()] = 0
	}
	return kept
}

// minimize leaves out literals that follow from the others (Sörensson and Biere,
// Minimizing Learned Clauses, SAT 2009).
func (s *search) minimize(learned []lit) []lit {
	kept := make([]lit, 1, len(learned))
	kept[0] = learned[0]
	for _, l := range learned[1:] {
		if s.reason[l.variable()] < 0 || !s.redundant(l.not(), 0) {
			kept = append(kept, l)
		}
	}
	for _, v := range s.visited {
		s.seen[v] = 0
	}
	s.visited = s.visited[:0]
	return kept
}

// redundant reports whether l, which is true, follows by clauses from what was seen. Answers are
// kept while one clause is learned; depth bounds the stack.
func (s *search) redundant(l lit, depth int) bool {
	const deepest = 500
	if s.reason[l.variable()] < 0 || depth == deepest {
		return false
	}
	for _, r := range s.reasonOf(l) {
		s.work++
		v := r.variable()
		if s.level[v] == 0 || s.seen[v] == inClause || s.seen[v] == isRedundant {
			continue
		}
		if s.seen[v] == isNeeded {
			return false
		}
		s.visited = append(s.visited, v)
		if !s.redundant(r.not(), depth+1) {
			s.seen[v] = isNeeded
			return false
		}
		s.seen[v] = isRedundant
	}
	return true
}

// backjump moves a literal of the second highest level to the second place. It returns that level,
// and the number of levels in the clause.
func (s *search) backjump(clause []lit) (back, glue int) {
	levels := map[int32]bool{}
	for i, l := range clause {
		level := s.level[l.variable()]
		levels[level] = true
		if i > 0 && int(level) > back {
			back = int(level)
			clause[1], clause[i] = clause[i], clause[1]
		}
	}
	return back, len(levels)
}

// analyzeFinal finds the assumptions that make all of the literals false, by following reasons back
// to assumptions (Eén and Sörensson, MiniSat). They are the core.
func (s *search) analyzeFinal(lits ...lit) {
	s.failedAssumptions = s.failedAssumptions[:0]
	for _, l := range lits {
		if s.level[l.variable()] > 0 {
			s.seen[l.variable()] = inClause
		}
	}
	if s.decisionLevel() == 0 {
		return
	}
	for i := len(s.trail) - 1; i >= int(s.levels[0]); i-- {
		t := s.trail[i]
		v := t.variable()
		if s.seen[v] == 0 {
			continue
		}
		s.seen[v] = 0
		if s.reason[v] == noReason {
			s.failedAssumptions = append(s.failedAssumptions, t)
		}
		for _, r := range s.reasonOf(t) {
			if s.level[r.variable()] > 0 {
				s.seen[r.variable()] = inClause
			}
		}
	}
}

// reduceDB drops the half of the learned clauses with the most levels (Audemard and Simon, Glucose,
// IJCAI 2009).
func (s *search) reduceDB() {
	worst := slices.Clone(s.learned)
	slices.SortStableFunc(worst, func(a, b clauseRef) int { return s.glue(b) - s.glue(a) })
	for _, c := range worst[:len(worst)/2] {
		if s.glue(c) > 2 && !s.isReason(c) {
			s.delete(c)
		}
	}
	s.collectGarbage()
}

// isReason reports whether a clause is the reason of a value: it must stay, to explain that.
func (s *search) isReason(c clauseRef) bool {
	for _, l := range s.lits(c)[:2] {
		if s.value[l] > 0 && s.reason[l.variable()] == c {
			return true
		}
	}
	return false
}

// collectGarbage frees deleted clauses, and updates the places in watches and reasons.
func (s *search) collectGarbage() {
	s.work += int64(len(s.words))
	moved := s.compact()
	for l, list := range s.watches {
		kept := list[:0]
		for _, w := range list {
			if place := moved[w.clause]; place >= 0 {
				kept = append(kept, watch{clauseRef(place), w.blocker})
			}
		}
		s.watches[l] = kept
	}
	for _, l := range s.trail {
		if v := l.variable(); s.reason[v] >= 0 {
			s.reason[v] = clauseRef(moved[s.reason[v]])
		}
	}
}

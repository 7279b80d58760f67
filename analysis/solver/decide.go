package solver

import "slices"

// solve looks for an assignment under the assumptions. When branching does not
// end, it looks in boxes that grow.
func (s *search) solve(assumptions []lit) Answer {
	b := box{l: truth}
	s.linear.splitting, s.linear.boxed = 0, false
	for {
		answer := s.assign(append(assumptions[:len(assumptions):len(assumptions)], b.l))
		outgrown := answer == Unsat && b.l != truth && slices.Contains(s.assumed, b.l)
		if !outgrown && (answer != Unknown || s.limit.reached != "") {
			return answer
		}
		s.backtrack(0)
		b = b.widen(s)
	}
}

// assign looks for an assignment under the assumptions, which are decided first,
// in their order. It returns Unknown at a limit, or if it would like a box.
func (s *search) assign(assumptions []lit) Answer {
	const restartUnit, firstForget = 64, 2000
	s.assumed = s.assumed[:0]
	if s.broken || !s.order.settle() {
		s.broken = true
		return Unsat
	}
	restarts, untilRestart := 0, restartUnit
	untilForget := firstForget + len(s.learned)
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
			s.backtrack(len(assumptions))
			continue
		}
		if len(s.learned) > untilForget {
			s.forget()
			untilForget = len(s.learned) + firstForget + 200*restarts
		}
		switch l, answer := s.choose(assumptions); answer {
		case Unknown:
			s.decide(l)
		case Unsat:
			return Unsat
		default:
			if s.linear.splitting > patience && !s.linear.boxed {
				return Unknown
			}
			done, ok := s.linear.finish(s)
			if done {
				return Sat
			}
			if !ok && !s.learn() {
				return Unsat
			}
		}
	}
}

// choose returns the next literal to decide, or the answer if there is none.
func (s *search) choose(assumptions []lit) (lit, Answer) {
	for s.decisionLevel() < len(assumptions) {
		l := assumptions[s.decisionLevel()]
		switch {
		case s.value[l] < 0:
			s.blame(l)
			return 0, Unsat
		case s.value[l] == 0:
			return l, Unknown
		}
		s.limits = append(s.limits, int32(len(s.trail))) // it holds already
	}
	for len(s.items) > 0 {
		v := s.pop()
		if s.value[v<<1] != 0 || s.wanted[v] == 0 {
			continue
		}
		switch m := s.meaning[v]; m.theory {
		case inOrder:
			return s.order.guess(v, m), Unknown
		case inNumbers:
			return s.linear.guess(m), Unknown
		case inTerms:
			if s.terms.stamp++; s.terms.holds(Bool(m.a << 1)) {
				return lit(v << 1), Unknown
			}
		default:
			return s.phase[v], Unknown
		}
	}
	if l, ok := s.terms.unjustified(); !ok {
		return l, Unknown
	}
	return 0, Sat
}

// luby returns the n-th number, from 0, of the sequence 1 1 2 1 1 2 4 …
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

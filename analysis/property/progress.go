package property

import (
	"encoding/binary"
	"slices"
)

// A progress is the state of a run in the monitor of a formula: the remembered values of the
// past, and what the rest of the run must satisfy (progression of formulas, Bacchus and
// Kabanza, 1998).
type progress struct {
	memory     []bool  // by formula.memory
	rest       choices // the rest must satisfy one of them
	noEventYet bool    // no event has come yet
}

// choices is a disjunction of conjunctions of duties. No conjunction contains another one, and
// they are sorted, so that equal choices are equal slices. No conjunction means false; an empty
// one means true.
type choices [][]duty

// A duty is twice the number of a formula that must hold from the next event on, plus one if
// there must be a next event.
type duty int

// maxChoices bounds the choices of one state, and maxProducts those that are made for one
// monitor.
const maxChoices, maxProducts = 1 << 10, 1 << 22

// ltl returns the monitor of the formula that p reads.
func (p *parser) ltl() (*Monitor, error) {
	x := &formulas{byKey: make(map[[4]int]*formula)}
	f, err := p.implication(x)
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return nil, err
	}
	if !f.future {
		f = x.always(f)
	}
	all := make([]*formula, len(x.byKey)) // by number
	for _, g := range x.byKey {
		all[g.id] = g
	}
	made := 0
	first := progress{memory: make([]bool, len(x.memory)), rest: choices{{duty(2 * f.id)}}, noEventYet: true}
	next := func(s progress, e int) (progress, error) {
		now := moment{event: e, memory: s.memory, values: make(map[int]bool), productCount: &made}
		to := progress{memory: make([]bool, len(s.memory))}
		for _, c := range s.rest {
			met := choices{{}}
			for _, d := range c {
				met = now.product(met, now.progress(all[d/2]))
			}
			to.rest = union(to.rest, met)
			if made > maxProducts {
				return to, tooLarge()
			}
		}
		for k, g := range x.memory {
			to.memory[k] = now.holds(g)
			if g.op == previously {
				to.memory[k] = now.holds(g.a)
			}
		}
		return to, nil
	}
	accept := func(s progress) bool {
		if s.noEventYet {
			return atEnd(f)
		}
		return slices.ContainsFunc(s.rest, func(c []duty) bool {
			return !slices.ContainsFunc(c, func(d duty) bool { return d&1 != 0 })
		})
	}
	return build(p.events, first, progress.key, next, accept)
}

func (s progress) key() string {
	var key []byte
	if s.noEventYet {
		key = append(key, 'f')
	}
	for _, m := range s.memory {
		if m {
			key = append(key, 1)
		} else {
			key = append(key, 0)
		}
	}
	for _, c := range s.rest {
		key = binary.AppendUvarint(key, uint64(len(c)))
		for _, d := range c {
			key = binary.AppendUvarint(key, uint64(d))
		}
	}
	return string(key)
}

// atEnd reports whether f holds where there is no event at all.
func atEnd(f *formula) bool {
	switch f.op {
	case negated:
		return !atEnd(f.a)
	case conjunction:
		return atEnd(f.a) && atEnd(f.b)
	case disjunction:
		return atEnd(f.a) || atEnd(f.b)
	}
	return f.op == weakNext || f.op == release
}

// A moment is one event of a run, with the values that are remembered there.
type moment struct {
	event        int
	memory       []bool
	values       map[int]bool // of formulas without future, by number
	productCount *int         // choices, of all moments
}

// holds evaluates a formula without operators of the future.
func (m *moment) holds(f *formula) bool {
	if v, ok := m.values[f.id]; ok {
		return v
	}
	v := false
	switch f.op {
	case happens:
		v = f.arg == m.event
	case negated:
		v = !m.holds(f.a)
	case conjunction:
		v = m.holds(f.a) && m.holds(f.b)
	case disjunction:
		v = m.holds(f.a) || m.holds(f.b)
	case previously:
		v = m.memory[f.memory]
	case since:
		v = m.holds(f.b) || m.memory[f.memory] && m.holds(f.a)
	}
	m.values[f.id] = v
	return v
}

// progress returns what the rest of a run must satisfy for f to hold now.
func (m *moment) progress(f *formula) choices {
	if !f.future {
		if m.holds(f) {
			return choices{{}}
		}
		return nil
	}
	var out choices
	switch f.op {
	case conjunction:
		out = m.product(m.progress(f.a), m.progress(f.b))
	case disjunction:
		out = union(m.progress(f.a), m.progress(f.b))
	case next:
		out = choices{{duty(2*f.a.id + 1)}}
	case weakNext:
		out = choices{{duty(2 * f.a.id)}}
	case until: // now b, or now a and this again
		out = union(m.progress(f.b), m.product(m.progress(f.a), choices{{duty(2*f.id + 1)}}))
	case release: // now b, and now a or this again
		out = m.product(m.progress(f.b), union(m.progress(f.a), choices{{duty(2 * f.id)}}))
	}
	return out
}

// union returns the disjunction of a and b.
func union(a, b choices) choices { return slices.Concat(a, b).minimal() }

// product returns the conjunction of a and b. If it would be too large, it returns none and
// sets productCount beyond its bound.
func (m *moment) product(a, b choices) choices {
	*m.productCount += len(a) * len(b)
	if len(a)*len(b) > maxChoices {
		*m.productCount = maxProducts + 1
	}
	var out choices
	if *m.productCount > maxProducts {
		return out
	}
	for _, c := range a {
		for _, d := range b {
			all := slices.Concat(c, d)
			slices.Sort(all)
			out = append(out, slices.Compact(all))
		}
	}
	return out.minimal()
}

// minimal drops the conjunctions that contain another one.
func (cs choices) minimal() choices {
	slices.SortFunc(cs, func(a, b []duty) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return slices.Compare(a, b)
	})
	var out choices
	for _, c := range cs {
		if !slices.ContainsFunc(out, func(less []duty) bool { return isSubset(less, c) }) {
			out = append(out, c)
		}
	}
	return out
}

// isSubset reports whether sorted a has no duty that sorted b has not.
func isSubset(a, b []duty) bool {
	for _, d := range a {
		if _, ok := slices.BinarySearch(b, d); !ok {
			return false
		}
	}
	return true
}

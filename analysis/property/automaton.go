package property

import (
	"fmt"
	"slices"
)

// automaton returns the monitor of the automaton that p reads.
func (p *parser) automaton() (*Monitor, error) {
	const gone = 0 // the state of no name, from which nothing satisfies the property
	names := []string{""}
	rows := [][]int{make([]int, len(p.events))}
	defined := []bool{true}
	var mentioned []token // by state: where it is mentioned first
	mentioned = append(mentioned, token{})
	state := func(t token) (int, error) {
		if !t.name {
			return 0, errorf(t.offset, "expected the name of a state, found %v", t)
		}
		if k := slices.Index(names, t.text); k >= 0 {
			return k, nil
		}
		if len(names) > MaxStates {
			return 0, tooLarge()
		}
		names, rows = append(names, t.text), append(rows, make([]int, len(p.events)))
		defined, mentioned = append(defined, false), append(mentioned, t)
		return len(names) - 1, nil
	}
	for {
		t := p.take()
		from, err := state(t)
		if err != nil {
			return nil, err
		}
		if defined[from] {
			return nil, errorf(t.offset, "expected one list of successors for state %v, found a second one", t)
		}
		defined[from] = true
		if err := p.expect(":"); err != nil {
			return nil, err
		}
		for p.peek().name {
			t := p.take()
			e, err := p.event(t)
			if err == nil && rows[from][e] != gone {
				err = errorf(t.offset, "expected one successor of state %s for each event, found a second one for %v", names[from], t)
			}
			if err == nil {
				err = p.expect("->")
			}
			if err != nil {
				return nil, err
			}
			to, err := state(p.take())
			if err != nil {
				return nil, err
			}
			rows[from][e] = to
			if !p.accept(",") {
				break
			}
		}
		if !p.accept(";") || p.peek().text == "" {
			break
		}
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	for k, t := range mentioned {
		if !defined[k] {
			return nil, errorf(t.offset, "expected a list of successors for each state, as in \"%v: …\", found none for %[1]v", t)
		}
	}
	return build(p.events, 1,
		func(s int) string { return fmt.Sprint(s) },
		func(s, e int) (int, error) { return rows[s][e], nil },
		func(s int) bool { return s != gone })
}

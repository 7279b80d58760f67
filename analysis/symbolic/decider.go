package symbolic

import (
	"context"
	"fmt"

	"github.com/gopredict/gopredict/analysis/solver"
)

// A Decider answers questions about one trace. Targets in a row of which the
// cones are much alike share an encoding, and what the solver learns.
type Decider struct {
	m       *Model
	base    int
	engine  func(*solver.Formula) (solver.Engine, error)
	targets []Target
	cones   []*Cone // by target: of its group; nil where no run comes to it
	// The encoding of the group that was asked last.
	cone     *Cone
	encoding *Encoding
}

// NewDecider prepares for questions whether runs that begin with the first base
// events of the trace come to the targets. The function makes engines.
func (m *Model) NewDecider(base int, targets []Target, engine func(*solver.Formula) (solver.Engine, error)) *Decider {
	d := &Decider{m: m, base: base, engine: engine, targets: targets, cones: make([]*Cone, len(targets))}
	var group []int
	for k, t := range targets {
		cone, ok := m.Cone(base, t)
		if !ok {
			continue
		}
		if len(group) > 0 {
			if both := d.union(group, k, cone.events); both != nil {
				group = append(group, k)
				for _, n := range group {
					d.cones[n] = both
				}
				continue
			}
		}
		group = []int{k}
		d.cones[k] = cone
	}
	return d
}

// union returns the cone of target k and those of a group, or nil if it is much
// larger than each.
func (d *Decider) union(group []int, k, events int) *Cone {
	old := d.cones[group[0]]
	if most := max(old.events, events); min(old.events, events) < most/2 {
		return nil
	}
	var all []Target
	for _, n := range append(group, k) {
		all = append(all, d.targets[n])
	}
	both, ok := d.m.Cone(d.base, all...)
	if !ok || both.events > max(old.events, events)*5/4+16 {
		return nil
	}
	return both
}

// Decide answers the question about target k. Steps begin after the decider's
// base.
func (d *Decider) Decide(ctx context.Context, k int, budget solver.Budget) (Answer, error) {
	cone := d.cones[k]
	if cone == nil {
		return Answer{Answer: solver.Unsat}, nil
	}
	if cone.events > MaxEvents {
		return Answer{Why: fmt.Sprintf("it may depend on %d events", cone.events)}, nil
	}
	if d.cone != cone {
		d.Close()
		f := solver.NewFormula()
		engine, err := d.engine(f)
		if err != nil {
			return Answer{}, err
		}
		e, err := d.m.Encode(cone, f, engine)
		if err != nil {
			engine.Close()
			return Answer{Why: err.Error()}, nil
		}
		d.cone, d.encoding = cone, e
	}
	return d.encoding.Solve(ctx, d.targets[k], budget)
}

// MaxEvents is the number of events in the largest cone that a Decider encodes.
const MaxEvents = 1 << 18

// Close frees what the decider holds.
func (d *Decider) Close() {
	if d.encoding != nil {
		d.encoding.engine.Close()
	}
	d.cone, d.encoding = nil, nil
}

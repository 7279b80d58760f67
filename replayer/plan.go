package replayer

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A Plan is a witness, resolved against the sites of one build.
type Plan struct {
	// Text is the plan file that the run-time library follows.
	Text []byte
	// Steps are the witness's steps that Text lists, in its order.
	Steps []witness.Step
	// Notes tell which steps and holds are at sites that no longer exist, and
	// are left out.
	Notes []string
}

// NewPlan resolves w against sites, the rewriter's sites of the current build.
// Order is "01" or "10": which of the first two violating goroutines goes
// first. A violating access that no longer exists gives an error that wraps
// ErrStale.
func NewPlan(w *witness.Witness, sites []trace.Site, order string) (*Plan, error) {
	if order != "01" && order != "10" {
		return nil, fmt.Errorf("order is %q, expected 01 or 10", order)
	}
	plan := new(Plan)
	p := planner{r: newResolver(w, sites), number: make(map[string]int)}
	var missing []witness.Step
	for _, s := range w.Violation {
		if !p.add('v', s) {
			missing = append(missing, s)
		}
	}
	if len(missing) > 0 {
		return nil, stale(w, missing)
	}
	violation := p.take()
	gone := func(s witness.Step) {
		plan.Notes = append(plan.Notes, "no longer in the sources, left out: "+describe(s))
	}
	for _, s := range w.Steps {
		if p.add('s', s) {
			plan.Steps = append(plan.Steps, s)
		} else {
			gone(s)
		}
	}
	for _, s := range w.Hold {
		if !p.add('h', s) {
			gone(s)
		}
	}

	var b bytes.Buffer
	fmt.Fprintf(&b, "gopredict-plan 1\norder %s\n", order)
	for _, t := range w.Tests {
		if strings.ContainsAny(t, " \r\n") {
			return nil, fmt.Errorf("witness %s: %q is not the name of a test", w.ID, t)
		}
		fmt.Fprintf(&b, "test %s\n", t)
	}
	for i, g := range p.goroutines {
		if strings.ContainsAny(g, " \r\n") {
			return nil, fmt.Errorf("witness %s: %q is not the name of a goroutine", w.ID, g)
		}
		fmt.Fprintf(&b, "g %d %s\n", i, g)
	}
	b.Write(p.take())
	b.Write(violation)
	plan.Text = b.Bytes()
	return plan, nil
}

// A planner collects items and numbers goroutines as they come.
type planner struct {
	r          *resolver
	number     map[string]int
	goroutines []string
	items      bytes.Buffer
}

// add adds one item line, unless the step's site is gone.
func (p *planner) add(item byte, s witness.Step) bool {
	key, ok := p.r.key(s)
	if !ok {
		return false
	}
	n, ok := p.number[s.Goroutine]
	if !ok {
		n = len(p.goroutines)
		p.number[s.Goroutine] = n
		p.goroutines = append(p.goroutines, s.Goroutine)
	}
	fmt.Fprintf(&p.items, "%c %d %d %d %d\n", item, n, s.Op, key, s.Occ)
	return true
}

// take returns the item lines collected so far and forgets them.
func (p *planner) take() []byte {
	out := bytes.Clone(p.items.Bytes())
	p.items.Reset()
	return out
}

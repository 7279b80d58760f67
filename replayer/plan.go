package replayer

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A Plan is a witness, resolved against the sites of one build.
type Plan struct {
	// Text is the plan file that the run-time library follows.
	Text []byte
	// Steps are the witness's steps that Text lists, in its order, with their positions in the
	// current code.
	Steps     []witness.Step
	Violation []witness.Step // likewise
	// FailsIf is the outcome of the condition at Violation[0] that leads to a failure.
	FailsIf trace.Outcome
	// Witness is the one that was resolved, where it is in the current code.
	Witness *witness.Witness
	// Notes say which steps and holds are left out because their sites no longer exist.
	Notes []string

	// recordedOrder is the order in which goroutines run that the schedule does not control.
	recordedOrder    recorder.Order
	violationAllowed bool     // violating the property is wrong only if the test fails by it
	violationKeys    []uint64 // site keys of Violation
	guessedSteps     []guess  // steps of Steps whose sites are guesses
	guessedOthers    []string // descriptions of holds and violating accesses whose sites are guesses
	guessedAccesses  []int    // indices into Violation of accesses whose sites are guesses
}

// A guess is a step whose current site is not known for sure.
type guess struct {
	step        int    // index into Plan.Steps
	description string // as the witness has it
}

// forOrder returns the plan for another order of the violating goroutines.
func (p *Plan) forOrder(order string) *Plan {
	out := *p
	out.Text = append([]byte(planHead(order)), p.Text[len(planHead(order)):]...)
	return &out
}

// withOption returns the plan with an option for the run-time library.
func (p *Plan) withOption(word string) *Plan {
	out := *p
	head := len(planHead("01")) // has the same length for each order
	out.Text = slices.Concat(p.Text[:head], []byte(word+"\n"), p.Text[head:])
	return &out
}

func planHead(order string) string { return fmt.Sprintf("gopredict-plan 1\norder %s\n", order) }

// NewPlan resolves w against the current code. Order is "01" or "10": which of
// the first two violating goroutines goes first. A violating access that no
// longer exists gives a [StaleError].
func NewPlan(w *witness.Witness, code Program, order string) (*Plan, error) {
	if order != "01" && order != "10" {
		return nil, fmt.Errorf("order is %q, expected 01 or 10", order)
	}
	plan := new(Plan)
	p := planner{resolver: newResolver(w, code), number: make(map[string]int)}
	var gone []int
	for i, s := range w.Violation {
		add := p.addItem
		if !w.IsPending(i) {
			add = p.fitOf
		}
		switch add('v', s, p.resolver.violation[i]) {
		case absent:
			gone = append(gone, i)
		case guessed:
			plan.guessedOthers = append(plan.guessedOthers, s.String())
			plan.guessedAccesses = append(plan.guessedAccesses, i)
		}
	}
	now := p.resolver.locate(w)
	if len(gone) > 0 {
		stale := &StaleError{MissingAccesses: gone, Witness: now}
		for _, i := range gone {
			stale.Reasons = append(stale.Reasons, "no longer in the sources: "+w.Violation[i].String())
		}
		return nil, stale
	}
	violation := p.takeItems()
	performed := 0 // accesses of the violation among the steps
	leaveOut := func(s witness.Step) {
		plan.Notes = append(plan.Notes, "no longer in the sources, left out: "+s.String())
	}
	for _, at := range p.resolver.violation {
		key, _ := p.resolver.key(at)
		plan.violationKeys = append(plan.violationKeys, key)
	}
	plan.Witness, plan.Violation = now, now.Violation
	if site, fit := p.resolver.siteOf(p.resolver.violation[0]); fit != absent {
		plan.FailsIf = site.FailsIf
	}
	var without []int // indices of steps that are left out
	for i, s := range w.Steps {
		// A replay may run fewer parallel tests, so package testing starts them by other steps. They
		// begin when the schedule says so.
		if trace.StartsParallelTests(s.Func) {
			without = append(without, i)
			continue
		}
		item := byte('s')
		if w.InOrder() && w.HasAccess(s) {
			item = 'a'
			performed++
		}
		switch p.addItem(item, s, p.resolver.steps[i]) {
		case absent:
			leaveOut(s)
			without = append(without, i)
		case guessed:
			plan.guessedSteps = append(plan.guessedSteps, guess{i - len(without), s.String()})
		}
	}
	plan.Steps = withoutSteps(now.Steps, without)
	if w.InOrder() && performed != len(w.Violation)-1 {
		return nil, fmt.Errorf("witness %s: its steps have %d of the violation's accesses, expected all %d but the last", w.ID, performed, len(w.Violation))
	}
	for i, s := range w.PoolSteps {
		if p.addPoolItem(s, p.resolver.pooled[i]) == absent {
			leaveOut(s)
		}
	}
	for i, s := range w.Holds {
		switch p.addItem('h', s, p.resolver.hold[i]) {
		case absent:
			leaveOut(s)
		case guessed:
			plan.guessedOthers = append(plan.guessedOthers, s.String())
		}
	}
	steps := p.takeItems()
	if w.Kind == bug.Property {
		violated := property.Named(code.Properties, w.Pattern, w.Package)
		if violated == nil {
			return nil, &StaleError{Reasons: []string{fmt.Sprintf("no longer declared in the tests of %s: property %q", w.Package, w.Pattern)}}
		}
		plan.violationAllowed = violated.OnlyIfFails
		steps = append(monitorText(violated), steps...)
	}
	var err error
	if plan.recordedOrder, err = recorder.ParseOrder(w.RecordedOrder); err != nil {
		return nil, fmt.Errorf("witness %s: %w", w.ID, err)
	}
	plan.Text, err = planText(w, order, p.goroutines, steps, violation)
	return plan, err
}

// withoutSteps returns the steps without those at some indices, ascending. It copies nothing if
// there are none, because there may be a million steps.
func withoutSteps(steps []witness.Step, without []int) []witness.Step {
	if len(without) == 0 {
		return steps
	}
	left := make([]witness.Step, 0, len(steps)-len(without))
	for i, s := range steps {
		if len(without) > 0 && without[0] == i {
			without = without[1:]
			continue
		}
		left = append(left, s)
	}
	return left
}

// planText returns the plan file: the tests, the goroutines by their numbers, and the items of the
// schedule: steps, and then the violation.
func planText(w *witness.Witness, order string, goroutines []string, steps, violation []byte) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(planHead(order))
	if w.EndsBlocked() {
		b.WriteString("stuck\n")
	}
	// A panic ended the recorded run, so what the test does afterwards has no steps.
	over := func(s witness.Step) bool { return s.Op == trace.TestEnd }
	if w.Kind == bug.Failure && w.Violation[0].Op == trace.Panic && !slices.ContainsFunc(w.Steps, over) {
		b.WriteString("still\n")
	}
	for _, t := range w.Tests {
		if strings.ContainsAny(t, " \r\n") {
			return nil, fmt.Errorf("witness %s: %q is not the name of a test", w.ID, t)
		}
		fmt.Fprintf(&b, "test %s\n", t)
	}
	for i, g := range goroutines {
		if strings.ContainsAny(g, " \r\n") {
			return nil, fmt.Errorf("witness %s: %q is not the name of a goroutine", w.ID, g)
		}
		fmt.Fprintf(&b, "g %d %s\n", i, g)
	}
	b.Write(steps)
	b.Write(violation)
	return b.Bytes(), nil
}

// monitorText returns the lines of the monitor of a property.
func monitorText(p *property.Property) []byte {
	var b bytes.Buffer
	m := p.Monitor
	fmt.Fprintf(&b, "monitor %d %d", len(m.Events), m.Violated)
	for _, row := range m.Next {
		for _, to := range row {
			fmt.Fprintf(&b, " %d", to)
		}
	}
	b.WriteString("\n")
	for _, method := range slices.Sorted(maps.Keys(p.Calls)) {
		fmt.Fprintf(&b, "method %d %d", method, p.Calls[method])
		if of, ok := p.Params[method]; ok {
			fmt.Fprintf(&b, " %d %d", of.Of, of.Operand)
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

// A planner collects items and numbers goroutines in the order in which they occur.
type planner struct {
	resolver   *resolver
	number     map[string]int
	goroutines []string
	items      bytes.Buffer
}

// addItem adds an item line of a step at a position, unless its site no longer exists, and returns
// how well the site was found.
func (p *planner) addItem(item byte, s witness.Step, at *position) fit {
	return p.writeItem(item, s, at, "")
}

// addPoolItem adds the line of a Put or Get of a pool.
func (p *planner) addPoolItem(s witness.Step, at *position) fit {
	return p.writeItem('p', s, at, fmt.Sprintf(" %d", s.PoolItem))
}

func (p *planner) writeItem(word byte, s witness.Step, at *position, further string) fit {
	key, fit := p.resolver.key(at)
	if fit == absent {
		return absent
	}
	n, ok := p.number[s.Goroutine]
	if !ok {
		n = len(p.goroutines)
		p.number[s.Goroutine] = n
		p.goroutines = append(p.goroutines, s.Goroutine)
	}
	if s.SelectCase != 0 {
		further = fmt.Sprintf(" %d", s.SelectCase)
	}
	p.items.WriteByte(word)
	for _, number := range [...]uint64{uint64(n), uint64(s.Op), key, uint64(s.Occurrence)} {
		p.items.WriteByte(' ')
		p.items.Write(strconv.AppendUint(p.items.AvailableBuffer(), number, 10))
	}
	p.items.WriteString(further)
	p.items.WriteByte('\n')
	return fit
}

// fitOf returns how well the site of a step was found whose item line is elsewhere.
func (p *planner) fitOf(_ byte, _ witness.Step, at *position) fit {
	_, fit := p.resolver.key(at)
	return fit
}

// takeItems returns the item lines collected so far and forgets them.
func (p *planner) takeItems() []byte {
	out := bytes.Clone(p.items.Bytes())
	p.items.Reset()
	return out
}

// staleParts returns why a replay may have missed the violation, after so many steps, because of
// the witness and not of the program: the steps that were left out, and the guessed sites.
func (p *Plan) staleParts(done int) []string {
	out := append([]string(nil), p.Notes...)
	var guesses []string
	for _, g := range p.guessedSteps {
		if g.step >= done {
			guesses = append(guesses, g.description)
		}
	}
	if guesses = append(guesses, p.guessedOthers...); len(guesses) > 0 {
		out = append(out, "found again by a guess only: "+strings.Join(guesses, ", "))
	}
	return out
}

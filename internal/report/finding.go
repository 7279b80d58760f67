package report

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Evidence is what a finding is made from.
type Evidence struct {
	Witness *witness.Witness // if Result has one, that is shown
	Result  replayer.Result
	// Path is where the witness is saved, relative to the module root.
	Path string
	Tier string // the tier of the analysis that found it
	Run  int    // of those beyond the recordings, from 1, that has shown it; 0: none
	// Parents are the runs from which it is known what leads to that one, 0 for recordings.
	Parents []int
	// Undecided says that no tier found a schedule, or a proof that there is none.
	Undecided bool
	Refuted   bool // see Finding.Refuted

	// Trace is the recorded run and Violation the positions of the violating
	// events in it. They tell the locks held and where goroutines were
	// created. If Trace is nil, Replayed is used for that.
	Trace     *trace.Trace
	Violation []int
	Index     *witness.Index // of Trace; nil: it is not there
	// Replayed is a recording of a replay in the order Result.Order; it gives
	// the values. It may be nil. Observed is what it shows of the witness; without that it is
	// looked through.
	Replayed *trace.Trace
	Observed *witness.Observed
	// Files names files. Source returns a line of one, given by its path.
	Files  witness.Files
	Source func(file string, line int) string
}

// NewFinding makes a finding of the evidence.
func NewFinding(ev Evidence) Finding {
	w, r := ev.Witness, ev.Result
	if r.Witness != nil { // the same, where it is now
		w = r.Witness
	}
	if ev.Trace == nil && ev.Replayed != nil {
		ev.Trace, ev.Violation = ev.Replayed, witness.Find(ev.Replayed, nil, w.Violation)
	}
	f := Finding{
		ID: w.ID, Kind: w.Kind, Pattern: w.Pattern, Status: r.Status, Reason: r.Reason, Undecided: ev.Undecided, Refuted: ev.Undecided && ev.Refuted,
		Package: w.Package, Witness: ev.Path, Tier: ev.Tier, Run: ev.Run, Parents: ev.Parents,
		Replays: r.Replays, Reproduced: r.Reproduced,
		Accesses: []Access{},
	}
	if len(w.Tests) > 0 { // "" outside of tests
		f.Test = w.Tests[0]
	}
	if r.Status == bug.Confirmed {
		f.Effect, f.Detail = r.Effect, r.Detail
		f.Time = onTime(&ev, namer{pkg: f.Package, test: f.Test})
	}
	if r.Order == "10" && len(w.Violation) > 1 && !w.InOrder() {
		f.First = 1
	}
	f.Orders = outcomes(w, r)
	n := namer{pkg: f.Package, test: f.Test}
	for i, s := range w.Violation {
		f.Accesses = append(f.Accesses, accessOf(&ev, n, w.Kind, i, s))
	}
	if w.Stuck() && r.Status == bug.Confirmed {
		f.wait(&ev, n, w)
	}
	f.Values = "recording"
	if ev.Replayed != nil {
		if ev.Observed == nil {
			seen := w.Observe(ev.Replayed)
			ev.Observed = &seen
		}
		w, f.Values = ev.Observed.Witness, "replay"
	}
	steps := interleaving(&ev, w, f.First)
	steps, f.LeftOut = lastSteps(steps)
	f.Interleaving = named(&ev, w, n, steps)
	for i, s := range steps {
		if s.Op != trace.Call || s.SiteOp != "" {
			continue
		}
		for k, v := range w.Violation {
			if v.Goroutine == s.Goroutine && v.File == s.File && v.Line == s.Line && v.Occ == s.Occ {
				f.Interleaving[i].Expr = f.Accesses[k].Expr
			}
		}
	}
	f.connect(&ev, n, steps)
	f.excerpts(&ev)
	f.switches(&ev, n, w)
	return f
}

// accessOf returns the access of step s of the violation, its i-th one, of a bug of that kind.
func accessOf(ev *Evidence, n namer, kind bug.Kind, i int, s witness.Step) Access {
	a := Access{
		Goroutine: n.goroutine(s.Goroutine), Op: s.Word(), Expr: operand(ev, s),
		Func: n.function(s.Func), File: s.File, Line: s.Line, Col: s.Col,
		Variable: s.Variable, Region: s.Region,
	}
	switch {
	case kind == bug.Failure:
		a.Op, a.Expr = onTest(s)
	case s.Op == trace.Call && s.SiteOp == "": // else it is done with a field
		a.Expr = n.method(ev, i, s)
	}
	if g := goroutine(ev, i, s); g != nil {
		if a.Subtest = subtest(ev, g); a.Subtest == "" {
			a.CreatedAt = created(ev, n, g)
		}
		a.Locks = locks(ev, n, g.ID, ev.Violation[i])
	}
	return a
}

// switches says, for each step that comes from another goroutine than the one before it, why.
func (f *Finding) switches(ev *Evidence, n namer, w *witness.Witness) {
	kept := make(map[string]witness.Step) // by goroutine: the step that it is kept from
	for _, s := range slices.Backward(w.Hold) {
		kept[n.goroutine(s.Goroutine)] = s
	}
	next := make(map[string]int) // by goroutine: its first step from i on
	for i := len(f.Interleaving) - 1; i > 0; i-- {
		next[f.Interleaving[i].Goroutine] = i
		if from := f.Interleaving[i-1].Goroutine; f.Interleaving[i].Goroutine != from {
			f.Switches++
			why := "went first"
			switch {
			case w.Stuck() && f.Interleaving[i-1].Violation:
				why = "waits for ever"
			case w.InOrder() || !f.Interleaving[i-1].Violation:
				if k, goesOn := next[from]; goesOn {
					why = whyPreempted(w, &f.Interleaving[k])
				} else if s, ok := kept[from]; ok {
					why = stopped(ev, s)
				} else {
					why = "has done its part"
				}
			}
			f.Interleaving[i].Switch = &Switch{from, why}
		}
	}
}

// whyPreempted says why a goroutine whose next step is s in an interleaving of w does not go on
// before.
func whyPreempted(w *witness.Witness, s *Step) string {
	if s.Violation && !w.InOrder() {
		return "stands at ▶"
	}
	return "preempted"
}

// operand is what the reader of a step is told that it is of. What a Once does is told as its Do,
// and what puts something somewhere, or takes it from there, by what the line calls.
func operand(ev *Evidence, s witness.Step) string {
	switch s.Op {
	case trace.OnceBegin, trace.OnceEnd, trace.OnceDone:
		return cmp.Or(s.Expr, "Once") + ".Do"
	case trace.Post, trace.Await:
		called := witness.Called(ev.line(s))
		if strings.Contains(ev.line(s), "time.AfterFunc(") {
			called = "time.AfterFunc"
		}
		if s.Op == trace.Await && (strings.HasSuffix(called, "AfterFunc") || strings.HasSuffix(called, ".Reset")) {
			return "timer"
		}
		return called
	}
	return s.Expr
}

// line is the line of the program that a step is in; "" if it is not known.
func (ev *Evidence) line(s witness.Step) string {
	if ev.Source == nil || s.File == "" {
		return ""
	}
	return ev.Source(ev.Files.Path(s.File), s.Line)
}

// stopped says what a goroutine is kept from, the step s.
func stopped(ev *Evidence, s witness.Step) string {
	if inTesting(s) {
		return stoppedInTesting(s)
	}
	expr := operand(ev, s)
	switch s.Op {
	case trace.WaitGroupWait, trace.CondWait:
		return strings.TrimSpace("waits for " + expr)
	case trace.Recv:
		return strings.TrimSpace("waits to receive from " + expr)
	case trace.Select:
		return "waits in a select"
	case trace.WaitGroupAdd:
		method := "Done" // what WaitGroup.Go ends with, too
		if s.Value != "-1" && strings.Contains(ev.line(s), ".Add(") {
			method = "Add"
		}
		return "about to call " + cmp.Or(expr, "WaitGroup") + "." + method
	case trace.End, trace.TestEnd:
		return "about to end"
	case trace.Post, trace.Await:
		if strings.Contains(expr, ".") {
			return "about to call " + expr
		}
		return "about to go on"
	case trace.ChanMake:
		return "about to make " + cmp.Or(expr, "a channel")
	case trace.Fork:
		return "about to start " + cmp.Or(expr, "a goroutine")
	case trace.Branch, trace.Assert:
		return strings.TrimSpace("about to check " + expr)
	case trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW:
		return strings.TrimSpace("about to " + strings.TrimPrefix(witness.Word(s.Op.String()), "atomic ") + " " + expr)
	}
	return "about to " + Step{Op: s.Word(), Expr: expr}.String()
}

// testingFiles is where the files of package testing are.
const testingFiles = "std/testing/"

// inTesting reports whether a step is one of package testing.
func inTesting(s witness.Step) bool { return strings.HasPrefix(s.File, testingFiles) }

// stoppedInTesting is stopped for what package testing does: the locks and channels there are
// nothing that a reader knows.
func stoppedInTesting(s witness.Step) string {
	switch {
	case s.Op == trace.Recv && s.Func == "testing.(*T).Run":
		return "waits for a subtest"
	case s.Op == trace.Recv && s.Func == "testing.(*T).Parallel":
		return "waits for its turn" // the tests that are not parallel come first
	case s.Op == trace.Recv && strings.HasPrefix(s.Func, "testing.tRunner"):
		return "waits for subtests"
	case strings.HasPrefix(s.Func, "testing.tRunner"), s.Func == "testing.(*common).runCleanup":
		return "the test is over"
	}
	return "stopped in package testing"
}

// A shown step is one of an interleaving.
type shown struct {
	*witness.Step
	violation bool // it is one of the violation
	at        int  // its position in Evidence.Replayed, -1 if that does not have it
}

// interleaving lists the steps of w and then what of its violation is not among
// them, the access that goes first at its place. What package testing does is left out, but
// that it starts a test.
func interleaving(ev *Evidence, w *witness.Witness, first int) []shown {
	steps := make([]shown, 0, len(w.Steps)+len(w.Violation))
	var stepsAt, violationAt []int
	if ev.Observed != nil {
		stepsAt, violationAt = ev.Observed.StepsAt, ev.Observed.ViolationAt
	}
	add := func(s *witness.Step, marked bool, positions []int, i int) {
		at := -1
		if positions != nil {
			at = positions[i]
		}
		steps = append(steps, shown{s, marked, at})
	}
	access := func(i int) { add(&w.Violation[i], true, violationAt, i) }
	among := false // the steps have accesses of the violation
	for i := range w.Steps {
		s := &w.Steps[i]
		marked := (w.InOrder() || w.Stuck()) && w.Shows(*s)
		among = among || marked
		if s.Op != trace.Begin && (marked || !inTesting(*s) || s.Op == trace.Fork) { // where it begins says nothing
			add(s, marked, stepsAt, i)
		}
	}
	if w.InOrder() && among {
		access(len(w.Violation) - 1)
		return steps
	}
	if first > 0 {
		access(first)
	}
	for i := range w.Violation {
		if (i != first || first == 0) && (w.Stands(i) || !w.Stuck()) {
			access(i)
		}
	}
	return steps
}

// maxSteps is how many steps of an interleaving a report has: a witness may have a million, which nobody
// follows, and a report of some of those could not be read again, see [maxJSON].
const maxSteps = 1 << 14

// lastSteps returns the last ones of steps, with those of the violation wherever they are, and
// how many there are besides.
func lastSteps(steps []shown) (last []shown, leftOut int) {
	cut := max(0, len(steps)-maxSteps)
	for i := range cut {
		if steps[i].violation {
			last = append(last, steps[i])
		}
	}
	leftOut = cut - len(last)
	return append(last, steps[cut:]...), leftOut
}

// named gives the steps of an interleaving the names that a reader has for them.
func named(ev *Evidence, w *witness.Witness, n namer, steps []shown) []Step {
	if len(steps) == 0 {
		return nil
	}
	out := make([]Step, 0, len(steps))
	functions := make(map[string]string)
	for _, s := range steps {
		function, known := functions[s.Func]
		if !known {
			function = n.function(s.Func)
			functions[s.Func] = function
		}
		step := Step{
			Goroutine: n.goroutine(s.Goroutine), Op: s.Word(), Expr: operand(ev, *s.Step), Value: s.Value,
			Func: function, File: s.File, Line: s.Line, Violation: s.violation,
		}
		if s.Op == trace.Fork && inTesting(*s.Step) {
			step.Expr = runTest
		}
		if s.violation && w.Kind == bug.Failure {
			step.Op, step.Expr = onTest(*s.Step)
			step.Value = ""
		}
		out = append(out, step)
	}
	return out
}

// runTest is what starts a subtest.
const runTest = "t.Run"

// startsTest reports whether s is where package testing starts a subtest.
func (s Step) startsTest() bool {
	return s.Op == "fork" && s.Expr == runTest && strings.HasPrefix(s.File, testingFiles)
}

// outcomes tells what each order of a violation's accesses has led to, of those that were
// replayed until a violation was there.
func outcomes(w *witness.Witness, r replayer.Result) (out []Outcome) {
	if len(w.Violation) < 2 || w.InOrder() || w.Stuck() {
		return nil
	}
	for _, v := range r.Verdicts {
		first := 0
		if v.Order == "10" {
			first = 1
		}
		if v.Status != bug.Confirmed || slices.ContainsFunc(out, func(o Outcome) bool { return o.First == first }) {
			continue
		}
		out = append(out, Outcome{first, v.Outcome.Effect, v.Outcome.Detail})
	}
	return out
}

// onTest says what a place of a failure does to a test: it makes it fail, or is fatal; or it
// uses the test, or is the last thing that package testing does to it.
func onTest(s witness.Step) (op, expr string) {
	switch s.Op {
	case trace.Panic:
		return s.Op.String(), "" // of nothing in the sources
	case trace.Assert:
		return "failure", "the test"
	case trace.Write:
		return "finish", "the test"
	case trace.Read:
		return "use", "the test"
	}
	return s.Op.String(), s.Expr
}

// A namer shortens names to what is not plain from the finding itself.
type namer struct{ pkg, test string }

// goroutine leaves the finding's own test out: "0.1".
func (n namer) goroutine(name string) string {
	if n.test == "" {
		return name
	}
	if rest, own := strings.CutPrefix(name, n.test); own && strings.HasPrefix(rest, ":") { // of many names
		return rest[1:]
	}
	return name
}

// function leaves the package out where it is the finding's own, and the
// folders of the package's path elsewhere.
func (n namer) function(name string) string {
	for _, pkg := range []string{n.pkg, n.pkg + "_test"} {
		if rest, ok := strings.CutPrefix(name, pkg+"."); ok {
			return rest
		}
	}
	// A path can also stand in the brackets of a type argument.
	end := strings.IndexAny(name, "[(")
	if end < 0 {
		end = len(name)
	}
	return path.Base(name[:end]) + name[end:]
}

// goroutine returns the goroutine of access i of the violation, which is s; nil if
// it is not known.
func goroutine(ev *Evidence, i int, s witness.Step) *trace.Goroutine {
	if ev.Trace == nil || i >= len(ev.Violation) {
		return nil
	}
	all := ev.Trace.Goroutines
	if at := ev.Violation[i]; at >= 0 {
		return &all[ev.Trace.Events[at].G]
	}
	// It stood there in a replay, and did not do it.
	if k := slices.IndexFunc(all, func(g trace.Goroutine) bool { return g.Name() == s.Goroutine }); k >= 0 {
		return &all[k]
	}
	return nil
}

// created returns where a goroutine was created.
func created(ev *Evidence, n namer, g *trace.Goroutine) *Place {
	if g.Parent == g.ID || g.Site == 0 || g.Path == "0" {
		return nil
	}
	p := place(ev, n, trace.Fork, g.Site)
	return &p
}

// method is what is called at access i of the violation, which is s: as the line has it, if
// that is plain. A line may call several functions, or hand a method to one of them.
func (n namer) method(ev *Evidence, i int, s witness.Step) string {
	if ev.Trace == nil || i >= len(ev.Violation) || ev.Violation[i] < 0 {
		return s.Expr
	}
	number := ev.Trace.Events[ev.Violation[i]].Val
	for _, site := range ev.Trace.Sites {
		pkg, method, _ := strings.Cut(site.Func, ".(*")
		if trace.KeyOf("(*"+pkg+"."+method, 0) != number { // as types.Func.FullName has it
			continue
		}
		if name := site.Func[strings.LastIndexByte(site.Func, '.'):]; !strings.HasSuffix(s.Expr, name) {
			return n.function(site.Func)
		}
		break
	}
	return s.Expr
}

// subtest returns the name of the subtest that a goroutine runs; "" if it is none's, or package
// testing has not started it.
func subtest(ev *Evidence, g *trace.Goroutine) string {
	if !trace.OfTesting(ev.Trace.Sites[g.Site].Func) {
		return "" // most are not, and a trace is long
	}
	first, end := ev.Index.Extent(ev.Trace, g.ID)
	begins := slices.IndexFunc(ev.Trace.Events[first:end], func(e trace.Event) bool { return e.G == g.ID && e.Kind == trace.TestBegin })
	if begins < 0 {
		return ""
	}
	name := ev.Trace.Names[ev.Trace.Events[first+begins].Obj]
	if !strings.Contains(name, "/") {
		return ""
	}
	return name
}

// locks returns where goroutine g acquired the locks that it holds at position at;
// below 0 that stands for its end.
func locks(ev *Evidence, n namer, g trace.GID, at int) []Place {
	t := ev.Trace
	if at < 0 {
		at = len(t.Events)
	}
	if at < len(t.Events) && t.Events[at].Kind == trace.CondWait { // it waits once it has given the condition's lock back
		gives := func(e trace.Event) bool { return e.G == g && (e.Kind == trace.Release || e.Kind == trace.RRelease) }
		at += 1 + slices.IndexFunc(t.Events[at:], gives)
	}
	first, _ := ev.Index.Extent(t, g)
	held := heldAt(t, min(first, at), at, nil, nil)
	var out []Place
	for _, e := range held {
		if p := place(ev, n, e.Kind, e.Site); e.G == g && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// heldAt returns the acquires before position at that have no release, by all goroutines,
// begun at position first if those before do not matter. after gets those after each of some
// positions from there on, which ascend, and may get them twice.
func heldAt(t *trace.Trace, first, at int, some []int, after func(position int, held []trace.Event)) []trace.Event {
	held, ok := heldFrom(t, first, at, some, after)
	if !ok {
		held, _ = heldFrom(t, 0, at, some, after)
	}
	return held
}

// heldFrom is heldAt, begun at position from. It is not ok if it takes those before to tell, as
// a goroutine has released what it did not acquire there.
func heldFrom(t *trace.Trace, from, at int, some []int, after func(position int, held []trace.Event)) (held []trace.Event, ok bool) {
	for p := from; p < at; p++ {
		switch e := &t.Events[p]; e.Kind {
		case trace.Acquire, trace.RAcquire:
			held = append(held, *e)
		case trace.Release, trace.RRelease:
			its := func(h trace.Event) bool { return h.G == e.G && h.Obj == e.Obj }
			others := func(h trace.Event) bool { return h.G != e.G && h.Obj == e.Obj }
			if from > 0 && !slices.ContainsFunc(held, its) && slices.ContainsFunc(held, others) {
				return nil, false
			}
			held = released(held, e)
		}
		if len(some) > 0 && some[0] == p {
			after(p, held)
			some = some[1:]
		}
	}
	return held, true
}

// released takes from the acquires that have no release yet that of a lock which rel
// releases: the goroutine's own last one, or else the oldest one, of a goroutine that
// has handed the lock over.
func released(held []trace.Event, rel *trace.Event) []trace.Event {
	found := -1
	for k, e := range held {
		if e.Obj == rel.Obj && (e.Kind == trace.RAcquire) == (rel.Kind == trace.RRelease) && (e.G == rel.G || found < 0) {
			found = k
		}
	}
	if found < 0 {
		return held
	}
	return append(held[:found], held[found+1:]...)
}

// place describes the site of an operation of kind k.
func place(ev *Evidence, n namer, k trace.Kind, id trace.SiteID) Place {
	s := ev.Trace.Sites[id]
	p := Place{Expr: s.Expr, Func: n.function(s.Func), File: ev.Files.Name(s.File), Line: s.Line}
	if p.Expr == "" && ev.Source != nil && s.File != "" {
		p.Expr = witness.Operand(k, ev.Source(s.File, s.Line))
	}
	return p
}

package explore

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file looks for the bug of a witness whose schedule the program has left. That
// alone does not say that the bug is fixed: a schedule tells goroutines by how many
// there are and places by their functions, so that a goroutine more or a call less
// leads away from a bug that is there. So the test is recorded again and predicted
// from, and what is found at the same places is replayed.

// A Recheck is what came of that: the bug is Confirmed, and found; or Fixed; or
// Unconfirmed, as that cannot be told, for a reason.
type Recheck struct {
	Status bug.Status
	Reason string
	found  reported
	// searched says that all behaviours of the test would tell, where a few runs do not.
	searched bool
}

// Finding is the bug that was confirmed.
func (r *Recheck) Finding() report.Finding { return r.found.Finding }

// Witness is that of the bug that was confirmed.
func (r *Recheck) Witness() *witness.Witness { return r.found.witness }

// Recheck looks for the bug of w, whose replays have led elsewhere, as r says. Run says how its
// test is run. The exploration is for nothing else then.
func (x *Exploration) Recheck(ctx context.Context, run recorder.Run, w *witness.Witness, r replayer.Result) (Recheck, error) {
	c := &confirmation{inPackage: x.in(), run: run, progress: new(progress)}
	p := c.placesOf(r.Witness)
	again, err := c.recheck(ctx, w, r, p)
	if err != nil || again.Status == bug.Confirmed {
		return again, err
	}
	return c.wholly(ctx, w, p, again)
}

// recheckTime bounds what wholly takes, and searchTime the search for all behaviours in it.
const (
	recheckTime = time.Minute
	searchTime  = 10 * time.Second
)

// wholly does all with the test of w that an ordinary run does: what a few recordings have not
// shown of its bug, as known says, further runs may.
func (c *confirmation) wholly(ctx context.Context, w *witness.Witness, p *places, known Recheck) (Recheck, error) {
	again, unknown, err := c.runAgain(ctx, w, recorder.NewestFirst, c.prefix+"again-"+w.ID)
	if err != nil || unknown != "" {
		return known, err
	}
	run := again.run
	run.Args = replayer.ReplayArgs(replayer.ArgsFor(w, run.Args), w, replayTime(took(run.Seconds)))
	x := &Exploration{setting: c.setting, told: make(map[string]bool)} // which is there for this alone; nothing beside the user's tests is written
	x.opts.Analysis.Kinds = []bug.Kind{w.Kind}
	x.opts.Witnesses, x.opts.Artifacts = filepath.Join(c.work, "found"), ""
	x.opts.Timeout = recheckTime
	x.timeout.rest = min(x.timeout.rest, recheckTime)
	if known.searched {
		x.opts.Explore, x.exploring = Budget{Time: searchTime}, searchTime
	}
	if err := x.Explore(ctx, []recorder.Run{run}); err != nil {
		return known, err
	}
	for _, f := range x.Report.Findings {
		v := p.of(&f)
		if exact := sitesOf(v) == sitesOf(p.now); !exact && !p.alike(v) {
			open := f.Kind == w.Kind && (f.Status == bug.Confirmed || f.Status == bug.Unconfirmed)
			if open && known.Status == bug.Fixed && len(p.gone) == len(w.Violation) {
				known = cannotTell("there is another possible bug of its kind in %s", w.Tests[0])
			}
			continue
		}
		if f.Status == bug.Confirmed {
			return Recheck{Status: bug.Confirmed, found: reported{Finding: f, witness: v}}, nil
		}
		if f.Status == bug.Unconfirmed {
			known.searched = false
			if known.Status == bug.Fixed {
				known = cannotTell("further runs have left it open")
			}
		}
	}
	for _, pkg := range x.Report.Packages {
		for _, e := range pkg.Explored {
			if known.searched && known.Status == bug.Unconfirmed && e.Test == w.Tests[0] && e.Complete {
				known.Status, known.Reason = bug.Fixed, fmt.Sprintf("all that %s can do was seen", e.Test)
			}
		}
	}
	return known, nil
}

// of is the violation of a finding, as alike compares it.
func (p *places) of(f *report.Finding) *witness.Witness {
	v := &witness.Witness{Kind: f.Kind, Pattern: f.Pattern}
	for _, a := range f.Accesses {
		op, _ := trace.KindOf(a.Op)
		v.Violation = append(v.Violation, witness.Step{Op: op, Expr: a.Expr, Func: a.Func, File: a.File, Line: a.Line})
	}
	for i := range v.Violation { // call sites are compared by what is left of their names
		if i < len(p.now.Violation) && len(v.Violation) == len(p.now.Violation) {
			v.Violation[i].Nth = p.now.Violation[i].Nth
		}
	}
	return v
}

// recheckOrders are the orders in which the test of a witness is recorded again: what
// it comes to may depend on that.
var recheckOrders = []recorder.Order{recorder.NewestFirst, recorder.OldestFirst, recorder.ChildFirst}

// staleOrders are more of them, for witnesses that no longer fit the sources: that nothing was
// predicted is all that there is to say then.
var staleOrders = []recorder.Order{recorder.Seed(1), recorder.Seed(2)}

// recheck looks for the bug of w, whose replays have led elsewhere, as r says, and notes in p
// where it may be. c.run says how the test is run.
//
// It is fixed only if each place of the violation that is there was come to in some of the
// runs, and nothing that was predicted in any of them has a part there: else the answer is
// that there is none.
func (c *confirmation) recheck(ctx context.Context, w *witness.Witness, r replayer.Result, p *places) (Recheck, error) {
	if !c.opts.finds(w) {
		return cannotTell("bugs of kind %s are not looked for", strings.TrimSpace(string(w.Kind)+" "+w.Pattern)), nil
	}
	if err := c.ready(); err != nil {
		return Recheck{}, err
	}
	l := &rechecking{confirmation: c, w: w, r: r, places: p, orders: recheckOrders}
	if l.stale() {
		l.orders = append(slices.Clip(l.orders), staleOrders...)
	}
	if o := recorder.Order(w.Recorded); !slices.Contains(l.orders, o) {
		l.orders = append(slices.Clip(l.orders), o)
	}
	for k := range l.orders {
		if answer, over, err := l.runIn(ctx, k); over || err != nil {
			return answer, err
		}
	}
	found, err := l.elsewhere(ctx)
	if err != nil {
		return Recheck{}, err
	}
	if found.confirmed != "" {
		return Recheck{Status: bug.Confirmed, found: found}, nil
	}
	return l.answer(), nil
}

// cannotTell is the answer that there is none, and why.
func cannotTell(format string, args ...any) Recheck {
	return Recheck{Status: bug.Unconfirmed, Reason: "cannot tell whether it is fixed: " + fmt.Sprintf(format, args...)}
}

// A rechecking is what is known of the bug of w from runs of its test.
type rechecking struct {
	*confirmation
	w       *witness.Witness
	r       replayer.Result
	places  *places
	orders  []recorder.Order // those in which the test is recorded
	runs    []recording
	open    string // why the bug may be there; "" if nothing says so
	several bool   // some run has started goroutines
	failed  bool   // the test has failed in some run
}

// stale reports whether the witness no longer fits the sources.
func (l *rechecking) stale() bool { return len(l.r.Stale) > 0 }

// runIn runs the test in the k-th order and looks for the very bug in what that shows. It is over if that
// gives the answer.
func (l *rechecking) runIn(ctx context.Context, k int) (answer Recheck, over bool, err error) {
	w, now := l.w, l.r.Witness
	exact := func(v *witness.Witness) bool { return sitesOf(v) == sitesOf(now) }
	l.status.Set("recording", fmt.Sprintf("%s again, %d of %d", w.Tests[0], k+1, len(l.orders)))
	again, unknown, err := l.runAgain(ctx, w, l.orders[k], fmt.Sprintf("%sagain-%s-%d", l.prefix, w.ID, k))
	if err != nil {
		return Recheck{}, false, err
	}
	if unknown != "" {
		return cannotTell("%s", unknown), true, nil
	}
	found, err := again.shows(ctx, w.Kind, exact)
	if err != nil {
		return Recheck{}, false, err
	}
	if found.confirmed != "" {
		return Recheck{Status: bug.Confirmed, found: found}, true, nil
	}
	l.runs = append(l.runs, recording{confirmation: again})
	for i, there := range now.In(again.trace) {
		l.places.came[i] = l.places.came[i] || there
	}
	l.several = l.several || severalIn(again.trace, w.Tests[0])
	l.failed = l.failed || slices.Contains(again.failed, w.Tests[0])
	if w.Stuck() && l.stale() && again.blocks(w.Kind, w.Tests[0]) {
		l.open = fmt.Sprintf("goroutines of %s are blocked for ever, perhaps by the same bug", w.Tests[0])
	}
	findings, unknown, err := again.predictAgain(ctx, w)
	if err != nil {
		return Recheck{}, false, err
	}
	if unknown != "" && l.stale() && w.Stuck() {
		l.open = unknown // who is stuck elsewhere may be so by the same bug: see elsewhere
		return Recheck{}, false, nil
	}
	if unknown != "" {
		return cannotTell("%s", unknown), true, nil
	}
	l.runs[k].findings = findings
	if found, err = again.find(ctx, findings, exact); err != nil {
		return Recheck{}, false, err
	}
	if found.confirmed != "" {
		return Recheck{Status: bug.Confirmed, found: found}, true, nil
	}
	l.open = stillOpen(l.open, findings, w, now)
	return Recheck{}, false, nil
}

// elsewhere looks in all runs for the bug at places that may be those of w by now, and returns what there is
// to tell of it.
func (l *rechecking) elsewhere(ctx context.Context) (reported, error) {
	p := l.places
	// A place that is gone, or that nobody comes to any more, may be elsewhere by now. Of a line
	// that was guessed nobody knows whether it is the place.
	p.gone = slices.Clone(l.r.Gone)
	for _, i := range l.r.Unsure {
		if !p.came[i] {
			p.gone = append(p.gone, i)
		}
	}
	// Who is stuck may be so in code that is the same as another's: which of them has moved
	// does not show.
	p.anywhere = l.w.Stuck() && l.stale()
	if len(p.missing()) == 0 {
		return reported{}, nil
	}
	for _, again := range l.runs {
		found, err := again.shows(ctx, l.w.Kind, p.alike)
		if err == nil && found.confirmed == "" {
			found, err = again.find(ctx, again.findings, p.alike)
		}
		if err != nil || found.confirmed != "" {
			return found, err
		}
	}
	return reported{}, nil
}

// answer is what the runs say together, none of which has shown the bug.
func (l *rechecking) answer() Recheck {
	w, p := l.w, l.places
	open := l.open
	for _, again := range l.runs {
		for _, f := range again.findings {
			if open == "" && l.stale() && (len(p.gone) == 0 || len(p.gone) == len(w.Violation) || p.alike(f.witness)) {
				open = fmt.Sprintf("there is another possible bug of its kind in %s", w.Tests[0])
			}
		}
	}
	left := -1 // a place that is there, and that nobody comes to
	for i, came := range p.came {
		if !came && !slices.Contains(p.gone, i) {
			left = i
		}
	}
	switch {
	case w.Kind == bug.Failure && !l.failed:
		answer := cannotTell("%s does not fail in %d orders of goroutines, which is no proof", w.Tests[0], len(l.orders))
		answer.searched = true
		return answer
	case open != "":
		answer := cannotTell("%s", open)
		answer.searched = w.Kind == bug.Assertion
		return answer
	case len(p.gone) > 0 && !l.several:
		return cannotTell("%s does not start goroutines any more", w.Tests[0])
	case left >= 0:
		return cannotTell("%s does not come to %s any more", w.Tests[0], placeOf(l.r.Witness.Violation[left]))
	case crashes(l.r):
		return cannotTell("%s crashes or hangs in another order of its goroutines", w.Tests[0])
	}
	return Recheck{Status: bug.Fixed}
}

// runAgain records the test of w in an order, with its files in the folder; unknown is why
// that tells nothing.
func (c *confirmation) runAgain(ctx context.Context, w *witness.Witness, order recorder.Order, folder string) (again *confirmation, unknown string, err error) {
	test := w.Tests[0]
	limit := replayTime(took(c.run.Seconds))
	args := replayer.ReplayArgs(replayer.ArgsFor(w, c.run.Args), w, limit)
	c.runs.Add(1)
	run, err := c.run.Again(ctx, order, args, folder, limit)
	if err != nil {
		return nil, "", err
	}
	t := ReadReplay(run.Trace, c.build)
	switch {
	case t == nil || trace.Validate(t) != nil:
		return nil, test + " was run again and not recorded", nil
	case !slices.ContainsFunc(t.Goroutines, func(g trace.Goroutine) bool { return g.Test == test }):
		return nil, "there is no test " + test + " any more, or it is left out", nil
	}
	run.Args = c.run.Args
	return c.inPackage.confirmation(run, t, newTally()), "", nil
}

// severalIn reports whether goroutines of test were started in t.
func severalIn(t *trace.Trace, test string) bool {
	n := 0
	for _, g := range t.Goroutines {
		if g.Test == test {
			n++
		}
	}
	return n > 1
}

// shows returns what there is to tell of a bug of that kind, which is the one that is looked
// for, if the recorded run has come to it by itself, and does so again.
func (c *confirmation) shows(ctx context.Context, kind bug.Kind, is func(*witness.Witness) bool) (reported, error) {
	switch kind {
	case bug.Deadlock, bug.Leak:
		return c.blockedAt(ctx, kind, is)
	case bug.Failure:
		for _, f := range c.failures() {
			if is(f.witness) {
				return c.replayFailure(ctx, f)
			}
		}
	}
	return reported{}, nil
}

// predictAgain predicts bugs of w's kind from the recorded run; unknown is why that tells
// nothing.
func (c *confirmation) predictAgain(ctx context.Context, w *witness.Witness) (findings []finding, unknown string, err error) {
	if t := c.trace; t.Meta.Limit > 0 || len(t.Cuts) > 0 || !t.Complete {
		return nil, w.Tests[0] + " was run again, and not all of it was recorded", nil
	}
	opts := c.analysis(c.run)
	opts.Kinds = []bug.Kind{w.Kind}
	result, err := Predict(ctx, c.trace, opts)
	if err != nil {
		return nil, "", err
	}
	if result.Cut || result.TooLong {
		return nil, "there is too much to look for in " + w.Tests[0], nil
	}
	findings, _, err = c.findings(result)
	return findings, "", err
}

// stillOpen returns why the bug of w, whose places are now's, may be there although none
// of the findings was confirmed at these places: because of one of these, or else as was
// known before.
func stillOpen(before string, findings []finding, w, now *witness.Witness) string {
	open := before
	for _, f := range findings {
		switch place := shared(f.witness, now); {
		case sitesOf(f.witness) != sitesOf(now):
			if place != "" && open == "" {
				open = fmt.Sprintf("%s is part of another possible bug of %s", place, w.Tests[0])
			}
		case len(f.Schedules) > 0:
			open = "another schedule was predicted, and did not confirm it"
		default:
			open = "whether another schedule leads there is undecided"
		}
	}
	return open
}

// find replays those of the findings that are the one that is looked for until one is
// confirmed, and returns what there is to tell of that.
func (c *confirmation) find(ctx context.Context, all []finding, is func(*witness.Witness) bool) (reported, error) {
	findings := slices.DeleteFunc(slices.Clone(all), func(f finding) bool { return !is(f.witness) })
	out := make([]reported, len(findings))
	c.total.Store(int32(len(findings)))
	for i, f := range findings {
		ev, err := c.replayFinding(ctx, f)
		if out[i] = c.reported(ev); err != nil || out[i].confirmed != "" {
			return out[i], err
		}
	}
	err := c.departed(ctx, findings, out)
	if i := slices.IndexFunc(out, func(f reported) bool { return f.confirmed != "" }); i >= 0 {
		return out[i], nil
	}
	return reported{}, err
}

// Strays reports whether the replays of a witness have led elsewhere, be it to a crash, or there
// were none as places of its violation are gone: what has become of its bug is for
// [Exploration.Recheck].
func Strays(r replayer.Result) bool {
	became := r.OfWitness()
	return became == bug.Left || crashes(r) || became == bug.Stale && (r.Replays > 0 || len(r.Gone) > 0)
}

// crashes reports whether a test has crashed or hung where its replays have led, which may be
// the very bug.
func crashes(r replayer.Result) bool { return r.Reproduced == 0 && r.OfWitness() == bug.Unconfirmed }

// The places of a bug are looked for in sources that were edited: code may have been moved to
// another function, and what it names may have another name.
type places struct {
	now      *witness.Witness        // where they are in the sources
	gone     []int                   // of its violation: those that are not
	came     []bool                  // those that some run has come to
	sites    map[string][]trace.Site // that are in the sources, by function
	anywhere bool                    // all of them may have moved
}

// placesOf are those of the violation of a witness, as it is now; no run has come to one yet.
func (c *confirmation) placesOf(now *witness.Witness) *places {
	return &places{now: now, came: make([]bool, len(now.Violation)), sites: c.code.Sites}
}

// missing are the places that are gone, or that no run has come to, and those that are there
// twice, of which one may have moved; all if they may be anywhere.
func (p *places) missing() (all []int) {
	for i, came := range p.came {
		if p.anywhere || !came || p.twice(i) || slices.Contains(p.gone, i) {
			all = append(all, i)
		}
	}
	return all
}

// twice reports whether the violation has its i-th place once more.
func (p *places) twice(i int) bool {
	s := p.now.Violation[i]
	for k, o := range p.now.Violation {
		if k != i && o.File == s.File && o.Line == s.Line && o.Col == s.Col {
			return true
		}
	}
	return false
}

// alike reports whether the violation of v may be the one that is looked for: it has the same
// places, but for those that are missing, and there some that look like these.
func (p *places) alike(v *witness.Witness) bool {
	w := p.now
	if v.Kind != w.Kind || v.Pattern != w.Pattern || len(v.Violation) != len(w.Violation) {
		return false
	}
	missing := p.missing()
	is := func(i, k int) bool { // the i-th place is that of v's k-th
		a, b := w.Violation[i], v.Violation[k]
		if a.File == b.File && a.Line == b.Line && a.Op == b.Op && witness.Shape(a.Expr) == witness.Shape(b.Expr) {
			return true
		}
		return slices.Contains(missing, i) && a.Op == b.Op && p.named(a, b)
	}
	if w.InOrder() {
		for i := range w.Violation {
			if !is(i, i) {
				return false
			}
		}
		return true
	}
	taken := make([]bool, len(v.Violation))
	var fits func(i int) bool
	fits = func(i int) bool {
		if i == len(w.Violation) {
			return true
		}
		for k := range v.Violation {
			if !taken[k] && is(i, k) {
				if taken[k] = true; fits(i + 1) {
					return true
				}
				taken[k] = false
			}
		}
		return false
	}
	return fits(0)
}

// named reports whether what b names may be what a named, in the same package: fields have the
// same names, or nothing there has a's any more, and only the names differ.
func (p *places) named(a, b witness.Step) bool {
	if path.Dir(a.File) != path.Dir(b.File) { // a report's functions may have no package in their names
		return false
	}
	shape := witness.Shape(a.Expr)
	if shape == witness.Shape(b.Expr) || b.Expr == "" { // of some calls nobody knows what they name
		return true
	}
	if names.ReplaceAllString(shape, "_") != names.ReplaceAllString(witness.Shape(b.Expr), "_") {
		return false
	}
	for fn, sites := range p.sites {
		if packageOf(fn) == packageOf(a.Func) && slices.ContainsFunc(sites, func(s trace.Site) bool { return witness.Shape(s.Expr) == shape }) {
			return false
		}
	}
	return true
}

var names = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

// finds reports whether predicting could find the bug of w.
func (o *Options) finds(w *witness.Witness) bool {
	if !w.InOrder() {
		return slices.Contains(bug.Kinds(), w.Kind)
	}
	if w.Kind == bug.Property {
		return property.Named(o.Analysis.Properties, w.Pattern, w.Package) != nil
	}
	for _, p := range slices.Concat(anomaly.Builtin(), o.Analysis.Patterns) {
		if p.Name == w.Pattern {
			return true
		}
	}
	return false
}

// shared names a place that the violations of both v and w have; "" if there is none.
func shared(v, w *witness.Witness) string {
	for _, s := range v.Violation {
		for _, o := range w.Violation {
			if s.File == o.File && s.Line == o.Line && witness.Shape(s.Expr) == witness.Shape(o.Expr) {
				return placeOf(s)
			}
		}
	}
	return ""
}

// placeOf names the place of a step: "a.balance (bank.go:12)".
func placeOf(s witness.Step) string {
	return strings.TrimSpace(fmt.Sprintf("%s (%s:%d)", s.Expr, filepath.Base(s.File), s.Line))
}

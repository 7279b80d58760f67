// Package report is the model of what gopredict reports, and its encoders: text for the
// terminal, JSON, an HTML page, and what CI systems read.
//
// It is the last room of the flow, and knows no traces. internal/explore fills a [Report] with
// one [Finding] for each bug; internal/evidence makes these from traces and replays. The
// encoders only lay out what the model has, so that a report which [ReadJSON] reads can be
// written in any form. [Status] is the line that shows progress meanwhile.
//
// The JSON form is a contract, gopredict.report/v1: report.schema.json
// describes it. Fields may be added, never changed.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

// Schema is the name of the JSON form that this package writes.
const Schema = "gopredict.report/v1"

// A Report is what one run of gopredict found.
type Report struct {
	Schema    string    `json:"schema"`
	Version   string    `json:"version,omitempty"`  // of gopredict, as gopredict version has it
	Go        string    `json:"go"`                 // version, e.g. "go1.26.8"
	DurationS float64   `json:"duration_s"`         // of the whole run, in seconds
	TestedS   float64   `json:"tested_s,omitempty"` // of that, until the recorded tests had ended, the build included
	Packages  []Package `json:"packages"`
	Findings  []Finding `json:"findings"`
	Totals    Totals    `json:"totals"`
	// Shard says which part of a run this is; nil: all of it.
	Shard *Shard `json:"shard,omitempty"`
	// Incomplete says why not all was looked at that was to be: a signal, the end of the
	// time, a disk that is full. Of a complete run it is empty.
	Incomplete []string `json:"incomplete,omitempty"`
	// Witnesses tell what has become of those that lay beside the tests.
	Witnesses []WitnessState `json:"witnesses,omitempty"`
	// Warnings are what the user should know of the run itself: a witness
	// that is stale, a trace that was cut off.
	Warnings []string `json:"warnings,omitempty"`
}

// A Package is what was recorded of one package.
type Package struct {
	Package    string   `json:"package"`
	Tests      int      `json:"tests"`
	Result     string   `json:"result"`            // of the recorded run: "pass", "fail", "build-failed" or "no tests"
	Started    string   `json:"started,omitempty"` // when the recorded run began, as RFC 3339 has it
	RecordS    float64  `json:"record_s"`          // test time of the recorded run, in seconds
	ReplayS    float64  `json:"replay_s"`          // from the first replay to the last, in seconds
	Runs       int64    `json:"runs"`              // of tests of the package, after the recorded one: further recordings and replays
	Events     int      `json:"events"`
	TraceBytes int64    `json:"trace_bytes"`
	Skipped    []string `json:"skipped"` // "FILE: REASON", what was left alone of what was to be instrumented
	// Lingering are the goroutines that waited when the test was over that had started them,
	// and that others could wake yet.
	Lingering []Lingering `json:"lingering,omitempty"`
	// Explored are the tests that were run until nothing was left, or as far as that went.
	Explored []Explored `json:"explored,omitempty"`
	Cases    []Case     `json:"cases,omitempty"` // the tests, subtests and examples of the recorded run
	// Output is what the recorded run has printed, if it failed: the last lines. A terminal has it
	// alone.
	Output []string `json:"output,omitempty"`
}

// A Case is a test or subtest of the recorded run, or an example.
type Case struct {
	Test     string  `json:"test"`
	Failed   bool    `json:"failed,omitempty"` // or it has come to no end
	Skipped  bool    `json:"skipped,omitempty"`
	ElapsedS float64 `json:"elapsed_s"` // in seconds; 0 if it has come to no end
	// Output is what it has logged, or an example has printed, if it has failed or was
	// skipped: the first lines of that.
	Output []string `json:"output,omitempty"`
}

// NoEndText is what is told of a test that has not ended: a panic or os.Exit was before that.
const NoEndText = "it has come to no end: what the run has printed says why"

// An Explored is a test of which more runs were made than those that cost little.
type Explored struct {
	Test       string `json:"test"`
	Runs       int    `json:"runs"`                // of the test, to see what it can do
	Behaviours int    `json:"behaviours"`          // that it is known to have
	Complete   bool   `json:"complete"`            // it has no others
	Left       int    `json:"left"`                // runs that would show something new, as far as is known
	ByChance   int    `json:"by_chance,omitempty"` // of the runs, in orders of chance
	Seed       int    `json:"seed,omitempty"`      // of the first of these; the others follow
	// Open says why there may be more than what is known.
	Open []string `json:"open,omitempty"`
}

// A Finding is one bug, or one suspicion that did not come true.
type Finding struct {
	ID      string     `json:"id"` // e.g. "race-7c1f0a"
	Kind    bug.Kind   `json:"kind"`
	Pattern string     `json:"pattern"`
	Status  bug.Status `json:"status"` // Confirmed, Unconfirmed or Infeasible
	Effect  bug.Effect `json:"effect"` // "" unless confirmed
	Reason  string     `json:"reason"` // why not confirmed
	// Undecided says that there was nothing to replay: within the budget neither a
	// schedule was found that leads there nor a proof that there is none.
	Undecided bool `json:"undecided,omitempty"`
	// Refuted says of an undecided one that no order of what was recorded leads to it, and no run
	// that departs from that has shown it. Finish counts it as pruned.
	Refuted bool `json:"-"`
	// Detail is the text of the effect: a panic's, or failing tests' lines.
	Detail  []string `json:"detail,omitempty"`
	Package string   `json:"package"`
	Test    string   `json:"test"`
	// Time says what a failure or deadlock rests on that comes only where goroutines are late.
	Time     *Time    `json:"time,omitempty"`
	Accesses []Access `json:"accesses"`
	// Also are other goroutines that the bug blocks for ever: at the same places, or as they
	// wait for a lock of one that it blocks.
	Also     []Access `json:"also,omitempty"`
	Witness  string   `json:"witness"`  // file, relative to the module root; "" if none was saved
	Switches int      `json:"switches"` // between goroutines, in Interleaving
	Tier     string   `json:"tier"`
	Run      int      `json:"run,omitempty"` // of those beyond the recordings, from 1, that has shown it, or from which it is predicted
	// Parents are the runs from which it is known what leads to Run, 0 for recordings; none if it
	// was in an order of chance.
	Parents    []int `json:"parents,omitempty"`
	Replays    int   `json:"replays"`
	Reproduced int   `json:"reproduced"`
	// Fails says that it made the run fail, see -predict.fail-on.
	Fails bool `json:"fails,omitempty"`
	// Suppressed says that it is known, and fails no run.
	Suppressed *Suppression `json:"suppressed,omitempty"`
	// First is the index in Accesses of the one that went first in the replay
	// that showed the effect, where goroutines stood at all of them at once.
	First        int    `json:"first"`
	Interleaving []Step `json:"interleaving,omitempty"`
	// LeftOut is how many steps the witness has before the last ones, which Interleaving has.
	LeftOut int `json:"left_out,omitempty"`
	// Edges are what orders steps of different goroutines in Interleaving.
	Edges []Edge `json:"edges,omitempty"`
	// Orders are what the orders of two accesses that meet have led to, of those that
	// were replayed.
	Orders []Outcome `json:"orders,omitempty"`
	// Source is the lines of the program around the places of the finding.
	Source []Excerpt `json:"source,omitempty"`
	// Values says where the values in Interleaving are from: "replay" or
	// "recording".
	Values string `json:"values,omitempty"`
}

// A Suppression is why a confirmed bug fails no run.
type Suppression struct {
	By     SuppressedBy `json:"by"`
	Reason string       `json:"reason"`
}

// SuppressedBy is what has suppressed a finding.
type SuppressedBy string

// What can suppress a finding.
const (
	ByBaseline SuppressedBy = "baseline" // a file of known bugs
	ByComment  SuppressedBy = "comment"  // in the program
	ByRevision SuppressedBy = "revision" // it touches no line that was changed since
)

// Sites names the finding's kind and places, in no special order of these: equal
// for findings that are one bug to who mends it. What s.hits++ reads and what it
// writes is one place. A property that is violated is a bug of its own.
func (f *Finding) Sites() string {
	kind := string(f.Kind)
	if f.Kind == bug.Property {
		kind += " " + f.Pattern
	}
	var sites []string
	for _, a := range f.Accesses {
		sites = append(sites, fmt.Sprintf("%s %s:%d", a.Expr, a.File, a.Line))
	}
	slices.Sort(sites)
	return kind + ": " + strings.Join(sites, ", ")
}

// A WitnessState is what has become of a witness that lay beside its test.
type WitnessState struct {
	Witness string `json:"witness"` // file, relative to the module root
	ID      string `json:"id,omitempty"`
	// Status is Confirmed, Fixed, Stale, Unconfirmed (it cannot be told), NotReplayed or
	// Damaged.
	Status bug.Status `json:"status"`
	Reason string     `json:"reason,omitempty"` // why not confirmed, or "by another schedule"
}

// An Access is one of a violation: for a race where one of the goroutines stands,
// else one of those that come in the forbidden order.
type Access struct {
	Goroutine string `json:"goroutine"` // path of spawns, e.g. "0.1"
	Op        string `json:"op"`
	Expr      string `json:"expr"`
	Func      string `json:"func"`
	File      string `json:"file"` // relative to the module root, with forward slashes
	Line      int    `json:"line"`
	Col       int    `json:"col,omitempty"`
	// Variable and Region number, from 1, those of the pattern.
	Variable  int     `json:"variable,omitempty"`
	Region    int     `json:"region,omitempty"`
	Locks     []Place `json:"locks,omitempty"`                // held here, in the order of acquisition
	CreatedAt *Place  `json:"goroutine_created_at,omitempty"` // the go statement; nil where unknown
	// Subtest is what the goroutine runs, if it is that of a subtest.
	Subtest string `json:"subtest,omitempty"`
	// CreatedFor is the call of the program's own packages that led to a go statement
	// elsewhere, of a goroutine that is blocked for ever.
	CreatedFor *Place `json:"goroutine_created_for,omitempty"`
	// Stack is where the goroutine waits for ever, innermost first, and HeldBy who holds
	// the lock that it waits for. Partners are those who have last done what could have
	// ended the wait.
	Stack    []Place          `json:"stack,omitempty"`
	HeldBy   []OtherGoroutine `json:"held_by,omitempty"`
	Partners []OtherGoroutine `json:"partners,omitempty"`
	WaitS    float64          `json:"wait_s,omitempty"` // how long it had waited, in seconds
}

// A Lingering is a goroutine that waits for what somebody may do yet.
type Lingering struct {
	Test      string `json:"test"`
	Goroutine string `json:"goroutine"`
	Op        string `json:"op"`
	Place
}

// An OtherGoroutine is what another goroutine has done.
type OtherGoroutine struct {
	Goroutine string `json:"goroutine"`
	Op        string `json:"op"`
	Gone      bool   `json:"gone,omitempty"` // it has ended
	Place
}

// Time is what a failure of the test, or a deadlock, rests on if it rests on time: goroutines that could go
// on come later than a timer fires which the failing one waits for, or any of a deadlock, or nobody.
type Time struct {
	Delayed   []string `json:"late"`      // those that come later
	ForS      float64  `json:"for_s"`     // by how long one of them must, in seconds, in whole milliseconds
	Goroutine string   `json:"goroutine"` // that waits; "" for a timer of time.AfterFunc
	Wait      string   `json:"wait"`      // how: "sleep", "select", "chan receive"
	Place              // where; Expr is the call of package time, if the line has one
}

// A Place is a line of the program.
type Place struct {
	Expr string `json:"expr,omitempty"` // what the line calls its object, e.g. "a.mu"
	Func string `json:"func"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// A Step is one row of an interleaving.
type Step struct {
	Goroutine string `json:"goroutine"`
	Op        string `json:"op"`
	Expr      string `json:"expr"`
	Value     string `json:"value,omitempty"`
	Func      string `json:"func"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Violation bool   `json:"violation,omitempty"` // one of Finding.Accesses
	// Locks are those that the goroutine holds after the step, in the order of acquisition.
	Locks []string `json:"locks,omitempty"`
	// Switch is set where the step before is another goroutine's.
	Switch *Switch `json:"switch,omitempty"`
}

// An Edge orders two steps of different goroutines: the one that goes on in To does so by
// what From has done.
type Edge struct {
	From int      `json:"from"` // index in Finding.Interleaving
	To   int      `json:"to"`   // likewise; before From, if it is an operation that waited
	Kind EdgeKind `json:"kind"`
}

// An EdgeKind is what goes from one goroutine to another.
type EdgeKind string

// The kinds of edges.
const (
	EdgeGo        EdgeKind = "go"        // to the first step of the goroutine that a step starts
	EdgeMessage   EdgeKind = "message"   // from a send to the receive of what was sent
	EdgeClose     EdgeKind = "close"     // from a close to a receive that sees it
	EdgeLock      EdgeKind = "lock"      // from an unlock to the next lock
	EdgeWaitGroup EdgeKind = "waitgroup" // from the last Done to the Wait that it ends
	EdgeSignal    EdgeKind = "signal"    // from a signal or broadcast to a Wait that it ends
	EdgeOnce      EdgeKind = "once"      // from the end of a Once's function to who waits for that
	EdgeToken     EdgeKind = "handover"  // from what is put into a pool, or sets a timer, to what takes it
	EdgeValue     EdgeKind = "value"     // from a write to a read of what was written
)

// An Outcome is what one order of two accesses has led to.
type Outcome struct {
	First  int        `json:"first"` // index in Finding.Accesses of the one that went first
	Effect bug.Effect `json:"effect"`
	Detail []string   `json:"detail,omitempty"`
}

// An Excerpt is some lines of a file of the program.
type Excerpt struct {
	File  string   `json:"file"`
	Line  int      `json:"line"` // of the first one, from 1
	Lines []string `json:"lines"`
}

// A Switch is why one goroutine stops and another goes on.
type Switch struct {
	From string `json:"from"` // the goroutine that stops
	Why  string `json:"why"`  // e.g. "waits for customers", "preempted"
}

// Totals count candidates by what became of them. A bug is one candidate, also
// where several packages show it, or only a saved witness does.
type Totals struct {
	Candidates  int `json:"candidates"` // the sum of the others
	Pruned      int `json:"pruned"`
	Confirmed   int `json:"confirmed"`
	Unconfirmed int `json:"unconfirmed"`
	Infeasible  int `json:"infeasible"`
	// Undecided is how many of the unconfirmed had nothing to replay: see
	// Finding.Undecided.
	Undecided int `json:"undecided,omitempty"`
}

// Gates reports whether by default f makes the command fail: it is confirmed, not suppressed,
// and of one of the kinds that [bug.Kind.Gates] and no more than a warning, or has an effect.
func (f *Finding) Gates() bool {
	return f.Status == bug.Confirmed && f.Suppressed == nil && (f.Kind.Gates() && !f.Warns() || f.Effect != bug.NoEffect)
}

// Warns reports whether f violates a property of which that is a warning, unless it has an
// effect, though its kind gates: see [bug.WarnsOnly].
func (f *Finding) Warns() bool { return f.Kind == bug.Property && bug.WarnsOnly(f.Pattern) }

// warns reports whether f is confirmed and does not gate by default.
func (f *Finding) warns() bool { return f.Status == bug.Confirmed && f.Suppressed == nil && !f.Gates() }

// Sort puts packages and findings into the order in which they are shown:
// confirmed first, then by package and test, the more harmful first, then by id.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Packages, func(a, b Package) int { return strings.Compare(a.Package, b.Package) })
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		if a.Status != b.Status {
			return a.Status.Rank() - b.Status.Rank()
		}
		return cmp.Or(
			strings.Compare(a.Package, b.Package), strings.Compare(a.Test, b.Test),
			b.Effect.Harm()-a.Effect.Harm(), strings.Compare(a.ID, b.ID))
	})
}

// Outdoes reports whether of two findings of one bug f tells more than g: it is
// confirmed, does more harm, has at least a schedule, or is not pruned in the end.
func (f *Finding) Outdoes(g *Finding) bool {
	rank := func(f *Finding) int {
		switch {
		case f.Status == bug.Confirmed:
			return 3 + f.Effect.Harm()
		case f.Refuted:
			return 0
		case f.Undecided:
			return 1
		}
		return 2
	}
	return rank(f) > rank(g)
}

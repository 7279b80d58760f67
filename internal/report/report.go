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
	// Incomplete says why the run ended early: a signal, the end of its time, a full disk. It is
	// empty if the run is complete.
	Incomplete []string `json:"incomplete,omitempty"`
	// Witnesses are the outcomes of the witnesses that were saved beside the tests.
	Witnesses []WitnessState `json:"witnesses,omitempty"`
	// Warnings are about the run itself: a stale witness, a trace that was cut off.
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
	// Lingering are the goroutines that still waited when their test was over, although others
	// could still wake them.
	Lingering []Lingering `json:"lingering,omitempty"`
	// Explored are the tests that were explored beyond the few runs that cost little.
	Explored []Explored `json:"explored,omitempty"`
	Cases    []TestCase `json:"cases,omitempty"` // the tests, subtests and examples of the recorded run
	// Chance is what tests have looked at that may be another in each run of go test, whatever the
	// order of goroutines, and that was not searched.
	Chance []ChanceLook `json:"chance,omitempty"`
	// Output is the last lines that the recorded run printed, if it failed. The text form leaves
	// them out, since go test has printed them already.
	Output []string `json:"output,omitempty"`
}

// A Case is a test or subtest of the recorded run, or an example.
type TestCase struct {
	Test     string  `json:"test"`
	Failed   bool    `json:"failed,omitempty"` // or it has come to no end
	Skipped  bool    `json:"skipped,omitempty"`
	ElapsedS float64 `json:"elapsed_s"` // in seconds; 0 if it has come to no end
	// Output is the first lines that it logged, or that an example printed. It is empty unless
	// the test failed or was skipped.
	Output []string `json:"output,omitempty"`
}

// A ChanceLook is a thing of chance that tests have looked at, such as the order of a map.
type ChanceLook struct {
	What  string   `json:"what"`
	Tests []string `json:"tests"` // in their order
}

// AddChance notes that a test has looked at a thing of chance.
func (p *Package) AddChance(what, test string) {
	k := slices.IndexFunc(p.Chance, func(c ChanceLook) bool { return c.What == what })
	if k < 0 {
		k = len(p.Chance)
		p.Chance = append(p.Chance, ChanceLook{What: what})
	}
	if !slices.Contains(p.Chance[k].Tests, test) {
		p.Chance[k].Tests = append(p.Chance[k].Tests, test)
	}
}

// failedTests returns the tests of the recorded run that failed or came to no end, without subtests.
func (p *Package) failedTests() (names []string) {
	for _, c := range p.Cases {
		if c.Failed && !strings.Contains(c.Test, "/") && !slices.Contains(names, c.Test) {
			names = append(names, c.Test)
		}
	}
	return names
}

// NoEndText is the output of a test that did not end: a panic or os.Exit came first.
const NoEndText = "it has come to no end: what the run has printed says why"

// An Explored is the result of exploring one test.
type Explored struct {
	Test       string `json:"test"`
	Runs       int    `json:"runs"`                // of the test, to see what it can do
	Behaviours int    `json:"behaviours"`          // that it is known to have
	Complete   bool   `json:"complete"`            // it has no others
	RunsLeft   int    `json:"left"`                // runs that would show something new, as far as is known
	RandomRuns int    `json:"by_chance,omitempty"` // of the runs, in orders of chance
	Seed       int    `json:"seed,omitempty"`      // of the first of these; the others follow
	// Open says why there may be more behaviours than are known.
	OpenReasons []string `json:"open,omitempty"`
}

// A Finding is one bug, or one candidate that was not confirmed.
type Finding struct {
	ID      string     `json:"id"` // e.g. "race-7c1f0a"
	Kind    bug.Kind   `json:"kind"`
	Pattern string     `json:"pattern"`
	Status  bug.Status `json:"status"` // Confirmed, Unconfirmed or Infeasible
	Effect  bug.Effect `json:"effect"` // "" unless confirmed
	Reason  string     `json:"reason"` // why not confirmed
	// Undecided says that there was nothing to replay: the budget ended before the analysis found
	// a schedule that leads there, or a proof that there is none.
	Undecided bool `json:"undecided,omitempty"`
	// Refuted says of an undecided finding that no order of the recorded events leads to it. Only
	// a run that departs from them could, and none has. Finish counts it as pruned.
	Refuted bool `json:"-"`
	// Detail is the text of the effect: a panic's, or failing tests' lines.
	Detail  []string `json:"detail,omitempty"`
	Package string   `json:"package"`
	Test    string   `json:"test"`
	// Time is set if the failure or deadlock happens only if goroutines are delayed.
	Time     *Time    `json:"time,omitempty"`
	Accesses []Access `json:"accesses"`
	// Also are other goroutines that the bug blocks for ever: at the same places, or waiting for
	// a lock of a blocked one.
	AlsoBlocked []Access `json:"also,omitempty"`
	Witness     string   `json:"witness"`  // file, relative to the module root; "" if none was saved
	Switches    int      `json:"switches"` // between goroutines, in Interleaving
	Tier        string   `json:"tier"`
	Run         int      `json:"run,omitempty"` // the number, from 1, of the run of exploration that showed it or from which it was predicted
	// Parents are the runs from which exploration derived Run, 0 for recordings. There are none if
	// the order of Run was random.
	Parents    []int `json:"parents,omitempty"`
	Replays    int   `json:"replays"`
	Reproduced int   `json:"reproduced"`
	// FailsRun says that the finding made the run fail, see -predict.fail-on.
	FailsRun bool `json:"fails,omitempty"`
	// Suppressed is set if the bug is known and so fails no run.
	Suppressed *Suppression `json:"suppressed,omitempty"`
	// First is the index in Accesses of the access that went first in the replay that showed the
	// effect, where goroutines were about to execute all of them at once.
	FirstAccess  int    `json:"first"`
	Interleaving []Step `json:"interleaving,omitempty"`
	// LeftOut is how many steps of the witness come before those of Interleaving.
	OmittedSteps int `json:"left_out,omitempty"`
	// Edges order steps of different goroutines in Interleaving.
	Edges []Edge `json:"edges,omitempty"`
	// Orders are the outcomes of the replayed orders of two conflicting accesses.
	OrderOutcomes []Outcome `json:"orders,omitempty"`
	// Objects are locks, channels and the like that the finding calls by a name that another one has,
	// too. Each has a number, from 1, which it has by all its names.
	Objects []Object `json:"objects,omitempty"`
	// Source is the lines of the program around the places of the finding.
	Source []Excerpt `json:"source,omitempty"`
	// Values says which run has the values in Interleaving: "replay" or "recording".
	ValuesFrom string `json:"values,omitempty"`
}

// A Suppression is why a confirmed bug fails no run.
type Suppression struct {
	By     SuppressedBy `json:"by"`
	Reason string       `json:"reason"`
}

// SuppressedBy is what suppresses a finding.
type SuppressedBy string

// What can suppress a finding.
const (
	ByBaseline SuppressedBy = "baseline" // a file of known bugs
	ByComment  SuppressedBy = "comment"  // in the program
	ByRevision SuppressedBy = "revision" // it touches no line that was changed since
)

// Sites returns the kind and the sorted places of the finding. They are equal for findings that
// are one bug to whoever fixes it: the read and the write of s.hits++ are one place. Each
// violated property is a bug of its own.
func (f *Finding) BugKey() string {
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

// A WitnessState is the outcome of a witness that was saved beside its test.
type WitnessState struct {
	Witness string `json:"witness"` // file, relative to the module root
	ID      string `json:"id,omitempty"`
	// Status is Confirmed, Fixed, Stale, Unconfirmed (not known), NotReplayed or Damaged.
	Status bug.Status `json:"status"`
	Reason string     `json:"reason,omitempty"` // why not confirmed, or "by another schedule"
}

// An Access is one event of a violation: what one of the goroutines of a race is about to execute,
// or one of the accesses that come in a forbidden order.
type Access struct {
	Goroutine string `json:"goroutine"` // path of spawns, e.g. "0.1"
	Op        string `json:"op"`
	Expr      string `json:"expr"`
	Position
	Col int `json:"col,omitempty"`
	// Object tells objects of one name apart: see [Finding.Objects].
	Object int `json:"object,omitempty"`
	// Variable and Region are the numbers, from 1, of the variable and atomic region of the
	// pattern.
	Variable  int     `json:"variable,omitempty"`
	Region    int     `json:"region,omitempty"`
	Locks     []Place `json:"locks,omitempty"`                // held here, in the order of acquisition
	CreatedAt *Place  `json:"goroutine_created_at,omitempty"` // the go statement; nil where unknown
	// Subtest is the subtest that the goroutine runs; "" if it runs none.
	Subtest string `json:"subtest,omitempty"`
	// CreatedFor is set for a blocked goroutine that another package created: the call in the
	// program's own packages that led to the go statement.
	CreatedFor *Place `json:"goroutine_created_for,omitempty"`
	// Stack is where the goroutine waits for ever, innermost first. HeldBy are the holders of the
	// lock that it waits for. Partners are the goroutines that last did what ends such a wait.
	Stack    []Place          `json:"stack,omitempty"`
	HeldBy   []OtherGoroutine `json:"held_by,omitempty"`
	Partners []OtherGoroutine `json:"partners,omitempty"`
	WaitS    float64          `json:"wait_s,omitempty"` // how long it had waited, in seconds
	Turns    bool             `json:"turns,omitempty"`  // its own timers wake it again and again
}

// A Lingering is a goroutine that still waits, and that others can still wake.
type Lingering struct {
	Test      string `json:"test"`
	Goroutine string `json:"goroutine"`
	Op        string `json:"op"`
	Place
}

// An OtherGoroutine is an operation of another goroutine.
type OtherGoroutine struct {
	Goroutine string `json:"goroutine"`
	Op        string `json:"op"`
	HasEnded  bool   `json:"gone,omitempty"` // it has ended
	// WaitsToWrite is set for a writer that waits for the lock itself, and shuts out readers.
	WaitsToWrite bool `json:"waits_to_write,omitempty"`
	Place
}

// Time is the timing that a failure or deadlock needs: a goroutine that could go on is delayed
// until a timer fires.
type Time struct {
	Delayed   []string `json:"late"`      // goroutines that are delayed
	DelayS    float64  `json:"for_s"`     // how long one of them must be delayed, in seconds, rounded to milliseconds
	Goroutine string   `json:"goroutine"` // the goroutine that waits for the timer; "" for time.AfterFunc
	WaitKind  string   `json:"wait"`      // how: "sleep", "select", "chan receive"
	Place              // where; Expr is the call of package time, if the line has one
}

// A Place is a line of the program, with its operand.
type Place struct {
	Expr   string `json:"expr,omitempty"`   // what the line calls its object, e.g. "a.mu"
	Object int    `json:"object,omitempty"` // tells objects of one name apart: see [Finding.Objects]
	Position
}

// An Object is one of several of the same name.
type Object struct {
	Object int       `json:"object"`
	MadeAt *Position `json:"made_at,omitempty"` // of a channel; nil where that is not known
}

// A Position is a line of the program.
type Position struct {
	Func string `json:"func"`
	File string `json:"file"` // relative to the module root, with forward slashes
	Line int    `json:"line"`
}

// Pos returns "file:line", or "" for the end of a test, which is in no file.
func (p Position) Pos() string {
	if p.File == "" && p.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// sameLine reports whether both are the same line.
func (p Position) sameLine(other Position) bool { return p.File == other.File && p.Line == other.Line }

// A Step is one row of an interleaving.
type Step struct {
	Goroutine string `json:"goroutine"`
	Op        string `json:"op"`
	Expr      string `json:"expr"`
	Object    int    `json:"object,omitempty"` // tells objects of one name apart: see [Finding.Objects]
	Value     string `json:"value,omitempty"`
	Position
	Violation bool `json:"violation,omitempty"` // one of Finding.Accesses
	// Locks are the locks that the goroutine holds after the step, in the order of acquisition.
	Locks []string `json:"locks,omitempty"`
	// Switch is set if the step before is another goroutine's.
	Switch *Switch `json:"switch,omitempty"`
}

// An Edge orders two steps of different goroutines: step From lets the goroutine of step To go
// on.
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

// An Outcome is the effect of one order of two accesses.
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
	From   string `json:"from"` // the goroutine that stops
	Reason string `json:"why"`  // e.g. "waits for customers", "preempted"
}

// Totals count candidates by their status. A bug counts once, even if several packages show it,
// or only a saved witness does.
type Totals struct {
	Candidates  int `json:"candidates"` // the sum of the others
	Pruned      int `json:"pruned"`
	Confirmed   int `json:"confirmed"`
	Unconfirmed int `json:"unconfirmed"`
	Infeasible  int `json:"infeasible"`
	// Undecided counts the unconfirmed that are undecided: see Finding.Undecided.
	Undecided int `json:"undecided,omitempty"`
}

// Gates reports whether f makes the command fail by default. It does if it is confirmed and not
// suppressed, and either has an effect, or is of a kind that gates and is not only a warning.
func (f *Finding) Gates() bool {
	return f.Status == bug.Confirmed && f.Suppressed == nil && (f.Kind.Gates() && !f.OnlyWarns() || f.Effect != bug.NoEffect)
}

// Warns reports whether f violates a property that only warns unless the test fails by it: see
// [bug.WarnsOnly].
func (f *Finding) OnlyWarns() bool { return f.Kind == bug.Property && bug.WarnsOnly(f.Pattern) }

// warns reports whether f is confirmed and does not gate by default.
func (f *Finding) warns() bool { return f.Status == bug.Confirmed && f.Suppressed == nil && !f.Gates() }

// Sort sorts packages and findings for display: confirmed findings first, then by package and
// test, the most severe effect first, then by id.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Packages, func(a, b Package) int { return strings.Compare(a.Package, b.Package) })
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		if a.Status != b.Status {
			return a.Status.Rank() - b.Status.Rank()
		}
		return cmp.Or(
			strings.Compare(a.Package, b.Package), strings.Compare(a.Test, b.Test),
			b.Effect.Severity()-a.Effect.Severity(), strings.Compare(a.ID, b.ID))
	})
}

// Outdoes reports whether f says more than g, of two findings of one bug: it is confirmed, has a
// more severe effect, has a schedule at least, or is not refuted.
func (f *Finding) IsBetterThan(g *Finding) bool {
	rank := func(f *Finding) int {
		switch {
		case f.Status == bug.Confirmed:
			return 3 + f.Effect.Severity()
		case f.Refuted:
			return 0
		case f.Undecided:
			return 1
		}
		return 2
	}
	return rank(f) > rank(g)
}

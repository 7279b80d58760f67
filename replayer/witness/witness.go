// Package witness reads and writes witness files: schedules as text, that
// are in the folder of their test and are readable in a diff.
//
// In the flow it is between analysis and replayer: [FromSchedule] turns a schedule,
// which speaks of positions in one trace, into a [Witness], which speaks of
// goroutines by their spawn path and of events by (goroutine, site,
// occurrence), so that it holds for every run of the test and survives edits
// that only move code. [Parse], [Witness.Write], [Load] and [Witness.Save]
// are the file format:
//
//	gopredict witness v1
//	# DATA RACE in TestTransfer: Nothing orders the read of a.balance (bank.go:17) and …
//	# Replay: gopredict replay testdata/predict/TestTransfer/race-7c1f0a
//	id       race-7c1f0a
//	kind     race
//	package  example.com/bank
//	tests    TestTransfer
//	go       go1.26.8
//	order    01
//
//	steps
//	  TestTransfer:0    fork   -          example.com/bank.TestTransfer            bank_test.go:11  line="go withdraw(a)"
//	  TestTransfer:0.1  acq    a.mu       example.com/bank.(*Account).Withdraw     bank.go:15       line=a.mu.Lock()  which=1/2  occ=2
//
//	violation
//	  TestTransfer:0.1  read   a.balance  example.com/bank.(*Account).Withdraw     bank.go:17:5     nth=1  value=100
//	  TestTransfer:0.2  write  a.balance  example.com/bank.(*Account).Deposit      bank.go:12:2     nth=1  value=90
//
// A step line holds goroutine, operation, expression, function and position,
// then what deviates from the usual as name=value. A "-" stands for an empty
// field; fields with spaces are Go string literals; lines that begin with #
// are comments.
package witness

import (
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Witness says how to reach one bug: the test to run, the steps to make it take, and the
// accesses that goroutines are about to execute then.
type Witness struct {
	// Comment has the lines at the top of the file that describe the bug to readers. Parse ignores
	// them.
	Comment []string
	ID      string // e.g. "race-7c1f0a"; also the file's base name
	Kind    bug.Kind
	Pattern string   // the anomaly pattern that the violation matches; "" for races
	Package string   // import path of the package under test
	Tests   []string // top-level tests to run; Tests[0] names the folder
	// RunPattern is the -run pattern of the recorded run if that selected subtests, else "": a
	// replay must run the same ones.
	RunPattern string
	// Args are the arguments of the test binary that the tests can see: some test flags, and the
	// user's own.
	Args []string
	// Parallel is how many tests may run at the same time if Args do not say (-test.parallel):
	// GOMAXPROCS of the recorded run, which may be less in a replay. 0: not known.
	Parallel  int
	GoVersion string // version that it was made with
	// RecordedOrder is the order of goroutines of the recorded run, if it is not the default
	// (recorder.Order). A replay runs the goroutines in it that the schedule does not control.
	RecordedOrder string
	// AtomicMethods says that the regions of the violation may be methods of structs that hold a
	// mutex. A replay must then mark these.
	AtomicMethods bool
	// Order says which of the two violating goroutines goes first when both are about to execute
	// the violation: "01", "10", or "" if no replay has tried.
	Order string

	Steps []Step
	// Holds are events before which goroutines are held until the violation. They are not steps.
	Holds []Step
	// Violation are the accesses that goroutines are about to execute after the steps. If they
	// must come in their order ([Witness.InOrder]), only the last one is, and the others are among
	// the steps. If goroutines block in them ([Witness.EndsBlocked]), any may be.
	Violation []Step
	// PoolSteps are the Gets of each sync.Pool that several goroutines use, up to the violation,
	// and the Puts of the items that they return: which item a Get returns must not depend on
	// other goroutines. They are not ordered, unless they are among the steps.
	PoolSteps []Step
	// Anchors are places near steps at call sites, in the same function or file. Unlike call sites
	// they are found by name when code has moved, and then show how the lines around them have
	// moved. They are not events.
	Anchors []Step
}

// HasBystanders reports whether there are steps or holds of goroutines that neither take part in
// the violation nor have started one that does.
func (w *Witness) HasBystanders() bool {
	stands := func(s Step) bool {
		return !slices.ContainsFunc(w.Violation, func(v Step) bool {
			return v.Goroutine == s.Goroutine || strings.HasPrefix(v.Goroutine, s.Goroutine+".")
		})
	}
	return slices.ContainsFunc(w.Steps, stands) || slices.ContainsFunc(w.Holds, stands)
}

// A Step is one event of one goroutine.
type Step struct {
	Goroutine string // trace.Goroutine.Name
	Op        trace.Kind
	Func      string // trace.Site.Func
	File      string // relative to the module root if inside it, with forward slashes; see Files
	Line      int
	Col       int
	// Expr is trace.Site.Expr. For call sites it is the operand as the source line names it
	// ("a.mu").
	Expr string
	// SiteOp is trace.Site.Op if that is not the word for Op: a site of the operation "append" can
	// have reads and writes.
	SiteOp     string
	SiteNumber int // among sites of equal Func, trace.Site.Op and Expr, in source order, from 1; 0 for call sites
	// LineText is the source line, without the space around it.
	LineText string
	// AlikeCount is how many places of the function are alike, and AlikeNumber the number of this
	// one among them, from 1. Call sites are alike if their lines have the same LineText, other
	// sites if they have the same trace.Site.Op and [Shape] of Expr. Both are zero if unknown.
	AlikeNumber, AlikeCount int
	Occurrence              int // how many events of Op at the site the goroutine has executed, with this one
	// Variable and Region number, from 1, the variables and the atomic regions of the pattern that
	// a violating access belongs to; 0 if there is none.
	Variable, Region int
	// PoolItem numbers, from 1, the items of pools that PoolSteps get and put; 0 in a Get if the
	// pool was empty.
	PoolItem int
	// SelectCase is the number of the case, from 1, that a select must take, unless that is not
	// ready. 0: any.
	SelectCase int
	// Value is what the recorded run had, for readers only: the value of an access, the delta of a
	// WaitGroup, the path of a new goroutine.
	Value string
}

// SiteOperation returns the trace.Site.Op of the step's site.
func (s Step) SiteOperation() string {
	if s.SiteOp != "" {
		return s.SiteOp
	}
	return s.Op.String()
}

// OperationWord returns the word for the operation of the step, a word of [trace.Kind.String]. For
// the event of a property that names a field it is the operation on the field.
func (s Step) OperationWord() string {
	if s.Op == trace.Call {
		return s.SiteOperation()
	}
	return s.Op.String()
}

// Proof returns what a replay must show.
func (w *Witness) Proof() bug.Proof { return w.Kind.ProofOf(len(w.Violation)) }

// InOrder reports whether the accesses of the violation must come in the order in which it lists
// them. Otherwise goroutines are about to execute all of them at once.
func (w *Witness) InOrder() bool { return w.Kind.InOrder() }

// EndsBlocked reports whether the accesses of the violation are the operations in which goroutines
// block for ever, one each. Those that are not among the steps begin after the steps.
func (w *Witness) EndsBlocked() bool { return w.Kind.Proof() == bug.BlockedForever }

// IsPending reports whether a goroutine is about to execute access i of the violation after the
// steps. Otherwise the access is one of them.
func (w *Witness) IsPending(i int) bool {
	switch {
	case w.InOrder():
		return i == len(w.Violation)-1
	case w.EndsBlocked():
		return !slices.ContainsFunc(w.Steps, w.Violation[i].same)
	}
	return true
}

// HasAccess reports whether step s is one of the accesses of the violation.
func (w *Witness) HasAccess(s Step) bool {
	return slices.ContainsFunc(w.Violation, s.same)
}

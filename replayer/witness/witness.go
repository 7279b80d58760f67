// Package witness reads and writes witness files: schedules as text, that
// live beside the test they belong to and are readable in a diff.
//
// It stands between analysis and replayer: [FromSchedule] turns a schedule,
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

// A Witness tells how to reach one bug: the test to run, the steps to make it
// take, and the accesses at which it then stands.
type Witness struct {
	// Comment is lines on top of the file that tell readers what it is of; nothing reads
	// them back.
	Comment []string
	ID      string // e.g. "race-7c1f0a"; also the file's base name
	Kind    bug.Kind
	Pattern string   // the anomaly pattern that the violation matches; "" for races
	Package string   // import path of the package under test
	Tests   []string // top-level tests to run; Tests[0] names the folder
	// Run is the -run pattern of the recorded run where that selected
	// subtests, else "": a replay must run the same ones.
	RunPattern string
	// Args are the arguments of the test binary that the tests can see: some of
	// the test flags, and the user's own.
	Args []string
	// Parallel is how many tests may run at the same time where Args do not say
	// (-test.parallel): in the recorded run GOMAXPROCS, which a replay may have
	// less of. 0: not known.
	Parallel  int
	GoVersion string // version that it was made with
	// Recorded is the order of goroutines that the schedule comes from, where it is
	// not the ordinary one (recorder.Order): a replay lets those goroutines run in
	// it that the schedule leaves to themselves.
	RecordedOrder string
	// Methods says that the regions of the violation may be methods of structs
	// that hold a mutex, which a replay must then have marked.
	AtomicMethods bool
	// Order says which of the two violating goroutines goes first once both
	// stand: "01", "10", or "" where that was not tried yet.
	Order string

	Steps []Step
	Holds []Step
	// Violation are the accesses at which goroutines stand once the steps are
	// done. If they must come in their order ([Witness.InOrder]), only the last
	// is one, and the others are among the steps; if goroutines block in them
	// ([Witness.EndsBlocked]), any may be.
	Violation []Step
	// Pooled are the Gets of each sync.Pool that several goroutines use, up to the
	// violation, and the Puts of what these return: which item it is must not depend on
	// who else was there. They wait for no turn, but where they are steps as well.
	PoolSteps []Step
	// Anchors are places in the functions (or else files) of steps at call
	// sites, which have no name of their own: where an anchor is found again
	// tells how the lines around it have moved. They are not events.
	Anchors []Step
}

// Bystanders reports whether there are steps or holds of goroutines that neither come
// to the violation nor have started one that does.
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
	File      string // relative to the module root where inside it, with forward slashes; else as in trace.Site
	Line      int
	Col       int
	// Expr is trace.Site.Expr; for call sites the operand as the source line
	// names it ("a.mu").
	Expr string
	// SiteOp is trace.Site.Op where that is not the word for Op: a site of
	// the operation "append" can give reads and writes.
	SiteOp     string
	SiteNumber int // among sites of equal Func, trace.Site.Op and Expr, in source order, from 1; 0 for call sites
	// Text is the source line, without the space around it.
	LineText string
	// Of is how many places of the function are alike, and Which the number of
	// this one among them, from 1: call sites if their lines have the same Text,
	// others if trace.Site.Op and the [Shape] of Expr are the same. Both are zero
	// if unknown.
	AlikeNumber, AlikeCount int
	Occurrence              int // occurrence of (Op, site) in its goroutine, from 1
	// Variable and Region number, from 1, the variables and the atomic regions of
	// the pattern that a violating access belongs to; 0 where there is none.
	Variable, Region int
	// Item numbers, from 1, the items of pools that Pooled speaks of; 0 in a Get is that
	// the pool was empty.
	PoolItem int
	// Case is the number of the case, from 1, that a select is asked to take: it takes
	// another one only if that is not ready. 0: any.
	SelectCase int
	// Value is what the recorded run had, for the reader only: the value of an
	// access, the delta of a WaitGroup, the path of a new goroutine.
	Value string
}

// SiteWord returns the trace.Site.Op of the step's site.
func (s Step) SiteOperation() string {
	if s.SiteOp != "" {
		return s.SiteOp
	}
	return s.Op.String()
}

// Word returns what the step does, a word of [trace.Kind.String]. The event of a property that
// names a field is what is done with the field.
func (s Step) OperationWord() string {
	if s.Op == trace.Call {
		return s.SiteOperation()
	}
	return s.Op.String()
}

// Proof is what a replay must show.
func (w *Witness) Proof() bug.Proof { return w.Kind.ProofOf(len(w.Violation)) }

// InOrder reports whether the accesses of the violation must come in the order
// in which it lists them. Else goroutines stand at all of them at once.
func (w *Witness) InOrder() bool { return w.Kind.InOrder() }

// Stuck reports whether the accesses of the violation are the operations in which
// goroutines block for ever, one each. Those that are not among the steps begin once
// the steps are done.
func (w *Witness) EndsBlocked() bool { return w.Kind.Proof() == bug.BlockedForever }

// Stands reports whether a goroutine stands before access i of the violation once the
// steps are done. Else the access is one of them.
func (w *Witness) IsPending(i int) bool {
	switch {
	case w.InOrder():
		return i == len(w.Violation)-1
	case w.EndsBlocked():
		return !slices.ContainsFunc(w.Steps, w.Violation[i].same)
	}
	return true
}

// Shows reports whether step s is one of the accesses of the violation.
func (w *Witness) HasAccess(s Step) bool {
	return slices.ContainsFunc(w.Violation, s.same)
}

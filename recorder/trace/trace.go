package trace

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
)

// GID numbers a goroutine within one trace, from 0 in the order of creation.
type GID uint32

// SiteID numbers a place in the program within one trace. Sites that the
// rewriter made have SiteRewritten set and are stable within one build; the
// others are call sites that the run-time library numbered as it met them.
type SiteID uint32

// SiteRewritten is set in the SiteID of each site that the rewriter made.
const SiteRewritten SiteID = 1 << 31

// Flags qualify an event.
type Flags uint8

// The flags of an event.
const (
	FlagValue         Flags = 1 << iota // Val holds the value of a memory access
	FlagFailed                          // the compare-and-swap did not store, or the pool was empty
	FlagDefault                         // the select has a default case
	FlagMap                             // the access names a map's header
	FlagTry                             // the lock was acquired by TryLock or TryRLock; of a read see FlagPut, of others [Event.StopsTimer], [Event.StartsTimer]
	FlagRequested                       // the select took the case that the schedule had requested
	FlagBranchOmitted                   // package reduce has left out a condition of its goroutine before it

	// FlagPut marks a read that stands for the Put of an item into a sync.Pool. The program reads
	// nothing there: the event stands for the reads of whoever gets the item later, who also uses
	// its locks and atomic operations.
	FlagPut = FlagTry
)

// An Event is one step of one goroutine. Its position in Trace.Events is its
// place in the recorded, sequentially consistent order.
type Event struct {
	Kind  Kind
	Flags Flags
	// Skipped counts the events of the same kind, goroutine and site that package reduce left out
	// since the last one that it kept. Schedules count them too.
	Skipped uint16
	G       GID
	Site    SiteID
	Size    uint32
	Obj     uint64
	Val     uint64
}

// HasValue reports whether Val of e, an access or operand, is its value, or its
// value's digest if it is of more than eight bytes.
func (e *Event) HasValue() bool { return e.Flags&FlagValue != 0 && e.Size >= 1 }

// Stores reports whether e is a write that changed memory. A compare-and-swap that failed did not.
func (e *Event) Stores() bool { return e.Kind.IsWrite() && e.Flags&FlagFailed == 0 }

// Delta returns the number that e adds to the counter of a WaitGroup: 0 if it is no Add or Done.
func (e *Event) Delta() int64 {
	if e.Kind.ChangesCounter() {
		return int64(e.Val)
	}
	return 0
}

// IsDone reports whether e decreases the counter of a WaitGroup, as Done does.
func (e *Event) IsDone() bool { return e.Delta() < 0 }

// IsLength reports whether the value of e is the length of a slice. Slices of equal length may differ.
func (e *Event) IsLength() bool { return e.HasValue() && (e.Size == 12 || e.Size == 24) }

// ValueEquals reports whether the value of e is v, of which it compares the bytes that e.Size
// counts.
func (e *Event) ValueEquals(v uint64) bool {
	unused := 64 - 8*min(e.Size, 8)
	return v<<unused == e.Val<<unused
}

// MaxLoggedBytes bounds the events that are recorded of one run of a program, in bytes before they
// are packed: sixteen to twenty million events. A test that only computes logs them in seconds;
// each test gets a quarter of what is left when it begins. The memory of the analysis sets the
// limit: 45 to 65 bytes an event.
const MaxLoggedBytes = 256 << 20

// A Goroutine is named by the test that it belongs to and by the path of its
// spawns there: "0" is the test's own goroutine, "0.2.1" the first child of
// its second child, "0.Serve-1" the first goroutine that Serve of the standard library
// has started there. Outside of tests Test is empty and the root is
// "main".
type Goroutine struct {
	ID     GID
	Parent GID    // its own ID if it has no parent
	Test   string // top-level test, e.g. "TestTransfer"; "" outside of tests
	Path   string
	Site   SiteID // the go statement; 0 where unknown
}

// Name is unique within one run of each test: "TestTransfer:0.1", or "main.1".
func (g Goroutine) Name() string {
	if g.Test == "" {
		return g.Path
	}
	return g.Test + ":" + g.Path
}

// AppendName appends the name of g to b, without allocating a string.
func (g *Goroutine) AppendName(b []byte) []byte {
	if g.Test != "" {
		b = append(append(b, g.Test...), ':')
	}
	return append(b, g.Path...)
}

// A Site is a place in the program. File is its name as the compiler knows it: absolute, or
// shortened under -trimpath.
type Site struct {
	ID   SiteID
	Key  uint64 // equal for equal places in every run of one binary; see [CallSiteKey]
	Func string // full name, e.g. "example.com/bank.(*Account).Withdraw"
	File string
	Line int
	Col  int    // 0 if unknown
	Op   string // "read", "write", "branch", …; "" for call sites
	Expr string // source text of the access, e.g. "a.balance"; "" for call sites
	Type Type   // of the value that is read or written
	// OnlyStored is set if the value read can reach memory but, within its own statement, no
	// branch, address, index or call: see package feasible.
	OnlyStored bool
	// IsUpdate is set if the value read reaches nothing but the store of the same statement to the
	// same memory, as in x.n++. That store is the next event of the goroutine that is no read. An
	// atomic read-modify-write has it if its result is discarded.
	IsUpdate bool
	// Formula says how the value that the event stores, or the outcome of a branch or assertion,
	// follows from what the goroutine has read; "" if that is not known. See package dataflow.
	Formula string
	// OnlyInFormulas is set if the value read reaches nothing but formulas. With any other value
	// the goroutine goes on as recorded, as long as the outcomes that these formulas give are as
	// recorded.
	OnlyInFormulas bool
	// FailsIf is the outcome of a branch or assertion that leads to a failure of the test, or to a
	// panic.
	FailsIf Outcome
	// FailureEndsGoroutine is set if that failure ends the goroutine. Otherwise it goes on.
	FailureEndsGoroutine bool
	// Scope describes what a branch decides.
	Scope Scope
}

// An Outcome is the outcome of a condition.
type Outcome uint8

// The outcomes.
const (
	NoOutcome Outcome = iota
	IfFalse
	IfTrue
)

// Meta says where a trace comes from.
type Meta struct {
	Go     string // runtime version, e.g. "go1.26.8"
	Dir    string // working directory of the test binary
	Binary string // base name of the test binary, e.g. "bank.test"
	// Limit is the size of the events in bytes, before packing, at which
	// recording stopped although the program went on; 0 if it did not stop.
	Limit uint64
}

// A Cut says that a test had more events than its share of the trace. From some moment on its
// plain accesses and branches are missing. With LacksSync all other events are missing as well,
// except the begins and ends of its goroutines and tests.
type Cut struct {
	Test      string // its name in Goroutine.Test; "" outside of tests
	LacksSync bool
}

// A Proof says whether a blocked goroutine can ever go on.
type Proof string

// The proofs.
const (
	ProofDeadlock  Proof = "deadlock"  // for ever: no goroutine of the program can go on
	ProofLeak      Proof = "leak"      // for ever: no goroutine that can go on can reach what it waits for
	ProofLingering Proof = "lingering" // another goroutine may still wake it
)

// A BlockedGoroutine was blocked when no goroutine could go on, or when a test had ended. It has
// no later events before that.
type BlockedGoroutine struct {
	G        GID
	Proof    Proof
	Op       Kind   // the operation in which it waits; the trace may lack its event
	Site     SiteID // of the operation
	Obj      uint64 // of the operation; 0 for a select
	Duration time.Duration
	Stack    []Frame // innermost first, without the frames of the runtime
	// StartedBy is the call of the program's own packages that led to its start, if the go
	// statement is in another package, such as one of the standard library. Otherwise it is the
	// zero value.
	StartedBy Frame
	// Turns says that timers wake the goroutine again and again, without end: it comes back to the
	// operation each time.
	Turns bool
}

// A Frame is a place in a goroutine's stack.
type Frame struct {
	Func string
	File string
	Line int
}

// A Trace is one recorded run of one test binary.
type Trace struct {
	Meta         Meta
	Goroutines   []Goroutine // by GID
	Sites        map[SiteID]Site
	TestNames    []string           // test names, numbered by TestBegin and TestEnd
	Cuts         []Cut              // in the order of their moments
	HiddenInputs []HiddenInput      // each once
	Blocked      []BlockedGoroutine // in the order in which the run-time library found them
	TestEvents   []TestEvent        // in their order
	// ValueTexts has texts that show values of more than one word, by digest, which is not 0: the
	// beginning of a string, in quotes; the value of an interface, or at least its dynamic type.
	// Only traces of replays have them.
	ValueTexts map[uint64]string
	Events     []Event
	// PendingEvents is how many of Events, the last ones, have not happened: they are the operations
	// in which goroutines were blocked at the end of the run, see waits.Blocked.
	PendingEvents   int
	Freed           []FreedObjects    // by position
	PriorValues     []PriorValue      // by position
	Allocations     []Allocation      // by position; only of runs that repeat others, and never written
	OmittedEvents   int               // number of events that package reduce left out
	EarlierElements map[uint64]uint64 // by channel: elements that it transferred before the first of Events
	// Complete is set if the run ended in an orderly way; without it, Events
	// is a prefix of the run.
	Complete bool
	// EventSource lets package reduce read the events from their file again; nil if it cannot.
	EventSource any
	// LacksValues says, by goroutine, whether its operands and conditions were left out; nil: of
	// none.
	LacksValues []bool
}

// ElementNumber returns the number of the element that e, a completed channel operation,
// transfers. The first element after those of EarlierElements has number 1. The result is 0 if the
// channel was closed.
func (t *Trace) ElementNumber(e *Event) uint64 {
	if e.Val == 0 {
		return 0
	}
	return e.Val - t.EarlierElements[e.Obj]
}

// StopsTimer reports whether e is a Stop or Reset of a timer that calls a function. In another run the
// function may have begun before that.
func (e *Event) StopsTimer() bool { return e.Kind == Await && e.Flags&FlagTry != 0 }

// StartsTimer reports whether the program makes a timer by e that calls a function. It posts the token
// that the function awaits.
func (e *Event) StartsTimer() bool { return e.Kind == Post && e.Flags&FlagTry != 0 }

// EndsTest reports whether e is the end of the top-level test of its goroutine. A test that runs
// several times, as by -count or -cpu, has the same name in each of its events, and goroutines of
// "TestX", "TestX#2" and so on.
func (t *Trace) EndsTest(e *Event) bool {
	if e.Kind != TestEnd {
		return false
	}
	name, rest, _ := strings.Cut(t.Goroutines[e.G].Test, t.TestNames[e.Obj])
	return name == "" && (rest == "" || rest[0] == '#')
}

// Happened returns the number of events that have happened, without the pending ones.
func (t *Trace) Happened() int { return len(t.Events) - t.PendingEvents }

// LoggedEvents returns the number of events in the file of t, including those that package reduce
// left out.
func (t *Trace) LoggedEvents() int { return len(t.Events) + t.OmittedEvents }

// addText records the text of the value with this digest.
func (t *Trace) addText(digest uint64, text string) {
	if t.ValueTexts == nil {
		t.ValueTexts = make(map[uint64]string)
	}
	t.ValueTexts[digest] = text
}

// sortedTexts yields the texts of values, by their digests.
func (t *Trace) sortedTexts() iter.Seq2[uint64, string] {
	return func(yield func(uint64, string) bool) {
		for _, digest := range slices.Sorted(maps.Keys(t.ValueTexts)) {
			if !yield(digest, t.ValueTexts[digest]) {
				return
			}
		}
	}
}

package trace

import (
	"iter"
	"maps"
	"slices"
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
	FlagTry                             // the lock was acquired by an operation that would have given up rather than wait; of a read see FlagPut
	FlagRequested                       // the select took the case that the schedule had asked for
	FlagBranchOmitted                   // a condition of its goroutine was left out before it; see package reduce

	// FlagPut marks the read of what a pointer points to that is put into a sync.Pool. Nothing is read there: it
	// stands for whoever takes that out, and uses locks and atomic operations as they are.
	FlagPut = FlagTry
)

// An Event is one step of one goroutine. Its position in Trace.Events is its
// place in the recorded, sequentially consistent order.
type Event struct {
	Kind  Kind
	Flags Flags
	// Skipped counts the events of the same kind, goroutine and site that package reduce left out since
	// the last one it kept. Schedules count them too.
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

// SameBits reports whether v and e.Val agree in the lower bits that e.Size covers.
func (e *Event) ValueEquals(v uint64) bool {
	unused := 64 - 8*min(e.Size, 8)
	return v<<unused == e.Val<<unused
}

// MaxLogged is how much of one run of a program is recorded, in bytes of events
// before they are packed: sixteen to twenty million events. A test that computes all the
// time logs them in seconds; it gets a quarter of what is left when it begins. It is
// the memory of the analysis that sets the limit, 45 to 65 bytes an event.
const MaxLoggedBytes = 256 << 20

// A Goroutine is named by the test that it belongs to and by the path of its
// spawns there: "0" is the test's own goroutine, "0.2.1" the first child of
// its second child, "0.Serve-1" the first one that the standard library's Serve has
// started there of its own accord. Outside of tests Test is empty and the root is
// "main".
type Goroutine struct {
	ID     GID
	Parent GID    // its own ID where there is no parent
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

// A Site is a place in the program. File is what the compiler knows it by:
// absolute, or trimmed under -trimpath.
type Site struct {
	ID   SiteID
	Key  uint64 // equal for equal places in every run of one binary; see [CallSiteKey]
	Func string // full name, e.g. "example.com/bank.(*Account).Withdraw"
	File string
	Line int
	Col  int    // 0 where unknown
	Op   string // "read", "write", "branch", …; "" for call sites
	Expr string // source text of the access, e.g. "a.balance"; "" for call sites
	Type Type   // of the value that is read or written
	// Data is set where the value read can reach memory but, within its own
	// statement, no branch, address, index or call: see package feasible.
	OnlyStored bool
	// Update is set where the value read reaches nothing but the store of the
	// same statement to the same memory, as in x.n++: of its goroutine's events
	// the next one that is not a read is that store. An atomic read-modify-write
	// has it if its result is discarded.
	IsUpdate bool
	// Formula says how the value that the event stores, or the outcome of a
	// branch or assertion, follows from what the goroutine has read; "" if that
	// is not known. See package dataflow.
	Formula string
	// Tracked is set where the value read reaches nothing but what formulas
	// say: whatever it is, the goroutine goes on as recorded as long as the
	// outcomes that follow from it are as recorded.
	OnlyInFormulas bool
	// Fails says which outcome of a branch or assertion leads to a failure of
	// the test, or to a panic.
	FailsIf Outcome
	// Stops is set where that failure ends the goroutine. Otherwise it goes on.
	FailureEndsGoroutine bool
	// Scope is what a branch decides; see package dataflow.
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
	// recording stopped, while the program ran on; 0 if it did not.
	Limit uint64
}

// A Cut says that a test had more events than its share of the trace: from some
// moment on its plain accesses and branches are missing, and with Sync also all
// else but the begins and ends of its goroutines and tests.
type Cut struct {
	Test      string // as the goroutines name it; "" for what runs outside of tests
	LacksSync bool
}

// An Unseen says that a test depended on something that no event records. Its behaviour may differ in
// another run although nothing in the trace does.
type HiddenInput struct {
	Test   string // as the goroutines name it; "" for what runs outside of tests
	Source string // length (of a channel), clock, files, network, chance, environment, goroutines (how many), result (of a test, so far) or processes (that it has started)
}

// A Proof says how long a goroutine stays blocked.
type Proof string

// The proofs.
const (
	ProofDeadlock  Proof = "deadlock"  // for ever: nothing in the program can move
	ProofLeak      Proof = "leak"      // for ever: nobody who can move can reach what it waits for
	ProofLingering Proof = "lingering" // somebody may wake it yet
)

// A Stuck is a goroutine that was blocked when nothing could move, or when a test had
// ended. It comes after all events of the goroutine up to then.
type BlockedGoroutine struct {
	G        GID
	Proof    Proof
	Op       Kind   // the operation in which it waits; its event may be missing
	Site     SiteID // of the operation
	Obj      uint64 // likewise; 0 for a select
	Duration time.Duration
	Stack    []Frame // innermost first, without what is the run time's own
	// Asked is the call of the program's own packages that led to its start, where the
	// go statement is elsewhere, as in the standard library; or the zero value.
	StartedBy Frame
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
	Cuts         []Cut              // in the order in which they were made
	HiddenInputs []HiddenInput      // each once
	Blocked      []BlockedGoroutine // in the order in which that was found
	TestEvents   []TestEvent        // in the order in which they came
	// Texts show what values of more than a word are, by digest, which is not 0: the
	// beginning of a string, in quotes, and of interfaces the dynamic type, if not
	// the value. Only recordings of replays have them.
	ValueTexts      map[uint64]string
	Events          []Event
	Freed           []FreedObjects    // by position
	PriorValues     []PriorValue      // by position, of writes
	OmittedEvents   int               // events that package reduce has left out
	EarlierElements map[uint64]uint64 // by channel: elements that went through it before the first of Events
	// Complete is set if the run ended in an orderly way; without it, Events
	// is a prefix of what happened.
	Complete bool
	// Source is how package reduce reads the events again; nil if it cannot.
	EventSource any
	// ValuesDropped tells of which goroutines operands and conditions were left out; nil: of none.
	LacksValues []bool
}

// Element returns the number of the element that e, a completed channel operation, transfers. The
// first element that is not among Passed has number 1; the result is 0 if the channel was closed.
func (t *Trace) ElementNumber(e *Event) uint64 {
	if e.Val == 0 {
		return 0
	}
	return e.Val - t.EarlierElements[e.Obj]
}

// Logged returns the number of events in the file of t, including those that package reduce left out.
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

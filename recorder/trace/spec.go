package trace

// A Spec is a row of the table of event kinds.
type Spec struct {
	Word           string // the name of the kind in text forms
	Class          Class
	Phrase         string // what reports call the operation, e.g. "write"
	Preposition    string // between Phrase and an operand, e.g. "to"; "" if nothing
	Obj, Val, Size Arg
	// traits are properties that the events of some kinds have.
	traits traits
	Doc    string
}

// A Class groups kinds by the objects that their events are about.
type Class uint8

// The classes.
const (
	ClassNone      Class = iota
	ClassAccess          // memory is read or written
	ClassGoroutine       // a goroutine starts or ends
	ClassLock            // a Mutex or RWMutex
	ClassCond            // a Cond
	ClassChannel         // a channel, or a select
	ClassWaitGroup       // a WaitGroup
	ClassOnce            // a Once
	ClassRegion          // a marked atomic region begins or ends
	ClassControl         // a branch or assertion, and what its outcome depends on
	ClassTest            // a test begins or ends
	ClassToken           // order between goroutines for any other reason
	ClassCall            // a method that a property names is called
)

// An Arg describes Obj, Val or Size of the events of a kind.
type Arg struct {
	Name string // "" if it is unused
	Type ArgType
}

// An ArgType says what the number of an [Arg] means.
type ArgType uint8

// The types of arguments.
const (
	ArgNone      ArgType = iota
	ArgAddress           // of memory of the program: what is accessed, or where an object lies
	ArgChannel           // the number of a channel; 0: the nil channel
	ArgGoroutine         // a GID
	ArgTest              // an index into Trace.TestNames
	ArgToken             // it links a Post to its Awaits
	ArgValue             // the bits of a value, or their digest
	ArgNumber            // a number from 0
	ArgSigned            // a number, as the bits of an int64
)

var argTypes = [...]string{
	ArgAddress: "address", ArgChannel: "id", ArgGoroutine: "id", ArgTest: "index", ArgToken: "id",
	ArgValue: "bits", ArgNumber: "number", ArgSigned: "signed",
}

// String returns the word for t; "" for ArgNone.
func (t ArgType) String() string { return argTypes[t] }

// traits are what is so of the events of some kinds.
type traits uint16

const (
	// endsRegion: no atomic region goes across the event. It starts a goroutine, or
	// waits for others or wakes them, so it is not meant to be atomic with the events
	// before it.
	endsRegion traits = 1 << iota
	// reportsOnly: the event reports something that has taken place, or will: what a value is, or
	// a case of the select to come.
	reportsOnly
	// begins: the event begins an operation that may block, and another one completes it.
	begins
	// completes: the event completes an operation that an earlier one of its goroutine began.
	completes
	// sends, receives: the event is of that side of a channel.
	sends
	receives
	// acquires, releases: the event does that to a lock.
	acquires
	releases
	// shared: the event is of the reader side of an RWMutex.
	shared
	// deferred: functions commonly defer the operation.
	deferred
	// counts: the event changes the counter of a WaitGroup.
	counts
)

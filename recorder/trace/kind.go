package trace

// Kind says what an event is. The table kinds below is the single place where
// an event kind is declared: the reader, the writer, the text form, the
// validator and the documentation derive from it.
type Kind uint8

// The event kinds. Obj, Val and Size mean what the table kinds says for each.
const (
	None Kind = iota

	Read
	Write
	AtomicLoad
	AtomicStore
	AtomicRMW

	Fork
	Begin
	End

	Acquire
	Release
	RAcquire
	RRelease

	CondWait
	CondWake
	CondSignal
	CondBroadcast

	ChanMake
	Send
	SendDone
	Recv
	RecvDone
	Close
	Select
	SelectDone

	WaitGroupAdd
	WaitGroupWait
	WaitGroupWaited

	OnceBegin
	OnceEnd
	OnceDone

	RegionBegin
	RegionEnd
	Branch
	Assert
	Panic
	Recover

	TestBegin
	TestEnd

	Post
	Await

	SelectSend

	Operand

	NumKinds
)

// kindInfo is one row of the table of event kinds.
type kindInfo struct {
	name string // the text form's word
	obj  string // what Obj names; "" if unused
	val  string // what Val holds; "" if unused
	size string // what Size holds; "" if unused
	doc  string
}

var kinds = [NumKinds]kindInfo{
	None: {name: "none", doc: "no event; never in a trace"},

	Read:        {"read", "address", "value read, or its digest if it has more than 8 bytes, if FlagValue", "bytes", "a plain load; a map read names the map's header"},
	Write:       {"write", "address", "value stored, likewise, if FlagValue", "bytes", "a plain store; a map write names the map's header"},
	AtomicLoad:  {"aload", "address", "value read", "bytes", "an atomic load"},
	AtomicStore: {"astore", "address", "value stored", "bytes", "an atomic store"},
	AtomicRMW:   {"armw", "address", "value after", "bytes", "an atomic read-modify-write; FlagFailed marks a compare-and-swap that did not store"},

	Fork:  {"fork", "goroutine id of the child", "", "", "a go statement, before the child can run"},
	Begin: {"begin", "", "", "", "the first event of a goroutine"},
	End:   {"end", "", "", "", "the last event of a goroutine"},

	Acquire:  {"acq", "lock", "", "", "a mutex or the writer side of an RWMutex was acquired; logged after the operation"},
	Release:  {"rel", "lock", "", "", "the same was released; logged before the operation"},
	RAcquire: {"racq", "lock", "", "", "the reader side of an RWMutex was acquired"},
	RRelease: {"rrel", "lock", "", "", "the reader side was released"},

	CondWait:      {"wait", "condition", "ticket", "", "Cond.Wait begins, before the lock is released"},
	CondWake:      {"wake", "condition", "ticket", "", "Cond.Wait was woken, before the lock is acquired again"},
	CondSignal:    {"signal", "condition", "ticket woken plus one, 0 if nobody waited", "", "Cond.Signal"},
	CondBroadcast: {"broadcast", "condition", "first ticket woken", "number of tickets woken", "Cond.Broadcast"},

	ChanMake:   {"make", "channel", "", "capacity", "a channel is made"},
	Send:       {"send", "channel", "", "capacity", "a send begins; it may block"},
	SendDone:   {"sent", "channel", "number of the element, from 1", "capacity", "a send (or the select case that sends) is complete"},
	Recv:       {"recv", "channel", "", "capacity", "a receive begins; it may block"},
	RecvDone:   {"recvd", "channel", "number of the element, from 1; 0: closed", "capacity", "a receive (or the select case that receives) is complete"},
	Close:      {"close", "channel", "", "capacity", "a channel is closed"},
	Select:     {"select", "", "number of cases", "", "a select begins; FlagDefault if it has a default"},
	SelectDone: {"selected", "", "index of the chosen case plus one, in source order as the runtime sees it; 0: default", "", "a select has chosen; the sent or recvd event of the case follows at once"},

	WaitGroupAdd:    {"add", "WaitGroup", "delta, as a signed number", "", "WaitGroup.Add or Done; logged before the operation"},
	WaitGroupWait:   {"wgwait", "WaitGroup", "", "", "WaitGroup.Wait begins"},
	WaitGroupWaited: {"wgwaited", "WaitGroup", "", "", "WaitGroup.Wait returns"},

	OnceBegin: {"oncebegin", "Once", "", "", "Once.Do is about to call its function"},
	OnceEnd:   {"onceend", "Once", "", "", "Once's function has returned"},
	OnceDone:  {"oncedone", "Once", "", "", "Once.Do returns; after onceend in the calling goroutine too"},

	RegionBegin: {"regionbegin", "", "", "", "an atomic region begins"},
	RegionEnd:   {"regionend", "", "", "", "an atomic region ends"},
	Branch:      {"branch", "", "outcome: 1 taken, 0 not, or the number of the case", "", "the program decided where to go"},
	Assert:      {"assert", "", "outcome: 1 holds", "", "a test assertion was evaluated"},
	Panic:       {"panic", "", "", "", "a panic starts"},
	Recover:     {"recover", "", "", "", "a panic was recovered"},

	TestBegin: {"testbegin", "number of the test's name", "", "", "a test or subtest begins in this goroutine"},
	TestEnd:   {"testend", "number of the test's name", "1 if it has failed", "", "the test function has returned"},

	Post:  {"post", "token", "", "", "what happens before this event happens before every later await of the token (sync.Pool, timers, I/O)"},
	Await: {"await", "token; 0: all that was before", "", "", "see post"},

	SelectSend: {"selsend", "channel", "", "capacity", "a case of the select that follows would send"},

	Operand: {"operand", "", "the value, or its digest, if FlagValue", "bytes", "what a condition or a store needs beside what was read: a value that other goroutines cannot change"},
}

// String returns the word that the text form uses for k.
func (k Kind) String() string {
	if k < NumKinds {
		return kinds[k].name
	}
	return "invalid"
}

// IsAccess reports whether events of kind k touch memory at Obj.
func (k Kind) IsAccess() bool { return k >= Read && k <= AtomicRMW }

// IsPlain reports whether k is an ordinary, not atomic, memory access.
func (k Kind) IsPlain() bool { return k == Read || k == Write }

// OnChannel reports whether k is an operation on a channel that a select sees.
func (k Kind) OnChannel() bool { return k >= Send && k <= SelectDone }

// IsWrite reports whether events of kind k store to memory.
func (k Kind) IsWrite() bool { return k == Write || k == AtomicStore || k == AtomicRMW }

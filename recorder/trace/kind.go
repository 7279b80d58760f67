package trace

// Kind says what an event is. Its number is that of the file format, so that a new
// kind comes last. The constants and the table of their specs below are the one place
// where kinds are declared; after a change, go generate ./recorder/predictrt writes
// anew what follows from them: the kinds of the run-time library, and docs/events.md.
type Kind uint8

// The event kinds.
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

	SelectRecv

	Call

	NumKinds
)

// specs is the table of event kinds.
var specs = func() [NumKinds]Spec {
	var (
		unused    = Arg{}
		address   = Arg{"address", ArgAddress}
		lock      = Arg{"lock", ArgAddress}
		condition = Arg{"condition", ArgAddress}
		waitGroup = Arg{"WaitGroup", ArgAddress}
		once      = Arg{"Once", ArgAddress}
		channel   = Arg{"channel", ArgChannel}
		test      = Arg{"number of the test's name", ArgTest}
		ticket    = Arg{"ticket", ArgNumber}
		pool      = Arg{"address of the sync.Pool, 0 of others", ArgNumber}
		size      = Arg{"bytes", ArgNumber}
		capacity  = Arg{"capacity", ArgNumber}
	)
	value := func(name string) Arg { return Arg{name, ArgValue} }
	number := func(name string) Arg { return Arg{name, ArgNumber} }
	return [NumKinds]Spec{
		None: {Word: "none", Doc: "no event; never in a trace"},

		Read:        {"read", ClassAccess, "read", "of", address, value("value read, or its digest if it has more than 8 bytes, if FlagValue"), size, 0, "a plain load; a map read names the map's header; FlagPut (try) if it stands for a Put of a sync.Pool"},
		Write:       {"write", ClassAccess, "write", "to", address, value("value stored, likewise, if FlagValue"), size, 0, "a plain store; a map write names the map's header"},
		AtomicLoad:  {"aload", ClassAccess, "atomic load", "of", address, value("value read"), size, 0, "an atomic load"},
		AtomicStore: {"astore", ClassAccess, "atomic store", "to", address, value("value stored"), size, 0, "an atomic store"},
		AtomicRMW:   {"armw", ClassAccess, "atomic update", "of", address, value("value after"), size, 0, "an atomic read-modify-write; FlagFailed marks a compare-and-swap that did not store"},

		Fork:  {"fork", ClassGoroutine, "go", "", Arg{"goroutine id of the child", ArgGoroutine}, unused, unused, endsRegion, "a go statement, before the child can run"},
		Begin: {"begin", ClassGoroutine, "begin", "of", unused, unused, unused, 0, "the first event of a goroutine"},
		End:   {"end", ClassGoroutine, "goroutine ends", "of", unused, unused, unused, 0, "the last event of a goroutine"},

		Acquire:  {"acq", ClassLock, "lock", "", lock, unused, unused, acquires, "a mutex or the writer side of an RWMutex was acquired; logged after the operation; FlagTry if it would not have waited"},
		Release:  {"rel", ClassLock, "unlock", "", lock, unused, unused, releases | deferred, "the same was released; logged before the operation"},
		RAcquire: {"racq", ClassLock, "read lock", "", lock, unused, unused, acquires | shared, "the reader side of an RWMutex was acquired; FlagTry likewise"},
		RRelease: {"rrel", ClassLock, "read unlock", "", lock, unused, unused, releases | shared | deferred, "the reader side was released"},

		CondWait:      {"wait", ClassCond, "wait", "for", condition, ticket, unused, endsRegion | begins, "Cond.Wait begins, before the lock is released"},
		CondWake:      {"wake", ClassCond, "wake", "of", condition, ticket, unused, endsRegion | completes, "Cond.Wait was woken, before the lock is acquired again"},
		CondSignal:    {"signal", ClassCond, "signal", "of", condition, number("ticket woken plus one, 0 if nobody waited"), unused, endsRegion | deferred, "Cond.Signal"},
		CondBroadcast: {"broadcast", ClassCond, "broadcast", "of", condition, number("first ticket woken"), number("number of tickets woken"), endsRegion | deferred, "Cond.Broadcast"},

		ChanMake:   {"make", ClassChannel, "make", "of", channel, unused, capacity, 0, "a channel is made"},
		Send:       {"send", ClassChannel, "send", "to", channel, unused, capacity, endsRegion | begins | sends, "a send begins; it may block"},
		SendDone:   {"sent", ClassChannel, "sent", "to", channel, number("number of the element, from 1"), capacity, endsRegion | completes | sends, "a send (or the select case that sends) is complete"},
		Recv:       {"recv", ClassChannel, "receive", "from", channel, unused, capacity, endsRegion | begins | receives, "a receive begins; it may block"},
		RecvDone:   {"recvd", ClassChannel, "received", "from", channel, number("number of the element, from 1; 0: closed"), capacity, endsRegion | completes | receives, "a receive (or the select case that receives) is complete"},
		Close:      {"close", ClassChannel, "close", "", channel, unused, capacity, endsRegion, "a channel is closed"},
		Select:     {"select", ClassChannel, "select", "of", unused, number("number of cases"), unused, endsRegion | begins, "a select begins; FlagDefault if it has a default"},
		SelectDone: {"selected", ClassChannel, "selected", "of", unused, number("index of the chosen case plus one, in source order as the runtime sees it; 0: default"), unused, endsRegion | completes, "a select has chosen; the sent or recvd event of the case follows at once; FlagRequested if a schedule has requested that case"},

		WaitGroupAdd:    {"add", ClassWaitGroup, "add", "to", waitGroup, Arg{"delta", ArgSigned}, unused, deferred | counts, "WaitGroup.Add or Done; logged before the operation"},
		WaitGroupWait:   {"wgwait", ClassWaitGroup, "wait", "for", waitGroup, unused, unused, endsRegion | begins, "WaitGroup.Wait begins"},
		WaitGroupWaited: {"wgwaited", ClassWaitGroup, "waited", "for", waitGroup, unused, unused, endsRegion | completes, "WaitGroup.Wait returns"},

		OnceBegin: {"oncebegin", ClassOnce, "enter", "", once, unused, unused, 0, "Once.Do is about to call its function"},
		OnceEnd:   {"onceend", ClassOnce, "leave", "", once, unused, unused, 0, "Once's function has returned"},
		OnceDone:  {"oncedone", ClassOnce, "call", "of", once, unused, unused, 0, "Once.Do returns; after onceend in the calling goroutine too"},

		RegionBegin: {"regionbegin", ClassRegion, "enter", "", unused, unused, unused, 0, "an atomic region begins"},
		RegionEnd:   {"regionend", ClassRegion, "leave", "", unused, unused, unused, deferred, "an atomic region ends"},
		Branch:      {"branch", ClassControl, "condition", "", unused, number("outcome: 1 taken, 0 not, or the number of the case"), unused, 0, "the program decided where to go"},
		Assert:      {"assert", ClassControl, "assertion", "", unused, number("outcome: 1 holds"), unused, 0, "a test assertion was evaluated"},
		Panic:       {"panic", ClassControl, "panic", "of", unused, unused, unused, 0, "a panic starts"},
		Recover:     {"recover", ClassControl, "recover", "of", unused, unused, unused, 0, "a panic was recovered"},

		TestBegin: {"testbegin", ClassTest, "test begins", "of", test, unused, unused, 0, "a test or subtest begins in this goroutine"},
		TestEnd:   {"testend", ClassTest, "test ends", "of", test, number("1 if it has failed"), unused, 0, "the test function has returned"},

		Post:  {"post", ClassToken, "synchronize", "by", Arg{"token", ArgToken}, pool, unused, deferred, "what happens before this event happens before every later await of the token (sync.Pool, timers, I/O)"},
		Await: {"await", ClassToken, "synchronize", "by", Arg{"token; 0: all that was before", ArgToken}, pool, unused, 0, "see post; FlagFailed marks a Get from an empty sync.Pool, whose token is nobody else's; FlagTry a Stop or Reset of a timer, by which the timer's function may have begun"},

		SelectSend: {"selsend", ClassChannel, "send", "to", channel, unused, capacity, sends, "a case of the select that follows would send"},

		Operand: {"operand", ClassControl, "operand", "of", unused, value("the value, or its digest, if FlagValue"), size, reportsOnly, "what a condition or a store needs beside what was read: a value that other goroutines cannot change"},

		SelectRecv: {"selrecv", ClassControl, "receive", "from", channel, unused, capacity, reportsOnly | receives, "a case of the select that follows would receive; those of one select come in their order"},

		Call: {"call", ClassCall, "call", "of", Arg{"object", ArgAddress}, number("number of the method: CallSiteKey of its name and 0"), unused, 0, "a method that a property names is called on an object; the site is that of the call"},
	}
}()

// traitsOf has, by kind, the properties that are asked for most often.
var traitsOf = func() (of [256]struct {
	class  Class
	obj    ArgType
	traits traits
}) {
	for k, s := range specs {
		of[k].class, of[k].obj, of[k].traits = s.Class, s.Obj.Type, s.traits
	}
	return of
}()

// Valid reports whether k is a kind that a trace may have.
func (k Kind) Valid() bool { return k != None && k < NumKinds }

// Spec returns the row of k in the table, or the zero Spec if it has none.
func (k Kind) Spec() Spec {
	if k < NumKinds {
		return specs[k]
	}
	return Spec{}
}

// String returns the word that the text form uses for k.
func (k Kind) String() string {
	if k < NumKinds {
		return specs[k].Word
	}
	return "invalid"
}

// Class returns what events of kind k are about.
func (k Kind) Class() Class { return traitsOf[k].class }

// IsAccess reports whether events of kind k touch memory at Obj.
func (k Kind) IsAccess() bool { return traitsOf[k].class == ClassAccess }

// IsPlain reports whether k is an ordinary, not atomic, memory access.
func (k Kind) IsPlain() bool { return k == Read || k == Write }

// IsWrite reports whether events of kind k store to memory.
func (k Kind) IsWrite() bool { return k == Write || k == AtomicStore || k == AtomicRMW }

// IsRead reports whether events of kind k load from memory.
func (k Kind) IsRead() bool { return k == Read || k == AtomicLoad || k == AtomicRMW }

// Object returns the type of the Obj of events of kind k.
func (k Kind) Object() ArgType { return traitsOf[k].obj }

// HasAddress reports whether the Obj of events of kind k is an address of memory.
func (k Kind) HasAddress() bool { return traitsOf[k].obj == ArgAddress }

// EndsRegion reports whether no atomic region continues after an event of kind k, because it
// starts a goroutine, waits for others or wakes them.
func (k Kind) EndsRegion() bool { return traitsOf[k].traits&endsRegion != 0 }

// CanHold reports whether a replay can hold a goroutine before an event of kind k. It
// cannot if the event only reports what has already taken place.
func (k Kind) CanHold() bool { return k.Valid() && traitsOf[k].traits&(reportsOnly|completes) == 0 }

// Begins reports whether an event of kind k begins an operation that may block and that a
// later event of its goroutine completes.
func (k Kind) Begins() bool { return traitsOf[k].traits&begins != 0 }

// Completes reports whether an event of kind k completes an operation that an earlier event
// of its goroutine has begun.
func (k Kind) Completes() bool { return traitsOf[k].traits&completes != 0 }

// Sends reports whether events of kind k are of the sending side of a channel.
func (k Kind) Sends() bool { return traitsOf[k].traits&sends != 0 }

// Receives reports whether events of kind k are of the receiving side of a channel.
func (k Kind) Receives() bool { return traitsOf[k].traits&receives != 0 }

// Acquires reports whether events of kind k acquire a lock, on either side.
func (k Kind) Acquires() bool { return traitsOf[k].traits&acquires != 0 }

// Releases reports whether events of kind k release a lock, on either side.
func (k Kind) Releases() bool { return traitsOf[k].traits&releases != 0 }

// IsShared reports whether events of kind k are of the reader side of an RWMutex.
func (k Kind) IsShared() bool { return traitsOf[k].traits&shared != 0 }

// IsDeferred reports whether functions commonly defer operations of kind k. Such operations may come
// between a return statement and the end of the call, and pass on no values themselves.
func (k Kind) IsDeferred() bool { return traitsOf[k].traits&deferred != 0 }

// ChangesCounter reports whether events of kind k change the counter of a WaitGroup.
func (k Kind) ChangesCounter() bool { return traitsOf[k].traits&counts != 0 }

// AreAddAndWait reports whether one of the kinds a and b changes the counter of a WaitGroup and
// the other begins a wait for it.
func AreAddAndWait(a, b Kind) bool {
	return a.ChangesCounter() && b == WaitGroupWait || b.ChangesCounter() && a == WaitGroupWait
}

// IsDataEvent reports whether e only accesses or uses data. Its outcome can change only if goroutines
// that share the data run in another order.
func (e *Event) IsDataEvent() bool { return dataKinds[e.Kind] }

// dataKinds are the kinds of [Event.IsDataEvent].
var dataKinds = [256]bool{Read: true, Write: true, Branch: true, Assert: true, Operand: true}

package predictrt

// The event kinds, as in recorder/trace.
const (
	None uint8 = iota

	Read
	Write_
	AtomicLoad
	AtomicStore
	AtomicRMW

	Fork
	Begin_
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
	Branch_
	Assert_
	Panic
	Recover

	TestBegin_
	TestEnd_

	Post
	Await

	SelectSend

	Operand_

	NumKinds
)

// The flags of an event, as in recorder/trace.
const (
	flagValue uint8 = 1 << iota
	flagFailed
	flagDefault
	flagMap
)

// words are what the text form of a trace calls the kinds.
var words = [NumKinds]string{
	Read: "read", Write_: "write", AtomicLoad: "aload", AtomicStore: "astore", AtomicRMW: "armw",
	Fork: "fork", Begin_: "begin", End: "end",
	Acquire: "acq", Release: "rel", RAcquire: "racq", RRelease: "rrel",
	CondWait: "wait", CondWake: "wake", CondSignal: "signal", CondBroadcast: "broadcast",
	ChanMake: "make", Send: "send", SendDone: "sent", Recv: "recv", RecvDone: "recvd",
	Close: "close", Select: "select", SelectDone: "selected",
	WaitGroupAdd: "add", WaitGroupWait: "wgwait", WaitGroupWaited: "wgwaited",
	OnceBegin: "oncebegin", OnceEnd: "onceend", OnceDone: "oncedone",
	RegionBegin: "regionbegin", RegionEnd: "regionend", Branch_: "branch", Assert_: "assert",
	Panic: "panic", Recover: "recover", TestBegin_: "testbegin", TestEnd_: "testend",
	Post: "post", Await: "await", SelectSend: "selsend", Operand_: "operand",
}

func isWrite(kind uint8) bool {
	return kind == Write_ || kind == AtomicStore || kind == AtomicRMW
}

// isSync reports whether a mutex, WaitGroup or Once is at work, and with it the
// memory that it lies in.
func isSync(kind uint8) bool {
	return kind >= Acquire && kind <= RRelease || kind >= WaitGroupAdd && kind <= OnceDone
}

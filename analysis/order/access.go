package order

import "github.com/gopredict/gopredict/recorder/trace"

// An Access is the way in which an event touches its location. Operations of
// synchronization touch theirs as well, as for go test -race: a lock, WaitGroup
// or Once is memory that a plain access may not meet; closing a channel must be
// ordered with each send and each other close; an Add that takes a WaitGroup's
// counter from zero must be ordered with Wait. Where it did not in the recorded run it may
// in another order.
type Access uint8

// The properties of accesses.
const (
	writes Access = 1 << iota
	atomic
	starts // an Add, maybe from zero
	waits  // a Wait
	object // of a lock, WaitGroup or Once
)

// Conflicts reports whether accesses a and b of one location race if nothing
// orders them.
func (a Access) Conflicts(b Access) bool {
	return (a|b)&writes != 0 && a&b&atomic == 0 || (a|b)&(starts|waits) == starts|waits
}

// channelSpace tells the numbers of channels from addresses.
const channelSpace = 1 << 63

// touch returns the location that e touches and how. It is false for events
// that touch nothing, and for accesses without a size (the operations of
// sync.Map), which touch no memory of the program.
func touch(e *trace.Event) (loc Location, how Access, ok bool) {
	switch k := e.Kind; {
	case k.IsAccess():
		if e.Stores() {
			how |= writes
		}
		if !k.IsPlain() || k == trace.Read && e.Flags&trace.FlagPut != 0 {
			how |= atomic
		}
		return Location{Obj: e.Obj, Size: e.Size}, how, e.Size > 0
	case k == trace.Send || k == trace.SelectSend:
		return Location{Obj: channelSpace | e.Obj, Size: 1}, 0, e.Obj != 0
	case k == trace.Close:
		return Location{Obj: channelSpace | e.Obj, Size: 1}, writes, e.Obj != 0
	case k.Class() == trace.ClassLock, k == trace.OnceBegin, k == trace.OnceDone:
		how = object | atomic | writes
	case k == trace.WaitGroupAdd:
		how = object | atomic | writes
		if int64(e.Val) > 0 {
			how |= starts
		}
	case k == trace.WaitGroupWait:
		how = object | atomic | writes | waits
	default:
		return Location{}, 0, false
	}
	return Location{Obj: e.Obj, Size: 1}, how, true
}

package order

import "github.com/gopredict/gopredict/recorder/trace"

// An Access is the way in which an event touches its location. Operations of
// synchronization touch theirs as well, as for go test -race: a lock, WaitGroup
// or Once is memory that a plain access may not meet; closing a channel must be
// ordered with each send and each other close; an Add that takes a WaitGroup's
// counter from zero must be ordered with Wait. Where it did not in the recorded run it may
// in another order.
type Access uint8

// The properties of accesses. Two accesses conflict by these alone, whatever kinds of events
// they are of: so a new primitive only has to say here how it touches its object.
const (
	isWrite Access = 1 << iota
	isAtomic
	isAdd    // an Add, maybe from zero
	isWait   // a Wait
	isObject // of a lock, WaitGroup or Once
)

// Conflicts reports whether accesses a and b of one location race if nothing
// orders them.
//
// Examples: two atomic stores do not conflict, a plain read and an atomic store do. Two sends do not,
// as neither is a write; a send and a close do.
func (a Access) Conflicts(b Access) bool {
	// Add and Wait are both atomic, and need a term of their own.
	return (a|b)&isWrite != 0 && a&b&isAtomic == 0 || (a|b)&(isAdd|isWait) == isAdd|isWait
}

// channelSpace distinguishes the numbers of channels from addresses.
const channelSpace = 1 << 63

// locationOf returns the location that e touches and how. It is false for events
// that touch nothing, and for accesses without a size (the operations of
// sync.Map), which touch no memory of the program.
func locationOf(e *trace.Event) (loc Location, how Access, ok bool) {
	switch k := e.Kind; {
	case k.IsAccess():
		if e.Stores() {
			how |= isWrite
		}
		if !k.IsPlain() || k == trace.Read && e.Flags&trace.FlagPut != 0 {
			how |= isAtomic
		}
		return Location{Obj: e.Obj, Size: e.Size}, how, e.Size > 0
	case k == trace.Send || k == trace.SelectSend:
		return Location{Obj: channelSpace | e.Obj, Size: 1}, 0, e.Obj != 0
	case k == trace.Close:
		return Location{Obj: channelSpace | e.Obj, Size: 1}, isWrite, e.Obj != 0
	case k.Class() == trace.ClassLock, k == trace.OnceBegin, k == trace.OnceDone:
		how = isObject | isAtomic | isWrite
	case k.ChangesCounter():
		how = isObject | isAtomic | isWrite
		if e.Delta() > 0 {
			how |= isAdd
		}
	case k == trace.WaitGroupWait:
		how = isObject | isAtomic | isWrite | isWait
	default:
		return Location{}, 0, false
	}
	return Location{Obj: e.Obj, Size: 1}, how, true
}

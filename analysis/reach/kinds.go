package reach

import "github.com/gopredict/gopredict/recorder/trace"

// This file has the properties of kinds of events that the package needs
// besides the rules of the model (state.go).

// completions has by the kind of an operation that may wait the kind of its
// completion. A wait for a condition is not among them: a release comes
// before it completes.
var completions = map[trace.Kind]trace.Kind{
	trace.Send:          trace.SendDone,
	trace.Recv:          trace.RecvDone,
	trace.Select:        trace.SelectDone,
	trace.WaitGroupWait: trace.WaitGroupWaited,
}

// isLoad reports whether a node of kind k finds what is in memory.
func isLoad(k trace.Kind) bool { return k.IsRead() }

// isStore reports whether e stores a value that does not depend on what was
// there.
func isStore(e *trace.Event) bool { return storesValue(e.Kind) }

func storesValue(k trace.Kind) bool { return k == trace.Write || k == trace.AtomicStore }

// delta returns what a node adds to the counter of a WaitGroup.
func (n *node) delta() int64 {
	if n.kind.ChangesCounter() {
		return int64(n.value)
	}
	return 0
}

// isSelect reports whether a node is a select, or the choice that it makes.
func (n *node) isSelect() bool { return n.kind == trace.Select || n.kind == trace.SelectDone }

// endsGoroutine reports whether a goroutine ends with a node, or its test does.
func (n *node) endsGoroutine() bool { return n.kind == trace.End || n.kind == trace.TestEnd }

// classOf returns the class of the objects that events of kind k are on.
func classOf(k trace.Kind) class {
	switch k.Class() {
	case trace.ClassLock:
		return ofLock
	case trace.ClassCond:
		return ofCond
	case trace.ClassWaitGroup:
		return ofGroup
	case trace.ClassOnce:
		return ofOnce
	}
	return ofChan
}

// isInvisible reports whether events of kind k follow from what the goroutine
// has found, and no other goroutine sees them.
func isInvisible(k trace.Kind) bool {
	switch k.Class() {
	case trace.ClassControl, trace.ClassRegion, trace.ClassToken, trace.ClassCall:
		return true
	}
	return k == trace.SelectSend
}

// replayCanHold reports whether a replay can let an event wait for its turn.
func replayCanHold(k trace.Kind) bool {
	return k.CanHold() && k != trace.Branch && k != trace.SelectSend
}

package predictrt

// blocking is an operation in which a goroutine may block.
type blocking struct {
	obj  uint64 // as in the operation's event
	site uint32
	kind uint8
}

// stuckIn is the verdict's line that tells in which operation of its own g is blocked
// for ever; "" if it is in none. reason is the runtime's.
func (g *goroutine) stuckIn(reason string) string {
	op := g.op
	if !op.blocks(reason) {
		return ""
	}
	return "stuck " + g.name() + " " + itoa(uint64(op.kind)) + " " + itoa(keyFor(op.site)) + " " + hex(op.obj) + "\n"
}

// blocks reports whether a goroutine that waits for such a reason waits in op.
func (op blocking) blocks(reason string) bool {
	switch reason {
	case "chan receive", "chan receive (nil chan)":
		return op.kind == Recv
	case "chan send", "chan send (nil chan)":
		return op.kind == Send
	case "select", "select (no cases)":
		return op.kind == Select
	case "sync.Cond.Wait":
		return op.kind == CondWait
	case "sync.WaitGroup.Wait":
		return op.kind == WaitGroupWait
	case "sync.Mutex.Lock", "sync.RWMutex.Lock":
		return op.kind == Acquire || op.kind == OnceBegin
	case "sync.RWMutex.RLock":
		return op.kind == RAcquire
	}
	return false
}

package trace

import "fmt"

// A Held has the value in memory before the event at position At: a write before which no other event
// accesses that memory, as far as the recording knows. Val has the form of the Val of the write.
type Held struct {
	At  int
	Val uint64
}

// heldKind is the kind of a record of a Held in the file, which is no event.
const heldKind Kind = 62

// event returns the form of h in the file, where it precedes the event e.
func (h Held) event(e *Event) Event { return Event{Kind: heldKind, Site: e.Site, Val: h.Val} }

func (h Held) text() string { return fmt.Sprintf("%s val=%d\n", heldWord, h.Val) }

// HeldAt returns the value in memory before the write at position i; ok is false if the trace does not
// tell.
func (t *Trace) HeldAt(i int) (val uint64, ok bool) {
	from, to := 0, len(t.Held) // what every write asks is worth a loop of its own
	for from < to {
		if mid := int(uint(from+to) / 2); t.Held[mid].At < i {
			from = mid + 1
		} else {
			to = mid
		}
	}
	if from == len(t.Held) || t.Held[from].At != i {
		return 0, false
	}
	return t.Held[from].Val, true
}

// hold records that memory held val before the next event, a write.
func (t *Trace) hold(val uint64) {
	t.settleHeld(Event{})
	t.Held = append(t.Held, Held{len(t.Events), val})
}

// settleHeld removes the Held of the next event e, unless e is a write.
func (t *Trace) settleHeld(e Event) {
	if !e.Kind.IsWrite() {
		t.DropHeld(len(t.Events))
	}
}

// DropHeld removes the Held of the event at position i, which must be the last one that has any.
func (t *Trace) DropHeld(i int) {
	if n := len(t.Held); n > 0 && t.Held[n-1].At == i {
		if t.Held = t.Held[:n-1]; n == 1 {
			t.Held = nil // as in a trace that has none
		}
	}
}

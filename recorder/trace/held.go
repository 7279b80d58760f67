package trace

import "fmt"

// A Held says what was in memory before the event at position At, a write, of which no
// event tells: it is the first one there, as far as the recording knows. Val is as that
// of the event.
type Held struct {
	At  int
	Val uint64
}

// heldKind is what stands in the file in place of the kind of an event.
const heldKind Kind = 62

// event is the form that h has in the file, before the event e.
func (h Held) event(e *Event) Event { return Event{Kind: heldKind, Site: e.Site, Val: h.Val} }

func (h Held) text() string { return fmt.Sprintf("%s val=%d\n", heldWord, h.Val) }

// HeldAt returns what was in memory before the write at position i, if the trace tells.
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

// hold notes that the next event to come is a write before which memory held val.
func (t *Trace) hold(val uint64) {
	t.settleHeld(Event{})
	t.Held = append(t.Held, Held{len(t.Events), val})
}

// settleHeld drops what was noted for the next event, unless that is e and a write.
func (t *Trace) settleHeld(e Event) {
	if !e.Kind.IsWrite() {
		t.DropHeld(len(t.Events))
	}
}

// DropHeld drops what was noted for the event at position i, the last one for which something was.
func (t *Trace) DropHeld(i int) {
	if n := len(t.Held); n > 0 && t.Held[n-1].At == i {
		if t.Held = t.Held[:n-1]; n == 1 {
			t.Held = nil // as in a trace that has none
		}
	}
}

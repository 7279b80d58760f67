package reduce

import (
	"fmt"
	"os"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file reads the events of a long trace from its file again, part by part. So only the part
// that is analyzed has to be in memory.

// A source describes how to read the events of a trace from its file again, with the same events left
// out and moved as the first time.
type source struct {
	path       string
	survey     *survey
	eventCount int            // events of the trace, without those left out
	capacity   int            // events that the first reading allocated room for
	stop       trace.EndPoint // where the first reading stopped
	moves      []move         // events that [Gather] moved, sorted by destination
	movedFrom  []int          // original positions of moved events, ascending
}

// A Rereader reads the events of a trace from its file again, in the order of the trace.
type Rereader struct {
	file   *os.File
	reader *trace.Reader
	source source
	// filter holds the events that were read but not delivered yet. While a test that ran alone is being
	// read, that is all of its events, as some may still be left out.
	filter   *aloneFilter
	position int           // position of the first undelivered event, before any move
	dest     []trace.Event // the rest of the slice that Next fills
}

// CanReread reports whether the events of t can be read from its file again: [ReadConcurrent] read it,
// and t has as many events as then.
func CanReread(t *trace.Trace, events int) bool {
	s := sourceOf(t)
	return s != nil && events == s.eventCount
}

// sourceOf returns the source that the events of t can be read from again, or nil.
func sourceOf(t *trace.Trace) *source {
	s, _ := t.EventSource.(*source)
	return s
}

// NewRereader returns a reader of the events of t, which need not be in memory any more. All other
// data of t is taken from t itself.
func NewRereader(t *trace.Trace) (*Rereader, error) {
	from := sourceOf(t)
	f, err := os.Open(from.path)
	if err != nil {
		return nil, err
	}
	w := *t
	w.Events, w.Freed, w.PriorValues, w.Complete = nil, nil, nil, false
	a := &Rereader{file: f, reader: trace.NewRereader(f, &w, from.stop), source: *from, filter: newAloneFilter(&w, from.survey)}
	if err := a.reader.Start(a.take); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// take adds the next events of the file, and delivers those that are ready.
func (a *Rereader) take(es []trace.Event) {
	a.filter.take(es)
	a.deliver()
}

// Next fills es with the next events.
func (a *Rereader) Next(es []trace.Event) error {
	a.dest = es
	for a.deliver(); len(a.dest) > 0; {
		if err := a.reader.ReadChunk(); err != nil {
			a.filter.finish()
			if a.deliver(); len(a.dest) == 0 {
				return nil
			}
			return a.changedError(len(a.dest), err)
		}
	}
	return nil
}

// deliver copies the events that are certain to stay to dest, until dest is full.
func (a *Rereader) deliver() {
	k, settled, from := 0, a.filter.settledCount(), &a.source
	for len(a.dest) > 0 {
		if len(from.moves) > 0 && from.moves[0].to == a.position+k {
			a.dest[0] = from.moves[0].event
			a.dest, from.moves = a.dest[1:], from.moves[1:]
			continue
		}
		if k == settled {
			break
		}
		if len(from.movedFrom) > 0 && from.movedFrom[0] == a.position+k {
			k, from.movedFrom = k+1, from.movedFrom[1:]
			continue
		}
		end := settled
		if len(from.moves) > 0 {
			end = min(end, from.moves[0].to-a.position)
		}
		if len(from.movedFrom) > 0 {
			end = min(end, from.movedFrom[0]-a.position)
		}
		n := copy(a.dest, a.filter.t.Events[k:end])
		a.dest, k = a.dest[n:], k+n
	}
	a.position += k
	a.filter.removeFirst(k)
}

// ReadEvents sets t.Events to all events of t, which it reads from the file again. It changes nothing
// else of t.
func ReadEvents(t *trace.Trace) error {
	a, err := NewRereader(t)
	if err != nil {
		return err
	}
	defer a.Close()
	es := make([]trace.Event, a.source.eventCount, a.source.capacity)
	if err := a.Next(es); err != nil {
		return err
	}
	t.Events = es
	return nil
}

// changedError returns the error for a file that has fewer events than when it was first read.
func (a *Rereader) changedError(missing int, err error) error {
	return fmt.Errorf("trace: %s has changed: expected %d further events, found its end: %w", a.source.path, missing, err)
}

// Close closes the file.
func (a *Rereader) Close() {
	a.reader.Close()
	a.file.Close()
}

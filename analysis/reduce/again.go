package reduce

import (
	"fmt"
	"os"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file reads the events of a long trace once more, part by part, so that not all of them need be in memory
// while some are worked on.

// A source is where events of a trace are read from once more, and how: as they were the first time.
type source struct {
	path   string
	survey *survey
	events int        // how many there are
	room   int        // for how many there was room while they were read
	stop   trace.Stop // where reading has stopped
	moves  []move     // the events that were moved since then; the others are in the order of the file
	froms  []int      // of moves, ascending
}

// An Again reads the events of a trace once more, in their order.
type Again struct {
	file *os.File
	d    *trace.Reader
	from source
	// What is read of events that are not handed out yet: all of those of a test that ran alone and has not ended,
	// as some of them may be left out.
	read  *alone
	at    int           // position of the first of these, before any was moved
	to    []trace.Event // what is to be filled
	whole bool          // all events are read at once, and none is handed out
}

// ReadsAgain reports whether the events of t, which are so many, can be read once more: where [ReadConcurrent]
// has read them, and they are all of those.
func ReadsAgain(t *trace.Trace, events int) bool {
	s := sourceOf(t)
	return s != nil && events == s.events
}

// sourceOf returns where the events of t are read from once more; nil if nowhere.
func sourceOf(t *trace.Trace) *source {
	s, _ := t.Source.(*source)
	return s
}

// NewAgain begins to read the events of t once more, which need not be in memory any more. What else t has
// is taken as it is.
func NewAgain(t *trace.Trace) (*Again, error) {
	from := sourceOf(t)
	f, err := os.Open(from.path)
	if err != nil {
		return nil, err
	}
	w := *t
	w.Events, w.Freed, w.Held, w.Complete = nil, nil, nil, false
	a := &Again{file: f, d: trace.NewRereader(f, &w, from.stop), from: *from, read: newAlone(&w, from.survey)}
	if err := a.d.Begin(a.take); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// take takes the next events of the file.
func (a *Again) take(es []trace.Event) {
	a.read.take(es)
	if !a.whole {
		a.hand()
	}
}

// Next fills es with the next events.
func (a *Again) Next(es []trace.Event) error {
	a.to = es
	for a.hand(); len(a.to) > 0; {
		if err := a.d.Chunk(); err != nil {
			a.read.finish()
			if a.hand(); len(a.to) == 0 {
				return nil
			}
			return a.changed(len(a.to), err)
		}
	}
	return nil
}

// hand hands out what is read, as far as it is known to stay and there is room.
func (a *Again) hand() {
	k, settled, from := 0, a.read.settled(), &a.from
	for len(a.to) > 0 {
		if len(from.moves) > 0 && from.moves[0].to == a.at+k {
			a.to[0] = from.moves[0].event
			a.to, from.moves = a.to[1:], from.moves[1:]
			continue
		}
		if k == settled {
			break
		}
		if len(from.froms) > 0 && from.froms[0] == a.at+k {
			k, from.froms = k+1, from.froms[1:]
			continue
		}
		end := settled
		if len(from.moves) > 0 {
			end = min(end, from.moves[0].to-a.at)
		}
		if len(from.froms) > 0 {
			end = min(end, from.froms[0]-a.at)
		}
		n := copy(a.to, a.read.t.Events[k:end])
		a.to, k = a.to[n:], k+n
	}
	a.at += k
	a.read.shift(k)
}

// ReadEvents reads all events of t again, which are not in memory, and nothing beside them.
func ReadEvents(t *trace.Trace) error {
	a, err := NewAgain(t)
	if err != nil {
		return err
	}
	defer a.Close()
	its := a.read.t
	its.Events = make([]trace.Event, 0, a.from.room)
	a.whole = true
	for err == nil {
		err = a.d.Chunk()
	}
	a.read.finish()
	if missing := a.from.events - len(its.Events); missing != 0 {
		return a.changed(missing, err)
	}
	if len(a.from.moves) > 0 {
		shove(its, a.from.moves, a.from.froms)
	}
	t.Events = its.Events
	return nil
}

// changed is what is wrong where events are missing that were there before.
func (a *Again) changed(missing int, err error) error {
	return fmt.Errorf("trace: %s has changed: expected %d further events, found its end: %w", a.from.path, missing, err)
}

// Close ends reading.
func (a *Again) Close() {
	a.d.End()
	a.file.Close()
}

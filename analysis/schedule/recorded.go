package schedule

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// AsRecorded reports whether the recorded run already shows the race of s with the earlier access
// first. That holds if the run, up to the order of independent events, passed the end of s and
// continued with the two accesses. Also, the events before the later access that s omits must have
// the same effect whenever they happen. Then only the other order of the accesses is left to try.
// It may return false where true is correct.
func (s Schedule) AsRecorded(t *trace.Trace) bool {
	if len(s.Violation) != 2 || !slices.IsSorted(s.Steps) {
		return false
	}
	first, last := min(s.Violation[0], s.Violation[1]), max(s.Violation[0], s.Violation[1])
	if len(s.Steps) > 0 && last < s.Steps[len(s.Steps)-1] {
		return false
	}
	steps := s.Steps             // from event i on
	access := newOmittedEvents() // what s keeps after it, it has before it
	out := newOmittedEvents()
	for i := s.From; i < len(t.Events); i++ {
		for len(steps) > 0 && steps[0] < i {
			steps = steps[1:]
		}
		switch e := t.Events[i]; {
		// What comes after the race would have been different if the left-out events came later.
		case i > last && out.differs(e):
			return false
		case i > last:
		case i == first, i == last, len(steps) > 0 && steps[0] == i:
			// A kept event must not notice that left-out events are missing. Nor may it notice the first
			// access, which s puts after it.
			if out.conflicts(e) || i < last && access.conflicts(e) {
				return false
			}
			if i == first {
				access.add(e)
			}
		default:
			if out.differs(e) {
				return false
			}
			out.add(e)
		}
	}
	return true
}

// omittedEvents is the combined effect of events that a schedule leaves out.
type omittedEvents struct {
	words   map[uint64]effect // by address in words
	objects map[uint64]effect // of synchronization
	any     bool
	wide    bool // an access to more than maxWords words
	channel bool // an operation on a channel
}

// An effect is what omitted events did with a word or an object.
type effect struct {
	by      trace.GID
	several bool // and by others
	read    bool
	written bool
}

func newOmittedEvents() *omittedEvents {
	return &omittedEvents{words: make(map[uint64]effect), objects: make(map[uint64]effect)}
}

const (
	wordSize = 8    // bytes
	maxWords = 1024 // of one access, that are looked at one by one
)

func wordsOf(e trace.Event) (from, to uint64) {
	return e.Obj / wordSize, (e.Obj + uint64(max(e.Size, 1)) - 1) / wordSize
}

func (l *omittedEvents) add(e trace.Event) {
	l.any = true
	// No select sees that a channel is made, or that another select could send.
	l.channel = l.channel || e.Kind.Class() == trace.ClassChannel && e.Kind != trace.ChanMake && e.Kind != trace.SelectSend
	if !e.Kind.IsAccess() {
		old, ok := l.objects[e.Obj]
		l.objects[e.Obj] = old.and(e, ok)
		return
	}
	from, to := wordsOf(e)
	if to-from >= maxWords {
		// To go through so many words takes too long. A wide access conflicts with each other one.
		l.wide = true
		return
	}
	for w := from; w <= to; w++ {
		old, ok := l.words[w]
		l.words[w] = old.and(e, ok)
	}
}

// and is what was done once e is; known says whether anything was before.
func (d effect) and(e trace.Event, known bool) effect {
	return effect{
		by: e.G, several: known && (d.several || d.by != e.G),
		read: d.read || !overwrites(e.Kind), written: d.written || e.Kind.IsWrite(),
	}
}

// overwrites reports whether an access of kind k stores whatever was there.
func overwrites(k trace.Kind) bool { return k == trace.Write || k == trace.AtomicStore }

// conflicts reports whether e can tell that something was left out.
func (l *omittedEvents) conflicts(e trace.Event) bool {
	return l.hasEffectAt(e, func(d effect) bool { return d.written || e.Kind.IsWrite() || !e.Kind.IsAccess() })
}

// differs reports whether e, which comes after all that was left out, or some of
// that, does something else if e comes first.
func (l *omittedEvents) differs(e trace.Event) bool {
	if e.Kind.Class() == trace.ClassWaitGroup { // they wait for all
		return false
	}
	return l.hasEffectAt(e, func(d effect) bool {
		switch {
		// Program order keeps e behind what its own goroutine has done.
		case !d.several && d.by == e.G:
			return false
		case !e.Kind.IsAccess():
			return true
		}
		return d.read && e.Kind.IsWrite() || d.written && !overwrites(e.Kind)
	})
}

// hasEffectAt reports whether f holds for something that was done where e is.
func (l *omittedEvents) hasEffectAt(e trace.Event, f func(effect) bool) bool {
	switch {
	case e.Kind == trace.Select || e.Kind == trace.SelectDone:
		return l.channel
	case e.Kind == trace.Await && e.Obj == 0:
		return l.any
	case !e.Kind.IsAccess():
		d, ok := l.objects[e.Obj] // 0: none
		return ok && e.Obj != 0 && f(d)
	case l.wide:
		return true
	}
	from, to := wordsOf(e)
	if to-from >= maxWords {
		return len(l.words) > 0
	}
	for w := from; w <= to; w++ {
		if d, ok := l.words[w]; ok && f(d) {
			return true
		}
	}
	return false
}

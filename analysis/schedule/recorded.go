package schedule

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// AsRecorded reports whether the recorded run has shown what comes of the race that
// is the violation of s if the earlier access goes first: whether that run, but for
// the order of events that do not see each other, has come by where s leads and has
// gone on with the two accesses; and whether what it did before the later one, and
// s leaves for afterwards, does the same whenever it happens. Then only the other
// order is left to try. It may say no where the answer is yes.
func (s Schedule) AsRecorded(t *trace.Trace) bool {
	if len(s.Violation) != 2 || !slices.IsSorted(s.Steps) {
		return false
	}
	first, last := min(s.Violation[0], s.Violation[1]), max(s.Violation[0], s.Violation[1])
	if len(s.Steps) > 0 && last < s.Steps[len(s.Steps)-1] {
		return false
	}
	steps := s.Steps       // from event i on
	access := newLeftOut() // what s keeps after it, it has before it
	out := newLeftOut()
	for i := s.From; i < len(t.Events); i++ {
		for len(steps) > 0 && steps[0] < i {
			steps = steps[1:]
		}
		switch e := t.Events[i]; {
		case i > last && out.differs(e):
			return false
		case i > last:
		case i == first, i == last, len(steps) > 0 && steps[0] == i:
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

// A leftOut is what events have done that a schedule leaves out.
type leftOut struct {
	words   map[uint64]did // by address in words
	objects map[uint64]did // of synchronization
	any     bool
	wide    bool // an access to more than maxWords words
	channel bool // an operation on a channel
}

// A did is what was done with a word or an object.
type did struct {
	by      trace.GID
	several bool // and by others
	read    bool
	written bool
}

func newLeftOut() *leftOut {
	return &leftOut{words: make(map[uint64]did), objects: make(map[uint64]did)}
}

const (
	wordSize = 8    // bytes
	maxWords = 1024 // of one access, that are looked at one by one
)

func wordsOf(e trace.Event) (from, to uint64) {
	return e.Obj / wordSize, (e.Obj + uint64(max(e.Size, 1)) - 1) / wordSize
}

func (l *leftOut) add(e trace.Event) {
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
		l.wide = true
		return
	}
	for w := from; w <= to; w++ {
		old, ok := l.words[w]
		l.words[w] = old.and(e, ok)
	}
}

// and is what was done once e is; known says whether anything was before.
func (d did) and(e trace.Event, known bool) did {
	return did{
		by: e.G, several: known && (d.several || d.by != e.G),
		read: d.read || !blind(e.Kind), written: d.written || e.Kind.IsWrite(),
	}
}

// blind reports whether an access of kind k stores whatever was there.
func blind(k trace.Kind) bool { return k == trace.Write || k == trace.AtomicStore }

// conflicts reports whether e can tell that something was left out.
func (l *leftOut) conflicts(e trace.Event) bool {
	return l.meets(e, func(d did) bool { return d.written || e.Kind.IsWrite() || !e.Kind.IsAccess() })
}

// differs reports whether e, which comes after all that was left out, or some of
// that, does something else if e comes first.
func (l *leftOut) differs(e trace.Event) bool {
	switch e.Kind {
	case trace.WaitGroupAdd, trace.WaitGroupWait, trace.WaitGroupWaited: // they wait for all
		return false
	}
	return l.meets(e, func(d did) bool {
		switch {
		case !d.several && d.by == e.G:
			return false
		case !e.Kind.IsAccess():
			return true
		}
		return d.read && e.Kind.IsWrite() || d.written && !blind(e.Kind)
	})
}

// meets reports whether f holds for something that was done where e is.
func (l *leftOut) meets(e trace.Event, f func(did) bool) bool {
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

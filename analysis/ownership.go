package analysis

import (
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An ownership knows which unlocks and Dones have a lock or Add of their own, which comes before them
// in each run of the recorded events. These can never be misuse. Suppose that such an unlock is next and
// finds the lock unlocked. Then as many operations have locked it as have unlocked it. But each of the
// unlocks so far has a lock of its own before it, and so has the next one: there is one lock more. The
// same holds for Dones and Adds.
type ownership struct {
	foreign map[uint64]bool // locks that a goroutine may unlock before it has locked them; nil before the first use
	covered map[uint64]bool // by WaitGroup: each Done has an Add of its own
}

// isOwned reports whether event i is an unlock or a Done that has a lock or Add of its own.
func (w *ownership) isOwned(s *subject, i int) bool {
	if len(s.trace.Events) > maxSolved {
		return false
	}
	switch e := &s.trace.Events[i]; {
	case e.Kind.Releases():
		if w.foreign == nil {
			w.foreign = foreignLocks(s)
		}
		return !w.foreign[e.Obj]
	case e.Kind.ChangesCounter():
		if w.covered == nil {
			w.covered = make(map[uint64]bool)
		}
		covered, ok := w.covered[e.Obj]
		if !ok {
			covered, _ = detect.DonesHaveOwnAdds(s.trace, adds(s.trace, e.Obj), s.model().Must().BeforeReached)
			w.covered[e.Obj] = covered
		}
		return covered
	}
	return false
}

// foreignLocks returns the locks of which somebody may end a critical section before it has
// begun, as far as what must come before what tells.
func foreignLocks(s *subject) map[uint64]bool {
	must, foreign := s.model().Must(), make(map[uint64]bool)
	for _, section := range s.order.Sections() {
		if section.Rel >= 0 && s.trace.Events[section.Acq].G != s.trace.Events[section.Rel].G && !must.BeforeReached(section.Acq, section.Rel) {
			foreign[section.Obj] = true
		}
	}
	return foreign
}

// adds returns all that changes the counter of a WaitGroup.
func adds(t *trace.Trace, group uint64) (adds []int) {
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind.ChangesCounter() && e.Obj == group {
			adds = append(adds, i)
		}
	}
	return adds
}

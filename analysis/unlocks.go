package analysis

import (
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file knows locks that are locked whenever somebody unlocks them, though not each goroutine
// ends its own critical sections: each unlock has a lock of its own that comes before it in each
// run of the recorded events. Say that one of them is next and finds the lock unlocked. So as many
// have locked it as have unlocked it. But those who have unlocked it have all locked it, each by
// another event, and so has the one that is next. It is the same with Dones, and Adds of their own.

// owned reports whether event i unlocks such a lock, or is a Done of such a WaitGroup.
func (p *predictor) owned(i int) bool {
	if len(p.t.Events) > maxSolved {
		return false
	}
	switch e := &p.t.Events[i]; e.Kind {
	case trace.Release, trace.RRelease:
		if p.disowned == nil {
			p.disowned = p.disownedLocks()
		}
		return !p.disowned[e.Obj]
	case trace.WaitGroupAdd:
		if p.covered == nil {
			p.covered = make(map[uint64]bool)
		}
		covered, ok := p.covered[e.Obj]
		if !ok {
			covered, _ = detect.Covered(p.t, p.adds(e.Obj), p.model().Must().BeforeReached)
			p.covered[e.Obj] = covered
		}
		return covered
	}
	return false
}

// disownedLocks returns the locks of which somebody may end a critical section before it has
// begun, as far as what must come before what tells.
func (p *predictor) disownedLocks() map[uint64]bool {
	must, disowned := p.model().Must(), make(map[uint64]bool)
	for _, s := range p.o.Sections() {
		if s.Rel >= 0 && p.t.Events[s.Acq].G != p.t.Events[s.Rel].G && !must.BeforeReached(s.Acq, s.Rel) {
			disowned[s.Obj] = true
		}
	}
	return disowned
}

// adds returns all that changes the counter of a WaitGroup.
func (p *predictor) adds(group uint64) (adds []int) {
	for i := range p.t.Events {
		if e := &p.t.Events[i]; e.Kind == trace.WaitGroupAdd && e.Obj == group {
			adds = append(adds, i)
		}
	}
	return adds
}

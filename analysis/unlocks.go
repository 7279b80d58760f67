package analysis

import "github.com/gopredict/gopredict/recorder/trace"

// This file knows locks that are locked whenever somebody unlocks them, though not each goroutine
// ends its own critical sections: each unlock has a lock of its own that comes before it in each
// run of the recorded events. Say that one of them is next and finds the lock unlocked. So as many
// have locked it as have unlocked it. But those who have unlocked it have all locked it, each by
// another event, and so has the one that is next.

// owned reports whether event i unlocks such a lock.
func (p *predictor) owned(i int) bool {
	k := p.t.Events[i].Kind
	if k != trace.Release && k != trace.RRelease || len(p.t.Events) > maxSolved {
		return false
	}
	if p.disowned == nil {
		p.disowned = p.disownedLocks()
	}
	return !p.disowned[p.t.Events[i].Obj]
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

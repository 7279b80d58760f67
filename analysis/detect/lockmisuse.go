package detect

import (
	"maps"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// unlocks returns the candidates for unlocks of what is not locked (Wang et al., FAC 2011, §5.2: double
// unlocking). If each goroutine ends its own critical sections there are none. So they are of locks that
// one goroutine has locked and another one unlocked.
//
// Double locking is no misuse in Go, as mutexes have no owner: another goroutine may unlock. If none does,
// that is a deadlock.
func unlocks(in *Input, _ *Counts) []Candidate {
	handed := in.handedOver()
	if len(handed) == 0 {
		return nil
	}
	cs := newCandidatesBySite(bug.LockMisuse, maxUnlocks)
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		if e.Kind != trace.Release && e.Kind != trace.RRelease || !handed[e.Obj] {
			continue
		}
		cs.add(e.Site, i)
	}
	return cs.candidates
}

// handedOver returns the locks that one goroutine has locked and another one unlocked. It leaves out locks
// of which the trace does not have all operations.
func (in *Input) handedOver() map[uint64]bool {
	handed := maps.Clone(in.Order.HandedOver())
	if len(handed) == 0 {
		return nil
	}
	ended := make(map[int]bool)
	open := make(map[uint64][]order.Lock) // of sections that do not end
	holes := make(map[uint64]bool)
	for _, s := range in.Order.Sections() {
		if !handed[s.Obj] {
			continue
		}
		if slices.ContainsFunc(open[s.Obj], s.Excludes) {
			holes[s.Obj] = true
		}
		if s.Rel < 0 {
			open[s.Obj] = append(open[s.Obj], s.Lock)
		} else {
			ended[s.Rel] = true
		}
	}
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		if (e.Kind == trace.Release || e.Kind == trace.RRelease) && handed[e.Obj] && !ended[i] {
			holes[e.Obj] = true
		}
	}
	for obj := range holes {
		delete(handed, obj)
	}
	return handed
}

package order

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// sources holds, for reads that saw what another goroutine wrote, where that
// was written.
type sources struct {
	one  []int32           // by event: the write, -1 for none, -2 for several
	many map[int32][]int32 // newest first
}

// readsFrom finds for each read of a shared location the last writes before
// it to the bytes that it reads.
func readsFrom(t *trace.Trace, gs []Group) sources {
	s := sources{one: make([]int32, len(t.Events)), many: make(map[int32][]int32)}
	for i := range s.one {
		s.one[i] = -1
	}
	for k := range gs {
		s.group(t, &gs[k])
	}
	return s
}

func (s *sources) group(t *trace.Trace, g *Group) {
	last := make([]int32, len(g.Locations)) // one more than the position of the last write
	var found []int32
	for k, i := range g.Events {
		e, at := &t.Events[i], g.At[k]
		if !e.Kind.IsAccess() {
			continue
		}
		if e.Kind != trace.Write && e.Kind != trace.AtomicStore {
			found = found[:0]
			for _, o := range g.Overlaps[at] {
				if w := last[o]; w > 0 {
					found = append(found, w-1)
				}
			}
			s.set(t, i, found)
		}
		if Writes(e) {
			last[at] = i + 1
		}
	}
}

// set stores the sources of read i; ws are the last writes to each location
// that overlaps with it.
func (s *sources) set(t *trace.Trace, i int32, ws []int32) {
	slices.SortFunc(ws, func(a, b int32) int { return int(b - a) })
	r := &t.Events[i]
	for k, w := range ws {
		// Older writes are hidden behind one that covers all that is read.
		if covers(&t.Events[w], r) {
			ws = ws[:k+1]
			break
		}
	}
	ws = slices.DeleteFunc(ws, func(w int32) bool { return t.Events[w].G == r.G })
	switch len(ws) {
	case 0:
	case 1:
		s.one[i] = ws[0]
	default:
		s.one[i] = -2
		s.many[i] = slices.Clone(ws)
	}
}

func covers(w, r *trace.Event) bool {
	a, b := Location{Obj: w.Obj, Size: w.Size}, Location{Obj: r.Obj, Size: r.Size}
	return a.Obj <= b.Obj && a.end() >= b.end()
}

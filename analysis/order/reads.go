package order

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file finds the writes that reads have read from: the reads-from relation of the recorded
// run. A read of several bytes may have several sources, and a source that a later write
// covers is none. Writes of the reader's own goroutine are left out, since program order
// keeps them before the read in any case.

// sources holds, for reads that saw what another goroutine wrote, where that
// was written. Few reads did.
type sources struct {
	reads    trace.Marks
	single   []int32           // of each of reads: the write, or several
	multiple map[int32][]int32 // newest first
}

// manyWrites stands for more than one write.
const manyWrites = -2

// A readSource is a read, and what there is of it in sources.single.
type readSource struct{ read, write int32 }

// findSources finds for each read of a shared location the last writes before
// it to the bytes that it reads.
func findSources(t *trace.Trace, gs []Group) sources {
	s := sources{multiple: make(map[int32][]int32)}
	var all []readSource
	for k := range gs {
		all = s.addGroup(t, &gs[k], all)
	}
	s.reads = trace.NewMarks(len(t.Events), func(mark func(int)) {
		for _, r := range all {
			mark(int(r.read))
		}
	})
	s.single = make([]int32, s.reads.Len())
	for _, r := range all {
		s.single[s.reads.NumberOf(int(r.read))] = r.write
	}
	return s
}

// of returns the sources of the read i.
func (s *sources) of(i int) []int32 {
	switch k := s.reads.NumberOf(i); {
	case k < 0:
		return nil
	case s.single[k] == manyWrites:
		return s.multiple[int32(i)]
	default:
		return s.single[k : k+1]
	}
}

// addGroup adds the reads of g to all.
func (s *sources) addGroup(t *trace.Trace, g *Group, all []readSource) []readSource {
	last := make([]int32, len(g.Locations)) // one more than the position of the last write
	var found []int32
	for k, i := range g.Events {
		e, at := &t.Events[i], g.LocationOf[k]
		if !e.Kind.IsAccess() {
			continue
		}
		if e.Kind != trace.Write && e.Kind != trace.AtomicStore {
			found = found[:0]
			for o := range g.Overlaps.Of(at) {
				if w := last[o]; w > 0 {
					found = append(found, w-1)
				}
			}
			all = s.add(all, t, i, found)
		}
		if e.Stores() {
			last[at] = i + 1
		}
	}
	return all
}

// add adds the sources of read i to all; ws are the last writes to each location
// that overlaps with it.
func (s *sources) add(all []readSource, t *trace.Trace, i int32, ws []int32) []readSource {
	slices.SortFunc(ws, func(a, b int32) int { return int(b - a) })
	r := &t.Events[i]
	for k, w := range ws {
		// A write that covers all that is read hides older ones.
		if covers(&t.Events[w], r) {
			ws = ws[:k+1]
			break
		}
	}
	ws = slices.DeleteFunc(ws, func(w int32) bool { return t.Events[w].G == r.G })
	switch len(ws) {
	case 0:
		return all
	case 1:
		return append(all, readSource{i, ws[0]})
	}
	s.multiple[i] = slices.Clone(ws)
	return append(all, readSource{i, manyWrites})
}

func covers(w, r *trace.Event) bool {
	a, b := Location{Obj: w.Obj, Size: w.Size}, Location{Obj: r.Obj, Size: r.Size}
	return a.Obj <= b.Obj && a.end() >= b.end()
}

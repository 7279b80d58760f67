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
//
// Example: goroutine 1 writes 8 bytes, then 2 writes the first 4 of them. A read of all 8 by
// goroutine 3 has both sources, that of goroutine 2 first. A read of the first 4 has this one only.
type sources struct {
	reads  trace.Marks
	writes [][]int32 // by number of the read, newest first
}

// A readSource is a read, and the writes that it has read from.
type readSource struct {
	read   int32
	writes []int32
}

// findSources finds for each read of a shared location the last writes before
// it to the bytes that it reads.
func findSources(t *trace.Trace, groups []Group) (s sources) {
	var all []readSource
	for k := range groups {
		all = appendSources(all, t, &groups[k])
	}
	s.reads = trace.NewMarks(len(t.Events), func(mark func(int)) {
		for _, r := range all {
			mark(int(r.read))
		}
	})
	s.writes = make([][]int32, s.reads.Len())
	for _, r := range all {
		s.writes[s.reads.NumberOf(int(r.read))] = r.writes
	}
	return s
}

// of returns the sources of the read i.
func (s *sources) of(i int) []int32 {
	if k := s.reads.NumberOf(i); k >= 0 {
		return s.writes[k]
	}
	return nil
}

// appendSources appends the reads of g that have sources.
func appendSources(all []readSource, t *trace.Trace, g *Group) []readSource {
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
			if writes := sourcesAmong(t, i, found); len(writes) > 0 {
				all = append(all, readSource{i, slices.Clone(writes)})
			}
		}
		if e.Stores() {
			last[at] = i + 1
		}
	}
	return all
}

// sourcesAmong returns the sources of read i among ws, the last writes to each location
// that overlaps with it. It reorders ws.
func sourcesAmong(t *trace.Trace, i int32, ws []int32) []int32 {
	slices.SortFunc(ws, func(a, b int32) int { return int(b - a) })
	r := &t.Events[i]
	for k, w := range ws {
		// A write that covers all that is read hides older ones.
		if covers(&t.Events[w], r) {
			ws = ws[:k+1]
			break
		}
	}
	return slices.DeleteFunc(ws, func(w int32) bool { return t.Events[w].G == r.G })
}

func covers(w, r *trace.Event) bool {
	a, b := Location{Obj: w.Obj, Size: w.Size}, Location{Obj: r.Obj, Size: r.Size}
	return a.Obj <= b.Obj && a.end() >= b.end()
}

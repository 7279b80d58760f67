package evidence

import (
	"slices"

	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// locks returns where goroutine g acquired the locks that it holds at a position of r; a position
// below 0 means the end of the trace.
func (b builder) locks(r *run, g trace.GID, position int) (out []report.Place) {
	if position < 0 {
		position = len(r.Events)
	}
	if position < len(r.Events) && r.Events[position].Kind == trace.CondWait { // it waits once it has released the condition's lock
		position += 1 + slices.IndexFunc(r.Events[position:], func(e trace.Event) bool { return e.G == g && e.Kind.Releases() })
	}
	for _, row := range r.facts().Open(position) {
		e := &r.Events[r.facts().Sections()[row].Acquire]
		if e.G != g {
			continue
		}
		p := b.place(r, e.Kind, e.Site)
		if p.Object = b.named.note(r, e.Kind, e.Obj); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// openAfter calls yield with each of some positions, which ascend, and the critical sections
// that its goroutine has open after the event there, in the order of their acquires.
func (r *run) openAfter(positions []int, yield func(position int, rows []int32)) {
	sections := r.facts().Sections()
	abandoned := make(map[int32]int32) // sections without a release, with their ends
	for _, a := range r.facts().Abandoned() {
		abandoned[a.Section] = a.At
	}
	open := make(map[trace.GID][]int32)
	next := 0
	for _, position := range positions {
		for ; next < len(sections) && int(sections[next].Acquire) <= position; next++ {
			g := r.Events[sections[next].Acquire].G
			open[g] = append(open[g], int32(next))
		}
		ended := func(row int32) bool {
			end, known := abandoned[row]
			if !known {
				end = sections[row].Release
			}
			return end != facts.None && int(end) <= position
		}
		g := r.Events[position].G
		open[g] = slices.DeleteFunc(open[g], ended)
		yield(position, open[g])
	}
}

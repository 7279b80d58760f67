package symbolic

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// taint says where goroutines know only what they knew in the recorded run
// (package feasible: the reads that matter). A goroutine that moves data that
// it read, and read something else than recorded, is tainted from then on: what
// it writes and sends is unknown. Where a run must go on as recorded, what its
// decisions depend on is encoded, and nothing else: the literals of a taint are
// implied by what asks for them, and imply what they mean.
type taint struct {
	*timeline
	reads  *readEncoder
	values *valueEncoder
	// may is by goroutine whether it can be tainted at all.
	may map[trace.GID]bool
	// points are by goroutine the events that can taint it, ascending.
	points map[trace.GID][]int32
	clean  map[int32]solver.Bool // by such an event: the goroutine is clean after it
	work   []int32               // points of which clean has no meaning yet
	// lost are by event the reads that have found what may be a pointer to
	// what it touches.
	lost map[int32][]int32
}

func newTaint(of *timeline) *taint {
	t := &taint{
		timeline: of, may: make(map[trace.GID]bool), points: make(map[trace.GID][]int32),
		clean: make(map[int32]solver.Bool), lost: make(map[int32][]int32),
	}
	t.spread()
	for _, g := range slices.Sorted(maps.Keys(t.may)) {
		t.walk(g)
	}
	return t
}

// spread finds the goroutines that can be tainted: those that move data, those
// that they start, and those that receive from them.
func (t *taint) spread() {
	m := t.m
	sends := make(map[*channel]bool)
	for again := true; again; {
		again = false
		for _, gid := range t.cone.goroutines {
			for i := m.from1(gid, int32(t.cone.Base)); i != none && i < t.cone.upto[gid]; i = m.next(i) {
				ev := m.event(i)
				if !t.may[gid] && (t.moves(i) || ev.Kind == trace.RecvDone && ev.Val > 0 && sends[m.channel(ev.Obj)]) {
					t.may[gid], again = true, true
				}
				if !t.may[gid] {
					continue
				}
				if ev.Kind == trace.Fork && ev.Obj < uint64(len(m.t.Goroutines)) && !t.may[trace.GID(ev.Obj)] {
					t.may[trace.GID(ev.Obj)], again = true, true
				}
				if op, c := m.begun(i); op != nil && !op.Receive && !sends[c] {
					sends[c], again = true, true
				}
			}
		}
	}
}

// moves reports whether the event at position i reads shared memory to move it.
func (t *taint) moves(i int32) bool {
	if _, half := t.m.mem.stores[i]; half || !t.m.data(i) {
		return false
	}
	for c := range t.m.mem.of(i) {
		if t.m.mem.cells[c].shared {
			return true
		}
	}
	return false
}

// walk finds the points of goroutine g, and what depends on pointers.
func (t *taint) walk(g trace.GID) {
	m := t.m
	var pointers []int32
	end := max(t.cone.upto[g], int32(t.cone.Base))
	if next := m.from1(g, end); next != none { // a target may stand there
		end = next + 1
	}
	for i := m.from1(g, int32(t.cone.Base)); i != none && i < end; i = m.next(i) {
		ev := m.event(i)
		for _, r := range pointers {
			if base := m.event(r).Val; ev.Kind.HasAddress() && ev.Obj >= base && ev.Obj-base < reach {
				t.lost[i] = append(t.lost[i], r)
			}
		}
		switch {
		case i == m.first(g):
			if m.reached(i) != none {
				t.points[g] = append(t.points[g], i)
			}
		case ev.Kind == trace.RecvDone && ev.Val > 0:
			t.points[g] = append(t.points[g], i)
		}
		if t.moves(i) {
			if !slices.Contains(t.points[g], i) {
				t.points[g] = append(t.points[g], i)
			}
			if ev.Flags&trace.FlagValue != 0 && ev.Size >= 1 && ev.Size <= 8 && ev.Val >= reach {
				pointers = append(pointers, i)
			}
		}
	}
}

// at says that the goroutine of event i is not tainted when it comes to it.
func (t *taint) at(i int32) solver.Bool {
	ps := t.points[t.m.gid(i)]
	k, _ := slices.BinarySearch(ps, i)
	if t.past(i) || k == 0 {
		return t.f.True()
	}
	return t.after(ps[k-1])
}

// after says that the goroutine is not tainted after the point at position i.
func (t *taint) after(i int32) solver.Bool {
	b, ok := t.clean[i]
	if !ok {
		b = t.f.Bool(fmt.Sprint("clean ", i))
		t.clean[i] = b
		t.work = append(t.work, i)
	}
	return b
}

// define gives the literals their meaning.
func (t *taint) define() {
	m, f := t.m, t.f
	for len(t.work) > 0 {
		i := t.work[len(t.work)-1]
		t.work = t.work[:len(t.work)-1]
		needs := []solver.Bool{t.at(i)}
		ev := m.event(i)
		if from := m.reached(i); i == m.first(ev.G) && from != none {
			needs = append(needs, t.at(from))
		}
		if ev.Kind == trace.RecvDone {
			if send := ranked(m.channel(ev.Obj).sends, int(min(m.t.Element(ev), 1<<31))); send != none && !t.outside(send) {
				needs = append(needs, t.at(send))
			}
		}
		if t.moves(i) {
			needs = append(needs, t.reads.recorded(i))
		}
		t.assert(f.Implies(t.clean[i], f.And(needs...)))
	}
}

// never reports whether the writer at position i leaves in each run what it left
// in the recorded one.
func (t *taint) never(i int32) bool {
	if t.at(i) != t.f.True() {
		return false
	}
	_, counts := t.m.mem.counts[i]
	return !counts && t.free[i] == 0 && !t.m.follows(i)
}

// computed says that it is known what the writer at position i leaves: what it left
// in the recorded run, or what its formula gives.
func (t *taint) computed(i int32) solver.Bool {
	if t.m.follows(i) && !t.past(i) {
		return t.values.knows(i)
	}
	return t.writes(i)
}

// writes says that what the writer at position i leaves is what it left in the
// recorded run.
func (t *taint) writes(i int32) solver.Bool {
	if i == none || t.past(i) {
		return t.f.True()
	}
	if t.m.follows(i) {
		return t.values.unchanged(i)
	}
	b := t.at(i)
	if t.free[i] != 0 {
		b = t.f.And(b, t.reads.recorded(i))
	}
	for _, r := range t.m.mem.counts[i] {
		b = t.f.And(b, t.reads.recorded(r))
	}
	return b
}

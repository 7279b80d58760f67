package minimize

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// OnlyVisible leaves the events whose order among goroutines matters: conflicting accesses,
// operations on objects that several goroutines use, and events of the violation. It also leaves
// the start of each goroutine with such events, and the last event of each goroutine without a
// pending event. The completion of an operation is no step, but stays, as the goroutine's next
// step comes after it.
func OnlyVisible(s Schedule) []int {
	v := visibility{Schedule: s, kept: make([]bool, len(s.Steps)), active: make([]bool, len(s.Trace.Goroutines))}
	for _, i := range s.Pending {
		v.active[s.Trace.Events[i].G] = true
	}
	v.keepVisible()
	v.keepStarts()
	v.keepLast()
	dropped := v.kept
	for k := range dropped {
		dropped[k] = !dropped[k]
	}
	return without(s.Steps, dropped)
}

// A visibility collects the steps to keep.
type visibility struct {
	Schedule
	kept   []bool // by step
	active []bool // by goroutine: it has steps that are kept, or is to execute a pending event
}

func (v *visibility) keepVisible() {
	all := slices.Concat(v.Steps, v.Pending)
	mem, shared := memoryOf(v.Trace, all), sharedObjects(v.Trace, all)
	for k, i := range v.Steps {
		e := &v.Trace.Events[i]
		visible := mem.conflicts(k) || e.Obj != 0 && IsSync(e.Kind) && shared[e.Obj] || e.Kind == trace.Select || v.isPerformed(i)
		if visible && (CanStep(e.Kind) || !e.Kind.CanHold()) {
			v.kept[k], v.active[e.G] = true, true
		}
	}
}

// keepStarts keeps the go statements of goroutines that are active, and so makes their parents
// active: children before parents, against the order.
func (v *visibility) keepStarts() {
	for k, i := range slices.Backward(v.Steps) {
		e := &v.Trace.Events[i]
		switch {
		case e.Kind == trace.Fork && e.Obj < uint64(len(v.active)) && v.active[e.Obj]:
			v.kept[k], v.active[e.G] = true, true
		case e.Kind == trace.Begin && v.active[e.G]:
			v.kept[k] = true
		}
	}
}

// keepLast keeps the last step of each active goroutine, so that it comes that far.
func (v *visibility) keepLast() {
	arrives := make([]bool, len(v.active)) // by goroutine: a later event brings it that far
	for _, i := range v.Pending {
		arrives[v.Trace.Events[i].G] = true
	}
	for k, i := range slices.Backward(v.Steps) {
		if e := &v.Trace.Events[i]; CanStep(e.Kind) && v.active[e.G] && !arrives[e.G] {
			arrives[e.G], v.kept[k] = true, true
		}
	}
}

// sharedObjects returns the objects of synchronization that at least two goroutines use in the
// events at positions. What a select may receive from counts, too.
func sharedObjects(t *trace.Trace, positions []int) map[uint64]bool {
	first := make(map[uint64]trace.GID)
	shared := make(map[uint64]bool)
	for _, i := range positions {
		e := &t.Events[i]
		if !IsSync(e.Kind) && e.Kind != trace.SelectRecv {
			continue
		}
		if g, ok := first[e.Obj]; !ok {
			first[e.Obj] = e.G
		} else if g != e.G {
			shared[e.Obj] = true
		}
	}
	return shared
}

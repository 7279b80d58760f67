package symbolic

import (
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Cone is the events that may matter for reaching some targets: of each goroutine those from Base
// on and below its end. A run that reaches a target reaches it without the events outside of the
// cone, too, as no event of the cone depends on them.
//
// An example: g1 and g2 race on x after g0 has sent each of them a message, while g3 works on memory
// of its own. What g0 does up to the sends is certain, and g3 has no event in the cone.
type Cone struct {
	// Base is the number of events that all runs begin with, in recorded order.
	Base       int
	targets    []Target
	limits     limits      // events that happen in no run to any of the targets
	certain    []int32     // by goroutine: all events below happen in each run to each target
	ends       []int32     // by goroutine
	goroutines []trace.GID // those with events, ascending: of a million goroutines these may be few
	events     int
	steps      int64 // steps of a budget that it took to find the cone
}

// Events returns the number of events in the cone.
func (c *Cone) Events() int { return c.events }

const never = math.MaxInt32

// A coneFinder finds the cones of one model. Solving is exact but takes time in the number of events,
// so the formula has only the events on which the target depends. Two closures make a cone. The first
// one has what happens in each run to the target: if that is impossible, no solver is needed. The
// second one adds what an event depends on in some runs, such as all writes that a read may find.
type coneFinder struct{ m *Model }

// Cone returns the cone of targets, for runs that begin with the first base events. It is not ok if
// no run reaches one of them.
func (m *Model) Cone(base int, targets ...Target) (cone *Cone, ok bool) {
	return m.cones.find(base, targets...)
}

// Whole returns the cone of all events.
func (m *Model) WholeCone(targets ...Target) (cone *Cone, ok bool) {
	return m.cones.wholeCone(targets...)
}

// find returns the cone of targets. It is not ok if no run reaches one of them.
func (f *coneFinder) find(base int, targets ...Target) (cone *Cone, ok bool) {
	return f.findWithin(base, len(f.m.t.Events), math.MaxInt, targets)
}

// findWithin returns the part of the cone below end, as long as it has at most so many events; else
// some part with more.
func (f *coneFinder) findWithin(base, end, most int, targets []Target) (cone *Cone, ok bool) {
	cone = &Cone{Base: base}
	for k, t := range targets {
		its, ok := f.certainCone(base, end, t)
		switch {
		case !ok:
			return nil, false
		case k == 0:
			cone = its
		default:
			cone.join(its)
		}
	}
	f.addEvents(cone, end, most)
	return cone, true
}

// certainCone returns the cone of a target with its limits and its certain events only. It is not
// ok if no run reaches the target.
func (f *coneFinder) certainCone(base, end int, t Target) (cone *Cone, ok bool) {
	cone = &Cone{Base: base, targets: []Target{t}, limits: f.limits(t, int32(end))}
	sure := f.closure(int32(base), cone.limits, func(i int32) bool { return f.m.allowsAnyValue(&t, i) }, false)
	sure.addRequired(t)
	sure.addDependencies()
	cone.certain, cone.steps = sure.ends, sure.steps/perStep
	return cone, sure.hasRequired(t)
}

// join adds the targets of o to c, which has no events yet.
func (c *Cone) join(o *Cone) {
	c.targets = append(c.targets, o.targets...)
	c.limits = c.limits.intersect(o.limits)
	for g := range c.certain {
		// Certain is only what happens in each run to each of the targets.
		c.certain[g] = min(c.certain[g], o.certain[g])
	}
	c.steps += o.steps
}

// union returns the cone of the targets of two cones, of events below end.
func (f *coneFinder) union(a, b *Cone, end, most int) *Cone {
	c := &Cone{Base: a.Base, targets: slices.Clip(a.targets), certain: slices.Clone(a.certain), limits: a.limits}
	c.join(b)
	f.addEvents(c, end, most)
	return c
}

// addEvents adds the events to a cone: those below end, and not many more than most.
func (f *coneFinder) addEvents(cone *Cone, end, most int) {
	may := f.closure(int32(cone.Base), cone.limits, func(int32) bool { return false }, true)
	may.maxFollowed, may.end = most, int32(end)
	for _, t := range cone.targets {
		may.addRequired(t)
		for _, i := range t.Pending {
			may.addForTarget(int32(i), t.Fails)
			if t.Blocks {
				may.addForBlocked(int32(i))
			}
		}
		for _, i := range t.DepartsAt {
			may.add(int32(i))
		}
	}
	may.addDependencies()
	cone.ends, cone.goroutines = may.ends, may.goroutines
	slices.Sort(cone.goroutines)
	cone.steps += may.steps/perStep + int64(may.followed)
	cone.count(f.m)
}

// wholeCone returns the cone of all events.
func (f *coneFinder) wholeCone(targets ...Target) (cone *Cone, ok bool) {
	cone, ok = f.find(0, targets...)
	if !ok {
		return nil, false
	}
	cone.goroutines = nil
	for g := range cone.ends {
		cone.ends[g] = min(cone.limits.end(trace.GID(g)), int32(len(f.m.t.Events)))
		cone.goroutines = append(cone.goroutines, trace.GID(g))
	}
	cone.count(f.m)
	return cone, true
}

func (c *Cone) count(m *Model) {
	c.events = 0
	for _, g := range c.goroutines {
		es := m.events(g)
		c.events += max(0, es.CountBefore(int(c.ends[g]))-es.CountBefore(c.Base))
	}
}

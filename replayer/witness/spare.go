package witness

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// readSteps is how many steps before the violation stay as they are: those that somebody reads
// who wants to know how it comes to that.
const readSteps = 200

// withoutSpare returns the steps, in the order of a witness, without the reads and writes that
// come in their order by the other steps alone, as those in the critical sections of one lock
// do: of a long way that are the most. Those that are shown stay.
func withoutSpare(t *trace.Trace, steps, shown []int) []int {
	if len(steps) <= readSteps {
		return steps
	}
	s := sparing{t: t, steps: steps, spare: make([]bool, len(steps))}
	s.mem = sharedMemory(t, steps)
	s.candidates(shown)
	s.bounds()
	fixed := s.ordered()
	k := -1
	return filter(steps, func(int) bool {
		k++
		needed := !s.spare[k]
		if !needed {
			s.mem.each(k, func(n int) { needed = needed || !fixed[n] })
		}
		return needed
	})
}

// A sparing looks for steps that are not needed.
type sparing struct {
	t     *trace.Trace
	steps []int
	mem   memory
	spare []bool // by step: it may be left out
	// From and to are, by step, the last one before and the first one after it of its goroutine
	// that cannot be left out: it comes between these. There is none below zero, or at the end.
	from, to []int
}

// candidates finds the steps that may be left out, but not the last one of a goroutine, by
// which it comes that far.
func (s *sparing) candidates(shown []int) {
	goesOn := make([]bool, len(s.t.Goroutines))
	for k, i := range slices.Backward(s.steps) {
		e := &s.t.Events[i]
		plain := e.Kind == trace.Read || e.Kind == trace.Write
		s.spare[k] = plain && goesOn[e.G] && k < len(s.steps)-readSteps && !slices.Contains(shown, i)
		goesOn[e.G] = true
	}
}

// bounds finds between which steps each one comes. A goroutine begins after it was started.
func (s *sparing) bounds() {
	s.from, s.to = make([]int, len(s.steps)), make([]int, len(s.steps))
	at := make([]int, len(s.t.Goroutines))
	for g := range at {
		at[g] = -1
	}
	for k, i := range s.steps {
		e := &s.t.Events[i]
		s.from[k] = at[e.G]
		if !s.spare[k] {
			s.from[k], at[e.G] = k, k
		}
		if e.Kind == trace.Fork && e.Obj < uint64(len(at)) {
			at[e.Obj] = k
		}
	}
	for g := range at {
		at[g] = len(s.steps)
	}
	for k, i := range slices.Backward(s.steps) {
		e := &s.t.Events[i]
		s.to[k] = at[e.G]
		if !s.spare[k] {
			s.to[k], at[e.G] = k, k
		}
	}
}

// ordered reports for each piece of memory whether its accesses come in their order by the
// other steps alone.
func (s *sparing) ordered() []bool {
	type access struct {
		g  trace.GID
		to int
	}
	fixed := make([]bool, len(s.mem.from))
	for n := range fixed {
		fixed[n] = true
	}
	writes := make([]*access, len(s.mem.from))
	reads := make([][]access, len(s.mem.from)) // since the last write, of each goroutine the last
	for k, i := range s.steps {
		e := &s.t.Events[i]
		if !e.Kind.IsAccess() {
			continue
		}
		now := access{e.G, s.to[k]}
		after := func(a access) bool { return a.g == now.g || a.to <= s.from[k] }
		s.mem.each(k, func(n int) {
			fixed[n] = fixed[n] && (writes[n] == nil || after(*writes[n]))
			same := func(a access) bool { return a.g == now.g }
			switch at := slices.IndexFunc(reads[n], same); {
			case e.Kind.IsWrite():
				fixed[n] = fixed[n] && !slices.ContainsFunc(reads[n], func(a access) bool { return !after(a) })
				writes[n], reads[n] = &now, reads[n][:0]
			case at >= 0:
				reads[n][at] = now
			default:
				reads[n] = append(reads[n], now)
			}
		})
	}
	return fixed
}

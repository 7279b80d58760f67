package feasible

import (
	"maps"
	"slices"
)

// A saved state is that after the first at events of the recorded run.
type saved struct {
	at int
	s  *state
}

// maxSaved bounds how much is saved of all states together, in cells, goroutines and
// objects; minSpacing is how many events are at least between two of them.
const (
	maxSaved   = 1 << 21
	minSpacing = 1 << 8
)

// copied is how many cells, or as much, are copied in the time that an event takes.
const copied = 32

// size is what of a state there is to copy, in cells, goroutines and objects.
func (p *program) size() int {
	return len(p.mem.cells) + 8*len(p.forked) + p.locks + p.conds + p.waitGroups + len(p.onceEnds) + len(p.chans) + p.posts
}

// spacing is after how many events of the recorded run a state is saved each time.
func (p *program) spacing() int {
	return max(minSpacing, int(int64(len(p.t.Events))*int64(p.size())/maxSaved))
}

// rewind puts the state to where the first from events are done. They are
// executed even where they seem impossible, as in a trace that is not whole:
// they happened.
func (j *Judge) rewind(from int) {
	if from == 0 {
		if j.fresh == nil {
			j.fresh = j.p.initial()
			j.fresh.changes.start()
		}
		j.s = j.fresh
		j.s.changes.back(&j.s.contents, 0)
		j.s.start()
		return
	}
	if j.ran == nil {
		j.ran = j.p.initial()
	}
	j.s = j.ran
	if j.base.s == nil || j.base.at != from {
		at := j.earlier(from)
		j.spent += max(0, min(from, j.upTo)-at)
		j.upTo = max(j.upTo, from)
		for i := at; i < from; i++ {
			if j.s.step(int32(i)) != "" {
				j.s.cur[j.p.t.Events[i].G] = j.p.next(int32(i))
			}
			if (i+1)%j.every == 0 && (i+1)/j.every > len(j.saves) {
				j.spent += j.p.size() / copied
				j.saves = append(j.saves, saved{i + 1, j.s.clone()})
			}
		}
		j.base = saved{from, j.s.rest()}
		j.s.changes.start()
		return
	}
	j.s.changes.back(&j.s.contents, 0)
	j.s.restore(j.base.s)
}

// earlier puts the state to the latest saved one that is not after the first from events,
// and returns after how many that is. Of the base the cells are those of the state, but for what
// it has changed since.
func (j *Judge) earlier(from int) int {
	var last saved
	if k := min(from/j.every, len(j.saves)); k > 0 {
		last = j.saves[k-1]
	}
	if j.base.s != nil && last.at < j.base.at && j.base.at <= from {
		j.s.changes.back(&j.s.contents, 0)
		j.s.restore(j.base.s)
		last = j.base
	} else if last.s == nil {
		j.s.reset()
	} else {
		j.spent += j.p.size() / copied
		j.s.become(last.s)
	}
	j.s.changes.stop()
	return last.at
}

// become makes s what o is, a state of the same program.
func (s *state) become(o *state) {
	s.contents.set(&o.contents)
	s.restore(o)
}

// restore makes all but the cells of s what it is in another state, of the same program.
func (s *state) restore(o *state) {
	s.end, s.turned = o.end, o.turned
	copy(s.cur, o.cur)
	copy(s.runs, o.runs)
	copy(s.taint, o.taint)
	copy(s.updates, o.updates)
	copy(s.waiting, o.waiting)
	copy(s.wasZero, o.wasZero)
	copy(s.signalled, o.signalled)
	s.lost, s.found = maps.Clone(o.lost), maps.Clone(o.found)
	for g, reads := range s.lost {
		s.lost[g] = slices.Clone(reads)
	}
	copy(s.held, o.held)
	s.taken, s.spare = append(s.taken[:0], o.taken...), o.spare
	copy(s.locks, o.locks)
	for c := range s.conds {
		s.conds[c] = slices.Clone(o.conds[c])
	}
	copy(s.waitGroups, o.waitGroups)
	copy(s.onces, o.onces)
	copy(s.chans, o.chans)
	copy(s.posts, o.posts)
	copy(s.posted, o.posted)
	s.elements = maps.Clone(o.elements)
}

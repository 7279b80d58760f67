package feasible

// A saved state is that after the first at events of the recorded run.
type saved struct {
	at int
	s  *state
}

// maxSaved bounds how much is saved of all states together, in cells, goroutines and
// objects; minSpacing is how many events are at least between two of them.
const (
	maxSaved   = 1 << 21
	minSpacing = 1 << 10
)

// spacing is after how many events of the recorded run a state is saved each time.
func (s *state) spacing() int {
	size := len(s.cells) + 8*len(s.cur) + len(s.locks) + len(s.conds) + len(s.waitGroups) + len(s.onces) + len(s.chans) + len(s.posted)
	return max(minSpacing, int(int64(len(s.p.t.Events))*int64(size)/maxSaved))
}

// rewind puts the state to where the first from events are done. They are
// executed even where they seem impossible, as in a trace that is not whole:
// they happened.
func (j *Judge) rewind(from int) {
	if from == 0 {
		j.s.reset()
		return
	}
	if j.base.s == nil || j.base.at != from {
		at := j.earlier(from)
		j.spent += from - at
		for i := at; i < from; i++ {
			if j.s.step(int32(i)) != "" {
				j.s.cur[j.p.t.Events[i].G] = j.p.info[i].next
			}
			if (i+1)%j.every == 0 && (i+1)/j.every > len(j.saves) {
				j.saves = append(j.saves, saved{i + 1, j.s.clone()})
			}
		}
		j.base = saved{from, j.s.clone()}
		return
	}
	j.s = j.base.s.clone()
}

// earlier puts the state to the latest saved one that is not after the first from events,
// and returns after how many that is.
func (j *Judge) earlier(from int) int {
	var last saved
	if k := min(from/j.every, len(j.saves)); k > 0 {
		last = j.saves[k-1]
	}
	if j.base.s != nil && last.at < j.base.at && j.base.at <= from {
		last = j.base
	}
	if last.s == nil {
		j.s.reset()
	} else {
		j.s = last.s.clone()
	}
	return last.at
}

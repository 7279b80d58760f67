package feasible

// A saved state is that after the first at events of the recorded run.
type saved struct {
	// How many events of the recorded run are done.
	at int
	// The state then.
	s *state
}

// size is what of a state there is to copy, in cells, goroutines and objects.
func (p *program) size() int {
	return len(p.mem.cells) + 8*len(p.forked) + p.locks + p.conds + p.waitGroups + len(p.onceEnds) + len(p.chans) + p.posts
}

// spacing is after how many events of the recorded run a state is saved each
// time.
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
			j.fresh.mem.changes.start()
		}
		j.s = j.fresh
		j.s.mem.undo(0)
		j.s.restore(j.p.begin)
		return
	}
	if j.ran == nil {
		j.ran = j.p.initial()
	}
	j.s = j.ran
	if j.base.s == nil || j.base.at != from {
		at := j.earlier(from)
		j.spent += max(0, min(from, j.executedTo)-at)
		j.executedTo = max(j.executedTo, from)
		for i := at; i < from; i++ {
			if j.s.step(int32(i)) != "" {
				j.s.next[j.p.t.Events[i].G] = j.p.next(int32(i))
			}
			if (i+1)%j.saveEvery == 0 && (i+1)/j.saveEvery > len(j.saves) {
				j.spent += j.p.size() / copiedPerEvent
				j.saves = append(j.saves, saved{i + 1, j.s.clone()})
			}
		}
		j.base = saved{from, j.s.cloneWithoutContents()}
		j.s.mem.changes.start()
		return
	}
	j.s.mem.undo(0)
	j.s.restore(j.base.s)
}

// earlier puts the state to the latest saved one that is not after the first
// from events, and returns after how many that is. Of the base the cells are
// those of the state, but for what it has changed since.
func (j *Judge) earlier(from int) int {
	var last saved
	if k := min(from/j.saveEvery, len(j.saves)); k > 0 {
		last = j.saves[k-1]
	}
	if j.base.s != nil && last.at < j.base.at && j.base.at <= from {
		j.s.mem.undo(0)
		j.s.restore(j.base.s)
		last = j.base
	} else if last.s == nil {
		j.s.become(j.p.initial())
	} else {
		j.spent += j.p.size() / copiedPerEvent
		j.s.become(last.s)
	}
	j.s.mem.changes.stop()
	return last.at
}

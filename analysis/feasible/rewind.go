package feasible

// A savedState is the state after the first at events of the recorded run.
type savedState struct {
	at int
	s  *state
}

// size returns the size of a state to copy, in cells, goroutines and objects.
func (p *program) size() int {
	return len(p.mem.cells) + 8*len(p.forked) + p.locks + p.conds + p.waitGroups + len(p.onceEnds) + len(p.chans) + p.posts
}

// spacing returns the number of events of the recorded run between two saved
// states.
func (p *program) spacing() int {
	return max(minSpacing, int(int64(len(p.t.Events))*int64(p.size())/maxSaved))
}

// rewind sets the state to the one after the first from events of the recorded
// run. It executes events even if they seem impossible: they happened, and the
// trace may be incomplete.
func (j *Judge) rewind(from int) {
	if from == 0 {
		if j.fromStart == nil {
			j.fromStart = j.program.initial()
			j.fromStart.mem.changes.start()
		}
		j.state = j.fromStart
		j.state.mem.undo(0)
		j.state.copyExceptContents(j.program.begin)
		return
	}
	if j.afterPrefix == nil {
		j.afterPrefix = j.program.initial()
	}
	j.state = j.afterPrefix
	if j.lastPrefix.s == nil || j.lastPrefix.at != from {
		at := j.restoreSaved(from)
		j.spent += max(0, min(from, j.executedTo)-at)
		j.executedTo = max(j.executedTo, from)
		for i := at; i < from; i++ {
			// A step that seems impossible leaves its goroutine where it was.
			if j.state.step(int32(i)) != "" {
				j.state.next[j.program.t.Events[i].G] = j.program.next(int32(i))
			}
			if (i+1)%j.saveEvery == 0 && (i+1)/j.saveEvery > len(j.savedStates) {
				j.spent += j.program.size() / copiedPerEvent
				j.savedStates = append(j.savedStates, savedState{i + 1, j.state.clone()})
			}
		}
		j.lastPrefix = savedState{from, j.state.cloneWithoutContents()}
		j.state.mem.changes.start()
		return
	}
	j.state.mem.undo(0)
	j.state.copyExceptContents(j.lastPrefix.s)
}

// restoreSaved sets the state to the latest saved one that has at most from
// events, and returns its number of events. The contents of memory of
// lastPrefix are those of the current state, once its changes are undone.
func (j *Judge) restoreSaved(from int) int {
	var last savedState
	if k := min(from/j.saveEvery, len(j.savedStates)); k > 0 {
		last = j.savedStates[k-1]
	}
	if j.lastPrefix.s != nil && last.at < j.lastPrefix.at && j.lastPrefix.at <= from {
		j.state.mem.undo(0)
		j.state.copyExceptContents(j.lastPrefix.s)
		last = j.lastPrefix
	} else if last.s == nil {
		j.state.copyFrom(j.program.initial())
	} else {
		j.spent += j.program.size() / copiedPerEvent
		j.state.copyFrom(last.s)
	}
	j.state.mem.changes.stop()
	return last.at
}

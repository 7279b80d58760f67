package strategy

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/reach"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// UnreachedStates proposes runs to states of a test that no run has reached: a read of another
// value, a message of another sender, another case of a select (analysis/reach). If there are
// no such states, the test was explored completely.
//
// All runs of the test are taken as parts of one program, which is searched for states that it
// can reach. A run to such a state shows what the program does from there on, and becomes part
// of the program in turn.
type UnreachedStates struct {
	Options
	Test string

	maxStates   int // of a search
	searchCost  int // of all searches, in small states
	program     *reach.Program
	numRunsRead int // runs of the ledger
	// runNumbers are those of the runs that were added, see [recording.Recording.RunNumber].
	runNumbers []int
	askedRuns  []askedRun // since the last call
	result     reach.Result
	// programChanged is set if the program has changed since the last search.
	programChanged bool
	singleRecorded bool // the test was recorded alone
	searched       bool // at least once
	hasTooLongRun  bool // a run has too many events
}

// An askedRun is a run that was proposed, and where it leads.
type askedRun struct {
	*Run
	destination *reach.Beginning // nil: to no state in particular
}

// NewUnreachedStates returns the strategy for a test.
func NewUnreachedStates(o Options, test string) *UnreachedStates {
	return &UnreachedStates{Options: o, Test: test, maxStates: maxStates, program: reach.New(test)}
}

// SearchRecording searches what the test can do by a single run. That is all, if nothing but
// the order of goroutines could change it.
func (u *UnreachedStates) SearchRecording(r *recording.Recording) {
	if u.addRun(r); !u.hasTooLongRun {
		u.search()
	}
}

// search searches the program for states that no run has reached.
func (u *UnreachedStates) search() {
	u.result, u.searched, u.programChanged = u.program.Search(u.maxStates), true, false
	u.searchCost += u.result.Cost
}

// Result returns what the last search has found.
func (u *UnreachedStates) Result() *reach.Result { return &u.result }

// IsComplete reports whether the runs have shown all that the test can do.
func (u *UnreachedStates) IsComplete() bool {
	return u.searched && !u.programChanged && len(u.askedRuns) == 0 && u.result.Complete()
}

// Status counts, for the status line, what the last search has found.
func (u *UnreachedStates) Status() string {
	if !u.searched {
		return ""
	}
	return fmt.Sprintf("behaviours: %d, to try: %d", u.result.Behaviours, len(u.result.Next))
}

// Next returns runs to states that the last search has found and no run has reached since. With
// none to return it notes what the last ones have shown.
func (u *UnreachedStates) Next(l *ledger.Ledger, n int) (all []*Run) {
	for _, r := range l.RunsOfTest[u.numRunsRead:] {
		// With several tests, memory has other addresses than in a replay; and only runs that repeat
		// others tell which objects are the same in several of them.
		if recording.CountTests(r.Trace) == 1 && len(r.Trace.Allocations) > 0 {
			u.addRun(r)
		}
	}
	u.numRunsRead = len(l.RunsOfTest)
	for _, a := range u.askedRuns {
		if a.Recording != nil {
			u.addRun(a.Recording)
		}
		if a.destination != nil {
			u.program.NoteTried(a.destination)
		}
		u.programChanged = true
	}
	u.askedRuns = u.askedRuns[:0]
	if u.hasTooLongRun {
		return nil
	}
	base := l.RunsOfTest[0]
	// A test that was recorded with others may behave differently by itself, as replays run
	// it. So it is recorded by itself first.
	if len(u.runNumbers) == 0 {
		if n == 0 || u.singleRecorded {
			return nil
		}
		u.singleRecorded = true
		run := &Run{Base: base, Order: l.FirstRun.Order, Tests: []string{u.Test}}
		u.askedRuns = append(u.askedRuns, askedRun{run, nil})
		return []*Run{run}
	}
	for first := true; first || len(all) == 0 && n > 0 && u.programChanged; first = false {
		// A search is expensive. So the states that the last one has found come first, even if
		// the program has grown since.
		if u.programChanged && len(u.statesLeft()) == 0 {
			u.search()
		}
		for _, b := range u.statesLeft() {
			if len(all) == n {
				break
			}
			run := &Run{Base: base, Description: u.describeDestination(base, b), ParentRuns: u.parents(b), MakeBeginning: func() (*witness.Witness, error) { return newBeginning(base, b) }}
			all = append(all, run)
			u.askedRuns = append(u.askedRuns, askedRun{run, b})
		}
	}
	return all
}

// describeDestination says what b leads to: the operation after which a goroutine does
// something new.
func (u *UnreachedStates) describeDestination(r *recording.Recording, b *reach.Beginning) string {
	if b.IsDeadlock() {
		return "where goroutines block for ever"
	}
	e := &b.Trace.Events[b.LastStep]
	return describeEvent(r.Files, b.Trace, e) + " first, as goroutine " + b.Trace.Goroutines[b.NextGoroutine].Path + " finds it"
}

// parents returns the numbers of the runs that show what b leads to.
func (u *UnreachedStates) parents(b *reach.Beginning) (all []int) {
	for _, k := range b.SourceRuns {
		all = append(all, u.runNumbers[k])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// statesLeft returns the states that the last search has found and no run has reached since,
// the most promising first.
func (u *UnreachedStates) statesLeft() (all []*reach.Beginning) {
	for k := range u.result.Next {
		if b := &u.result.Next[k]; !u.program.HasShown(b) && !u.program.HasTried(b) {
			all = append(all, b)
		}
	}
	u.program.Sort(all)
	return all
}

// addRun adds a run to the program.
func (u *UnreachedStates) addRun(r *recording.Recording) {
	t := r.Trace
	if len(t.Events) > MaxExploredEvents {
		u.hasTooLongRun = true
		u.result.Doubts = []string{"a run has too many events"}
		return
	}
	// Where the run of the test was ended by a crash, the search must not go on.
	died := -1
	if pos, crashed := recording.CrashPosition(t); crashed {
		if recording.TestFunction(t.Goroutines[t.Events[pos].G].Test) == u.Test {
			died = pos
		}
	}
	u.runNumbers = append(u.runNumbers, r.RunNumber)
	if u.program.Add(reach.Run{Trace: t, Died: died}) {
		u.programChanged = true
	}
}

// newBeginning makes the witness of a run to b, and from there on freely.
func newBeginning(r *recording.Recording, b *reach.Beginning) (*witness.Witness, error) {
	s := schedule.Schedule{Hold: b.HeldEvents}
	for i := range b.LastStep {
		if b.Trace.Events[i].Kind != trace.End { // nothing waits for an end
			s.Steps = append(s.Steps, i)
		}
	}
	return finding.BeginningWitness(r, recording.KindExplored, b.Trace, s, []int{b.LastStep})
}

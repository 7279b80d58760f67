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

// Unreached proposes runs to states of a test that no run has reached: a read of another
// value, a message of another sender, another case of a select (analysis/reach). If there
// are none, the test was explored completely.
//
// All runs of the test are taken for parts of one program. What they have in common is
// searched for states that the program can reach by what is known of it; a run to such a
// state shows what the program does there, and is added in turn.
type Unreached struct {
	Options
	Test string

	program  *reach.Program
	lookedAt int // runs of the ledger
	// numbers are those of the runs that were added, see [recording.Recording.Number].
	numbers []int
	asked   []askedRun // since the last call
	result  reach.Result
	// changed is set if the program has changed since the last search.
	changed  bool
	alone    bool // the test was recorded alone
	searched bool // at least once
	tooLong  bool // a run has too many events
}

// An askedRun is a run that was asked for, and where it leads.
type askedRun struct {
	*Run
	toward *reach.Beginning // nil: to no state in particular
}

// NewUnreached returns the strategy for a test.
func NewUnreached(o Options, test string) *Unreached {
	return &Unreached{Options: o, Test: test, program: reach.New(test)}
}

// SearchOne searches what the test can do by a single run: all, if nothing but the order of
// goroutines could change that.
func (u *Unreached) SearchOne(r *recording.Recording) {
	if u.add(r); !u.tooLong {
		u.result, u.searched, u.changed = u.program.Search(maxStates), true, false
	}
}

// Result returns what the last search has found.
func (u *Unreached) Result() *reach.Result { return &u.result }

// Complete reports whether the runs have shown all that the test can do.
func (u *Unreached) Complete() bool {
	return u.searched && !u.changed && len(u.asked) == 0 && u.result.Complete()
}

// Status counts, for the status line, what the last search has found.
func (u *Unreached) Status() string {
	if !u.searched {
		return ""
	}
	return fmt.Sprintf("behaviours: %d, to try: %d", u.result.Behaviours, len(u.result.Next))
}

// Next returns runs to states that the last search has found and no run has reached since.
func (u *Unreached) Next(l *ledger.Ledger, n int) (all []*Run) {
	for _, r := range l.TestRuns[u.lookedAt:] {
		if recording.CountTests(r.Trace) == 1 { // the memory of several tests is elsewhere than in a replay
			u.add(r)
		}
	}
	u.lookedAt = len(l.TestRuns)
	for _, a := range u.asked {
		if a.Recording != nil {
			u.add(a.Recording)
		}
		if a.toward != nil {
			u.program.Tried(a.toward)
		}
		u.changed = true
	}
	u.asked = u.asked[:0]
	if u.tooLong {
		return nil
	}
	base := l.TestRuns[0]
	if u.program.Size() == 1 && !u.alone {
		u.alone = true
		run := &Run{Base: base, Order: l.Run.Order, Tests: []string{u.Test}}
		u.asked = append(u.asked, askedRun{run, nil})
		return []*Run{run}
	}
	for first := true; first || len(all) == 0 && u.changed; first = false {
		if u.changed && len(u.left()) == 0 {
			u.result, u.changed, u.searched = u.program.Search(maxStates), false, true
		}
		for _, b := range u.left() {
			if len(all) == n {
				break
			}
			run := &Run{Base: base, Toward: u.what(base, b), Parents: u.parents(b), Begin: func() (*witness.Witness, error) { return begin(base, b) }}
			all = append(all, run)
			u.asked = append(u.asked, askedRun{run, b})
		}
	}
	return all
}

// what says what b leads to: the operation after which a goroutine does something new.
func (u *Unreached) what(r *recording.Recording, b *reach.Beginning) string {
	if b.Stuck() {
		return "where goroutines block for ever"
	}
	e := &b.Trace.Events[b.At]
	return place(r.Files, b.Trace, e) + " first, as goroutine " + b.Trace.Goroutines[b.First].Path + " finds it"
}

// parents returns the numbers of the runs that show what b leads to.
func (u *Unreached) parents(b *reach.Beginning) (all []int) {
	for _, k := range b.Runs {
		all = append(all, u.numbers[k])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// left returns what the last search has found and no run has shown since, in the order in
// which it is worth a run.
func (u *Unreached) left() (all []*reach.Beginning) {
	for k := range u.result.Next {
		if b := &u.result.Next[k]; !u.program.Shown(b) && !u.program.HasTried(b) {
			all = append(all, b)
		}
	}
	u.program.Sort(all)
	return all
}

// add adds a run to the program.
func (u *Unreached) add(r *recording.Recording) {
	t := r.Trace
	if len(t.Events) > MaxExplored {
		u.tooLong = true
		u.result.Open = []string{"a run has too many events"}
		return
	}
	died := -1
	if pos, crashed := recording.Crash(t); crashed {
		if recording.Function(t.Goroutines[t.Events[pos].G].Test) == u.Test {
			died = pos
		}
	}
	u.numbers = append(u.numbers, r.Number)
	if u.program.Add(reach.Run{Trace: t, Died: died}) {
		u.changed = true
	}
}

// begin makes the witness of a run to b, and from there on freely.
func begin(r *recording.Recording, b *reach.Beginning) (*witness.Witness, error) {
	s := schedule.Schedule{Hold: b.Hold}
	for i := range b.At {
		if b.Trace.Events[i].Kind != trace.End { // nothing waits for an end
			s.Steps = append(s.Steps, i)
		}
	}
	return finding.Beginning(r, recording.KindExplored, b.Trace, s, []int{b.At})
}

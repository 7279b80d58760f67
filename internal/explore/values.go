package explore

import (
	"context"
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/reach"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file proposes runs to what no goroutine of a test has come to yet: a read that finds
// another value, a message of another sender, another case of a select (analysis/reach).
// If there are none, the test was explored completely.

const (
	// maxStates is how many states of a test a search comes to.
	maxStates = 50_000
	// maxValues is how many events a run has at most that is looked at for this.
	maxValues = 20_000
)

// values are the runs of a test as one program.
type values struct {
	*frontier
	program  *reach.Program
	seen     int          // of the runs
	numbers  []int        // of those that were added, as confirmation.number has them
	asked    []askedValue // since the last call
	result   reach.Result
	fresh    bool // since the last search
	alone    bool // the test was recorded alone
	searched bool // once at least
	tooLong  bool
}

// An askedValue is a run that was asked for, and where it leads.
type askedValue struct {
	run    *attempt
	toward *reach.Beginning // nil: nowhere
}

func newValues(x *frontier) *values {
	return &values{frontier: x, program: reach.New(x.test)}
}

// complete reports whether the runs have shown all that the test can do.
func (v *values) complete() bool {
	return v.searched && !v.fresh && len(v.asked) == 0 && v.result.Complete()
}

// known counts, for the status, what the last search has come to.
func (v *values) known() string {
	if !v.searched {
		return ""
	}
	return fmt.Sprintf("behaviours: %d, to try: %d", v.result.Behaviours, len(v.result.Next))
}

func (v *values) next(_ context.Context, runs []*confirmation, n int) (all []*attempt, err error) {
	for _, c := range runs[v.seen:] {
		if countTests(c.trace) == 1 { // else its memory is elsewhere than in a replay
			v.add(c)
		}
	}
	v.seen = len(runs)
	for _, a := range v.asked {
		if a.run.next != nil {
			v.add(a.run.next)
		}
		if a.toward != nil {
			v.program.Tried(a.toward)
		}
		v.fresh = true
	}
	v.asked = v.asked[:0]
	if v.tooLong {
		return nil, nil
	}
	if v.program.Size() == 1 && !v.alone {
		v.alone = true
		a := &attempt{of: runs[0], run: func(ctx context.Context) (*confirmation, replayer.Result, error) { return v.inOrder(ctx, v.run.Order) }}
		v.asked = append(v.asked, askedValue{a, nil})
		return []*attempt{a}, nil
	}
	for again := true; again; again = len(all) == 0 && v.fresh {
		if v.fresh && len(v.left()) == 0 {
			v.result, v.fresh, v.searched = v.program.Search(maxStates), false, true
		}
		for _, b := range v.left() {
			if len(all) == n {
				break
			}
			a := &attempt{of: runs[0], what: v.what(b), parents: v.parents(b)}
			a.run = func(ctx context.Context) (*confirmation, replayer.Result, error) { return runs[0].from(ctx, b) }
			all = append(all, a)
			v.asked = append(v.asked, askedValue{a, b})
		}
	}
	return all, nil
}

// what says what b leads to: the operation after which a goroutine goes on as never before.
func (v *values) what(b *reach.Beginning) string {
	if b.Stuck() {
		return "where goroutines block for ever"
	}
	e := &b.Trace.Events[b.At]
	return v.place(b.Trace, e) + " first, as goroutine " + b.Trace.Goroutines[b.First].Path + " finds it"
}

// parents are the numbers of the runs that what b leads to is known by.
func (v *values) parents(b *reach.Beginning) (all []int) {
	for _, k := range b.Runs {
		all = append(all, v.numbers[k])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// left returns what the last search has found and no run has shown since, in the order in which
// it is worth a run.
func (v *values) left() (all []*reach.Beginning) {
	for k := range v.result.Next {
		if b := &v.result.Next[k]; !v.program.Shown(b) && !v.program.HasTried(b) {
			all = append(all, b)
		}
	}
	v.program.Sort(all)
	return all
}

// add adds a run to the program.
func (v *values) add(c *confirmation) {
	t := c.trace
	if len(t.Events) > maxValues {
		v.tooLong = true
		v.result.Open = []string{"a run has too many events"}
		return
	}
	died := -1
	if at, did := crash(t); did {
		if funcOf(t.Goroutines[t.Events[at].G].Test) == v.test {
			died = at
		}
	}
	v.numbers = append(v.numbers, c.number)
	if v.program.Add(reach.Run{Trace: t, Died: died}) {
		v.fresh = true
	}
}

// from runs to where b leads, and on.
func (c *confirmation) from(ctx context.Context, b *reach.Beginning) (*confirmation, replayer.Result, error) {
	var steps []int
	for i := range b.At {
		if b.Trace.Events[i].Kind != trace.End { // nothing waits for it
			steps = append(steps, i)
		}
	}
	w, err := witness.FromSchedule(b.Trace, steps, []int{b.At}, b.Hold, witness.Meta{
		Kind: kindExplored, Package: c.run.Package.Path, Files: c.files, Source: c.source, Extent: witness.Whole,
	})
	if err != nil {
		return nil, replayer.Result{}, err
	}
	return c.goOn(ctx, w, c.all, func(bin replayer.Binary, opts replayer.Options) (replayer.Result, error) {
		return replayer.Repeat(ctx, bin, w, c.code, 1, opts)
	})
}

package strategy

import (
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/flips"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file proposes runs in which one choice is made differently: an operation is delayed
// (analysis/flips), so that the program does what no recording shows. Goroutines that block
// for ever at the end of such a run are confirmed like those of a recorded run, and other bugs
// are predicted from its trace. The run has choices of its own, which are flipped in turn.
//
// A few delays find most bugs that depend on the order of operations (Emmi, Qadeer and
// Rakamarić, Delay-Bounded Scheduling, POPL 2011). So each run has one delay more than the run
// that it departs from, and runs with few delays come first.

// A flip is a choice of a recording that is made differently.
type flip struct {
	flips.Flip
	recording *recording.Recording
	delay     replayer.Delay
	// prefixFingerprint is the fingerprint of the test up to the delayed operation; 0 if it is not known.
	prefixFingerprint uint64
}

// A destination is equal for flips that lead to the same run.
type destination struct {
	prefixFingerprint uint64
	// selectCase is the case of the select that is asked for.
	selectCase int
}

// Flips proposes the flips of one test, none that leads to a run that was made. First come
// those of the recordings, then those of runs with a flip, then those that wait for timers,
// then those of atomic operations, and last those whose key had a flip before.
type Flips struct {
	*PackageFlips
	Test string

	queue         []flip
	timerFlips    []flip // that wait for timers
	atomicQueue   []flip // of atomic operations
	repeatedFlips []flip // with the key of an earlier one

	keys          map[string]bool
	destinations  map[destination]bool
	numRunsRead   int // runs of the ledger
	numRecordings int // how many of these are recordings
	// furtherEvents counts the events of further runs whose flips were collected.
	furtherEvents int
	// lockFlips counts the collected flips of operations on locks.
	lockFlips   int
	atomicFlips int // likewise of atomic operations
	// bugsShown is how many bugs were shown when a flip was last fruitful.
	bugsShown    int
	runningFlips []askedFlip

	limits
}

// An askedFlip is a flip that a run was asked for.
type askedFlip struct {
	*Run
	flip flip
}

// NumQueued counts the flips that are yet to be made, without those that come last.
func (f *Flips) NumQueued() int { return len(f.queue) }

// Next returns runs with the next flips. While flips are running that may lead to further
// ones, which come first, it proposes none of the last kinds.
func (f *Flips) Next(l *ledger.Ledger, n int) (all []*Run) {
	f.runningFlips = slices.DeleteFunc(f.runningFlips, func(a askedFlip) bool {
		if retry := a.flip; a.IsDealtWith && timerDue(a.Result) && retry.delay == replayer.UntilOthersBlocked {
			retry.delay = replayer.UntilIdleForSecond
			f.timerFlips = append(f.timerFlips, retry)
		}
		return a.IsDealtWith
	})
	f.collect(l)
	if len(f.queue) == 0 && len(f.runningFlips) > 0 {
		return nil
	}
	// The queues are emptied one after the other, each when all runs of the one before have
	// ended.
	for _, next := range []*[]flip{&f.timerFlips, &f.atomicQueue, &f.repeatedFlips} {
		if len(f.queue) == 0 {
			f.queue, *next = *next, nil
		}
	}
	for len(all) < n && len(f.queue) > 0 && (f.Exploring || f.MayMakeMore(l) && !f.isFruitless()) {
		all = append(all, f.ask(l, f.queue[0]))
		f.queue = f.queue[1:]
	}
	return all
}

// collect collects the flips of the runs that were not read yet, and notes whether the flips
// so far were fruitful.
func (f *Flips) collect(l *ledger.Ledger) {
	done := f.numMade - len(f.runningFlips)
	if done > 0 {
		done += budget.ConcurrentRuns - 1 // counts all runs that may be running now, as the result must not depend on how many are
	}
	for _, r := range l.RunsOfTest[f.numRunsRead:] {
		if f.numRunsRead++; f.numRunsRead > f.numRecordings {
			if f.furtherEvents += len(r.Trace.Events); f.furtherEvents > recording.MaxRepeated {
				continue
			}
		}
		if f.collectFrom(r) {
			f.lastFruitful = done
		}
	}
	if shown := l.CountShown(); shown > f.bugsShown {
		f.bugsShown, f.lastFruitful = shown, done
	}
}

// ask asks for a run with a flip, and takes its price.
func (f *Flips) ask(l *ledger.Ledger, next flip) *Run {
	f.takeCost(l, next.Key)
	run := &Run{
		Base: next.recording, Delay: next.delay, MakeBeginning: next.begin,
		Description: describeEvent(next.recording.Files, next.recording.Trace, &next.recording.Trace.Events[next.Position]) + " put off",
	}
	f.runningFlips = append(f.runningFlips, askedFlip{run, next})
	return run
}

// collectFrom collects the flips of a run, and reports whether any has a new key. Flips of a
// known key are made last.
func (f *Flips) collectFrom(r *recording.Recording) (fresh bool) {
	for _, next := range f.list(r, f.Test) {
		if f.isTriedLibraryFlip(next) {
			continue
		}
		if next.prefixFingerprint != 0 {
			d := destination{next.prefixFingerprint, next.Case}
			if f.destinations[d] {
				continue
			}
			f.destinations[d] = true
		}
		// Predictions cover other orders of locks mostly. Flips of them are few, so that they
		// leave room for choices that no prediction covers.
		if next.IsOfLockOrGroup() {
			if f.lockFlips++; f.lockFlips > maxLockFlips {
				continue
			}
		}
		// A spin loop has an atomic operation in each round, which would take all flips of the
		// test.
		if next.IsAtomic() {
			if f.atomicFlips++; f.atomicFlips > maxAtomicFlips && !f.Exploring {
				continue
			}
		}
		switch {
		case f.keys[next.Key]:
			f.repeatedFlips = append(f.repeatedFlips, next)
			continue
		case next.IsAtomic():
			f.atomicQueue = append(f.atomicQueue, next)
		default:
			f.queue = append(f.queue, next)
			fresh = true
		}
		f.keys[next.Key] = true
	}
	return fresh
}

// isTriedLibraryFlip reports whether a flip is a choice of the standard library that other
// tests have made often enough. Choices of package testing, as which subtest begins first, are
// flipped once in a package: recordings in other orders show them, too.
func (f *Flips) isTriedLibraryFlip(next flip) bool {
	site := next.recording.Trace.Sites[next.recording.Trace.Events[next.Position].Site]
	switch {
	case f.Exploring:
		return false
	case trace.IsTestingFunction(site.Func):
		return f.keys[next.Key] || f.testsWithKey[next.Key] > 0
	case strings.HasPrefix(next.recording.Files.Name(site.File), "std/"):
		return f.testsWithKey[next.Key] >= maxLibraryFlips
	}
	return false
}

// timerDue reports whether a timer could have fired before the delayed operation.
func timerDue(r replayer.Result) bool {
	return slices.ContainsFunc(r.Verdicts, func(v replayer.Verdict) bool { return v.TimerDue })
}

// flipsOf returns the flips of a recording, by test; none of a trace that contradicts itself.
func flipsOf(r *recording.Recording) map[string][]flip {
	// Only the beginning of a long trace is ordered: flips are taken from there
	// (flips.MaxPosition).
	first := *r.Trace
	first.Events = first.Events[:min(len(first.Events), flips.MaxPosition)]
	o, err := order.New(&first)
	if err != nil {
		return nil
	}
	all := make(map[string][]flip)
	byPos := make(map[int][]*flip)
	for test, found := range flips.List(r.Trace, o) {
		for _, f := range found {
			delay := replayer.UntilOthersBlocked
			if f.NeedsTimer {
				delay = replayer.UntilIdleForSecond
			}
			all[test] = append(all[test], flip{Flip: f, recording: r, delay: delay})
		}
		for k := range all[test] {
			f := &all[test][k]
			byPos[f.Position] = append(byPos[f.Position], f)
		}
	}
	recording.FingerprintPrefixes(&first, func(pos int, test string, sum uint64) {
		for _, f := range byPos[pos] {
			if recording.TestFunction(r.Trace.Goroutines[r.Trace.Events[pos].G].Test) == test {
				f.prefixFingerprint = sum
			}
		}
	})
	return all
}

// begin makes the witness of a run with the flip.
func (f flip) begin() (*witness.Witness, error) {
	w, err := finding.BeginningWitness(f.recording, recording.KindFlipped, f.recording.Trace, finding.ScheduleUpTo(f.recording, f.Position), []int{f.Position})
	if err == nil {
		w.Violation[0].SelectCase = f.Case
	}
	return w, err
}

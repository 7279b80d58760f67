package explore

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file bounds how long the replays of a package wait: all together about as long as its first recording took, one
// chain of them after the other, where those of a chain follow each other and those of several run beside each
// other. It counts what tests have waited in that recording, as far as their replays do so, too: timers pass at once
// there, and what comes from outside does not. Tests that wait less than longTest are not counted.

const (
	// leastPatience is how long replays may wait in each package.
	leastPatience = 10 * time.Second
	// mostWaited is how long replays of a witness may have waited for others of its bug to be tried.
	mostWaited = 16 * time.Second
)

// A patience is what is left of that.
type patience struct {
	left   time.Duration
	slow   map[string]time.Duration // how long replays of tests have waited, by their keys
	passed map[string]bool          // tests that were run without a schedule
	told   map[string]bool          // or were not, and it was told
}

func newPatience(recorded time.Duration) *patience {
	return &patience{left: max(leastPatience, recorded), slow: make(map[string]time.Duration), passed: make(map[string]bool), told: make(map[string]bool)}
}

// A chain is of replays of the same tests, one after the other.
type chain struct {
	tests []string
	wait  time.Duration // of the tests in the first recording
	each  time.Duration // of a replay, as far as is known
	took  time.Duration // so far
	most  time.Duration // that it may take
	all   time.Duration // that its replays have taken, of which two may run at once

	known, plain, unknown bool // the tests were run without a schedule before, are in this chain, or cannot be: it is too long
}

// inChain returns c for replays of those tests, one after the other. If more runs were asked for they have no bound.
func (c *confirmation) inChain(tests []string) *confirmation {
	h := &chain{tests: tests, most: math.MaxInt64}
	for _, test := range tests {
		h.wait += c.waited[funcOf(test)].Truncate(longTest)
	}
	h.wait = min(h.wait, took(c.run.Seconds)) // parallel subtests have waited at once
	if p := c.patience; p != nil && c.opts.Runs == 0 && !c.opts.Explore.explores() {
		key := keyOf(tests)
		h.each, h.most, h.known = p.slow[key], p.left, p.passed[key]
	}
	at := *c
	at.chain = h
	return &at
}

// tooLong reports whether another replay would wait longer than what is left.
func (h *chain) tooLong() bool { return h != nil && h.each > h.most-h.took }

// over reports whether no other witness of the same bug is to be tried.
func (h *chain) over() bool { return h.tooLong() || h != nil && h.took >= mostWaited }

// replayed takes what replays have waited that ran beside each other.
func (h *chain) replayed(r replayer.Result) {
	if h == nil {
		return
	}
	took := time.Duration(0)
	for _, v := range r.Verdicts {
		its := min(v.Elapsed, h.wait)
		took, h.all = max(took, its), h.all+its
	}
	h.each = max(h.each, took)
	h.took += took
}

// plainly takes what the tests wait without a schedule, once, and reports whether that was left.
func (h *chain) plainly() bool {
	switch {
	case h == nil || h.known || h.plain:
		return true
	case h.wait > h.most-h.took:
		h.unknown = true
		return false
	}
	h.took, h.all, h.plain = h.took+h.wait, h.all+h.wait, true
	return true
}

// charge takes what chains have waited of which so many run beside each other, and tells of the tests of which they
// could not find out whether they pass without a schedule.
func (x *inPackage) charge(beside int, chains ...*chain) {
	p := x.patience
	if p == nil {
		return
	}
	var longest, all time.Duration
	for _, h := range chains {
		if h == nil {
			continue
		}
		longest, all = max(longest, h.took), all+h.all
		key := keyOf(h.tests)
		p.slow[key] = max(p.slow[key], h.each)
		p.passed[key] = p.passed[key] || h.plain
		if h.unknown && !p.told[key] {
			p.told[key] = true
			x.warn("%s: %s fails in replays; %s", x.Report.Packages[0].Package, strings.Join(h.tests, " and "), unknownWhy)
		}
	}
	p.left -= max(longest, all/time.Duration(beside))
}

// mayWait says how long replays may wait, and unknownWhy why it is not known that they make a test fail.
const (
	mayWait    = "than replays of the package may, which is as long as its recording took, and ten seconds at least (with -predict.runs=N there is no such bound)"
	unknownWhy = "whether it does so without the schedule, too, is not known, as it waits longer " + mayWait
)

// notReplayed is what there is to say of a witness that is not replayed as its tests wait too long.
func notReplayed(w *witness.Witness) replayer.Result {
	return replayer.Result{Status: bug.Unconfirmed, Reason: fmt.Sprintf("not replayed: %s waits longer %s", strings.Join(w.Tests, " and "), mayWait), Witness: w}
}

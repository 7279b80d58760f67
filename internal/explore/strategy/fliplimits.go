package strategy

import (
	"slices"

	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
)

// This file bounds the flips of the tests of a package. Each test has some of its own, and a
// share of those of the package. Tests without flips, or that are too large for any, get no
// share.

// PackageFlips are the flips of all tests of a package.
type PackageFlips struct {
	Options
	// maxOfTest is the number of flips of each test.
	maxOfTest int
	// maxFruitless is how many fruitless flips of a test may follow each other.
	maxFruitless     int
	flipsOfRecording map[*recording.Recording]map[string][]flip

	// currentKeys are those of the flips that were made of the current test.
	currentKeys map[string]bool
	// testsWithKey counts, by key of a flip, the earlier tests in which such a flip was made.
	testsWithKey map[string]int
}

// NewPackageFlips returns the flips of the tests of the ledger's package.
func NewPackageFlips(o Options, l *ledger.Ledger, tests []string) *PackageFlips {
	return newPackageFlips(o, make(map[*recording.Recording]map[string][]flip), l, tests)
}

// newPackageFlips is NewPackageFlips where the flips of some recordings are known.
func newPackageFlips(o Options, known map[*recording.Recording]map[string][]flip, l *ledger.Ledger, tests []string) *PackageFlips {
	p := &PackageFlips{Options: o, flipsOfRecording: known, testsWithKey: make(map[string]int)}
	// A test gets a share only if it has flips and can pay for one.
	sharing := make(map[string]bool)
	for _, r := range slices.Concat(l.FirstRecordings, l.Recordings) {
		for _, test := range tests {
			if len(p.list(r.Recording, test)) > 0 && flipCost(l, test) <= l.Allowance.Left(test) {
				sharing[test] = true
			}
		}
	}
	n := max(1, len(sharing))
	if p.maxFruitless = maxFruitless; n == 1 {
		p.maxFruitless = maxFlips
	}
	p.maxOfTest = min(maxFlips, testFlips+maxPackageFlips/n)
	return p
}

// flipCost returns the price of a run of a test, by its events and its waiting time.
func flipCost(l *ledger.Ledger, test string) budget.Work {
	return l.Allowance.Cost(l.EventsOfTest[test]) + l.WaitOf(test)
}

// list returns the flips of a test in a recording.
func (p *PackageFlips) list(r *recording.Recording, test string) []flip {
	all, ok := p.flipsOfRecording[r]
	if !ok {
		if all = flipsOf(r); r.BegunBy == nil { // all tests ask for it
			p.flipsOfRecording[r] = all
		}
	}
	return all[test]
}

// FlipsOf returns the flips of a test that has a number of recordings.
func (p *PackageFlips) FlipsOf(l *ledger.Ledger, test string, recordings int) *Flips {
	for key := range p.currentKeys {
		p.testsWithKey[key]++
	}
	p.currentKeys = make(map[string]bool)
	return &Flips{
		PackageFlips: p, Test: test, numRecordings: recordings,
		keys: make(map[string]bool), destinations: make(map[destination]bool),
		limits: limits{maxRuns: l.NumRuns.Load() + maxRuns},
	}
}

// limits bound the flips of one test.
type limits struct {
	// maxRuns is the number of runs of the package from which on the test makes no further
	// flip.
	maxRuns int64
	numMade int // flips
	// lastFruitful is the number of flips up to the last one that showed something new, with
	// those that ran concurrently with it.
	lastFruitful int
}

// MayMakeMore reports whether the test may make another flip, unless the user asks for more
// exploration.
func (f *Flips) MayMakeMore(l *ledger.Ledger) bool {
	return f.numMade < f.maxOfTest && l.NumRuns.Load() < f.limits.maxRuns && flipCost(l, f.Test) <= l.Allowance.Left(f.Test)
}

// isFruitless reports whether too many flips after the last fruitful one showed nothing new.
func (f *Flips) isFruitless() bool { return f.numMade >= f.lastFruitful+f.maxFruitless }

// takeCost takes the price of a flip of that key.
func (f *Flips) takeCost(l *ledger.Ledger, key string) {
	f.numMade++
	l.Allowance.Take(f.Test, flipCost(l, f.Test))
	f.currentKeys[key] = true
}

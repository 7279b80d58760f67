package strategy

import (
	"slices"
	"time"

	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
)

// This file divides the budget for the flips of a package among its tests. Tests without
// flips, or that are too large for any, get no share.

// PackageFlips are the flips of all tests of a package.
type PackageFlips struct {
	Options
	flipsLeft int           // flips that may be made yet
	timeLeft  time.Duration // that they may take yet
	// testsLeft are the tests that have flips and were not explored yet.
	testsLeft map[string]bool
	// maxPackageRuns is the number of runs of the package from which on no further flip is
	// made.
	maxPackageRuns int64
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
	p := &PackageFlips{
		Options: o, flipsOfRecording: make(map[*recording.Recording]map[string][]flip), testsWithKey: make(map[string]int),
		flipsLeft: maxPackageFlips, testsLeft: make(map[string]bool), maxPackageRuns: maxRuns * int64(len(tests)),
	}
	// The runs so far are taken to be of the middle test: few are of one that is much longer
	// than all others.
	var costs []time.Duration
	var all time.Duration
	for _, test := range tests {
		costs = append(costs, flipCost(l, test))
		all += flipCost(l, test)
	}
	slices.Sort(costs)
	// A test gets a share only if it has flips and can pay for one.
	for _, r := range slices.Concat(l.FirstRecordings, l.Recordings) {
		for _, test := range tests {
			if len(p.list(r.Recording, test)) > 0 && flipCost(l, test) <= l.Allowance.Left {
				p.testsLeft[test] = true
			}
		}
	}
	if p.maxFruitless = maxFruitless; len(p.testsLeft) <= 1 {
		p.maxFruitless = maxFlips
	}
	p.timeLeft = flipTime + all + costs[(len(costs)-1)/2]*time.Duration(l.NumRuns.Load())
	return p
}

// flipCost returns the price of a run of a test, by its events and its waiting time.
func flipCost(l *ledger.Ledger, test string) time.Duration {
	return l.Allowance.Cost(l.EventsOfTest[test]) + recording.RoundedWait(l.WaitingTimes[test])/waitDivisor
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

// FlipsOf returns the flips of a test that has a number of recordings. The test shares what is
// left of the budget equally with the tests that have flips and come later.
func (p *PackageFlips) FlipsOf(l *ledger.Ledger, test string, recordings int) *Flips {
	left := max(1, len(p.testsLeft))
	delete(p.testsLeft, test)
	for key := range p.currentKeys {
		p.testsWithKey[key]++
	}
	p.currentKeys = make(map[string]bool)
	return &Flips{
		PackageFlips: p, Test: test, numRecordings: recordings,
		keys: make(map[string]bool), destinations: make(map[destination]bool),
		limits: limits{
			timeLeftOfTest: min(p.timeLeft, l.Allowance.Left) / time.Duration(left), maxOfTest: min(maxFlips, max(1, p.flipsLeft/left)),
			maxRuns: max(p.maxPackageRuns, l.NumRuns.Load()+maxRuns),
		},
	}
}

// limits bound the flips of one test.
type limits struct {
	timeLeftOfTest time.Duration // that its flips may take yet
	maxOfTest      int           // flips that it may have
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
	return f.numMade < f.maxOfTest && l.NumRuns.Load() < f.limits.maxRuns && 2*f.timeLeftOfTest > flipCost(l, f.Test)
}

// isFruitless reports whether too many flips after the last fruitful one showed nothing new.
func (f *Flips) isFruitless() bool { return f.numMade >= f.lastFruitful+f.maxFruitless }

// takeCost takes the price of a flip of that key.
func (f *Flips) takeCost(l *ledger.Ledger, test, key string) {
	cost := flipCost(l, test)
	f.numMade++
	f.flipsLeft--
	f.timeLeft, f.timeLeftOfTest, l.Allowance.Left = f.timeLeft-cost, f.timeLeftOfTest-cost, l.Allowance.Left-cost
	f.currentKeys[key] = true
}

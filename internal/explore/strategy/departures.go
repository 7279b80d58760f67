package strategy

import (
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Departures proposes runs that depart from a recorded one, for findings of the same tests: a
// branch goes the other way, or a read returns another value, and what follows is in no trace
// yet. So the program is run to that place and recorded from there on, as a further trace of
// the same test (Wang et al., FAC 2011, §8: traces with different branches).
//
// A finding has departures if only its recorded branches and values rule it out. Departures
// are pointers, which findings of the same test share: each is followed once.
type Departures struct {
	Findings []finding.Finding // of the recording
	// OpenFindings are the indices of the findings that no departure has confirmed.
	OpenFindings []int
	// DidNotEnd is set if one departure did not end in time: the next may take as long.
	DidNotEnd bool
	TestsKey  string // identifies the tests

	base        *recording.Recording
	maxFollowed int         // departures that may be followed
	costEach    budget.Work // of each
	payer       string      // the test that they are paid from
	followed    map[*analysis.Departure]bool
	// depth is the index of the departures that are followed now.
	depth int
	// pendingFindings has the findings whose departure at the index depth is yet to be
	// followed.
	pendingFindings []int
}

// DeparturesOf returns the strategies for the findings of r, one for each group of tests,
// and takes the price of their runs from the allowance of the ledger.
func DeparturesOf(o Options, r *recording.Recording, findings []finding.Finding, l *ledger.Ledger) (all []*Departures) {
	sizes := r.Sizes()
	of := make(map[string]*Departures)
	for k, f := range findings {
		key := strings.Join(f.Tests, "\x00")
		if len(f.Departures) == 0 || l.EndlessDepartures[key] || finding.IsPattern(f.Kind) && sizes.EventsOf(f.Tests) > maxDeparturePatternEvents {
			continue
		}
		d := of[key]
		if d == nil {
			d = &Departures{Findings: findings, TestsKey: key, base: r, followed: make(map[*analysis.Departure]bool)}
			of[key], all = d, append(all, d)
		}
		d.OpenFindings = append(d.OpenFindings, k)
	}
	grantRuns(o, r, all, sizes, l.Allowance)
	for _, d := range all {
		d.pendingFindings = slices.Clone(d.OpenFindings)
	}
	return all
}

// grantRuns decides how many departures each group may follow: as many as cost no more than half
// of what is left for its tests, or an eighth if r is a further run: there are many such runs,
// and each has departures. Waiting times bound the departures, too, but are not taken from
// the allowance. Findings of the same tests share departures. A single test may follow all, one
// of many fewer.
func grantRuns(o Options, r *recording.Recording, groups []*Departures, sizes recording.Sizes, a *budget.Allowance) {
	part := budget.Work(2)
	if r.BegunBy != nil {
		part = 8
	}
	waited := recording.WaitingTimes(r.Trace)
	for _, d := range groups {
		// A group cannot follow more departures than its findings have.
		distinct := make(map[*analysis.Departure]bool)
		for _, k := range d.OpenFindings {
			for _, departure := range d.Findings[k].Departures {
				distinct[departure] = true
			}
		}
		d.maxFollowed = min(maxDepartures, testDepartures+maxPackageDepartures/len(groups), len(distinct))
		if a == nil || o.Exploring {
			continue
		}
		tests := d.Findings[d.OpenFindings[0]].Tests
		d.payer = recording.TestFunction(tests[0])
		events := sizes.EventsOf(tests)
		d.costEach = a.Cost(events + events*len(d.OpenFindings)/findingsPerRead)
		// Departures of a group are followed one after the other.
		wait := budget.WorkOfWait(recording.WaitingTimeOf(tests, waited))
		d.maxFollowed = min(d.maxFollowed, int(a.Left(d.payer)/part/(d.costEach+wait)))
		a.Take(d.payer, budget.Work(d.maxFollowed)*d.costEach)
	}
}

// Next returns a run to the next departure of the findings that are open, the first
// departures of all of them first.
func (d *Departures) Next(*ledger.Ledger, int) []*Run {
	for ; d.depth < d.maxFollowed && !d.DidNotEnd; d.depth++ {
		for len(d.pendingFindings) > 0 {
			first := d.pendingFindings[0]
			d.pendingFindings = d.pendingFindings[1:]
			all := d.Findings[first].Departures
			if d.depth >= len(all) || d.followed[all[d.depth]] || len(d.followed) == d.maxFollowed || !slices.Contains(d.OpenFindings, first) {
				continue
			}
			// Findings share departures: the run is searched for all open findings of the
			// group.
			departure := all[d.depth]
			d.followed[departure] = true
			return []*Run{{Base: d.base, MakeBeginning: func() (*witness.Witness, error) {
				return finding.BeginningWitness(d.base, recording.KindDeparted, d.base.Trace, departure.Schedule(), departure.Accesses)
			}}}
		}
		d.pendingFindings = slices.Clone(d.OpenFindings)
	}
	return nil
}

// GiveBack gives back what the departures that were not followed would have cost.
func (d *Departures) GiveBack(a *budget.Allowance) {
	a.GiveBack(d.payer, budget.Work(d.maxFollowed-len(d.followed))*d.costEach)
}

package strategy

import (
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Departures proposes runs that depart from a recorded one, for findings of the same tests:
// a branch goes the other way there, or a read returns another value, and what follows is in
// no trace yet. So the program is run to there and recorded from then on, as a further trace
// of the same test (Wang et al., FAC 2011, §8: traces with different branches).
//
// A finding has departures if only its recorded branches and values rule it out. Departures
// are pointers, which findings of the same test share: each is followed once.
type Departures struct {
	Findings []finding.Finding // of the recording
	// Open are the indices of those that no departure has confirmed.
	Open []int
	// Endless is set if one departure has not ended: the next may take as long.
	Endless bool
	Tests   string // identifies the tests

	base        *recording.Recording
	maxFollowed int           // departures that may be followed
	cost        time.Duration // of each
	followed    map[*analysis.Departure]bool
	// depth is the index of the departures that are followed now.
	depth int
	// round has the findings whose departure at that index is yet to be followed.
	round []int
}

// DeparturesOf returns the strategies for the findings of r, one for each group of tests,
// and takes the price of their runs from the allowance of the ledger.
func DeparturesOf(o Options, r *recording.Recording, findings []finding.Finding, l *ledger.Ledger) (all []*Departures) {
	sizes := r.Sizes()
	of := make(map[string]*Departures)
	for k, f := range findings {
		key := strings.Join(f.Tests, "\x00")
		if len(f.Departures) == 0 || l.Endless[key] || finding.IsPattern(f.Kind) && sizes.Of(f.Tests) > warnedEvents {
			continue
		}
		d := of[key]
		if d == nil {
			d = &Departures{Findings: findings, Tests: key, base: r, followed: make(map[*analysis.Departure]bool)}
			of[key], all = d, append(all, d)
		}
		d.Open = append(d.Open, k)
	}
	grant(o, r, all, sizes, l.Allowance)
	for _, d := range all {
		d.round = slices.Clone(d.Open)
	}
	return all
}

// grant says how many departures each group may follow. Each has one in turn, as long as
// these cost no more than half of what is left of the allowance, or an eighth if r is beyond
// the recordings: there are many such runs, and each has departures. What tests wait bounds
// the departures, too, but takes nothing from other runs. Findings of the same tests share
// departures: those of a single test may have all, those of a package with many tests fewer
// each.
func grant(o Options, r *recording.Recording, groups []*Departures, sizes recording.Sizes, a *budget.Allowance) {
	if len(groups) == 0 {
		return
	}
	most := min(maxDepartures, max(1, maxPackageDepartures/len(groups)))
	open := make([]int, len(groups))
	for g, d := range groups {
		distinct := make(map[*analysis.Departure]bool)
		for _, k := range d.Open {
			for _, departure := range d.Findings[k].Departures {
				distinct[departure] = true
			}
		}
		open[g] = min(most, len(distinct))
	}
	if a == nil || o.Exploring {
		for g, d := range groups {
			d.maxFollowed = open[g]
		}
		return
	}
	part := budget.Allowance{Left: a.Left / 2}
	if r.Toward != nil {
		part.Left = a.Left / 8
	}
	waited := recording.Waited(r.Trace)
	for range most {
		for g, d := range groups {
			tests := d.Findings[d.Open[0]].Tests
			events := sizes.Of(tests)
			d.cost = a.Cost(events + events*len(d.Open)/departureShare)
			wait := recording.WaitOf(tests, waited) // departures of a group are followed one after the other
			if d.maxFollowed < open[g] && part.Take(d.cost+wait) {
				a.Take(d.cost)
				d.maxFollowed++
			}
		}
	}
}

// Next returns a run to the next departure of the findings that are open, the first
// departures of all of them first.
func (d *Departures) Next(*ledger.Ledger, int) []*Run {
	for ; d.depth < d.maxFollowed && !d.Endless; d.depth++ {
		for len(d.round) > 0 {
			first := d.round[0]
			d.round = d.round[1:]
			all := d.Findings[first].Departures
			if d.depth >= len(all) || d.followed[all[d.depth]] || len(d.followed) == d.maxFollowed || !slices.Contains(d.Open, first) {
				continue
			}
			departure := all[d.depth]
			d.followed[departure] = true
			return []*Run{{Base: d.base, Begin: func() (*witness.Witness, error) {
				return finding.Beginning(d.base, recording.KindDeparted, d.base.Trace, departure.Schedule(), departure.Accesses)
			}}}
		}
		d.round = slices.Clone(d.Open)
	}
	return nil
}

// Spared returns what the departures that were not followed would have cost.
func (d *Departures) Spared() time.Duration {
	return time.Duration(d.maxFollowed-len(d.followed)) * d.cost
}

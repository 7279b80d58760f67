// Package detect finds candidates in a recorded run: events that may be a bug in
// another order, all at the same places.
//
// It has a [Detector] for each way to look, and [All] of them, in the order in which
// package analysis runs them. What a detector prunes, as it is ordered, under a common
// lock, part of a race or meant to be so, it counts. Whether a candidate is a bug is
// for the tiers of package analysis to decide, and for a replay.
package detect

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A Candidate is events that may be a bug, all at the same places.
type Candidate struct {
	Kind bug.Kind
	// Name is the kind and the places in words: the same for the same bug in all
	// traces of a program.
	Name       string
	Instances  []Instance // at least one; the easiest to replay comes first
	Exhaustive bool       // these are all that there are
	// Places are those of accesses that may meet, of which not all are among the instances;
	// see [anomaly.ConflictSetsAt]. Empty where these cannot tell all.
	Places [][2]uint64
	// Tuples are the patterns and their places of which not all matches are among the
	// instances; see [anomaly.MatchFinder].
	Tuples []anomaly.Tuple
}

// Alone reports whether c is events each of which is a violation by itself.
func (c *Candidate) IsSingleEvent() bool {
	return len(c.Instances[0].Accesses) == 1 && !c.Instances[0].IsDeadlock && c.Instances[0].Property == nil
}

// An Instance is the events of one violation of a candidate: positions in the trace, in the order of the
// pattern, or else that of the trace.
type Instance struct {
	Accesses []int
	Pattern  *anomaly.Pattern // nil if goroutines stand at all accesses at once
	// Blocks is set if each goroutine cannot go on from where it stands, as another one
	// of them does not. They come to a stop in the order of Accesses.
	IsDeadlock bool
	// Missed are the signals and broadcasts that wake none of those who wait for
	// a condition then, although nothing keeps them from happening: they come too early,
	// or wake others.
	MissedSignals []int
	// Property is what the events violate, and Run all events that it has of their object,
	// ascending; nil of other kinds.
	Property    *property.Property
	ObjectCalls []int
	again       bool // of [anomaly.Candidate.RepeatedPairs]
}

// Counts are what a detector has pruned: sets of places, and not findings.
type Counts struct {
	Locked     int // a common lock excludes them
	Ordered    int // one must happen before the other
	PartOfRace int // matches of which two accesses are a predicted race
	Intended   int // matches that show what is mostly meant to be so
	// Cut is set if not all was found or looked at, for there were too many ways to
	// choose events.
	Truncated bool
	// TooLong is set if assertions were not looked at, as the trace is [trace.Trace.TooLong].
	TooLong bool
}

// Add adds what another detector has pruned.
func (c *Counts) Add(d Counts) {
	c.Locked += d.Locked
	c.Ordered += d.Ordered
	c.PartOfRace += d.PartOfRace
	c.Intended += d.Intended
	c.Truncated = c.Truncated || d.Truncated
	c.TooLong = c.TooLong || d.TooLong
}

// An Input is what detectors look at.
type Input struct {
	Trace *trace.Trace
	Order *order.Order
	Flow  *dataflow.Flow // what values follow from
	Tests *TestIndex     // who accesses are done for
	Kinds []bug.Kind     // to look for; none stands for all of them
	// Patterns are looked for besides the built-in ones of these kinds.
	Patterns []anomaly.Pattern
	// Properties are those that the package declares of which the trace is, and built-in ones.
	Properties []property.Property
	// Known reports whether the race of that name (Candidate.Name) is a finding, or is
	// settled. Matches that contain it are none of their own.
	IsKnownRace func(race string) bool
	// Looks is how many more ways to choose events may be looked at.
	LooksLeft int
	ahead     aheads
}

// wants reports whether bugs of a kind are to be looked for.
func (in *Input) wants(kind bug.Kind) bool {
	return len(in.Kinds) == 0 || slices.Contains(in.Kinds, kind)
}

// A Detector finds candidates of some kinds of bugs.
type Detector struct {
	Kinds []bug.Kind
	// Effects is set if a candidate may be no more than what another bug leads to, such as
	// an assertion on a variable that goroutines race for: then package analysis keeps it
	// only where nothing that detectors before this one have found explains it.
	MayBeEffects bool
	// Part is how many parts are made of the work that is left when it begins, of which its
	// candidates have one. Harm counts: most patterns are warnings, and there are many.
	WorkDivisor int64

	find func(*Input, *Counts) []Candidate
	// most is how many candidates are looked at any further; 0 stands for all.
	most int
	// asked is set if it looks for the user's patterns ([Input.Patterns]), of whatever
	// kinds, too.
	asked bool
}

// The detectors.
var (
	Meetings   = &Detector{Kinds: []bug.Kind{bug.Race, bug.Channel, bug.WaitGroup, bug.Failure}, find: meetings, WorkDivisor: 3}
	Patterns   = &Detector{Kinds: []bug.Kind{bug.Atomicity, bug.AtomicSet}, find: patterns, WorkDivisor: 2, most: maxMatches, asked: true}
	Assertions = &Detector{Kinds: []bug.Kind{bug.Assertion}, find: assertions, WorkDivisor: 2, MayBeEffects: true}
	Unlocks    = &Detector{Kinds: []bug.Kind{bug.LockMisuse}, find: unlocks, WorkDivisor: 4}
	Misuses    = &Detector{Kinds: []bug.Kind{bug.Channel, bug.WaitGroup}, find: misuses, WorkDivisor: 3}
	Properties = &Detector{Kinds: []bug.Kind{bug.Property}, find: properties, WorkDivisor: 2, most: maxMatches}
	Deadlocks  = &Detector{Kinds: []bug.Kind{bug.Deadlock}, find: deadlocks, WorkDivisor: 1}
)

// All are the detectors in the order in which they run: patterns leave out what is a
// race.
var All = []*Detector{Meetings, Patterns, Assertions, Unlocks, Misuses, Properties, Deadlocks}

// Candidates returns what d finds, each name once, in the order of the trace, and
// counts what it prunes.
func (d *Detector) Candidates(in *Input) ([]Candidate, Counts) {
	var counts Counts
	if !d.wanted(in) {
		return nil, counts
	}
	cs := in.merge(d.find(in, &counts))
	if d.most > 0 && len(cs) > d.most {
		cs, counts.Truncated = cs[:d.most], true
	}
	return cs, counts
}

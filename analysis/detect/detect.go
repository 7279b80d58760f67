// Package detect finds candidates in a recorded run: events that may be a bug in another order, all at the
// same places.
//
// [All] has a [Detector] for each way to look, in the order in which package analysis runs them. Detectors
// count what they prune: what is ordered, under a common lock, part of a race, or intended. Package
// analysis and replays decide whether a candidate is a bug.
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

// A Candidate is sets of events, each of which may be a bug, all at the same places.
type Candidate struct {
	Kind bug.Kind
	// Name is the kind and the places in words: the same for the same bug in all
	// traces of a program.
	Name       string
	Instances  []Instance // at least one; the easiest to replay comes first
	Exhaustive bool       // there are no other instances
	// Places are pairs of places with more pairs of conflicting accesses than instances; see
	// [anomaly.ConflictSetsAt]. It is empty if that would not find all pairs.
	Places [][2]uint64
	// Tuples are patterns with their places that have more matches than instances; see
	// [anomaly.MatchFinder].
	Tuples []anomaly.Tuple
}

// IsSingleEvent reports whether each instance of c is one event that is a violation by itself.
func (c *Candidate) IsSingleEvent() bool {
	return len(c.Instances[0].Accesses) == 1 && !c.Instances[0].IsDeadlock && c.Instances[0].Property == nil
}

// An Instance is the events of one violation of a candidate: positions in the trace, in the order of the
// pattern, or else that of the trace.
type Instance struct {
	Accesses []int
	Pattern  *anomaly.Pattern // nil if goroutines are about to execute all accesses at once
	// IsDeadlock is set if each goroutine waits for another one of them. They block in the order
	// of Accesses.
	IsDeadlock bool
	// MissedSignals are the signals and broadcasts that happen, but wake no goroutine of the
	// deadlock that waits for their condition: they come too early, or wake others.
	MissedSignals []int
	// Property is what the events violate. ObjectCalls are all its events of their object,
	// ascending.
	Property    *property.Property
	ObjectCalls []int
	isRepeated  bool // of [anomaly.Candidate.RepeatedPairs]
}

// Counts are numbers of sets of places that a detector has pruned.
type Counts struct {
	Locked     int // a common lock excludes them
	Ordered    int // one must happen before the other
	PartOfRace int // matches of which two accesses are a predicted race
	Intended   int // matches that are mostly meant to be so
	// Truncated is set if there were too many ways to choose events to look at all.
	Truncated bool
	// TooLong is set if the trace is too long to look at assertions.
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
	Flow  *dataflow.Flow // which events values follow from
	Tests *TestIndex
	Kinds []bug.Kind // to look for; none stands for all of them
	// Patterns are looked for besides the built-in ones of these kinds.
	Patterns []anomaly.Pattern
	// Properties are the properties that the trace's package declares, and the built-in ones.
	Properties []property.Property
	// IsKnownRace reports whether the race of that Candidate.Name is a finding, or is settled.
	// A match that contains it is no candidate.
	IsKnownRace func(race string) bool
	// LooksLeft is how many more ways to choose events may be looked at.
	LooksLeft int
	early     earlySearches
}

// wants reports whether bugs of a kind are to be looked for.
func (in *Input) wants(kind bug.Kind) bool {
	return len(in.Kinds) == 0 || slices.Contains(in.Kinds, kind)
}

// A Detector finds candidates of some kinds of bugs.
type Detector struct {
	Kinds []bug.Kind
	// MayBeEffects is set if a candidate may be the effect of another bug, such as an assertion on
	// a variable with a race. Package analysis keeps it only if no finding of the detectors before
	// explains it.
	MayBeEffects bool
	// WorkDivisor divides the work that is left when the detector begins. Its candidates get one
	// part. Patterns get less than their number asks for, as most of them are only warnings.
	WorkDivisor int64

	find              func(*Input, *Counts) []Candidate
	maxCandidates     int  // candidates that are looked at further; 0 stands for all
	findsUserPatterns bool // [Input.Patterns], of any kind
}

// The detectors.
var (
	Conflicts  = &Detector{Kinds: []bug.Kind{bug.Race, bug.Channel, bug.WaitGroup, bug.Failure}, find: conflicts, WorkDivisor: 3}
	Patterns   = &Detector{Kinds: []bug.Kind{bug.Atomicity, bug.AtomicSet}, find: patterns, WorkDivisor: 2, maxCandidates: maxMatches, findsUserPatterns: true}
	Assertions = &Detector{Kinds: []bug.Kind{bug.Assertion}, find: assertions, WorkDivisor: 2, MayBeEffects: true}
	Unlocks    = &Detector{Kinds: []bug.Kind{bug.LockMisuse}, find: unlocks, WorkDivisor: 4}
	Misuses    = &Detector{Kinds: []bug.Kind{bug.Channel, bug.WaitGroup}, find: misuses, WorkDivisor: 3}
	Properties = &Detector{Kinds: []bug.Kind{bug.Property}, find: properties, WorkDivisor: 2, maxCandidates: maxMatches}
	Deadlocks  = &Detector{Kinds: []bug.Kind{bug.Deadlock}, find: deadlocks, WorkDivisor: 1}
)

// All has the detectors in the order in which they run: patterns leave out known races.
var All = []*Detector{Conflicts, Patterns, Assertions, Unlocks, Misuses, Properties, Deadlocks}

// Candidates returns the candidates that d finds, each name once, in the order of the trace, and the
// numbers of what it prunes.
func (d *Detector) Candidates(in *Input) ([]Candidate, Counts) {
	var counts Counts
	if !d.isWanted(in) {
		return nil, counts
	}
	cs := in.merge(d.find(in, &counts))
	if d.maxCandidates > 0 && len(cs) > d.maxCandidates {
		cs, counts.Truncated = cs[:d.maxCandidates], true
	}
	return cs, counts
}

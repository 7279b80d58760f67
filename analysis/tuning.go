package analysis

import "github.com/gopredict/gopredict/analysis/solver"

// What there is for a trace: baseWork, so that short ones are decided thoroughly, and eventWork for
// each event. Further traces of the same tests have one of furtherPart parts of that: what they show
// is easily found, or was looked for in the first one.
const (
	baseWork    = 3 * solver.Second
	eventWork   = 24
	furtherPart = 4
)

// judgeStep is how many steps the judge takes for an event.
const judgeStep = 4

// lookStep is how many steps it takes to look at a way to choose events of a pattern, or at operations
// that may wait for each other. To look at freeLooks of them for each event is no more than to find the
// order of events, and counts as little.
const lookStep, freeLooks = 6, 4

// proofsPart is the part of the work for a trace that is kept for what else its program could do
// (demote), and directPart the part of that for the candidates of a detector that goes into all
// but solving.
const proofsPart, directPart = 4, 2

// leastWork is what a candidate may take for its schedules as long as there is any left, though it were
// more than its part, and smallWork what is too little to try all of its instances.
const leastWork, smallWork = 1 << 14, 1 << 18

// The cones of the candidates of one detector share coneLinks and one link for each event, in equal
// parts of leastCone or more; where that of a candidate needs more, schedules keep what happened, and
// cost what is between the accesses. Once there is a schedule, further ones may take furtherCones
// times that part.
const (
	coneLinks    = 1 << 16
	leastCone    = 1 << 8
	furtherCones = 4 * judgeStep
)

// mostSchedules is how many schedules a finding has: of 579 bugs that replays have confirmed, in real
// suites and those of this project, the first has shown 574, the second 5, and a third none.
const mostSchedules = 2

// circlingPart is the part of the work for deadlocks that goes into schedules that have only what they
// need, at first.
const circlingPart = 8

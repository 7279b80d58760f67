package analysis

import (
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// baseWork is the work for every trace, however short (unit: solver steps). Trades time for
// thoroughness on short tests. Chosen: about three seconds.
const baseWork = 3 * solver.Second

// eventWork is the further work for each event of a trace (unit: solver steps). Trades time for
// thoroughness on long tests.
const eventWork = 24

// furtherPart divides the work for further traces of the same tests (unit: parts). Trades findings of
// further traces for time. Chosen: what they show is easily found, or was looked for in the first one.
const furtherPart = 4

// judgeStep is what the judge takes for an event (unit: solver steps). Measured: beside the solver.
const judgeStep = 4

// lookStep is what it takes to look at a way to choose events of a pattern, or at operations that may
// wait for each other (unit: solver steps). Measured: beside the solver.
const lookStep = 6

// freeLooks bounds the looks for each event that are not counted (unit: looks). Trades exact accounts
// for findings. Chosen: they take no more than finding the order of events.
const freeLooks = 4

// proofsPart divides the work for a trace: one part is kept for what else its program could do (unit:
// parts). Trades proofs for schedules.
const proofsPart = 4

// directPart divides the work for the candidates of a detector: one part goes into all but solving
// (unit: parts). Trades direct schedules for solving.
const directPart = 2

// leastWork is what a candidate may take for its schedules although its part is smaller (unit: solver
// steps). Trades later candidates for earlier ones.
const leastWork = 1 << 14

// coneLinks bounds the links of the cones of all candidates of one detector, with one link more for
// each event (unit: links). Trades short schedules for time: beyond it, schedules keep what happened.
const coneLinks = 1 << 16

// leastCone is what the cones of a candidate may have although its part is smaller (unit: links).
const leastCone = 1 << 8

// furtherCones bounds the work for further schedules of a finding (unit: cones of the first one).
// Trades second schedules for time. Derived: judging a cone takes judgeStep for each event.
const furtherCones = 4 * judgeStep

// mostSchedules bounds the schedules of a finding (unit: schedules). Trades confirmations for replays.
// Measured: of 579 bugs that replays confirmed, in real suites and those of this project, the first
// schedule showed 574, the second 5, and a third none.
const mostSchedules = 2

// waitCyclePart divides the work for deadlocks: one part goes into schedules that have only what they
// need, before those that begin at a causality barrier (unit: parts).
const waitCyclePart = 8

// historyShare is how many events have one acquire of a given lock (unit: events). Measured: roughly.
const historyShare = 64

// maxTurned bounds the branches that one schedule turns (unit: branches). Trades completeness for time.
const maxTurned = 16

// maxEventsOfAssertion bounds the events of one assertion that the solver is asked about (unit: events). Trades
// completeness for time.
const maxEventsOfAssertion = 64

// maxSolved bounds the traces of which candidates are solved (unit: events). Derived: no recorded trace
// is longer, as an event takes eight bytes of [trace.MaxLoggedBytes] or more. Solving takes 30 bytes an event.
const maxSolved = trace.MaxLoggedBytes / 8

// maxTried bounds the instances of a candidate that are tried before all pairs or matches are looked at
// (unit: instances). Trades the nearest instances for simpler ones.
const maxTried = 2

// maxRemaining bounds the pairs of a candidate that the solver is left with (unit: pairs). Trades
// proofs for time.
const maxRemaining = 64

// maxNeighbours bounds the nearest pairs of accesses that are tried (unit: pairs). Trades completeness
// for time.
const maxNeighbours = 16

// maxConePairs bounds the pairs of a candidate that a cone reaches and the judge is asked about (unit: pairs).
const maxConePairs = 16

// maxGroups bounds the sets of tests that the pairs of an infeasible candidate may belong to (unit:
// sets). Trades proofs for time: for each it must be known that no run departs.
const maxGroups = 16

// rowStep is what it takes to ask what must come before an access of a row (unit: solver steps).
const rowStep = 2

// nearShare is how many accesses can be looked at in a step (unit: accesses). Measured: beside rowStep.
const nearShare = 4

// maxNearSteps bounds the work for the nearest pairs (unit: solver steps). Trades completeness for
// time. Chosen: of many goroutines there are more than enough near pairs in the first rows.
const maxNearSteps = 1 << 12

// firstAccesses bounds the accesses at the places of a pattern that are looked at first (unit:
// accesses). Chosen: where the pattern came often, it did early.
const firstAccesses = 1 << 12

// matchStep is what it takes to look at an access or a chunk for matches (unit: solver steps).
const matchStep = 4

// manyCandidates is from how many undecided candidates on a sample is solved first (unit: candidates).
// Trades findings for time: the whole budget would be spent on a few of them.
const manyCandidates = 5

// maxSample bounds that sample (unit: candidates).
const maxSample = 8

// sampledSteps bounds the work for each candidate of the sample (unit: solver steps).
const sampledSteps = 1 << 20

// seekingPart divides the budget of a candidate whose instances cannot all be proven infeasible: one
// part goes into what has a schedule near to the recorded run (unit: parts). Chosen: a proof for some
// of the instances is worth nothing.
const seekingPart = 20

// partFactor is how many times its equal part of a budget a candidate, or one of its instances, may take
// (unit: parts). Trades later candidates for earlier ones.
const partFactor = 4

// maxProven bounds the tests that departures are looked for in (unit: events). Trades proofs for time.
const maxProven = 1 << 20

// maxEarly bounds the traces that are prepared for departures while there is the solver's model (unit:
// events). Trades time for memory: both together take much. Derived.
const maxEarly = dataflow.MaxEvents

// maxExtension bounds what one goroutine does more before a departure (unit: events).
const maxExtension = 1 << 12

// maxFollowed bounds the reads that an assertion is followed through (unit: reads).
const maxFollowed = 256

// madeSteps bounds the steps of schedules that are kept for each event of a window (unit: steps). Trades
// memory for time. Chosen: they take less memory than what would make them.
const madeSteps = 2

// mergedQuestions is how many questions to merged recordings may take all of their budget (unit:
// questions).
const mergedQuestions = 6

// maxEarlierAccesses bounds the earlier accesses for which a race with an event is looked for that needs critical
// sections in another order (unit: accesses). Trades completeness for time.
const maxEarlierAccesses = 16

// planningEvent bounds the work for one event, if each event is decided (unit: solver steps).
const planningEvent = 1 << 26

// planningEvents bounds the work for all events, if each event is decided (unit: solver steps).
const planningEvents = 1 << 28

// solvingEvents bounds solving for all events, if each event is decided (unit: solver steps).
const solvingEvents = solver.Second

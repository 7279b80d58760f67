// Package analysis predicts concurrency bugs: it takes the trace of one run,
// and returns findings, each with schedules of the same events that lead to
// it. Whether they do, only a replay can tell.
//
// The tiers, cheap to exact, each for what the one before left undecided:
//
//  1. must-order and lock sets (packages order and anomaly) find candidates,
//  2. lock-acquisition histories ([order.Order.ExcludedByHistory]) and causality graphs
//     (package causality) refute some,
//  3. direct schedules (package schedule) confirm: of the accesses' cone, with critical
//     sections turned round, or PECAN's; the independent judge (package feasible)
//     has seen each of them; for properties also such as go another way where that makes
//     no difference to what comes later (Chen and Roşu, 2005),
//  4. where the detectors have handed over the nearest pairs only, all pairs are looked at:
//     a must clock ([order.Must]) refutes, one growing cone for each two goroutines
//     confirms ([schedule.Planner.Meet]); and all matches of patterns ([anomaly.MatchSet]),
//     of which those that came in the pattern's order are direct,
//  5. solving (package symbolic) decides the others: it finds a schedule, or
//     proves that there is none, within a budget.
//
// What a tier proves, it proves of the recorded events. The program cannot do it only
// if no run departs from these either; else there are schedules up to where it does
// (Finding.Departures).
//
// What is left of assertions then is looked for in several recordings of a test together
// ([Recordings], package merged).
package analysis

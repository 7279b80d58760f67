// Package symbolic decides whether a run of recorded events can come to a
// violation, by solving: a formula of package solver has the runs as its models
// (Said, Wang, Yang and Sakallah, Generating Data Race Witnesses by an SMT-based
// Analysis, NFM 2011). It takes a trace, its [order.Order] and a [Target], and
// returns an order of events that leads there, a proof that there is none, or
// that the budget did not suffice. What is possible is what package feasible
// says: the two share no code, and agree on all small traces.
//
// # The formula
//
// An [Encoding] is α ∧ β ∧ γ of the paper, and for one check ρ:
//
//   - α: program order, and what must come before what in each run. These are
//     edges from the start, never decided.
//   - β: reads that matter find what they found. Reads that move data may find
//     something else, if nothing depends on it that has to be as recorded: what
//     must not be tainted asks for what it depends on. See reading and taint.
//   - γ: synchronization. Critical sections exclude each other; conditions are
//     queues; channels pass elements in line, and a close parts those that got
//     through from those that did not; a WaitGroup's counter is a decision
//     diagram over its Adds.
//   - ρ: the target. A race is that both accesses are enabled, a pattern an order
//     of its accesses.
//
// Of the paper's constraints, equation 1 is α, but for joins, which Go has none of:
// WaitGroups and channels do their work. Positions are no numbers, so that neither
// their range nor that no two are equal is to be said. Equation 2 is β: the writers
// of the same value are memory.same, those that α hides from the read are left out
// (optimizations 1 and 2 of §3.2, the third of §4.2). Of equation 3's four
// constraints none is left: the accesses stand at the moment of the violation.
// Equation 4 over the owner of a lock says that sections are apart, which is said of
// pairs of sections; the wait sets and the choice of one waiter of §4.1 are
// the queue, for in Go the one that has waited longest wakes. A depth (§4.3) needs no
// lock: Go's are not recursive, and read locks share. What α implies or contradicts
// folds as terms are made (§4.2), and acquisition histories and must-happen-before
// (§5) are tiers before this one: package analysis.
//
// # Values
//
// A model of the concurrent trace program ([NewConcurrent]) knows what stores and
// conditions follow from (Wang et al., Symbolic Predictive Analysis, FAC 2011,
// §§3–4): a read of which all comes into formulas is an integer, equal to what the
// write left that it finds, and the path conditions are those of the formulas. The
// target can then be that an assertion fails. Without them the model is the one
// that the paper calls constrained (§7.1). See values.
//
// That there is no such run is a proof for the recorded way and the recorded values
// of all that has no formula. Whether a run can depart from them is a question of its
// own: see [Departures].
//
// # What does not happen
//
// The paper's linearizations have all events of the trace. Here a run is a
// prefix of each goroutine (the maximal causality of Şerbănuţă, Chen and Roşu;
// the erroneous prefixes of Wang et al., Symbolic Predictive Analysis, FAC 2011,
// §5.3): one more event is the moment of the violation, what the order puts
// behind it does not happen, and each constraint is on condition that its event
// happens. So a witness needs no more than leads to the violation, and nothing
// that comes after can refute it.
//
// # What is left out
//
// First, the [Cone]: only events that a run may need to come to the target are
// encoded. Second, most pairs of critical sections, and most writes that could
// come between a read and what it reads from, never meet in any order that the
// solver would choose, as it begins with the recorded one. They are asserted
// when a model breaks them ([Encoding.Solve]); all models together break few.
// Third, a read whose value is computed may at first find only the writes that were
// nearest to it in the recorded run. That it finds no other is assumed; if a
// contradiction needs that, it gets more. Fourth, a product of two such values is any
// number at first, and gets the cases that a model breaks. Fifth, what α implies or
// contradicts is no part of a formula, as in the paper's Tables 1 and 2.
//
// One encoding serves all targets of its cone: ρ is assumed and not asserted, so
// that the solver keeps what it has learned (§5).
package symbolic

// Package symbolic decides whether a run of recorded events can reach a violation, by solving: the
// models of a formula of package solver are the runs (Said, Wang, Yang and Sakallah, Generating Data
// Race Witnesses by an SMT-based Analysis, NFM 2011). It takes a trace, its [order.Order] and a
// [Target]. It returns an order of events that leads there, a proof that there is none, or that the
// budget did not suffice. What is possible is what package feasible says: the two share no code, and
// agree on all small traces.
//
// # The way through
//
// A [Model] has what all questions about a trace share. A [Decider] takes the targets: it finds the
// [Cone] of each, makes an [Encoding] of that, and asks an engine. A model of the formula is followed
// event by event; what it violates of the constraints that were left out is asserted, until a run is
// possible or the formula contradicts itself.
//
//	target.go                                 what a run is to reach
//	model.go, edges.go                        the trace: control, and what must precede what
//	accesses.go, memory.go, provenance.go     the trace: memory and values
//	cone.go, closure.go, limits.go            the events that matter for a target
//	encoding.go, timeline.go                  the formula: its parts, and the order variables
//	lock.go, cond.go, waitgroup.go,
//	channel.go                                one primitive each: its edges and constraints
//	reads.go, writers.go, taint.go            what reads find, as recorded
//	values.go, sum.go, product.go             what reads find, as computed
//	solve.go, check.go, bound.go              asking, following a model's run, few switches
//	decider.go, effort.go                     which question to ask, and what it may cost
//	depart.go, departures.go, choice.go,
//	commuting.go, ordered.go, settled.go      what proofs rest on
//	tuning.go                                 the bounds and weights
//
// # The formula
//
// An [Encoding] is α ∧ β ∧ γ of the paper, and for one check ρ:
//
//   - α: program order, and what must precede what in each run. These are edges from the start, and
//     never decided.
//   - β: reads that matter find what they found. Reads that only move data may find something else,
//     if nothing depends on it that has to be as recorded. See readEncoder and taint.
//   - γ: synchronization. Critical sections exclude each other. Conditions are queues. Channels pass
//     elements in order, and a close separates those that were passed from those that were not. A
//     WaitGroup's counter is a decision diagram over its Adds.
//   - ρ: the target. A race is that both accesses are enabled, a pattern an order of its accesses.
//
// Of the paper's constraints, equation 1 is α without joins, which Go does not have. Events have no
// numbers, so nothing bounds them or makes them distinct. Equation 2 is β; writers that α hides from
// a read are left out (optimizations 1 and 2 of §3.2, the third of §4.2). Equation 3 is not needed:
// the accesses are next at the moment of the violation. Equation 4, over the owner of a lock, says
// that sections exclude each other, which is said of pairs of sections. The wait sets of §4.1 are a
// queue, as Go wakes the goroutine that has waited longest. The depth of §4.3 is not needed, as Go's
// locks are not recursive. What α implies or contradicts is folded as terms are made (§4.2).
// Acquisition histories and must-happen-before (§5) are earlier tiers: see package analysis.
//
// # Values
//
// A model of the concurrent trace program ([NewConcurrent]) knows what stores and conditions follow
// from (Wang et al., Symbolic Predictive Analysis, FAC 2011, §§3–4). A read whose value flows into
// formulas only is an integer, equal to what the write left that it finds, and the path conditions
// are those of the formulas. The target can then be that an assertion fails. Without formulas the
// model is the one that the paper calls constrained (§7.1). See valueEncoder.
//
// A proof that there is no such run holds for the recorded control flow, and for the recorded values
// of everything that has no formula. Whether a run can depart from these is a question of its own:
// see [Departures].
//
// # Prefixes
//
// The paper's linearizations have all events of the trace. Here a run is a prefix of each goroutine
// (the maximal causality of Şerbănuţă, Chen and Roşu; the erroneous prefixes of Wang et al., FAC
// 2011, §5.3). One more event is the moment of the violation, what the order puts after it does not
// happen, and each constraint holds on condition that its event happens. So a witness has no more
// events than it needs, and nothing that comes later can refute it.
//
// # What is left out
//
//   - Events outside of the cone.
//   - Most pairs of critical sections, and most writes between a read and its source: few models
//     have them, as the solver begins with the recorded order. They are asserted when one does.
//   - Products of two such values. They get the cases that models have wrong.
//   - What α implies or contradicts (the paper's Tables 1 and 2).
//
// One encoding serves all targets of its cone: ρ is assumed and not asserted, so that the solver
// keeps what it has learned (§5).
package symbolic

// Package merged predicts from several recorded runs of one test at once: failures of
// assertions that no recording comes to in any order of its own events, but a run
// that mixes them, in which one goroutine goes the way that it went in one recording, and
// another one the way of another (Wang, Kundu, Limaye, Ganai and Gupta, Symbolic
// Predictive Analysis for Concurrent Programs, FAC 2011, §8: traces with branches).
//
// [Merge] makes one concurrent trace program of the recordings. A goroutine is known by
// its path, an event by what came before it in its goroutine and by its site: what the
// recordings have in common is there once, and from the first difference on each has
// its own way. Objects are named by who came to them, for addresses are others in each
// process.
//
// [Program.Fails] asks the solver for a run to a failing assertion. The formula is that
// of CSSA (§4): program order, critical sections, WaitGroups and Onces, and for each read
// a π-function of the writes that it may find. Each event has a guard, that the run comes
// to it. The ways of one goroutine exclude each other, and the values that are read, of
// which formulas speak (package trace), decide which one it goes. The paper's φ, where
// branches meet again, is not needed: what comes behind a branch is there once for each
// way, with the values of that. So two branches of one goroutine go together if one
// recording has both.
//
// # What it leaves out
//
// A goroutine goes on as recorded if all reads of which no formula tells find what they
// found, also those that only move data: the model is stricter than that of package
// symbolic. Ways end at operations that the formula does not know: those on channels and
// conditions, selects, and memory that is accessed in pieces. So there are runs that it
// does not find, and none that it makes up, but for what a trace does not show: what lies
// behind a branch may depend, in ways that no recording tells, on what the goroutine did
// before. Each run that is found is checked by package feasible, and then replayed.
package merged

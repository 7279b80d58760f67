// Package reach finds out what a test can do that no run of it has done yet.
// It takes the traces of the runs so far. It returns beginnings of runs that
// lead to something new, or reports that the runs have shown everything.
//
// [Program] merges the traces. Goroutines of different runs are the same if
// they have the same path. The state of a goroutine is its history: its
// operations and what each of them found. So each goroutine is a tree. It
// branches where a read found different values in two runs, a receive
// different messages, or a select different cases. The history of a goroutine
// determines its next operation; the other goroutines determine what that
// finds.
//
// [Program.Search] executes the trees in each order that matters, on a model
// of memory, locks, channels, conditions, WaitGroups and Onces. If an
// operation finds what it has never found after this history, no run tells
// how the goroutine goes on. The order up to there is the beginning of the
// next run. This is the maximal causality of J. Huang, Stateless Model Checking
// Concurrent Programs with Maximal Causality Reduction, PLDI 2015: a run is
// started only for a read that gets another value. But the search takes all
// runs as one program, so that no two runs are made for the same read and
// value. Equal values are equal whoever has written them (Agarwal et al.,
// Stateless Model Checking under a Reads-Value-From Equivalence, CAV 2021).
// If the search finds nothing, the runs have shown every state that any
// goroutine can reach.
//
// A behaviour is what all goroutines have done by the end of a run. The
// search counts behaviours, but does not ask for a run of each: two that
// combine known histories of independent goroutines show nothing new.
// Deadlocks are an exception: each gets a run.
//
// Orders that no goroutine can tell apart are executed once (persistent sets:
// Godefroid, Partial-Order Methods, 1996). For instance, an access is executed
// at once if all goroutines that touch its memory hold the same lock, or if
// the other goroutines can store there only the value that it has already.
//
// # Limits
//
// The model does not know what a trace does not record. Then a program seems
// to do different things after the same history. The search reports that in
// [Result.Doubts], and claims no completeness. Timers may fire at any time.
//
// A test ends with its cleanups. Goroutines that it has left behind go on
// until then, and no longer: what they would do later, no run has shown.
//
// # Files
//
// program.go has the trees of nodes and edges. add.go adds a run to them: it
// executes the recorded events on the model of state.go, with the names that
// names.go gives to addresses. search.go executes the trees in other orders.
// future.go decides which operations need only one order, and beginning.go
// turns the steps to a new state into the beginning of a run, which needed.go
// shortens.
//
// The numbers of goroutines, nodes and objects are those of the program, and
// the same for all runs. Only a [Beginning] has a trace, so that a replay can
// follow it as it follows a recorded one.
package reach

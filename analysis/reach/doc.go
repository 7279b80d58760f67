// Package reach finds out what a test can do that no run of it has done yet:
// it takes the traces of the runs so far and returns the beginnings of runs
// that lead beyond them, or says that there is nothing more.
//
// [Program] is what the traces have in common. A goroutine is known by its
// path, and where it stands by its history: what it has done, with all that
// it has found. So each goroutine is a tree that parts where a read has found
// another value in another run, a receive another message, a select another
// case. What a goroutine does next follows from its history alone; what it
// finds there follows from the others.
//
// [Program.Search] executes the trees, in each order that matters, on a model
// of memory, locks, channels, conditions, WaitGroups and Onces. Where a
// goroutine finds what it has never found at the end of that history, nobody
// knows how it goes on: the order up to there is the beginning of the next
// run. This is the maximal causality of J. Huang, Stateless Model Checking
// Concurrent Programs with Maximal Causality Reduction, PLDI 2015: a run is
// started only for a read that gets another value. But the search takes all
// runs as one program, not one after the other, so that each run is the first
// to show what it was made for, and equal values are equal whoever has
// written them (Agarwal et al., Stateless Model Checking under a
// Reads-Value-From Equivalence, CAV 2021). Where the search finds nothing,
// the runs have shown everything that any goroutine can come to.
//
// A behaviour is what all goroutines have done by the end of a run. The
// search counts them; not each needs a run of its own, as two that differ in
// what two goroutines have done independently of each other show nothing that
// others have not. Those in which other goroutines block for ever are run,
// too.
//
// Orders that no goroutine can tell apart are executed once (persistent sets:
// Godefroid, Partial-Order Methods, 1996): an operation that no other
// goroutine's can come before, as all that touch its memory hold one lock,
// say, is done at once. So is one that nothing depends on of what the others
// may do yet: what they store is there already, say.
//
// # What it does not know
//
// What a trace does not show makes a program that seems to do different
// things after the same history. It is noticed where it happens, and
// [Result.Doubts] tells of it: then nobody says that all was seen. Timers may
// fire at any time.
package reach

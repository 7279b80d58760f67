// Package reduce makes long traces small enough to be analyzed, before any tier sees them. Nothing that
// it leaves out, moves or cuts changes what can be predicted.
//
// A trace comes through it in three steps:
//
//  1. [ReadConcurrent] reads a file and leaves out what tests did while they ran alone, and accesses that
//     conflict with none. A first pass (survey) finds which tests these are.
//  2. [Gather] moves what goroutines did after their test had ended back to that end, where nothing else
//     depends on it.
//  3. [Divide] cuts the rest into windows, each as short as it can be: tests of which nothing goes on in
//     the next one. Windows are analyzed one after the other, and their events can be read from the file
//     again ([Rereader]), so that only one of them is in memory at a time.
//
// All three ask the same question: which events after the start of a top-level test can depend on
// events before it.
package reduce

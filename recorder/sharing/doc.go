// Package sharing decides which memory accesses and branches of a program need
// events. Package rewrite asks it before it inserts a hook: what no second
// goroutine can reach, or nobody writes once others can reach it, gets none,
// and a branch whose way other goroutines cannot change gets none either.
//
// # What is seen
//
// The SSA form (golang.org/x/tools/go/ssa) of the packages that are
// instrumented, with their tests, is one program; of all others there are only
// types. To read the bodies of the whole program, std included, would take
// seconds and gigabytes in each run, where this takes milliseconds. So what
// unknown code gets, unknown code may publish, and a value that goes into an
// interface or through package unsafe goes to unknown code. A function may be
// called by unknown code if it is a test, if its value is used, if its type is
// converted to an interface, or if others import its package. A few functions
// that only start or call the function that they get are known by name.
// An access for which there is no fact is instrumented.
//
// Packages have their types from different loads. Functions and variables are
// therefore known to each other by name, and the code of a generic function
// stands for all of its instances.
//
// # How it is decided
//
// Unification (Steensgaard, Points-to Analysis in Almost Linear Time, POPL
// 1996), with the fields of structs told apart, finds the sets of variables
// that pointers may lead to (node.go, constrain.go, call.go). It takes no
// account of the order of statements, nor of callers, with one exception: if the
// results of a function are known to nobody else when it returns, each of its
// calls gets copies of them (as in Lattner, Lenharth and Adve, Making
// Context-Sensitive Points-to Analysis with Heap Cloning Practical, PLDI 2007),
// so that two matrices made by one function are two.
//
// Variables are published by go statements, sends, stores into published
// variables, and closures that others may call (publish.go). Of published
// variables an access is left out if
//
//   - no write of them has an event (declarations and composite literals have
//     none), or
//   - each write comes before each publication in the control flow of the call
//     that made them, and each publication orders what was before it and what
//     the others do then, as a go statement or a send does.
//
// The second rule is stricter than "never written after it is published". If
// a pointer is published by a store that races, the writes before it race, too,
// with what the other goroutine does by way of the pointer. The race
// detector reports these races, and so do we.
//
// The fields of structs have a second net, for variables that unknown code
// knows: their types (class.go). What is lent to the standard library, which writes
// with events, falls through it (lent.go).
//
// # Branches
//
// The events of branches tell the judge of schedules (package feasible) that a
// goroutine which has read something else than recorded may go another way from
// here on. A condition that is computed from what no other goroutine can
// change says nothing of that kind; depend.go finds the others. What such values
// follow from, beyond that they do, package provenance says, of the same [Program].
//
// # That no race is lost
//
// The rules have a test each, in testdata/rules. And internal/measure losses
// instruments everything, records tests, and looks whether any place that may
// race in the trace would have been left out: for given packages, and for random
// programs that pass pointers around by all the ways that the language has.
package sharing

// Package z3 binds Z3 (de Moura and Bjørner, Z3: An Efficient SMT Solver, TACAS 2008): those
// functions of its C API that package solver needs. There is no cgo in it. The library is loaded
// from the system when the first [Context] is made, so that a program that imports this package can
// be built, and run, where there is none.
//
// Everything belongs to a context, which names variables; methods of [AST] make larger terms of
// these. A [Solver] holds assertions, and has after a check a [Model] or an unsat core. See the
// examples.
//
// # Errors
//
// Terms are made in chains, so methods return no errors. The first complaint of Z3, such as of a sum
// of booleans, stays in the context: [Context.Err] returns it, everything made since is void, and no
// check says True or False.
//
// # Lifetimes
//
// Context, Solver and Model hold memory outside of the Go heap, which the garbage collector does not
// free: each has a Close. Closing a context also closes what belongs to it. Closing twice is
// allowed, and any other use after Close panics. Terms live as long as their context.
//
// # Concurrency
//
// A context, with all that belongs to it, is for one goroutine at a time; other goroutines may only
// call [Context.Interrupt]. Contexts know nothing of each other: there may be one per goroutine.
package z3

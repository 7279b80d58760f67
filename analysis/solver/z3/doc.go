// Package z3 binds Z3 (de Moura and Bjørner, Z3: An Efficient SMT Solver, TACAS
// 2008): its C API under the names that package github.com/mitchellh/go-z3 gave
// it in Go, with what that one has not: levels of assertions, assumptions and
// unsat cores, and limits of a search. There is no cgo in it. The library is loaded
// from the system when the first [Config] is made, so that a program that imports
// this package can be built, and run, where there is none.
//
// A [Config] makes a [Context]. All else belongs to a context: a [Symbol] names and
// a [Sort] types what [Context.Const] makes an [AST], from which methods make larger
// ones; a [Solver] holds assertions, and has after a check a [Model] or an unsat
// core. See the examples.
//
// # Errors
//
// Terms are made in chains, so methods return no errors. The first complaint of
// Z3, such as of a sum of booleans, stays in the context: [Context.Err] returns it,
// everything made since is void, and no check says True or False.
//
// # Lifetimes
//
// Config, Context, Solver and Model hold memory outside of the Go heap, which the
// garbage collector does not free: each has a Close. Closing a context also closes
// what belongs to it. Closing twice is allowed, and any other use after Close
// panics. Terms live as long as their context.
//
// # Concurrency
//
// A context, with all that belongs to it, is for one goroutine at a time; other
// goroutines may only call [Context.Interrupt]. Contexts know nothing of each
// other: there may be one per goroutine.
package z3

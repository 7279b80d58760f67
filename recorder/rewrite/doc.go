// Package rewrite puts event hooks into Go source files. It stands at the
// beginning of the way: go/packages results come in, and rewritten copies of
// their files, an overlay that maps the originals to the copies, and the table
// of the places that were instrumented go out.
//
// # What gets a hook
//
// Memory accesses that another goroutine can reach: package variables, everything behind a
// pointer, elements of slices and maps, and the local variables that a function literal captures
// or whose address is taken. An access is left out only if it is proven private by the syntax of
// its package (see shared.go), or if package sharing finds by the whole program that it cannot be
// part of a race. Also each condition, and each clause of a switch or select that is entered,
// unless package sharing finds that other goroutines cannot change the way, and the package-level
// functions of sync/atomic. Functions below a comment //gopredict:atomic, and if wanted the
// methods of structs that hold a mutex, get a hook at their beginning and, deferred, at their end.
// The methods that a property names get one at their beginning (call of the run-time library's
// Called), what property.Event is told of, if one names that (Event), and so does what is done
// with the fields that one names (field.go), whether or not other goroutines can reach them. Where
// an iterator starts goroutines that call the body of the loop over it, each call is a write to
// the state of that loop, before the body begins (loop.go). Everything else that synchronizes is
// seen where it is defined, by hooks in the standard library.
//
// # What becomes of the values
//
// The table says of a load whether its value only moves on (trace.Site.OnlyStored),
// and whether it goes nowhere but back, as in x++ (trace.Site.IsUpdate). Of
// atomic counters it says the latter, too; the calls of methods such as
// n.Add(1), which have no hook here, it names by function and line.
//
// And it says what the values of stores, the outcomes of conditions and those of
// testify's assertions follow from (trace.Site.Formula), as package provenance finds
// from the SSA form, where all that they follow from has events, and of which
// loads the values go nowhere else (trace.Site.OnlyInFormulas). Operands that only the
// goroutine itself changes, as the n of a.balance < n, get a hook that notes their
// value. Hooks at strings, interfaces and slices say what the value is, for it to be
// shown, and whether a formula needs it: only then it is recorded (digest.go).
//
// # How
//
// The copy is the original text with insertions at byte offsets; the syntax
// tree is never printed. No newline is added before the end of the file, so
// that every line keeps its number, and comments, directives and embeds stay
// where they were.
//
// A load of x becomes (*P.Load(&x, site)), a store x = v becomes
// P.Store(&x, site).Set(v). What the language says about the order of evaluation
// is kept, and beyond it what the gc compiler does: it evaluates calls and
// receives from left to right first and loads variables afterwards. A hook is a
// call, too. Where calls follow a load, its hook is therefore called after them
// (scope.go); where only hooks follow, the load is made to happen before them,
// so that the event and the access are one step. Where a hook cannot be placed
// without a change of what the program does, there is none: behaviour has
// precedence over an event.
//
// # In the standard library
//
// With Options.StandardLibrary, the packages are those that work on memory of the program:
// they get hooks for memory accesses only, of package predictrt/inside, which logs the
// access at the program's call. A call of a function that is in assembly or the runtime gets
// hooks for what its operands lead to. Packages of other modules are instrumented in the same way.
//
// # What is missing
//
// Loads behind a pointer that a call in the same expression returned, where
// another call follows; assignments in the post statement of a for, or in a
// header that a goto leads to, whose left side can panic and whose right side
// calls, or that have more than two variables or two and a call; the loads of named results after deferred calls; the last step of a
// range over a map. Events of
// x, y := f(), where x exists and is shared, with several right-hand sides, and
// of elements that a range statement reads, follow the access at once instead of
// preceding it.
package rewrite

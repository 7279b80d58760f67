// Package hooks makes the instrumented standard library: copies of a few of
// the user's own GOROOT files with calls of package predictrt at the places
// where synchronization is defined, and the overlay that lets the go command
// compile them in place of the originals.
//
// The table in table.go says which function carries which hook and which
// events come from it. Patches find functions and statements by their source
// text, never by line, and insert no newline, so that every line of the
// standard library keeps its number. A Go release in which an anchor is
// missing is refused with an error that names it: no event is lost silently.
//
// There are hooks of two sorts. Some tell of events: a lock is taken, a goroutine is made.
// They stand where the operation takes effect, within whatever makes it atomic, so that
// the order of the events is that of the operations. The others take what chance decides
// in an ordinary run, the clock, random numbers, who runs next, so that a replay meets
// with the same; those have no kinds.
//
// Code in the patched packages calls the run-time library and may be called by it. What
// it does for itself, with the locks that it takes there, is no event of the program's:
// see "muted" in package predictrt.
//
// # A new Go release
//
// Add it to supported, run this package's tests, and mend what they name: an anchor that
// reads otherwise now, or a row that holds for one release only ([only]).
package hooks

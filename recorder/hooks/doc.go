// Package hooks makes the instrumented standard library: copies of a few files of the user's own
// GOROOT that call package predictrt where synchronization is defined, and the overlay by which
// the go command compiles them in place of the originals.
//
// The table in table.go says which function has which hook, and which events come from it.
// Patches find functions and statements by their source text, never by line, and insert no
// newline, so that every line of the standard library keeps its number. If an anchor is missing
// in a Go release, that release is refused with an error that names the anchor: no event is lost
// silently.
//
// There are two sorts of hooks. Some log events: a lock is acquired, a goroutine is made. They are
// where the operation takes effect, inside whatever makes it atomic, so that the order of the
// events is that of the operations. The others replace what is random in an ordinary run, as the
// clock, random numbers and the next goroutine, so that a replay gets the same; they have no
// kinds of events.
//
// Code in the patched packages calls the run-time library and may be called by it. The locks that
// it takes for itself there are no events of the program: see Mute in package predictrt.
//
// # A new Go release
//
// Add it to supported, run this package's tests, and fix what they name: an anchor whose text has
// changed, or a row that is for one release only ([only]).
package hooks

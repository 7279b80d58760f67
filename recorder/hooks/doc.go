// Package hooks makes the instrumented standard library: copies of a few of
// the user's own GOROOT files with calls of package predictrt at the places
// where synchronization is defined, and the overlay that lets the go command
// compile them in place of the originals (DESIGN, section 3).
//
// The table in table.go says which function carries which hook and which
// events come from it. Patches find functions and statements by their source
// text, never by line, and insert no newline, so that every line of the
// standard library keeps its number. A Go release in which an anchor is
// missing is refused with an error that names it: no event is lost silently.
package hooks

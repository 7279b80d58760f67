// Package provenance says what values follow from: what is stored, decided, asserted
// and handed over is told as expressions over what the goroutine has read (value.go,
// across calls: inline.go; assertion.go has the forms of assertions), and of which
// reads the values go nowhere else (track.go). Package rewrite puts that into the table
// of sites, and asks which further values need events. A witness of a failing assertion
// may then let these reads read something else than recorded: see package feasible. Linear
// integer arithmetic, comparisons, booleans, nil, and whether strings or interfaces
// are equal have formulas: of these the trace has digests where an assertion follows
// from them, by way of other memory, too, and of slices the lengths, where nothing
// else about them matters (need.go). Where it depends on the call what a parameter or
// a result is, events tell which one it was (handed.go). A read of which the value goes
// anywhere else is not tracked: it keeps its recorded value.
//
// A formula names a reading by its place: it is the goroutine's last event
// there. Where a call between the two may come by the place again, in another
// frame, there is no formula.
//
// What is shared, and which values other goroutines can change, is another question:
// package sharing answers it, in sharing.Program.
package provenance

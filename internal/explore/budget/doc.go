// Package budget bounds what follows the first recording of packages.
//
// Two bounds hold. A [Clock] is the time that all packages have together for analysis,
// further recordings and replays: about as long as the recording took, and ten seconds. When
// it is over, nothing new begins. An [Allowance] is what one package may cost beyond its
// first recording, counted by events and not by the clock, so that a busy machine makes as
// many runs as an idle one.
package budget

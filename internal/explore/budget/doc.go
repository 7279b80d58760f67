// Package budget bounds what follows the first recording of packages.
//
// There are two bounds. A [Clock] is the time that all packages have together for analysis,
// further recordings and replays: about as long as the recording took, and ten seconds. When
// it is over, nothing new begins. An [Allowance] is what one package may spend beyond its
// first recording. It is counted by events and not by the clock, so that a busy machine makes
// as many runs as an idle one.
package budget

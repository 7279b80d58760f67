// Package budget bounds what follows the first recording of packages.
//
// An [Allowance] is what the tests of one package may cost beyond their first recording. It is
// counted work and no time, so that a busy machine makes as many runs as an idle one, and no
// test takes from another one. A [Clock] is the time that the user gives to the replays of all
// packages together; by default there is none.
package budget

package solver

// Second is how many steps take an ordinary core about one second (unit: steps). Trades nothing: it
// translates times into budgets. Measured: checks of the benchmarks of this package.
const Second = 50_000_000

// perRational weighs adding to a term of a row (unit: steps). Trades nothing: it makes pivoting count
// like propagation. Chosen: roughly its time in steps.
const perRational = 16

// perResource weighs what Z3 counts as a resource (unit: steps). Trades nothing: it makes Z3's work
// count like the built-in engine's. Chosen: roughly its time in steps.
const perResource = 100

// activityDecay is what each conflict leaves of the activities of variables (unit: factor; VSIDS:
// Moskewicz et al., Chaff, DAC 2001). Trades older conflicts for recent ones. Chosen: as MiniSat. In
// place of making activities smaller, the search makes later increments larger.
const activityDecay = 0.95

// restartUnit is how many conflicts come between restarts, times the Luby sequence (unit:
// conflicts). Trades deep searches for other beginnings. Chosen: as usual for searches of seconds.
const restartUnit = 64

// firstReduce is how many learned clauses there are before the first are dropped (unit: clauses).
// Trades propagation for clauses that may be needed again. Chosen: as usual for searches of seconds.
const firstReduce = 2000

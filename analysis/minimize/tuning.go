package minimize

// unchangedSteps bounds the end of a schedule that keeps its order and all its steps (unit:
// steps). Trades shorter witnesses for the way to the violation as it was recorded, which is
// what somebody reads who wants to know how it comes to that. Chosen: what fits few screens.
const unchangedSteps = 200

// maxPlaces bounds the search for the fewest switches (unit: places of goroutines, of all states
// together). Trades fewer switches for time. Chosen: 20,000 states of 20 goroutines; beyond it
// the steps stay in the order that they have.
const maxPlaces = 400_000

// MaxTried bounds what WithoutGoroutines tries for one schedule (unit: steps of all schedules
// that are tried together). Trades shorter schedules for the judge's time. Chosen: a second.
const MaxTried = 1 << 18

package runtime

// predictOldest says that goroutines run in the order in which they were started or woken.
// Otherwise the one that was started or woken last runs first, and then the others in their order.
var predictOldest bool

// PredictOldestFirst sets that order, in which short timers fire at once.
func PredictOldestFirst() { predictOldest = true }

// A goroutine that has set a timer may lose the processor before it waits for the timer. A short
// timer is due then, whatever else the goroutine waits for at the same time. By a clock that
// stands still while goroutines compute, it would come last.
const (
	predictShortTimer     = 1_000_000 // nanoseconds; a switch between threads sometimes takes that long
	predictMaxShortTimers = 4         // of each goroutine; one that polls needs time to pass for others, too
)

// predictIsShortTimer reports whether a timer that the running goroutine sets is due at once; ns
// is how long it is to wait.
func predictIsShortTimer(ns int64) bool {
	if !predictOldest || ns <= 0 || ns >= predictShortTimer {
		return false
	}
	c := predictRunning()
	if c == nil || c.shortTimers == predictMaxShortTimers {
		return false
	}
	c.shortTimers++
	return true
}

package runtime

// predictOldest is set where the goroutine that can run for the longest time is the
// next to run. Else it is the one that was started or woken last, and those before it
// come in their order.
var predictOldest bool

// PredictOldestFirst has goroutines run in the order in which they were started or woken,
// and brief timers fire before others run.
func PredictOldestFirst() { predictOldest = true }

// A goroutine that has set a timer may lose the processor before it comes to wait for it.
// A short timer is due then, whatever else the goroutine waits for together with it. By a
// clock that stands still while goroutines compute it would come last.
const (
	predictShortTimer     = 1_000_000 // nanoseconds: a switch between threads takes that long now and then
	predictMaxShortTimers = 4         // of each goroutine: one that polls until others have done something needs time to pass for these too
)

// predictIsShortTimer reports whether a timer that the running goroutine sets is due at once,
// by how many nanoseconds it is to wait.
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

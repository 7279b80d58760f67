package runtime

// predictOldest is set where the goroutine that can run for the longest time is the
// next to run. Else it is the one that was started or woken last, and those before it
// come in their order.
var predictOldest bool

// PredictOldestFirst has goroutines run in the order in which they were started or woken.
func PredictOldestFirst() { predictOldest = true }
